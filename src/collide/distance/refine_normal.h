// Newton's method for the normal along which two curved cores are farthest apart.
#ifndef PERP_COLLIDE_DISTANCE_REFINE_NORMAL_H
#define PERP_COLLIDE_DISTANCE_REFINE_NORMAL_H

#include "collide/distance/core.h"
#include "collide/distance/separation.h"

// Raises the gap to the largest separation near the unit normal (from b to a), on every combination
// of the features that the two cores have there. A stationary separation that is not less than
// `enough` is the largest; INFINITY: not known.
void perp_refine_normal(const PerpCore *a, const PerpCore *b, double enough, PerpSeparation *s);

// The same of cores that are apart, from a normal that may be rough. True: s has two points of the
// cores which are no farther apart, so that there is no larger separation.
bool perp_refine_apart(const PerpCore *a, const PerpCore *b, PerpSeparation *s);

#endif

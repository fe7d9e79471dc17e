// Newton's method for the normal along which two curved cores are farthest apart.
#ifndef PERP_COLLIDE_DISTANCE_REFINE_NORMAL_H
#define PERP_COLLIDE_DISTANCE_REFINE_NORMAL_H

#include "collide/distance/core.h"

// Raises *gap to the largest separation near the unit vector *normal (from b to a), on every
// combination of the features that the two cores have there. A stationary separation that is not
// less than `enough` is the largest; INFINITY: not known.
void perp_refine_normal(const PerpCore *a, const PerpCore *b, double enough, PerpVec3 *normal,
                        double *gap);

#endif

// The normal of curved cores to the last digits.
#ifndef PERP_COLLIDE_POLISH_H
#define PERP_COLLIDE_POLISH_H

#include "collide/distance.h"

// Raises s->gap to the largest separation near s->normal by Newton's method, on every combination
// of the features that the two cores have there. Leaves the witnesses alone.
void perp_polish_normal(const PerpCore *a, const PerpCore *b, PerpSeparation *s);

// Is there just one point of the core farthest along d, with curvature all around or along a rim?
bool perp_core_is_curved(const PerpCore *c, PerpVec3 d);

#endif

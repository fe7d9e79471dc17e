// The signed distance of two cores with its normal and witness points.
#ifndef PERP_COLLIDE_DISTANCE_DISTANCE_H
#define PERP_COLLIDE_DISTANCE_DISTANCE_H

#include "collide/distance/core.h"
#include "collide/distance/separation.h"

// The gap and its normal; the search begins with a guess of it, of any length. Of cores that are
// farther apart than `reach` no more is told than a gap that is larger, too.
PerpSeparation perp_core_distance(const PerpCore *a, const PerpCore *b, PerpVec3 guess,
                                  double reach);

static inline PerpVec3 perp_core_apart(const PerpCore *a, const PerpCore *b)
{
    return perp_vec3_sub(a->position, b->position);
}

// The points of a separation within the reach, unless they are known. Most contacts have no need of
// them, and cores that overlap are searched again for them.
void perp_core_witnesses(const PerpCore *a, const PerpCore *b, PerpSeparation *s);

#endif

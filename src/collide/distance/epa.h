// The direction in which two cores overlap least [van den Bergen 2001].
#ifndef PERP_COLLIDE_DISTANCE_EPA_H
#define PERP_COLLIDE_DISTANCE_EPA_H

#include "collide/distance/core.h"

// The unit normal from b to a of the largest separation found; exact for polyhedra, near for curved
// cores (see collide/distance/refine_normal.h). `most`: no separation is larger; INFINITY: not
// known. False if the difference of the cores has no volume.
bool perp_epa(const PerpCore *a, const PerpCore *b, PerpVec3 *normal, double *most);

#endif

// Points where the rim of a cylinder's cap crosses another rim or the sides of a patch.
#ifndef PERP_COLLIDE_MANIFOLD_RIMS_H
#define PERP_COLLIDE_MANIFOLD_RIMS_H

#include "collide/manifold/manifold.h"
#include "collide/manifold/patch.h"

// Adds the crossings of the discs among a and b, of which at least one faces along n. parallel:
// both do.
void perp_manifold_rims(PerpManifold *m, const PerpPatch *a, const PerpPatch *b, PerpVec3 n,
                        bool parallel);

#endif

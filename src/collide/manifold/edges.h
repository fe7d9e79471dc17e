// Contact points of parallel edges.
#ifndef PERP_COLLIDE_MANIFOLD_EDGES_H
#define PERP_COLLIDE_MANIFOLD_EDGES_H

#include "collide/manifold/manifold.h"

// Adds the ends of the stretch along which an edge (or the side of a cylinder) of a lies beside a
// parallel one of b; nothing if the contact has no such edges.
void perp_manifold_edges(PerpManifold *m, const PerpCore *a, const PerpCore *b,
                         const PerpSeparation *s);

#endif

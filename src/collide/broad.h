// The broad phase: pairs of axis-aligned boxes that overlap.
#ifndef PERP_COLLIDE_BROAD_H
#define PERP_COLLIDE_BROAD_H

#include "base/memory.h"
#include "geom/bounds.h"
#include "perp/status.h"

// Sorted; the search costs about n log n.
typedef struct PerpPair {
    int a, b; // a < b
} PerpPair;

typedef struct PerpBroad PerpBroad; // keeps its memory from step to step

PerpStatus perp_broad_create(const PerpAllocator *allocator, PerpBroad **broad);
void perp_broad_destroy(PerpBroad *broad);
PerpStatus perp_broad_find(PerpBroad *broad, int n, const PerpBounds *bounds,
                           const PerpPair **pairs, int *n_pairs);

#endif

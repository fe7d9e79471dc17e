// Random small heaps: bodies of several shapes that fall onto each other and come to rest.
#ifndef PERP_BENCH_HEAP_H
#define PERP_BENCH_HEAP_H

#include "world.h"

// 3 to 18 spheres, boxes and capsules, with friction 0.1 to 1 and mass ratios up to 1000, over flat
// or tilted ground or between walls; round cones, tolerance 1e-8. NULL if memory is short.
PerpWorld *bench_heap_create(int seed);
void bench_heap_destroy(PerpWorld *heap); // NULL is allowed

#endif

// Random small piles: bodies of several shapes that fall onto each other and come to rest.
#ifndef PERP_BENCH_CONES_SMALL_PILE
#define PERP_BENCH_CONES_SMALL_PILE

#include "world.h"

// 3 to 18 spheres, boxes and capsules, with friction 0.1 to 1 and mass ratios up to 1000, over flat
// or tilted ground or between walls; circular cones, tolerance 1e-8. NULL if memory is short.
PerpWorld *bench_small_pile_create(int seed);
void bench_small_pile_destroy(PerpWorld *pile); // NULL is allowed

#endif

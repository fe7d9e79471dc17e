// The island cache: bases and solutions of the last step's islands. An island with the same rows is
// started from its own, one with the same numbers is solved by it.
#ifndef PERP_STEP_ISLANDS_ISLAND_CACHE_H
#define PERP_STEP_ISLANDS_ISLAND_CACHE_H

#include "base/memory.h"
#include "perp/problem.h"

#include <stdint.h>

// One island.
typedef struct PerpCachedIsland {
    uint64_t layout;                // the rows and what they are of
    uint64_t problem;               // all numbers of the problem, hashed
    int basis_first, basis_size;    // into basis; size 0: none
    int solution_first, n_solution; // into solution: c, lambda, v
} PerpCachedIsland;

// Owned.
typedef struct PerpIslandCache {
    PerpCachedIsland *island;
    int count, island_room;
    signed char *basis;
    int n_basis, basis_room;
    double *solution;
    int n_solution, solution_room;
    int next; // where the search begins
} PerpIslandCache;

// A step writes to one while it reads another, and the last step's must survive a failure.
enum { PERP_ISLAND_CACHES = 3 };
typedef struct PerpIslandCaches {
    PerpIslandCache cache[PERP_ISLAND_CACHES];
    int of_step;          // the one of the last step
    int in_use;           // the one of the stage before
    double impulse_scale; // of reported impulses to start from: this substep's length by theirs
    double cached_scale;  // likewise of those that are cached
} PerpIslandCaches;

void perp_island_caches_begin(PerpIslandCaches *caches); // of a step
// One that is neither the last step's nor in use, cleared.
int perp_island_caches_spare(PerpIslandCaches *caches);
void perp_island_caches_use(PerpIslandCaches *caches, int cache);
void perp_island_caches_free(const PerpAllocator *allocator, PerpIslandCaches *caches);

void perp_island_cache_clear(PerpIslandCache *cache);

// An island of this layout, NULL if there is none near where the last one was found.
const PerpCachedIsland *perp_island_cache_find(PerpIslandCache *cache, uint64_t layout);

// Room for one more; the basis and the solution are the caller's to fill in. NULL without memory.
PerpCachedIsland *perp_island_cache_add(const PerpAllocator *allocator, PerpIslandCache *cache,
                                        int basis_size, int n_solution);

// How many numbers c, lambda and v of a solution are.
int perp_island_solution_size(const PerpProblem *p);

// The warm start of an island: its basis, or else its impulses times impulse_scale. False if memory
// is short.
bool perp_island_cache_start(const PerpIslandCache *cache, const PerpCachedIsland *island,
                             const PerpProblem *p, double impulse_scale, PerpArena *arena,
                             PerpProblemSettings *settings);

// Where p has the same numbers again, or those of another length of step: its solution, times
// `factor`, certified anew against p. solved: whether it is good enough. Returns NO_MEMORY at
// worst.
PerpStatus perp_island_cache_reuse(const PerpIslandCache *cache, const PerpCachedIsland *island,
                                   double factor, const PerpProblem *p,
                                   const PerpProblemSettings *settings, PerpArena *arena,
                                   PerpProblemResult *result, bool *solved, PerpError *error);

// A hash of everything that makes up the problem: the same problem has the same one.
uint64_t perp_problem_hash(const PerpProblem *p);

#endif

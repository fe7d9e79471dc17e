// What is kept of islands from step to step: where to start from when an island has the same rows
// again, and what solves it when it has the same numbers again.
#ifndef PERP_STEP_KEPT_H
#define PERP_STEP_KEPT_H

#include "base/memory.h"
#include "perp/problem.h"

#include <stdint.h>

// Of one island.
typedef struct PerpKeptIsland {
    uint64_t layout;                // the rows and what they are of
    uint64_t problem;               // all numbers of the problem, hashed
    int basis_first, basis_size;    // into basis; size 0: none
    int solution_first, n_solution; // into solution: c, lambda, v
} PerpKeptIsland;

// Owned.
typedef struct PerpKeptIslands {
    PerpKeptIsland *island;
    int count, island_room;
    signed char *basis;
    int n_basis, basis_room;
    double *solution;
    int n_solution, solution_room;
    int next; // where to look first
} PerpKeptIslands;

void perp_kept_clear(PerpKeptIslands *kept);
void perp_kept_free(const PerpAllocator *allocator, PerpKeptIslands *kept);

// An island of this layout, NULL if there is none near where the last one was found.
const PerpKeptIsland *perp_kept_find(PerpKeptIslands *kept, uint64_t layout);

// Room for one more; the basis and the solution are the caller's to fill in. NULL without memory.
PerpKeptIsland *perp_kept_add(const PerpAllocator *allocator, PerpKeptIslands *kept, int basis_size,
                              int n_solution);

// How many numbers c, lambda and v of a solution are.
int perp_kept_solution_size(const PerpProblem *p);

// What the island starts from: its basis, or else its impulses times share. False if memory is
// short.
bool perp_kept_start(const PerpKeptIslands *all, const PerpKeptIsland *kept, const PerpProblem *p,
                     double share, PerpArena *arena, PerpProblemSettings *settings);

// Where p has the same numbers again: its solution, certified anew against p. solved: whether it is
// good enough. Returns NO_MEMORY at worst.
PerpStatus perp_kept_reuse(const PerpKeptIslands *all, const PerpKeptIsland *kept,
                           const PerpProblem *p, const PerpProblemSettings *settings,
                           PerpArena *arena, PerpProblemResult *result, bool *solved,
                           PerpError *error);

// A hash of everything that makes up the problem: the same problem has the same one.
uint64_t perp_problem_hash(const PerpProblem *p);

#endif

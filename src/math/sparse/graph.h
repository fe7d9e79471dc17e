// Which bodies the constraints of a problem with second-order cones join, and what follows from
// that for the matrix M + J'C J: order of elimination, pattern, where the blocks of each constraint
// lie. Cached between solves, as contacts mostly persist.
//
// Constraints without a C, such as open contacts, join nothing. A pile that flows has as many of
// them as others, and without them its matrix has a seventh of the work.
#ifndef PERP_MATH_SPARSE_GRAPH_H
#define PERP_MATH_SPARSE_GRAPH_H

#include "math/sparse/block_pattern.h"

#include <stdint.h>

// Two entries of a constraint, or one twice: J'C J of their rows belongs to a block of the matrix
// in which `row` stands behind `column` in the order of elimination.
typedef struct PerpGraphCouple {
    size_t block;    // of the factors
    int row, column; // entries
} PerpGraphCouple;

typedef struct PerpGraph {
    int n_bodies, n_constraints;
    const int *entry_start; // n_constraints + 1
    const int *entry_body;
    const bool *joins; // n_constraints: false for constraints that join nothing; NULL: all do
    PerpBlockPattern pattern;
    int *entry_place; // of the entries' bodies in the order of elimination
    size_t *diagonal; // n_bodies: block
    int *couple_start;
    PerpGraphCouple *couple; // constraint after constraint
} PerpGraph;

enum { PERP_CACHED_GRAPHS = 16 };

typedef struct PerpCachedGraph {
    PerpArena arena;
    PerpGraph *graph; // NULL: none
    uint64_t hash;
    uint64_t used; // when last
} PerpCachedGraph;

// The graphs of the last problems, of several islands.
typedef struct PerpGraphCache {
    PerpCachedGraph entry[PERP_CACHED_GRAPHS];
    uint64_t clock;
    long found, reused; // how often
    PerpArena factors;  // of the graph in use, or a graph while it is found
} PerpGraphCache;

void perp_graph_cache_init(PerpGraphCache *graphs, const PerpAllocator *allocator);
void perp_graph_cache_free(PerpGraphCache *graphs);

// Completes a graph of which bodies, constraints, entries and who joins are given; everything from
// the arena.
bool perp_graph_analyse(PerpArena *arena, PerpGraph *graph);
// The cached graph that equals it in all of these, analysed now if there is none. It stays until
// PERP_CACHED_GRAPHS others have been asked for, or fewer if they are large. NULL if memory is
// short.
const PerpGraph *perp_graph_cache_get(PerpGraphCache *graphs, const PerpGraph *asked);

#endif

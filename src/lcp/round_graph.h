// Which bodies the cells of a problem with round cones join, and what follows from that for the
// matrix M + J'C J: order of elimination, pattern, where the blocks of each cell lie. Kept between
// solves, as contacts mostly stay.
//
// Cells without a C, such as open contacts, join nothing. A pile that flows has as many of them as
// others, and without them its matrix has a seventh of the work.
#ifndef PERP_LCP_ROUND_GRAPH_H
#define PERP_LCP_ROUND_GRAPH_H

#include "math/block_pattern.h"

#include <stdint.h>

// Two entries of a cell, or one twice: J'C J of their rows belongs to a block of the matrix in
// which `row` stands behind `column` in the order of elimination.
typedef struct PerpRoundCouple {
    size_t block;    // of the factors
    int row, column; // entries
} PerpRoundCouple;

typedef struct PerpRoundGraph {
    int n_bodies, n_cells;
    const int *entry_start; // n_cells + 1
    const int *entry_body;
    const bool *joins; // n_cells: false for cells that join nothing; NULL: all do
    PerpBlockPattern pattern;
    int *entry_place; // of the entries' bodies in the order of elimination
    size_t *diagonal; // n_bodies: block
    int *couple_start;
    PerpRoundCouple *couple; // cell after cell
} PerpRoundGraph;

enum { PERP_ROUND_GRAPHS = 16 };

typedef struct PerpRoundKept {
    PerpArena arena;
    PerpRoundGraph *graph; // NULL: none
    uint64_t hash;
    uint64_t used; // when last
} PerpRoundKept;

// The graphs of the last problems, of several islands.
typedef struct PerpRoundGraphs {
    PerpRoundKept kept[PERP_ROUND_GRAPHS];
    uint64_t clock;
    long found, reused; // how often
    PerpArena factors;  // of the graph in use, or a graph while it is found
} PerpRoundGraphs;

void perp_round_graphs_init(PerpRoundGraphs *graphs, const PerpAllocator *allocator);
void perp_round_graphs_free(PerpRoundGraphs *graphs);

// Completes a graph of which bodies, cells, entries and who joins are given; everything from the
// arena.
bool perp_round_graph_find(PerpArena *arena, PerpRoundGraph *graph);
// The kept graph that equals it in all of these, found now if there is none. It stays until
// PERP_ROUND_GRAPHS others have been asked for, or fewer if they are large. NULL if memory is
// short.
const PerpRoundGraph *perp_round_graphs_get(PerpRoundGraphs *graphs, const PerpRoundGraph *asked);

#endif

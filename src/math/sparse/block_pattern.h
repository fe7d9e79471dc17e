// The order of elimination of a sparse matrix in blocks with a symmetric pattern, and the pattern
// of its factors, in panels: runs of columns with the same rows below them.
#ifndef PERP_MATH_SPARSE_BLOCK_PATTERN_H
#define PERP_MATH_SPARSE_BLOCK_PATTERN_H

#include "base/memory.h"

enum { PERP_PANEL_COLUMNS = 12, PERP_BRANCHES = 16 }; // at most

typedef struct PerpBlockPanel {
    int first, columns;     //
    int row, rows;          // in `row`: its own columns, then those below, ascending
    size_t block;           // where its rows x columns blocks begin, row by row
    int source, source_end; // in `source`: the panels that change it, ascending
    int parent;             // panel of the first row below, -1: none
} PerpBlockPanel;

// Rows from..to of a panel are columns of the one that it changes.
typedef struct PerpBlockSource {
    int panel, from, to;
} PerpBlockSource;

// Everything from the arena.
typedef struct PerpBlockPattern {
    int n;        // blocks of a side
    int *place;   // n: where block i stands in the order of elimination
    int *order;   // n: its inverse
    int n_panels; //
    PerpBlockPanel *panel;
    int *panel_of; // n: of a column
    int n_rows;    //
    int *row;      // of all panels
    int n_sources; //
    PerpBlockSource *source;
    size_t blocks;     // of all panels
    double work;       // products of blocks, about
    int n_branches;    // sets of subtrees that do not change each other; 0: too little work
    int *branch_start; // n_branches + 1
    int *branch_panel; // n_panels, ascending: those of the branches, then those above all
} PerpBlockPattern;

// For the off-diagonal blocks (i[k], j[k]), each named once or more, in either order. False when
// memory is short.
bool perp_block_pattern_find(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                             PerpBlockPattern *pattern);

// The same in another arena, which holds nothing else that finding it took.
bool perp_block_pattern_copy(PerpArena *arena, const PerpBlockPattern *from, PerpBlockPattern *to);

// The block of the factors in which (i, j) and (j, i) of the matrix begin.
size_t perp_block_pattern_block(const PerpBlockPattern *pattern, int i, int j);

// The first of row[from..to], ascending, that is not before the wanted one.
int perp_find_row(const int *row, int from, int to, int wanted);

#endif

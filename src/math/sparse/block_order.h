// The order of elimination of a sparse matrix in blocks with a symmetric pattern: minimum degree,
// for large ones after nested dissection where that means less work; and its elimination tree.
#ifndef PERP_MATH_SPARSE_BLOCK_ORDER_H
#define PERP_MATH_SPARSE_BLOCK_ORDER_H

#include "base/memory.h"

// Everything from the arena.
typedef struct PerpBlockOrder {
    int n;
    int *start, *other; // neighbours of each block
    int *place;         // n: where block i stands in the order of elimination
    int *order;         // n: its inverse
    int *parent;        // n: of a column in the elimination tree, -1: none; children stand before
    int *count;         // n: rows of a column below the diagonal
    int *mark;          // n, scratch
} PerpBlockOrder;

// For the off-diagonal blocks (i[k], j[k]), each named once or more, in either order. False when
// memory is short.
bool perp_block_order_find(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                           PerpBlockOrder *order);

#endif

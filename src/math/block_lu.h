// Sparse L U of a matrix in square blocks with a symmetric pattern, not necessarily symmetric
// values: no rows are exchanged between blocks, only within the diagonal ones. In AMD's order.
//
// Blocks are stored by columns, `pad` numbers apart, so that a column is one vector. Sums have a
// fixed order: the same bits on any machine.
#ifndef PERP_MATH_BLOCK_LU_H
#define PERP_MATH_BLOCK_LU_H

#include "base/memory.h"

// Everything from the arena. A block (i, j) of the matrix with i before j in the order of
// elimination lies transposed in `upper`, one with i behind j in `lower`, at the same place.
typedef struct PerpBlockLu {
    int n, size, pad;      // blocks; rows of a block, 3 or 6; 4 or 8
    int *place;            // n: where block i stands in the order of elimination
    int *order;            // n: its inverse
    int *start, *row;      // lower blocks by columns, rows ascending: n + 1, start[n]
    double *diagonal;      // n blocks: those of the matrix, then their inverses
    double *lower;         // start[n] blocks
    double *upper;         // start[n] blocks, transposed
    int *slot;             // n, scratch: row -> place in the column at hand
    int *head, *next, *at; // n, scratch: columns whose next row is this one
    double *x;             // n * size, scratch
} PerpBlockLu;

// Order and pattern for the off-diagonal blocks (i[k], j[k]), each named once or more, in either
// order. size: 3 or 6. False when memory is short.
bool perp_block_lu_analyse(PerpArena *arena, int n, int size, int pairs, const int *i, const int *j,
                           PerpBlockLu *lu);

void perp_block_lu_clear(PerpBlockLu *lu);
// Where the block (i, j) of the matrix lies, and whether transposed there. i = j: the diagonal.
double *perp_block_lu_block(const PerpBlockLu *lu, int i, int j, bool *transposed);

// Replaces the matrix by its factors; false if a diagonal block is singular.
bool perp_block_lu_factor(PerpBlockLu *lu);
// x = A^-1 x, `size` numbers a block.
void perp_block_lu_solve(PerpBlockLu *lu, double *x);

#endif

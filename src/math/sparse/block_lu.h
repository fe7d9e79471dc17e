// Sparse L U of a matrix in square blocks with a symmetric pattern, not necessarily symmetric
// values: no rows are exchanged between blocks, only within the diagonal ones.
//
// Blocks are stored by columns, `pad` numbers apart, so that a column is one vector. Sums have a
// fixed order: the same bits on any machine.
#ifndef PERP_MATH_SPARSE_BLOCK_LU_H
#define PERP_MATH_SPARSE_BLOCK_LU_H

#include "math/sparse/block_kernels.h"
#include "math/sparse/block_pattern.h"

// Everything from the arena. A block (i, j) of the matrix with i before j in the order of
// elimination lies transposed in `upper`, one with i behind j in `lower`, at the same place.
typedef struct PerpBlockLu {
    const PerpBlockPattern *pattern;
    const PerpBlockKernels *kernels;
    int size, pad;         // rows of a block, 3 or 6; 4 or 8
    double *lower, *upper; // blocks of the panels; diagonal ones become their inverses
    bool symmetric;        // the matrix is: L D L' at half the price. Its blocks off the diagonal
                           // stand in `upper` only, the diagonal ones in `lower`; false unless set
    int threads;           // at most, 1 unless set; no bit depends on it
    int *slot;             // n a branch, scratch: row -> row of the panel at hand
    double *x;             // n * pad, scratch
} PerpBlockLu;

// size: 3 or 6. The pattern must outlive it. False when memory is short.
bool perp_block_lu_take(PerpArena *arena, const PerpBlockPattern *pattern, int size,
                        PerpBlockLu *lu);

// Both in one, for a pattern that is used once.
bool perp_block_lu_analyse(PerpArena *arena, int n, int size, int pairs, const int *i, const int *j,
                           PerpBlockLu *lu);

void perp_block_lu_clear(PerpBlockLu *lu);
// Where the block (i, j) of the matrix lies, and whether transposed there. i = j: the diagonal.
double *perp_block_lu_block(const PerpBlockLu *lu, int i, int j, bool *transposed);

// Replaces the matrix by its factors; false if a diagonal block is singular.
bool perp_block_lu_factor(PerpBlockLu *lu);
// x = A^-1 x, `size` numbers a block.
void perp_block_lu_solve(PerpBlockLu *lu, double *x);
// The same for x in the order of elimination, blocks `pad` apart with zeros between them, aligned.
void perp_block_lu_solve_ordered(const PerpBlockLu *lu, double *x);

#endif

// P S A S P' = L D L' of a sparse symmetric positive semidefinite matrix A, with S such that the
// diagonal of S A S is 1 and P from AMD. Rank revealing: the k-th pivot is the squared sine between
// row k and the rows eliminated before it; where it vanishes, the row depends on those and is left
// out.
#ifndef PERP_MATH_SPARSE_SPARSE_LDL_H
#define PERP_MATH_SPARSE_SPARSE_LDL_H

#include "base/memory.h"

// The lower triangle of A by columns. Borrowed for the time of a call.
typedef struct PerpSparseSymmetric {
    int n;
    const int *start;    // n + 1: column j has the entries start[j] .. [j+1] - 1
    const int *row;      // entries: >= j, each once, in any order
    const double *value; // entries
} PerpSparseSymmetric;

// Everything from the arena.
typedef struct PerpSparseLdl {
    int n, rank;
    int *order;       // n: row order[k] of A is eliminated k-th
    double *scale;    // n: S, by rows of A
    int *start, *row; // L without its unit diagonal, by columns: n + 1, start[n]
    double *L;        // start[n]
    double *pivot;    // n: D, 0 for dependent rows
    bool *dependent;  // n, by rows of A
    double *x;        // n, scratch

    // P S A S P' left of the diagonal, by rows
    int *a_start;  // n + 2
    int *a_column; // a_start[n]
    double *a;     // a_start[n]

    // what the factorisation of row k works with
    int *parent;  // n: the elimination tree, -1 at roots
    int *visited; // n: last row whose pattern the node is in
    int *end;     // n: behind the entries of L's column so far
    int *pattern; // n: columns of row k, children before parents, from the back
    int *path;    // n
} PerpSparseLdl;

// Order, scales and the pattern of L. False when memory is short.
bool perp_sparse_ldl_analyse(PerpArena *arena, const PerpSparseSymmetric *A, PerpSparseLdl *ldl);

// L and D. Pivots up to `tolerance` count as 0: their rows are dependent. May be called again.
void perp_sparse_ldl_factor(PerpSparseLdl *ldl, double tolerance);

// A_II x_I = b_I in place, from b to x, I the independent rows; x is 0 on the others.
void perp_sparse_ldl_solve(const PerpSparseLdl *ldl, double *x);

#endif

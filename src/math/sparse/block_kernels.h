// Kernels of sparse L U in blocks of 3 or 6 rows. A block has its columns 4 or 8 numbers apart,
// aligned, so that a column is one vector; the numbers in excess are 0. A row of blocks, all of one
// panel, is a sequence of such columns. Sums have a fixed order.
#ifndef PERP_MATH_SPARSE_BLOCK_KERNELS_H
#define PERP_MATH_SPARSE_BLOCK_KERNELS_H

#include "math/sparse/block_pattern.h"

#include <stdbool.h>
#include <stddef.h>

// What a row of one panel, L and U', takes out of a row of another: for each of its pivots p,
//     lower(column[p] - first) -= L U_p'     upper(column[p] - first) -= U' L_p'
typedef struct PerpBlockUpdate {
    int n;                           // columns of the panel, as numbers
    int pivots;                      //
    const int *column;               // of the pivots
    int first;                       // column of the other panel
    const double *L_pivot, *U_pivot; // rows of the pivots, one behind the other
} PerpBlockUpdate;

// A panel's own rows, the triangles L and U' of its diagonal block.
typedef struct PerpBlockTriangles {
    const double *lower, *upper;
    size_t stride; // numbers of a row
} PerpBlockTriangles;

// Constraints of three rows each: J of the bodies that they join.
typedef struct PerpBlockConstraints {
    int n;            //
    const int *start; // n + 1: of their entries
    const int *place; // where the body of an entry stands in vectors
    const double *J;  // of an entry: three rows, `pad` apart
} PerpBlockConstraints;

typedef struct PerpBlockKernels {
    int size, pad;
    void (*subtract_row)(const PerpBlockUpdate *update, const double *L, const double *U,
                         double *lower, double *upper);
    // The first `columns` blocks of a row: lower = lower U^-1, upper = L^-1 upper.
    void (*finish_row)(const PerpBlockTriangles *triangle, int columns, double *lower,
                       double *upper);
    // The diagonal block behind them becomes its inverse; false if singular.
    bool (*finish_diagonal)(int columns, const double *lower, const double *upper, double *D);
    // The same of a symmetric matrix, L D L': its blocks off the diagonal stand in `upper`, L D.
    void (*subtract_row_symmetric)(const PerpBlockUpdate *update, const double *U, double *upper);
    void (*finish_row_symmetric)(const PerpBlockTriangles *triangle, int columns, double *lower,
                                 double *upper);
    bool (*finish_diagonal_symmetric)(int columns, const double *lower, const double *upper,
                                      double *D);
    // x = U^-1 L^-1 x, blocks in the order of elimination
    void (*solve)(const PerpBlockPattern *pattern, const double *lower, const double *upper,
                  double *x);
    // Three rows J of a body, `pad` apart: lower += J'C J_column, upper += (J_column'C J)' unless
    // NULL
    void (*add_response)(const double *C, const double *J, const double *J_column, double *lower,
                         double *upper);
    void (*gather)(const PerpBlockConstraints *rows, const double *r, double *x);  // x += J'r
    void (*measure)(const PerpBlockConstraints *rows, const double *x, double *w); // w = J x
    void (*respond)(const PerpBlockConstraints *rows, const double *C,
                    const double *x, // e -= C J x
                    double *e);
    void (*multiply)(const double *D, const double *x, double *y); // y = D x
} PerpBlockKernels;

extern const PerpBlockKernels perp_block_kernels_3, perp_block_kernels_6;

const PerpBlockKernels *perp_block_kernels(int size); // 3 or 6

#endif

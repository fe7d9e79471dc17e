// Matrices in blocks over bodies: the rows of constraints, and block-diagonal mass matrices.
#ifndef PERP_MATH_SPARSE_BLOCK_SPARSE_H
#define PERP_MATH_SPARSE_BLOCK_SPARSE_H

#include <stdbool.h>

// Constraint rows in the layout of PerpProblem: row r has the entries row_start[r] ..
// row_start[r+1] - 1, each of one body and as wide as that body has velocities. Borrows everything.
typedef struct PerpBlockRows {
    int n_rows;
    const int *body_start;  // bodies + 1: into vectors of velocities
    const int *row_start;   // n_rows + 1: into the entries
    const int *entry_body;  // entries
    const int *value_start; // entries + 1: into J, see perp_block_rows_value_start
    const double *J;        // the entries' numbers, one entry after the other
} PerpBlockRows;

// Fills value_start (entries + 1), the one array that PerpProblem has not; the others are as above.
// The number of values, value_start[entries], must fit into an int.
void perp_block_rows_value_start(int n_rows, const int *body_start, const int *row_start,
                                 const int *entry_body, int *value_start);

double perp_block_rows_dot(const PerpBlockRows *J, int r, const double *v);           // J_r v
void perp_block_rows_add_row(const PerpBlockRows *J, int r, double c, double *p);     // p += J_r' c
void perp_block_rows_add_impulse(const PerpBlockRows *J, const double *c, double *p); // p += J' c

// A^-1 in place, n x n by columns, whose symmetric part is positive definite: no rows are
// exchanged. False if a pivot is not positive.
bool perp_block_invert(int n, double *A);
bool perp_block_is_diagonal(int n, const double *A);
void perp_block_times(int n, const double *A, const double *x, double *y); // y = A x
double perp_block_form(int n, const double *A, const double *x);           // x'A x

// The factors P A = L U of each block of a block-diagonal matrix A, not necessarily symmetric.
// Borrows everything; the caller fills the first three and gives memory for the rest.
typedef struct PerpBlockDiagonal {
    int n_blocks;
    const int *start;       // n_blocks + 1: block k has the rows start[k] .. start[k+1] - 1
    const int *value_start; // n_blocks + 1: into LU, see perp_block_diagonal_value_start
    double *LU;             // value_start[n_blocks]: each block by columns, L has a unit diagonal
    int *pivot;             // start[n_blocks]: row swapped with this one, counted within the block
} PerpBlockDiagonal;

// Fills value_start (n_blocks + 1); value_start[n_blocks], the sum of the squared block sizes, must
// fit into an int.
void perp_block_diagonal_value_start(int n_blocks, const int *start, int *value_start);

// The first block of A whose symmetric part is not positive definite to rounding, or -1. A is in
// blocks by columns, like LU, which serves as scratch.
int perp_block_diagonal_first_indefinite(const PerpBlockDiagonal *F, const double *A);

// Factorises A. Returns the first singular block, at which it stops, or -1.
int perp_block_diagonal_factor(const PerpBlockDiagonal *F, const double *A);

// A x = b in place, from b to x: the whole, and block k alone.
void perp_block_diagonal_solve(const PerpBlockDiagonal *F, double *x);
void perp_block_diagonal_solve_block(const PerpBlockDiagonal *F, int k, double *x_k);

#endif

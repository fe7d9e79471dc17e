// Dense factorisations, by LAPACK. All matrices by columns. Functions that need scratch take an
// arena; they return false when memory is short.
#ifndef PERP_MATH_LAPACK_H
#define PERP_MATH_LAPACK_H

#include "base/memory.h"

// A = P L U in place, A is n x n with leading dimension ld. False if a pivot is exactly zero.
bool perp_lu_factor(int n, double *A, int ld, int *pivots);
void perp_lu_solve(int n, const double *LU, int ld, const int *pivots, int columns, double *x,
                   int ldx);
// A^-1 in place of the factors. scratch: n * 64 doubles.
void perp_lu_invert(int n, double *LU, int ld, const int *pivots, double *scratch);

// Rank-revealing QR with column pivoting: A P = Q R, A is m x n, overwritten by R and Q's
// reflectors. The rank counts |R_kk| > tolerance |R_00|.
typedef struct PerpQr {
    int m, n, rank;
    double *A;    // m x n, given by the caller
    int *column;  // n: column[k] is the original column at position k
    double *tau;  // min(m, n)
    double *work; // lwork
    int lwork;
} PerpQr;

bool perp_qr_factor(PerpArena *arena, int m, int n, double *A, double tolerance, PerpQr *qr);
void perp_qr_apply_q(const PerpQr *qr, bool transposed, int columns, double *x, int ldx);
// x = R_11^-1 x (or its transpose), for the leading rank rows and columns.
void perp_qr_solve_r(const PerpQr *qr, bool transposed, int columns, double *x, int ldx);

#endif

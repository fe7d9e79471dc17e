// Dense kernels on columns. Each is one loop over contiguous memory; sums have eight fixed lanes,
// so that the bits do not depend on the machine's vector width.
#ifndef PERP_MATH_DENSE_H
#define PERP_MATH_DENSE_H

#include <stdbool.h>
#include <stddef.h>

double perp_dot(int n, const double *x, const double *y);    // x'y
void perp_axpy(int n, double a, const double *x, double *y); // y += a x

// y += sum_k a[k] X[:, column[k]], columns of length n, ld apart.
void perp_add_columns(int n, const double *X, int ld, int count, const int *column, const double *a,
                      double *y);

// y[k] = X[:, k]' x for the first `count` columns.
void perp_dot_columns(int n, const double *X, int ld, int count, const double *x, double *y);

// A += x y', A is m x n.
void perp_rank_one(int m, int n, double *A, int ld, const double *x, const double *y);

// x = L^-1 x for a lower triangle L, n x n by columns.
void perp_forward_substitute(int n, const double *L, int ld, double *x);

bool perp_all_finite(size_t n, const double *x);
double perp_max_abs(int n, const double *x); // max |x_i|, 0 if n = 0

#endif

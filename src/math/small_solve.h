// Products and linear systems of a few rows, whose number the compiler mostly knows.
#ifndef PERP_LCP_SMALL_SOLVE_H
#define PERP_LCP_SMALL_SOLVE_H

#include <math.h>
#include <stdbool.h>

static inline double perp_small_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline void perp_exchange_rows(double *A, int columns, int one, int other)
{
    for (int j = 0; j < columns && one != other; j++) {
        double kept = A[columns * one + j];
        A[columns * one + j] = A[columns * other + j];
        A[columns * other + j] = kept;
    }
}

// B = A^-1 B, n x n and n x columns, by rows; false if A is singular
static inline bool perp_small_solve(int n, double *A, int columns, double *B)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[n * i + k]) > fabs(A[n * pivot + k]))
                pivot = i;
        if (!(fabs(A[n * pivot + k]) > 0))
            return false;
        perp_exchange_rows(A, n, k, pivot);
        perp_exchange_rows(B, columns, k, pivot);
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : A[n * i + k] / A[n * k + k];
            for (int j = k; j < n; j++)
                A[n * i + j] -= factor * A[n * k + j];
            for (int j = 0; j < columns; j++)
                B[columns * i + j] -= factor * B[columns * k + j];
        }
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < columns; j++)
            B[columns * k + j] /= A[n * k + k];
    return true;
}

#endif

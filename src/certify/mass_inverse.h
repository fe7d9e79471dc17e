// Inverse mass blocks for the certificates, which share no code with the solvers.
#ifndef PERP_CERTIFY_MASS_INVERSE_H
#define PERP_CERTIFY_MASS_INVERSE_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Are all n numbers zeros, of either sign? Without a branch: blocks are small.
PERP_KERNEL_PART bool perp_certificate_is_zero(const double *x, int n)
{
    uint64_t bits, all = 0;
    for (int i = 0; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        all |= bits << 1;
    }
    return all == 0;
}

// Nothing between a number of the diagonal and the next?
PERP_KERNEL_PART bool perp_certificate_is_diagonal(const double *A, int n)
{
    bool zero = true;
    for (int j = 0; j + 1 < n && zero; j++)
        zero = n == 6 ? perp_certificate_is_zero(A + 7 * j + 1, 6)
                      : perp_certificate_is_zero(A + (n + 1) * j + 1, n);
    return zero;
}

// A^-1 in place by Gauss-Jordan elimination; a positive definite A needs no row exchanges. Columns
// that have nothing in the pivot's row stay as they are.
PERP_KERNEL_PART void perp_certificate_invert(double *A, int n, bool diagonal)
{
    for (int k = 0; k < n; k++) {
        double pivot = A[k + n * k];
        A[k + n * k] = diagonal ? 1 / pivot : 1;
        for (int j = 0; j < n && !diagonal; j++) {
            if (A[k + n * j] == 0)
                continue;
            A[k + n * j] /= pivot;
            for (int i = 0; i < n && j != k; i++)
                if (i != k)
                    A[i + n * j] -= A[i + n * k] * A[k + n * j];
        }
        for (int i = 0; i < n && !diagonal; i++)
            if (i != k)
                A[i + n * k] *= -A[k + n * k];
    }
}

// x'A x; each column is summed up by itself, so that none waits for the one before
PERP_KERNEL_PART double perp_certificate_form(const double *A, int n, bool diagonal,
                                              const double *x)
{
    double sum = 0;
    for (int j = 0; j < n; j++) {
        double column = 0;
        if (x[j] == 0)
            continue;
        int end = diagonal ? j + 1 : n;
        for (int i = diagonal ? j : 0; i < end; i++)
            column += x[i] * A[i + n * j];
        sum += column * x[j];
    }
    return sum;
}

#endif

// Inverse mass blocks for the certificates, which share no code with the solvers.
#ifndef PERP_LCP_CERTIFICATE_INVERSE_H
#define PERP_LCP_CERTIFICATE_INVERSE_H

#include "base/compiler.h"

#include <stdbool.h>

// Is there anything but zeros of either sign off the diagonal?
PERP_KERNEL_PART bool perp_certificate_is_diagonal(const double *A, int n)
{
    for (int j = 0; j < n; j++) {
        int others = 0;
        for (int i = 0; i < n; i++)
            others += i != j && A[i + n * j] != 0;
        if (others > 0)
            return false;
    }
    return true;
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

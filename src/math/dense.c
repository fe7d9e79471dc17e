#include "math/dense.h"

#include "base/compiler.h"

#include <math.h>
#include <stddef.h>

enum { LANES = 8 };

static double sum_lanes(const double *s)
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

PERP_VECTOR_KERNEL double perp_dot(int n, const double *restrict x, const double *restrict y)
{
    double s[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            s[l] += x[i + l] * y[i + l];
    for (int l = 0; i < n; i++, l++)
        s[l] += x[i] * y[i];
    return sum_lanes(s);
}

PERP_VECTOR_KERNEL void perp_axpy(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

// four columns at a time, so that y is read and written once for all of them
PERP_VECTOR_KERNEL static void add_four_columns(int n, const double *const *x, const double *a,
                                                double *restrict y)
{
    const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int i = 0; i < n; i++)
        y[i] += (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
}

void perp_add_columns(int n, const double *X, int ld, int count, const int *column, const double *a,
                      double *y)
{
    const double *x[4];
    double weight[4];
    int filled = 0;
    for (int k = 0; k < count; k++) {
        if (a[k] == 0)
            continue;
        x[filled] = X + (size_t)ld * (size_t)column[k];
        weight[filled++] = a[k];
        if (filled == 4) {
            add_four_columns(n, x, weight, y);
            filled = 0;
        }
    }
    for (int k = 0; k < filled; k++)
        perp_axpy(n, weight[k], x[k], y);
}

void perp_dot_columns(int n, const double *X, int ld, int count, const double *x, double *y)
{
    for (int k = 0; k < count; k++)
        y[k] = perp_dot(n, X + (size_t)ld * (size_t)k, x);
}

void perp_rank_one(int m, int n, double *A, int ld, const double *x, const double *y)
{
    for (int j = 0; j < n; j++)
        if (y[j] != 0)
            perp_axpy(m, y[j], x, A + (size_t)ld * (size_t)j);
}

PERP_VECTOR_KERNEL void perp_forward_substitute(int n, const double *restrict L, int ld,
                                                double *restrict x)
{
    for (int j = 0; j < n; j++) {
        const double *column = L + (size_t)ld * (size_t)j;
        double value = x[j] / column[j];
        x[j] = value;
        for (int i = j + 1; i < n; i++)
            x[i] -= value * column[i];
    }
}

// x - x is 0 for numbers, NaN for what is none
PERP_VECTOR_KERNEL bool perp_all_finite(size_t n, const double *x)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += x[i + l] - x[i + l];
    for (; i < n; i++)
        sum[0] += x[i] - x[i];
    return sum_lanes(sum) == 0;
}

PERP_VECTOR_KERNEL double perp_max_abs(int n, const double *x)
{
    double largest[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double size = fabs(x[i + l]);
            largest[l] = size > largest[l] ? size : largest[l];
        }
    for (int l = 0; i < n; i++, l++)
        largest[l] = fabs(x[i]) > largest[l] ? fabs(x[i]) : largest[l];
    for (int l = 1; l < LANES; l++)
        largest[0] = largest[l] > largest[0] ? largest[l] : largest[0];
    return largest[0];
}

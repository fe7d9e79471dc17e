#include "pivoting/equilibrate.h"

#include "base/compiler.h"
#include "math/dense.h"

#include <math.h>
#include <stddef.h>

enum { PASSES = 3 };

double perp_power_of_two(double x)
{
    int exponent;
    if (x == 0)
        return 1;
    double fraction = frexp(x, &exponent);
    return ldexp(1, fraction > 0.70710678118654752 ? exponent : exponent - 1);
}

// row_max_i = max(row_max_i, |row_i M_ij column_j|) for one column j, and column_max_j
PERP_VECTOR_KERNEL static void find_largest_in_column(int n, const double *M, const double *row,
                                                      double column, double *restrict row_max,
                                                      double *restrict entry)
{
    for (int i = 0; i < n; i++) {
        entry[i] = fabs(row[i] * M[i] * column);
        row_max[i] = entry[i] > row_max[i] ? entry[i] : row_max[i];
    }
}

// the largest |row_i M_ij column_j| of each row and of each column
static void find_largest(int n, const double *M, const double *row, const double *column,
                         double *row_max, double *column_max, double *entry)
{
    for (int i = 0; i < n; i++)
        row_max[i] = 0;
    for (int j = 0; j < n; j++) {
        find_largest_in_column(n, M + (size_t)n * (size_t)j, row, column[j], row_max, entry);
        column_max[j] = perp_max_abs(n, entry);
    }
}

// Ruiz: divide each row and each column by the square root of its largest entry, and again
void perp_equilibrate(int n, const double *M, double *row, double *column, double *scratch)
{
    double *row_max = scratch, *column_max = scratch + n, *entry = scratch + 2 * n;
    for (int i = 0; i < n; i++)
        row[i] = column[i] = 1;
    for (int pass = 0; pass < PASSES; pass++) {
        find_largest(n, M, row, column, row_max, column_max, entry);
        for (int i = 0; i < n; i++) {
            row[i] /= perp_power_of_two(sqrt(row_max[i]));
            column[i] /= perp_power_of_two(sqrt(column_max[i]));
        }
    }
}

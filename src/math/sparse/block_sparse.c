#include "math/sparse/block_sparse.h"

#include "base/compiler.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

void perp_block_rows_value_start(int n_rows, const int *body_start, const int *row_start,
                                 const int *entry_body, int *value_start)
{
    int entries = row_start[n_rows];
    value_start[0] = 0;
    for (int e = 0; e < entries; e++) {
        int k = entry_body[e];
        value_start[e + 1] = value_start[e] + body_start[k + 1] - body_start[k];
    }
}

double perp_block_rows_dot(const PerpBlockRows *J, int r, const double *v)
{
    double y = 0;
    for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
        const double *a = J->J + J->value_start[e];
        const double *v_k = v + J->body_start[J->entry_body[e]];
        int n = J->value_start[e + 1] - J->value_start[e];
        for (int i = 0; i < n; i++)
            y += a[i] * v_k[i];
    }
    return y;
}

void perp_block_rows_add_row(const PerpBlockRows *J, int r, double c, double *p)
{
    for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
        const double *restrict a = J->J + J->value_start[e];
        double *restrict p_k = p + J->body_start[J->entry_body[e]];
        int n = J->value_start[e + 1] - J->value_start[e];
        for (int i = 0; i < n; i++)
            p_k[i] += c * a[i];
    }
}

void perp_block_rows_add_impulse(const PerpBlockRows *J, const double *c, double *p)
{
    for (int r = 0; r < J->n_rows; r++)
        perp_block_rows_add_row(J, r, c[r], p);
}

// All bits but the signs', which zeros may have: these the compiler can put together in vectors.
static inline bool is_diagonal(int n, const double *A)
{
    uint64_t bits, others = 0; // n numbers lie between one of the diagonal and the next
    for (int k = 0; k + 1 < n; k++, A += n + 1)
        for (int i = 1; i <= n; i++) {
            memcpy(&bits, A + i, sizeof bits);
            others |= bits << 1;
        }
    return others == 0;
}

bool perp_block_is_diagonal(int n, const double *A)
{
    return n == 6 ? is_diagonal(6, A) : is_diagonal(n, A);
}

// Gauss-Jordan; columns that have nothing in the pivot's row stay as they are, as most do in mass
// blocks.
bool perp_block_invert(int n, double *A)
{
    for (int k = 0; k < n; k++) {
        double pivot = A[k + n * k];
        if (!(pivot > 0) || !isfinite(pivot))
            return false;
        A[k + n * k] = 1;
        for (int j = 0; j < n; j++) {
            if (A[k + n * j] == 0)
                continue;
            A[k + n * j] /= pivot;
            for (int i = 0; i < n && j != k; i++)
                if (i != k)
                    A[i + n * j] -= A[i + n * k] * A[k + n * j];
        }
        for (int i = 0; i < n; i++)
            if (i != k)
                A[i + n * k] *= -A[k + n * k];
    }
    return true;
}

// For six, the size of most blocks: sums that the compiler keeps in vectors.
PERP_KERNEL_PART void six_times(const double *A, const double *x, double sum[6])
{
    for (int i = 0; i < 6; i++)
        sum[i] = A[i] * x[0];
    for (int j = 1; j < 6; j++)
        for (int i = 0; i < 6; i++)
            sum[i] += A[i + 6 * j] * x[j];
}

PERP_VECTOR_KERNEL void perp_block_times(int n, const double *A, const double *x, double *y)
{
    double sum[6];
    if (n == 6) {
        six_times(A, x, sum);
        memcpy(y, sum, sizeof sum);
        return;
    }
    memset(y, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[i] += A[i + n * j] * x[j];
}

PERP_VECTOR_KERNEL double perp_block_form(int n, const double *A, const double *x)
{
    double sum = 0, six[6];
    if (n == 6) {
        six_times(A, x, six);
        return (six[0] * x[0] + six[1] * x[1]) + (six[2] * x[2] + six[3] * x[3]) +
               (six[4] * x[4] + six[5] * x[5]);
    }
    for (int j = 0; j < n; j++) {
        double column = 0;
        for (int i = 0; i < n; i++)
            column += x[i] * A[i + n * j];
        sum += column * x[j];
    }
    return sum;
}

static int block_size(const PerpBlockDiagonal *F, int k)
{
    return F->start[k + 1] - F->start[k];
}

void perp_block_diagonal_value_start(int n_blocks, const int *start, int *value_start)
{
    value_start[0] = 0;
    for (int k = 0; k < n_blocks; k++) {
        int n = start[k + 1] - start[k];
        value_start[k + 1] = value_start[k] + n * n;
    }
}

// The lower triangle of S = (A + A') / 2.
static void take_symmetric_part(int n, const double *restrict A, double *restrict S)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            S[i + n * j] = 0.5 * A[i + n * j] + 0.5 * A[j + n * i];
}

// s_j -= sum_k<j l_jk l_k, rows j .. n-1 of column j
static void subtract_columns_before(int n, double *S, int j)
{
    for (int k = 0; k < j; k++) {
        double l_jk = S[j + n * k];
        for (int i = j; i < n; i++)
            S[i + n * j] -= l_jk * S[i + n * k];
    }
}

// S = L L'. A pivot counts as positive above the rounding error of the subtractions that made it,
// whose terms are at most s_jj: the test does not depend on the units of the velocities.
static bool is_positive_definite(int n, double *S)
{
    for (int j = 0; j < n; j++) {
        double s_jj = S[j + n * j];
        subtract_columns_before(n, S, j);
        double pivot = S[j + n * j];
        if (!(pivot > n * DBL_EPSILON * s_jj))
            return false;
        double l_jj = sqrt(pivot);
        for (int i = j + 1; i < n; i++)
            S[i + n * j] /= l_jj;
    }
    return true;
}

int perp_block_diagonal_first_indefinite(const PerpBlockDiagonal *F, const double *A)
{
    for (int k = 0; k < F->n_blocks; k++) {
        int n = block_size(F, k), at = F->value_start[k];
        take_symmetric_part(n, A + at, F->LU + at);
        if (!is_positive_definite(n, F->LU + at))
            return k;
    }
    return -1;
}

static int largest_in_column(int n, const double *LU, int k)
{
    int largest = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(LU[i + n * k]) > fabs(LU[largest + n * k]))
            largest = i;
    return largest;
}

static void swap_rows(int n, double *LU, int a, int b)
{
    for (int j = 0; j < n; j++) {
        double x = LU[a + n * j];
        LU[a + n * j] = LU[b + n * j];
        LU[b + n * j] = x;
    }
}

// l_k = a_k / u_kk, then a_j -= l_k u_kj for the columns j behind k
static void eliminate_column(int n, double *LU, int k)
{
    const double *l = LU + n * k;
    double u_kk = LU[k + n * k];
    for (int i = k + 1; i < n; i++)
        LU[i + n * k] /= u_kk;
    for (int j = k + 1; j < n; j++) {
        double *a_j = LU + n * j;
        double u_kj = a_j[k];
        for (int i = k + 1; i < n; i++)
            a_j[i] -= l[i] * u_kj;
    }
}

// P A = L U with partial pivoting; false at a pivot that is zero or not a number.
static bool factor_block(int n, double *LU, int *pivot)
{
    for (int k = 0; k < n; k++) {
        pivot[k] = largest_in_column(n, LU, k);
        if (!(fabs(LU[pivot[k] + n * k]) > 0))
            return false;
        if (pivot[k] != k)
            swap_rows(n, LU, k, pivot[k]);
        eliminate_column(n, LU, k);
    }
    return true;
}

int perp_block_diagonal_factor(const PerpBlockDiagonal *F, const double *A)
{
    for (int k = 0; k < F->n_blocks; k++) {
        int n = block_size(F, k), at = F->value_start[k];
        memcpy(F->LU + at, A + at, (size_t)n * (size_t)n * sizeof *A);
        if (!factor_block(n, F->LU + at, F->pivot + F->start[k]))
            return k;
    }
    return -1;
}

static void swap(double *x, int i, int j)
{
    double x_i = x[i];
    x[i] = x[j];
    x[j] = x_i;
}

void perp_block_diagonal_solve_block(const PerpBlockDiagonal *F, int k, double *x_k)
{
    int n = block_size(F, k);
    const int *pivot = F->pivot + F->start[k];
    const double *restrict LU = F->LU + F->value_start[k];
    double *restrict x = x_k;
    // P b
    for (int j = 0; j < n; j++)
        swap(x, j, pivot[j]);
    // L y = P b
    for (int j = 0; j < n; j++) {
        double y_j = x[j];
        for (int i = j + 1; i < n; i++)
            x[i] -= LU[i + n * j] * y_j;
    }
    // U x = y
    for (int j = n - 1; j >= 0; j--) {
        double x_j = x[j] /= LU[j + n * j];
        for (int i = 0; i < j; i++)
            x[i] -= LU[i + n * j] * x_j;
    }
}

void perp_block_diagonal_solve(const PerpBlockDiagonal *F, double *x)
{
    for (int k = 0; k < F->n_blocks; k++)
        perp_block_diagonal_solve_block(F, k, x + F->start[k]);
}

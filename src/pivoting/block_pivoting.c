// Block principal pivoting (Kostreva 1978; Judice & Pires 1994). Guess which z are positive, solve
// for them by Cholesky, exchange all rows whose z or w came out negative, and again. If their
// number does not fall for a while, exchange only the last of them, which ends for every positive
// definite M (Murty 1974). Rows that depend on the others before them are left at z = 0: their w
// vanishes too.

#include "pivoting/block_pivoting.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-11; // of the diagonal: what is left of it in a dependent row
static const double SLACK = 1e-13;     // of the largest q: a negative value that counts as zero

enum { PATIENCE = 4, ROUNDS = 40 };

bool perp_block_pivoting_take(PerpArena *arena, int n, PerpBlockPivoting *b)
{
    size_t N = (size_t)n;
    *b = (PerpBlockPivoting){.n = n};
    b->L = perp_arena_take(arena, N * N, sizeof(double));
    b->y = PERP_TAKE(arena, double, N);
    b->z = PERP_TAKE(arena, double, N);
    b->w = PERP_TAKE(arena, double, N);
    b->x = PERP_TAKE(arena, double, N);
    b->order = PERP_TAKE(arena, int, N);
    b->row = PERP_TAKE(arena, int, N);
    b->active = PERP_TAKE(arena, signed char, N);
    return b->L && b->y && b->z && b->w && b->x && b->order && b->row && b->active;
}

static double *factor_column(const PerpBlockPivoting *b, int k)
{
    return b->L + (size_t)b->n * (size_t)k;
}

// Adds row i to the factor: L l = a, l_kk^2 = a_ii - l'l, y_k = -(q_i + l'y) / l_kk
static void append(PerpBlockPivoting *b, int i)
{
    const double *column = b->M + (size_t)b->n * (size_t)i;
    double *l = b->x;
    for (int j = 0; j < b->k; j++)
        l[j] = column[b->row[j]];
    perp_forward_substitute(b->k, b->L, b->n, l);
    double rest = column[i] - perp_dot(b->k, l, l);
    if (!(rest > DEPENDENT * column[i])) {
        b->skipped = true;
        return;
    }
    double pivot = sqrt(rest);
    for (int j = 0; j < b->k; j++)
        factor_column(b, j)[b->k] = l[j];
    factor_column(b, b->k)[b->k] = pivot;
    b->y[b->k] = -(b->q[i] + perp_dot(b->k, l, b->y)) / pivot;
    b->row[b->k++] = i;
}

// Brings the factor up to date with the active rows: what stands before the first row that left is
// kept, the rest is appended anew, rows that came last.
static void factor(PerpBlockPivoting *b)
{
    int old = b->k, kept = 0;
    b->skipped = false;
    while (kept < old && b->active[b->row[kept]])
        kept++;
    memcpy(b->order, b->row, (size_t)old * sizeof(int));
    b->k = kept;
    for (int k = kept; k < old; k++)
        if (b->active[b->order[k]])
            append(b, b->order[k]);
    for (int k = 0; k < old; k++)
        b->active[b->order[k]] = 0;
    for (int i = 0; i < b->n; i++)
        if (b->active[i])
            append(b, i);
    memset(b->active, 0, (size_t)b->n);
    for (int k = 0; k < b->k; k++)
        b->active[b->row[k]] = 1;
}

// L'x = y:  M_aa z_a = -q_a, and w = M z + q
static void solve(PerpBlockPivoting *b)
{
    factor(b);
    memset(b->z, 0, (size_t)b->n * sizeof(double));
    for (int k = b->k - 1; k >= 0; k--) {
        const double *l = factor_column(b, k) + k;
        b->x[k] = (b->y[k] - perp_dot(b->k - 1 - k, l + 1, b->x + k + 1)) / l[0];
        b->z[b->row[k]] = b->x[k];
    }
    memcpy(b->w, b->q, (size_t)b->n * sizeof(double));
    perp_add_columns(b->n, b->M, b->n, b->k, b->row, b->x, b->w);
    for (int k = 0; k < b->k; k++)
        b->w[b->row[k]] = 0;
}

static bool is_wrong(const PerpBlockPivoting *b, int i, double slack)
{
    return b->active[i] ? b->z[i] * b->M[(size_t)i * (size_t)(b->n + 1)] < -slack
                        : b->w[i] < -slack;
}

// Exchanges the wrong rows, all of them or the last; returns how many there were.
static int exchange(PerpBlockPivoting *b, double slack, int *fewest, int *patience)
{
    int wrong = 0, last = 0;
    for (int i = 0; i < b->n; i++)
        if (is_wrong(b, i, slack)) {
            wrong++;
            last = i;
        }
    bool better = wrong < *fewest;
    *patience = better ? PATIENCE : *patience - 1;
    *fewest = better ? wrong : *fewest;
    int first = *patience > 0 ? 0 : last;
    for (int i = first; i <= last && wrong > 0; i++)
        if (is_wrong(b, i, slack)) {
            b->active[i] = !b->active[i];
            b->pivots++;
        }
    return wrong;
}

bool perp_block_pivoting_solve(PerpBlockPivoting *b)
{
    double slack = SLACK * perp_max_abs(b->n, b->q);
    int fewest = b->n + 1, patience = PATIENCE;
    memcpy(b->w, b->q, (size_t)b->n * sizeof(double));
    for (int round = 0; round < ROUNDS; round++) {
        if (exchange(b, slack, &fewest, &patience) == 0)
            return true;
        if (b->skipped && patience < PATIENCE)
            return false; // a dependent row must come in for another: not by blocks
        solve(b);
    }
    return false;
}

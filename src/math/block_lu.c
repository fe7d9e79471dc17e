#include "math/block_lu.h"

#include <math.h>
#include <string.h>

static size_t block_numbers(const PerpBlockLu *lu)
{
    return (size_t)(lu->size * lu->pad);
}

bool perp_block_lu_take(PerpArena *arena, const PerpBlockPattern *pattern, int size,
                        PerpBlockLu *lu)
{
    const PerpBlockKernels *kernels = size == 3 ? &perp_block_kernels_3 : &perp_block_kernels_6;
    *lu = (PerpBlockLu){.pattern = pattern, .kernels = kernels, .size = size, .pad = kernels->pad};
    size_t numbers = block_numbers(lu) * pattern->blocks;
    lu->lower = perp_arena_take(arena, numbers, sizeof(double));
    lu->upper = perp_arena_take(arena, numbers, sizeof(double));
    lu->slot = PERP_TAKE(arena, int, pattern->n);
    lu->x = PERP_TAKE(arena, double, lu->pad * pattern->n);
    return lu->lower && lu->upper && lu->slot && lu->x;
}

bool perp_block_lu_analyse(PerpArena *arena, int n, int size, int pairs, const int *i, const int *j,
                           PerpBlockLu *lu)
{
    PerpBlockPattern *pattern = PERP_TAKE(arena, PerpBlockPattern, 1);
    return pattern && perp_block_pattern_find(arena, n, pairs, i, j, pattern) &&
           perp_block_lu_take(arena, pattern, size, lu);
}

void perp_block_lu_clear(PerpBlockLu *lu)
{
    size_t bytes = block_numbers(lu) * lu->pattern->blocks * sizeof(double);
    memset(lu->lower, 0, bytes);
    memset(lu->upper, 0, bytes);
}

// Where the blocks of a row of a panel begin, in `lower` and in `upper`.
static size_t row_at(const PerpBlockLu *lu, const PerpBlockPanel *panel, int row)
{
    return block_numbers(lu) * (panel->block + (size_t)row * (size_t)panel->columns);
}

double *perp_block_lu_block(const PerpBlockLu *lu, int i, int j, bool *transposed)
{
    const int *place = lu->pattern->place;
    *transposed = place[i] < place[j];
    return (*transposed ? lu->upper : lu->lower) +
           block_numbers(lu) * perp_block_pattern_block(lu->pattern, i, j);
}

// --- factorisation ------------------------------------------------------------------------------

// Takes what a panel contributes out of the rows from..to of the one at hand, whose columns it has
// in its rows source->from..to. A row that is a column itself needs the pivots up to it only.
static void subtract_source(PerpBlockLu *lu, const PerpBlockPanel *panel,
                            const PerpBlockSource *source)
{
    const PerpBlockPanel *other = &lu->pattern->panel[source->panel];
    const int *row = lu->pattern->row + other->row;
    size_t pivot = row_at(lu, other, source->from);
    PerpBlockUpdate update = {.n = lu->size * other->columns,
                              .column = row + source->from,
                              .first = panel->first,
                              .L_pivot = lu->lower + pivot,
                              .U_pivot = lu->upper + pivot};
    for (int r = source->from; r < other->rows; r++) {
        size_t from = row_at(lu, other, r), to = row_at(lu, panel, lu->slot[row[r]]);
        update.pivots = (r < source->to ? r + 1 : source->to) - source->from;
        lu->kernels->subtract_row(&update, lu->lower + from, lu->upper + from, lu->lower + to,
                                  lu->upper + to);
    }
}

static bool finish_panel(PerpBlockLu *lu, const PerpBlockPanel *panel)
{
    size_t own = row_at(lu, panel, 0), block = block_numbers(lu);
    PerpBlockOwn triangles = {lu->lower + own, lu->upper + own, block * (size_t)panel->columns};
    for (int r = 0; r < panel->rows; r++) {
        int columns = r < panel->columns ? r : panel->columns;
        double *lower = lu->lower + row_at(lu, panel, r), *upper = lu->upper + row_at(lu, panel, r);
        lu->kernels->finish_row(&triangles, columns, lower, upper);
        if (r < panel->columns &&
            !lu->kernels->finish_diagonal(r, lower, upper, lower + block * (size_t)r))
            return false;
    }
    return true;
}

bool perp_block_lu_factor(PerpBlockLu *lu)
{
    const PerpBlockPattern *pattern = lu->pattern;
    for (int p = 0; p < pattern->n_panels; p++) {
        const PerpBlockPanel *panel = &pattern->panel[p];
        for (int r = 0; r < panel->rows; r++)
            lu->slot[pattern->row[panel->row + r]] = r;
        for (int s = panel->source; s < panel->source_end; s++)
            subtract_source(lu, panel, &pattern->source[s]);
        if (!finish_panel(lu, panel))
            return false;
    }
    return true;
}

// Of the determinant of a block by columns, by elimination with row exchanges.
static int sign_of_block(int size, int pad, const double *from)
{
    double A[6 * 8];
    int sign = 1;
    memcpy(A, from, (size_t)(size * pad) * sizeof(double));
    for (int k = 0; k < size; k++) {
        int p = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(A[pad * k + i]) > fabs(A[pad * k + p]))
                p = i;
        for (int j = 0; j < size && p != k; j++) {
            double kept = A[pad * j + k];
            A[pad * j + k] = A[pad * j + p];
            A[pad * j + p] = kept;
        }
        sign *= (p == k) == (A[pad * k + k] > 0) ? 1 : -1;
        for (int i = k + 1; i < size; i++)
            for (int j = k + 1; j < size; j++)
                A[pad * j + i] -= A[pad * k + i] / A[pad * k + k] * A[pad * j + k];
    }
    return sign;
}

int perp_block_lu_sign(const PerpBlockLu *lu)
{
    const PerpBlockPattern *pattern = lu->pattern;
    size_t block = block_numbers(lu);
    int sign = 1;
    for (int p = 0; p < pattern->n_panels; p++)
        for (int k = 0; k < pattern->panel[p].columns; k++)
            sign *=
                sign_of_block(lu->size, lu->pad,
                              lu->lower + row_at(lu, &pattern->panel[p], k) + block * (size_t)k);
    return sign;
}

// --- solution -----------------------------------------------------------------------------------

static void solve_forward(const PerpBlockLu *lu, const PerpBlockPanel *panel, double *x)
{
    const int *row = lu->pattern->row + panel->row;
    size_t stride = block_numbers(lu) * (size_t)panel->columns;
    const double *L = lu->lower + row_at(lu, panel, 0);
    double *own = x + lu->pad * panel->first;
    for (int r = 1; r < panel->columns; r++)
        lu->kernels->forward(r, stride, 1, row + r, L + stride * (size_t)r, own, x);
    lu->kernels->forward(panel->columns, stride, panel->rows - panel->columns, row + panel->columns,
                         L + stride * (size_t)panel->columns, own, x);
}

static void solve_backward(const PerpBlockLu *lu, const PerpBlockPanel *panel, double *x)
{
    enum { MOST = 6 * 8 * PERP_PANEL_COLUMNS };
    _Alignas(64) double sum[MOST];
    const int *row = lu->pattern->row + panel->row;
    size_t block = block_numbers(lu), stride = block * (size_t)panel->columns;
    size_t own = row_at(lu, panel, 0);
    const double *U = lu->upper + own, *L = lu->lower + own;
    memset(sum, 0, stride * sizeof(double));
    lu->kernels->backward(panel->columns, stride, panel->rows - panel->columns,
                          row + panel->columns, U + stride * (size_t)panel->columns, x, sum);
    for (int k = panel->columns - 1; k >= 0; k--) {
        lu->kernels->divide(L + (stride + block) * (size_t)k, sum + block * (size_t)k,
                            x + lu->pad * (panel->first + k));
        lu->kernels->backward(k, stride, 1, row + k, U + stride * (size_t)k, x, sum);
    }
}

void perp_block_lu_solve_ordered(const PerpBlockLu *lu, double *x)
{
    const PerpBlockPattern *pattern = lu->pattern;
    for (int p = 0; p < pattern->n_panels; p++)
        solve_forward(lu, &pattern->panel[p], x);
    for (int p = pattern->n_panels - 1; p >= 0; p--)
        solve_backward(lu, &pattern->panel[p], x);
}

void perp_block_lu_solve(PerpBlockLu *lu, double *x)
{
    const int *order = lu->pattern->order;
    int n = lu->pattern->n, size = lu->size, pad = lu->pad;
    size_t bytes = (size_t)size * sizeof(double);
    for (int k = 0; k < n; k++)
        memcpy(lu->x + pad * k, x + size * order[k], bytes);
    perp_block_lu_solve_ordered(lu, lu->x);
    for (int k = 0; k < n; k++)
        memcpy(x + size * order[k], lu->x + pad * k, bytes);
}

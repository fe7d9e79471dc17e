// The kernels, compiled for whatever instructions this machine has, against plain loops: the same
// bits. So all machines have the same.
#include "math/sparse/block_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

#include <string.h>

enum { MOST = 2000 };

static const PerpBlockKernels *const all[] = {&perp_block_kernels_3, &perp_block_kernels_6};

typedef struct Numbers {
    _Alignas(64) double x[MOST];
} Numbers;

// Columns of `size` numbers, `pad` apart, with zeros between them.
static Numbers random_columns(PerpRandom *random, const PerpBlockKernels *kernels)
{
    Numbers numbers = {{0}};
    for (int k = 0; k < MOST; k++)
        if (k % kernels->pad < kernels->size)
            numbers.x[k] =
                perp_random_uniform(random, -1, 1) * perp_random_log_uniform(random, 1e-8, 1e8);
    return numbers;
}

// The zeros may have either sign.
static void assert_same(const PerpBlockKernels *kernels, const Numbers *x, const Numbers *y)
{
    for (int k = 0; k < MOST; k++)
        if (k % kernels->pad < kernels->size)
            assert_memory_equal(&x->x[k], &y->x[k], sizeof(double));
        else
            assert_true(x->x[k] == 0);
}

// C -= A B', one number at a time
static void subtract(const PerpBlockKernels *kernels, int n, const double *A, const double *B,
                     double *C)
{
    for (int i = 0; i < kernels->size; i++)
        for (int j = 0; j < kernels->size; j++)
            for (int k = 0; k < n; k++)
                C[kernels->pad * j + i] -= A[kernels->pad * k + i] * B[kernels->pad * k + j];
}

static void check_subtract_row(PerpRandom *random, const PerpBlockKernels *kernels)
{
    enum { COLUMNS = 2, PIVOTS = 3 };
    static const int column[PIVOTS] = {10, 11, 14};
    int n = COLUMNS * kernels->size, block = kernels->size * kernels->pad;
    Numbers L = random_columns(random, kernels), U = random_columns(random, kernels);
    Numbers L_pivot = random_columns(random, kernels), U_pivot = random_columns(random, kernels);
    Numbers lower = random_columns(random, kernels), upper = random_columns(random, kernels);
    Numbers lower_plain = lower, upper_plain = upper;
    PerpBlockUpdate update = {n, PIVOTS, column, 9, L_pivot.x, U_pivot.x};
    kernels->subtract_row(&update, L.x, U.x, lower.x, upper.x);
    for (int p = 0; p < PIVOTS; p++) {
        int to = block * (column[p] - 9), from = kernels->pad * n * p;
        subtract(kernels, n, L.x, U_pivot.x + from, lower_plain.x + to);
        subtract(kernels, n, U.x, L_pivot.x + from, upper_plain.x + to);
    }
    assert_same(kernels, &lower, &lower_plain);
    assert_same(kernels, &upper, &upper_plain);
}

static void check_finish(PerpRandom *random, const PerpBlockKernels *kernels)
{
    enum { COLUMNS = 3 };
    int size = kernels->size, pad = kernels->pad, block = size * pad;
    Numbers L = random_columns(random, kernels), U = random_columns(random, kernels);
    Numbers lower = random_columns(random, kernels), upper = random_columns(random, kernels);
    Numbers lower_plain = lower, upper_plain = upper;
    PerpBlockTriangles own = {L.x, U.x, (size_t)(COLUMNS * block)};
    kernels->finish_row(&own, COLUMNS, lower.x, upper.x);
    for (int j = 0; j < COLUMNS; j++) {
        const double *L_j = L.x + COLUMNS * block * j, *U_j = U.x + COLUMNS * block * j;
        double *to = lower_plain.x + block * j, kept[48];
        subtract(kernels, size * j, lower_plain.x, U_j, to);
        memcpy(kept, to, (size_t)block * sizeof(double));
        for (int c = 0; c < size; c++)
            for (int i = 0; i < size; i++) {
                to[pad * c + i] = kept[i] * L_j[block * j + pad * c];
                for (int k = 1; k < size; k++)
                    to[pad * c + i] += kept[pad * k + i] * L_j[block * j + pad * c + k];
            }
        subtract(kernels, size * j, upper_plain.x, L_j, upper_plain.x + block * j);
    }
    assert_same(kernels, &lower, &lower_plain);
    assert_same(kernels, &upper, &upper_plain);
}

// The block in row r, column j of a panel.
static const double *block_at(const PerpBlockKernels *kernels, const PerpBlockPanel *panel, int r,
                              int j, const Numbers *numbers)
{
    size_t block = panel->block + (size_t)(r * panel->columns + j);
    return numbers->x + (size_t)(kernels->size * kernels->pad) * block;
}

// x -= L x_own, one number at a time
static void solve_forward(const PerpBlockKernels *kernels, const PerpBlockPattern *pattern,
                          const PerpBlockPanel *panel, const Numbers *lower, double *x)
{
    int size = kernels->size, pad = kernels->pad;
    for (int r = 1; r < panel->rows; r++)
        for (int j = 0; j < r && j < panel->columns; j++)
            for (int k = 0; k < size; k++)
                for (int i = 0; i < size; i++)
                    x[pad * pattern->row[panel->row + r] + i] -=
                        block_at(kernels, panel, r, j, lower)[pad * k + i] *
                        x[pad * (panel->first + j) + k];
}

// x_own = D (x_own - U x), one number at a time
static void solve_backward(const PerpBlockKernels *kernels, const PerpBlockPattern *pattern,
                           const PerpBlockPanel *panel, const Numbers *lower, const Numbers *upper,
                           double *x)
{
    int size = kernels->size, pad = kernels->pad;
    for (int column = panel->columns - 1; column >= 0; column--) {
        const double *D = block_at(kernels, panel, column, column, lower);
        double right[6], sum[6][6] = {{0}}, *own = x + pad * (panel->first + column);
        for (int below = panel->columns; below < panel->rows + panel->columns - column - 1;
             below++) {
            // the rows below the panel, then its own from the last one up
            int r = below < panel->rows ? below : panel->rows + panel->columns - 1 - below;
            for (int k = 0; k < size; k++)
                for (int i = 0; i < size; i++)
                    sum[k][i] += block_at(kernels, panel, r, column, upper)[pad * k + i] *
                                 x[pad * pattern->row[panel->row + r] + i];
        }
        for (int k = 0; k < size; k++) {
            right[k] = 0;
            for (int i = 0; i < size; i++)
                right[k] += sum[k][i];
            right[k] = own[k] - right[k];
        }
        for (int i = 0; i < size; i++) {
            own[i] = D[i] * right[0];
            for (int k = 1; k < size; k++)
                own[i] += D[pad * k + i] * right[k];
        }
    }
}

// A panel of one column, one of two above it, and a row of both below.
static void check_solution(PerpRandom *random, const PerpBlockKernels *kernels)
{
    int row[] = {0, 1, 3, 1, 2, 3, 3};
    PerpBlockPanel panel[] = {{.first = 0, .columns = 1, .row = 0, .rows = 3},
                              {.first = 1, .columns = 2, .row = 3, .rows = 3, .block = 3},
                              {.first = 3, .columns = 1, .row = 6, .rows = 1, .block = 9}};
    PerpBlockPattern pattern = {.n = 4, .n_panels = 3, .panel = panel, .row = row};
    Numbers lower = random_columns(random, kernels), upper = random_columns(random, kernels);
    Numbers x = random_columns(random, kernels), y = x;
    kernels->solve(&pattern, lower.x, upper.x, x.x);
    for (int p = 0; p < pattern.n_panels; p++)
        solve_forward(kernels, &pattern, &panel[p], &lower, y.x);
    for (int p = pattern.n_panels - 1; p >= 0; p--)
        solve_backward(kernels, &pattern, &panel[p], &lower, &upper, y.x);
    assert_same(kernels, &x, &y);
}

static void check_products(PerpRandom *random, const PerpBlockKernels *kernels)
{
    int size = kernels->size, pad = kernels->pad;
    Numbers J = random_columns(random, kernels), K = random_columns(random, kernels), CK = {{0}};
    Numbers lower = random_columns(random, kernels), lower_plain = lower;
    Numbers x = random_columns(random, kernels), x_plain = x;
    double C[9], w[3], w_plain[3] = {0};
    for (int k = 0; k < 9; k++)
        C[k] = perp_random_uniform(random, -1, 1);
    kernels->add_response(C, J.x, K.x, lower.x, NULL);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < size; i++)
            CK.x[pad * k + i] =
                C[3 * k] * K.x[i] + C[3 * k + 1] * K.x[pad + i] + C[3 * k + 2] * K.x[2 * pad + i];
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            lower_plain.x[pad * j + i] += J.x[i] * CK.x[j] + J.x[pad + i] * CK.x[pad + j] +
                                          J.x[2 * pad + i] * CK.x[2 * pad + j];
    assert_same(kernels, &lower, &lower_plain);
    static const int start[] = {0, 2}, place[] = {1, 0};
    PerpBlockConstraints rows = {1, start, place, J.x};
    kernels->gather(&rows, C, x.x);
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < size; i++) {
            const double *J_e = J.x + 3 * pad * e;
            x_plain.x[pad * place[e] + i] +=
                J_e[i] * C[0] + J_e[pad + i] * C[1] + J_e[2 * pad + i] * C[2];
        }
    assert_same(kernels, &x, &x_plain);
    kernels->measure(&rows, x.x, w);
    for (int k = 0; k < 3; k++) {
        double lane[8] = {0};
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < size; i++)
                lane[i] += J.x[3 * pad * e + pad * k + i] * x.x[pad * place[e] + i];
        for (int i = 0; i < 4; i++) // in pairs; of 8 lanes the upper four come down first
            lane[i] += lane[4 + i];
        w_plain[k] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
    assert_memory_equal(w, w_plain, sizeof w);
    kernels->respond(&rows, C, x.x, w);
    for (int k = 0; k < 3; k++)
        assert_true(w[k] == w_plain[k] - (C[3 * k] * w_plain[0] + C[3 * k + 1] * w_plain[1] +
                                          C[3 * k + 2] * w_plain[2]));
}

static void same_bits_as_plain_loops(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            PerpRandom random = perp_random(seed);
            check_subtract_row(&random, all[k]);
            check_finish(&random, all[k]);
            check_solution(&random, all[k]);
            check_products(&random, all[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_as_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

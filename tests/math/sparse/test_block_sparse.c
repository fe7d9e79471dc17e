#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/sparse/block_sparse.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BODIES = 10, VELOCITIES = 47, SQUARES = 345, ROWS = 60, ENTRIES = 4 * ROWS };

// Bodies of every size from 0 (fixed) to 6, and larger ones.
static const int SIZES[BODIES] = {6, 1, 2, 0, 3, 4, 5, 13, 7, 6};

// Rows of one to four entries over these bodies, and the same matrix dense.
typedef struct Rows {
    int body_start[BODIES + 1], row_start[ROWS + 1], entry_body[ENTRIES], value_start[ENTRIES + 1];
    double J[ENTRIES * 13];
    double dense[ROWS][VELOCITIES];
    PerpBlockRows view;
} Rows;

static void fill_starts(int *start)
{
    start[0] = 0;
    for (int k = 0; k < BODIES; k++)
        start[k + 1] = start[k] + SIZES[k];
}

static void add_entry(Rows *rows, int r, int e, int body, double **values, PerpRandom *random)
{
    rows->entry_body[e] = body;
    for (int i = 0; i < SIZES[body]; i++) {
        double a = perp_random_normal(random);
        rows->dense[r][rows->body_start[body] + i] = a;
        *(*values)++ = a;
    }
}

static void fill_rows(Rows *rows, uint64_t seed)
{
    PerpRandom random = perp_random(seed);
    memset(rows, 0, sizeof *rows);
    fill_starts(rows->body_start);
    double *values = rows->J;
    int entries = 0;
    for (int r = 0; r < ROWS; r++) {
        rows->row_start[r] = entries;
        // different bodies in one row: a stride prime to their number; row 0 is empty
        int first = perp_random_int(&random, 0, BODIES - 1);
        int count = r == 0 ? 0 : perp_random_int(&random, 1, 4);
        for (int n = 0; n < count; n++)
            add_entry(rows, r, entries++, (first + 3 * n) % BODIES, &values, &random);
    }
    rows->row_start[ROWS] = entries;
    perp_block_rows_value_start(ROWS, rows->body_start, rows->row_start, rows->entry_body,
                                rows->value_start);
    assert_int_equal(rows->value_start[entries], values - rows->J);
    rows->view = (PerpBlockRows){.n_rows = ROWS,
                                 .body_start = rows->body_start,
                                 .row_start = rows->row_start,
                                 .entry_body = rows->entry_body,
                                 .value_start = rows->value_start,
                                 .J = rows->J};
}

static void fill_random(double *x, int n, uint64_t seed)
{
    PerpRandom random = perp_random(seed);
    for (int i = 0; i < n; i++)
        x[i] = perp_random_normal(&random);
}

// |computed - sum| <= n eps sum of |terms|
static void assert_sum(double computed, long double sum, long double size, int n)
{
    assert_true(fabsl(computed - sum) <= n * DBL_EPSILON * size);
}

static void test_value_start(void **state)
{
    (void)state;
    int body_start[] = {0, 3, 9, 10}, row_start[] = {0, 2, 2, 5};
    int entry_body[] = {1, 0, 2, 1, 0}, value_start[6];
    perp_block_rows_value_start(3, body_start, row_start, entry_body, value_start);
    int expected[] = {0, 6, 9, 10, 16, 19};
    assert_memory_equal(value_start, expected, sizeof expected);
}

static void test_rows_times_velocities(void **state)
{
    (void)state;
    Rows rows;
    double v[VELOCITIES];
    fill_rows(&rows, 1);
    fill_random(v, VELOCITIES, 2);
    for (int r = 0; r < ROWS; r++) {
        long double sum = 0, size = 0;
        for (int i = 0; i < VELOCITIES; i++) {
            sum += (long double)rows.dense[r][i] * v[i];
            size += fabsl((long double)rows.dense[r][i] * v[i]);
        }
        assert_sum(perp_block_rows_dot(&rows.view, r, v), sum, size, VELOCITIES);
    }
    assert_true(perp_block_rows_dot(&rows.view, 0, v) == 0);
}

static void test_impulses_on_bodies(void **state)
{
    (void)state;
    Rows rows;
    double p0[VELOCITIES], p[VELOCITIES], c[ROWS];
    fill_rows(&rows, 3);
    fill_random(p0, VELOCITIES, 4);
    fill_random(c, ROWS, 5);
    memcpy(p, p0, sizeof p);
    perp_block_rows_add_impulse(&rows.view, c, p);
    for (int i = 0; i < VELOCITIES; i++) {
        long double sum = p0[i], size = fabs(p0[i]);
        for (int r = 0; r < ROWS; r++) {
            sum += (long double)rows.dense[r][i] * c[r];
            size += fabsl((long double)rows.dense[r][i] * c[r]);
        }
        assert_sum(p[i], sum, size, ROWS);
    }
}

static void test_impulse_of_one_row(void **state)
{
    (void)state;
    Rows rows;
    fill_rows(&rows, 6);
    for (int r = 0; r < ROWS; r++) {
        double p[VELOCITIES] = {0};
        perp_block_rows_add_row(&rows.view, r, -4, p);
        for (int i = 0; i < VELOCITIES; i++)
            assert_true(p[i] == -4 * rows.dense[r][i]);
    }
}

// A block-diagonal matrix over the bodies, with memory for its factors.
typedef struct Blocks {
    int start[BODIES + 1], value_start[BODIES + 1], pivot[VELOCITIES];
    double A[SQUARES], LU[SQUARES];
    PerpBlockDiagonal factors;
} Blocks;

static void fill_blocks(Blocks *blocks, uint64_t seed)
{
    fill_starts(blocks->start);
    perp_block_diagonal_value_start(BODIES, blocks->start, blocks->value_start);
    assert_int_equal(blocks->start[BODIES], VELOCITIES);
    assert_int_equal(blocks->value_start[BODIES], SQUARES);
    fill_random(blocks->A, SQUARES, seed);
    blocks->factors = (PerpBlockDiagonal){.n_blocks = BODIES,
                                          .start = blocks->start,
                                          .value_start = blocks->value_start,
                                          .LU = blocks->LU,
                                          .pivot = blocks->pivot};
}

// Entry i, j of block k.
static double *entry(Blocks *blocks, int k, int i, int j)
{
    return blocks->A + blocks->value_start[k] + i + SIZES[k] * j;
}

// backward stable: |A x - b| <= c n eps |A| |x| in each row
static void check_block(Blocks *blocks, int k, const double *x, const double *b)
{
    int n = SIZES[k];
    double largest = 0, norm = 0;
    for (int i = 0; i < n; i++) {
        norm += fabs(x[i]);
        for (int j = 0; j < n; j++)
            largest = fmax(largest, fabs(*entry(blocks, k, i, j)));
    }
    for (int i = 0; i < n; i++) {
        long double residual = -(long double)b[i];
        for (int j = 0; j < n; j++)
            residual += (long double)*entry(blocks, k, i, j) * x[j];
        assert_true(fabsl(residual) <= 4 * n * DBL_EPSILON * largest * norm);
    }
}

static void test_solve_all_blocks(void **state)
{
    (void)state;
    Blocks blocks;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double b[VELOCITIES], x[VELOCITIES];
        fill_blocks(&blocks, seed);
        fill_random(b, VELOCITIES, 1000 + seed);
        memcpy(x, b, sizeof b);
        assert_int_equal(perp_block_diagonal_factor(&blocks.factors, blocks.A), -1);
        perp_block_diagonal_solve(&blocks.factors, x);
        for (int k = 0; k < BODIES; k++) {
            int at = blocks.start[k];
            check_block(&blocks, k, x + at, b + at);
        }
    }
}

static void test_solve_one_block(void **state)
{
    (void)state;
    Blocks blocks;
    double b[VELOCITIES], x[VELOCITIES];
    fill_blocks(&blocks, 7);
    fill_random(b, VELOCITIES, 8);
    perp_block_diagonal_factor(&blocks.factors, blocks.A);
    memcpy(x, b, sizeof b);
    int at = blocks.start[7], behind = blocks.start[8];
    perp_block_diagonal_solve_block(&blocks.factors, 7, x + at);
    check_block(&blocks, 7, x + at, b + at);
    for (int i = 0; i < VELOCITIES; i++)
        if (i < at || i >= behind)
            assert_true(x[i] == b[i]);
}

static PerpBlockDiagonal one_block(int n, int *start, int *value_start, double *LU, int *pivot)
{
    start[0] = 0;
    start[1] = n;
    perp_block_diagonal_value_start(1, start, value_start);
    return (PerpBlockDiagonal){
        .n_blocks = 1, .start = start, .value_start = value_start, .LU = LU, .pivot = pivot};
}

// a cyclic permutation is not its own inverse
static void test_pivoting_permutation(void **state)
{
    (void)state;
    int start[2], value_start[2], pivot[3];
    double LU[9], P[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    PerpBlockDiagonal F = one_block(3, start, value_start, LU, pivot);
    assert_int_equal(perp_block_diagonal_factor(&F, P), -1);
    double x[3] = {1, 2, 3};
    perp_block_diagonal_solve(&F, x);
    double inverse_shift[3] = {2, 3, 1};
    assert_memory_equal(x, inverse_shift, sizeof x);
}

// [1e-20 1; 1 1] needs pivoting although its first entry is not zero
static void test_pivoting_small_entry(void **state)
{
    (void)state;
    int start[2], value_start[2], pivot[2];
    double LU[4], A[4] = {1e-20, 1, 1, 1}, x[2] = {1, 2};
    PerpBlockDiagonal F = one_block(2, start, value_start, LU, pivot);
    assert_int_equal(perp_block_diagonal_factor(&F, A), -1);
    perp_block_diagonal_solve(&F, x);
    assert_true(fabs(x[0] - 1) <= 4 * DBL_EPSILON && fabs(x[1] - 1) <= 4 * DBL_EPSILON);
}

static void test_singular_block_is_found(void **state)
{
    (void)state;
    Blocks blocks;
    fill_blocks(&blocks, 9);
    for (int i = 0; i < SIZES[5]; i++)
        *entry(&blocks, 5, i, 3) = *entry(&blocks, 5, i, 1) = 0;
    *entry(&blocks, 8, 0, 0) = NAN;
    assert_int_equal(perp_block_diagonal_factor(&blocks.factors, blocks.A), 5);
    fill_blocks(&blocks, 9);
    for (int i = 0; i < SIZES[8]; i++)
        *entry(&blocks, 8, i, 0) = NAN;
    assert_int_equal(perp_block_diagonal_factor(&blocks.factors, blocks.A), 8);
}

static void test_no_blocks(void **state)
{
    (void)state;
    int start[1] = {0}, value_start[1] = {7};
    perp_block_diagonal_value_start(0, start, value_start);
    assert_int_equal(value_start[0], 0);
    PerpBlockDiagonal F = {.start = start, .value_start = value_start};
    assert_int_equal(perp_block_diagonal_factor(&F, NULL), -1);
    assert_int_equal(perp_block_diagonal_first_indefinite(&F, NULL), -1);
    perp_block_diagonal_solve(&F, NULL);
}

// entry i, j of B'B
static double gram(const double *B, int n, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += B[k + n * i] * B[k + n * j];
    return sum;
}

// A = B'B + (C - C') / 2: what is added to the symmetric part does not matter. Velocities in mixed
// units: D A D with D from 1e-8 to 1e8.
static void fill_positive_definite(Blocks *blocks, uint64_t seed)
{
    PerpRandom random = perp_random(seed);
    double B[SQUARES], C[SQUARES];
    fill_blocks(blocks, seed);
    fill_random(B, SQUARES, seed + 1);
    fill_random(C, SQUARES, seed + 2);
    for (int k = 0; k < BODIES; k++) {
        int n = SIZES[k], at = blocks->value_start[k];
        double d[13];
        for (int i = 0; i < n; i++)
            d[i] = perp_random_log_uniform(&random, 1e-8, 1e8);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                *entry(blocks, k, i, j) =
                    d[i] * d[j] *
                    (gram(B + at, n, i, j) + 0.5 * (C[at + i + n * j] - C[at + j + n * i]));
    }
}

static void test_positive_definite_blocks_pass(void **state)
{
    (void)state;
    Blocks blocks;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        fill_positive_definite(&blocks, seed);
        assert_int_equal(perp_block_diagonal_first_indefinite(&blocks.factors, blocks.A), -1);
    }
}

static void test_first_indefinite_block_is_found(void **state)
{
    (void)state;
    Blocks blocks;
    int bad[] = {9, 7, 1, 0};
    fill_positive_definite(&blocks, 1);
    for (int n = 0; n < 4; n++) {
        int last = SIZES[bad[n]] - 1;
        *entry(&blocks, bad[n], last, last) *= -1;
        assert_int_equal(perp_block_diagonal_first_indefinite(&blocks.factors, blocks.A), bad[n]);
    }
}

static int verdict(int n, const double *A)
{
    int start[2], value_start[2], pivot[2];
    double LU[4];
    PerpBlockDiagonal F = one_block(n, start, value_start, LU, pivot);
    return perp_block_diagonal_first_indefinite(&F, A);
}

// semidefinite to rounding is not definite: u u', [1 2; 2 1], 0, NaN; but [1 0.75; 1.25 1 + e] is
static void test_edge_of_definiteness(void **state)
{
    (void)state;
    // rounding leaves a last pivot of +3e-16 for u = (0.1, 0.7), and of 0 for (0.7, 0.3)
    assert_int_equal(verdict(2, (double[]){0.1 * 0.1, 0.1 * 0.7, 0.1 * 0.7, 0.7 * 0.7}), 0);
    assert_int_equal(verdict(2, (double[]){0.7 * 0.7, 0.7 * 0.3, 0.7 * 0.3, 0.3 * 0.3}), 0);
    assert_int_equal(verdict(2, (double[]){1, 2, 2, 1}), 0);
    assert_int_equal(verdict(2, (double[]){1, 0, 4, 1}), 0);
    assert_int_equal(verdict(1, (double[]){0}), 0);
    assert_int_equal(verdict(1, (double[]){NAN}), 0);
    assert_int_equal(verdict(1, (double[]){DBL_MIN}), -1);
    assert_int_equal(verdict(2, (double[]){1, 100, -100, 1e-30}), -1);
    assert_int_equal(verdict(2, (double[]){1, 1.25, 0.75, 1 + 1e-14}), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_start),
        cmocka_unit_test(test_rows_times_velocities),
        cmocka_unit_test(test_impulses_on_bodies),
        cmocka_unit_test(test_impulse_of_one_row),
        cmocka_unit_test(test_solve_all_blocks),
        cmocka_unit_test(test_solve_one_block),
        cmocka_unit_test(test_pivoting_permutation),
        cmocka_unit_test(test_pivoting_small_entry),
        cmocka_unit_test(test_singular_block_is_found),
        cmocka_unit_test(test_no_blocks),
        cmocka_unit_test(test_positive_definite_blocks_pass),
        cmocka_unit_test(test_first_indefinite_block_is_found),
        cmocka_unit_test(test_edge_of_definiteness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

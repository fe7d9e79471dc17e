// The factorisations on matrices of known inverse and known rank, with room between the columns.
#include "base/threads.h"
#include "math/lapack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 20, WIDE = LARGEST + 3, ROOM = WIDE * WIDE };

static const double padding = 1234.5;

static void fill_square(PerpRandom *r, int n, double *A)
{
    for (int k = 0; k < ROOM; k++)
        A[k] = padding;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + WIDE * j] = perp_random_normal(r) + (i == j ? 3 : 0);
}

static void assert_padding(int n, const double *A)
{
    for (int k = 0; k < ROOM; k++)
        assert_true((k % WIDE < n && k / WIDE < n) || A[k] == padding);
}

// --- LU -----------------------------------------------------------------------------------------

// b = A x, for columns of x that are WIDE apart
static void multiply(int n, const double *A, int columns, const double *x, double *b)
{
    for (int k = 0; k < ROOM; k++)
        b[k] = padding;
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < n; i++) {
            b[i + WIDE * k] = 0;
            for (int j = 0; j < n; j++)
                b[i + WIDE * k] += A[i + WIDE * j] * x[j + WIDE * k];
        }
}

static void lu_solves_any_number_of_columns(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    double A[ROOM], LU[ROOM], x[ROOM], b[ROOM];
    int pivots[LARGEST];
    for (int n = 0; n <= LARGEST; n++)
        for (int columns = 0; columns < 4; columns++) {
            fill_square(&r, n, A);
            memcpy(LU, A, sizeof A);
            fill_square(&r, LARGEST, x);
            multiply(n, A, columns, x, b);
            assert_true(perp_lu_factor(n, LU, WIDE, pivots));
            perp_lu_solve(n, LU, WIDE, pivots, columns, b, WIDE);
            for (int k = 0; k < ROOM; k++) {
                bool inside = k % WIDE < n && k / WIDE < columns;
                assert_true(inside ? fabs(b[k] - x[k]) <= 1e-11 : b[k] == padding);
            }
            assert_padding(n, LU);
        }
}

static void lu_inverts(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    double A[ROOM], inverse[ROOM], product[ROOM], scratch[64 * LARGEST];
    int pivots[LARGEST];
    for (int n = 0; n <= LARGEST; n++) {
        fill_square(&r, n, A);
        memcpy(inverse, A, sizeof A);
        assert_true(perp_lu_factor(n, inverse, WIDE, pivots));
        perp_lu_invert(n, inverse, WIDE, pivots, scratch);
        assert_padding(n, inverse);
        multiply(n, A, n, inverse, product);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                assert_true(fabs(product[i + WIDE * j] - (i == j)) <= 1e-11);
    }
}

static void lu_refuses_a_zero_pivot(void **state)
{
    (void)state;
    double twice[] = {1, 2, 2, 4}, zero[] = {0}, swapped[] = {0, 1, 1, 0};
    int pivots[2];
    assert_false(perp_lu_factor(2, twice, 2, pivots));
    assert_false(perp_lu_factor(1, zero, 1, pivots));
    assert_true(perp_lu_factor(2, swapped, 2, pivots));
}

// --- QR -----------------------------------------------------------------------------------------

// A = B C with B m x rank, C rank x n
static void fill_rank(PerpRandom *r, int m, int n, int rank, double *A)
{
    double b[LARGEST], c[LARGEST];
    memset(A, 0, sizeof(double) * LARGEST * LARGEST);
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < m; i++)
            b[i] = perp_random_normal(r);
        for (int j = 0; j < n; j++)
            c[j] = perp_random_normal(r);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                A[i + m * j] += b[i] * c[j];
    }
}

// Q R = A P, column by column
static void assert_product(const PerpQr *qr, const double *A)
{
    double x[LARGEST];
    int m = qr->m, n = qr->n;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < m; i++)
            x[i] = i <= k ? qr->A[i + m * k] : 0;
        perp_qr_apply_q(qr, false, 1, x, m);
        for (int i = 0; i < m; i++)
            assert_true(fabs(x[i] - A[i + m * qr->column[k]]) <= 1e-12);
    }
}

// Q'Q = 1, two columns that are WIDE apart at a time
static void assert_orthogonal(PerpRandom *r, const PerpQr *qr)
{
    double x[2 * WIDE], y[2 * WIDE];
    for (int i = 0; i < 2 * WIDE; i++)
        x[i] = y[i] = perp_random_normal(r);
    perp_qr_apply_q(qr, true, 2, y, WIDE);
    perp_qr_apply_q(qr, false, 2, y, WIDE);
    for (int i = 0; i < 2 * WIDE; i++)
        assert_true(i % WIDE < qr->m ? fabs(x[i] - y[i]) <= 1e-12 : x[i] == y[i]);
}

// R_11 (R_11^-1 x) = x and R_11' (R_11'^-1 x) = x
static void assert_solves_triangle(PerpRandom *r, const PerpQr *qr, bool transposed)
{
    double x[2 * WIDE], y[2 * WIDE];
    for (int i = 0; i < 2 * WIDE; i++)
        x[i] = y[i] = perp_random_normal(r);
    perp_qr_solve_r(qr, transposed, 2, y, WIDE);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < qr->rank; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < qr->rank; j++) {
                double R = transposed ? (j <= i ? qr->A[j + qr->m * i] : 0)
                                      : (i <= j ? qr->A[i + qr->m * j] : 0);
                sum += R * y[j + WIDE * side];
                size += fabs(R * y[j + WIDE * side]);
            }
            assert_true(fabs(sum - x[i + WIDE * side]) <= 1e-12 * (1 + size));
        }
    for (int i = qr->rank; i < WIDE; i++)
        assert_true(x[i] == y[i]);
}

static void check_rank(PerpRandom *r, PerpArena *arena, int m, int n, int rank)
{
    double A[LARGEST * LARGEST], factors[LARGEST * LARGEST];
    PerpQr qr;
    fill_rank(r, m, n, rank, A);
    memcpy(factors, A, sizeof A);
    perp_arena_rewind(arena);
    assert_true(perp_qr_factor(arena, m, n, factors, 1e-10, &qr));
    assert_int_equal(qr.rank, rank);
    assert_product(&qr, A);
    assert_orthogonal(r, &qr);
    assert_solves_triangle(r, &qr, false);
    assert_solves_triangle(r, &qr, true);
}

static void qr_reveals_the_rank(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    PerpContext context = perp_default_context();
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    for (int m = 0; m <= LARGEST; m += m < 4 ? 1 : 4)
        for (int n = 0; n <= LARGEST; n += n < 4 ? 1 : 4)
            for (int rank = 0; rank <= (m < n ? m : n); rank++)
                check_rank(&r, &arena, m, n, rank);
    perp_arena_free(&arena);
}

// diag(1, 1e-3, 1e-6, 1e-9): the tolerance is relative to the largest
static void qr_counts_what_is_above_the_tolerance(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    for (int rank = 1; rank <= 4; rank++) {
        double A[16] = {0};
        PerpQr qr;
        for (int k = 0; k < 4; k++)
            A[5 * k] = 1e6 * pow(1e-3, k);
        assert_true(perp_qr_factor(&arena, 4, 4, A, 2e-3 * pow(1e-3, rank - 1), &qr));
        assert_int_equal(qr.rank, rank);
        for (int k = 0; k < 4; k++)
            assert_int_equal(qr.column[k], k);
    }
    perp_arena_free(&arena);
}

static void qr_says_when_memory_is_short(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {.fail_at = 1};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    PerpQr qr;
    double A[4] = {1, 0, 0, 1};
    perp_arena_init(&arena, &context.allocator);
    assert_false(perp_qr_factor(&arena, 2, 2, A, 1e-10, &qr));
    assert_true(perp_qr_factor(&arena, 2, 2, A, 1e-10, &qr));
    perp_arena_free(&arena);
    assert_int_equal(memory.live, 0);
}

enum { TRIALS = 1000, SIZE = 60 };

// What every routine makes of a random matrix and a vector, as one number.
static void use_all(void *user, int trial, int thread)
{
    (void)thread;
    double *sum = user, A[SIZE * SIZE], LU[SIZE * SIZE], x[2 * SIZE], scratch[64 * SIZE];
    int pivots[SIZE];
    PerpContext context = perp_default_context();
    PerpRandom r = perp_random((uint64_t)trial);
    PerpArena arena;
    PerpQr qr;
    perp_arena_init(&arena, &context.allocator);
    for (int i = 0; i < SIZE * SIZE; i++)
        A[i] = LU[i] = perp_random_normal(&r);
    for (int i = 0; i < SIZE; i++)
        x[i] = x[SIZE + i] = perp_random_normal(&r);
    perp_lu_factor(SIZE, LU, SIZE, pivots);
    perp_lu_solve(SIZE, LU, SIZE, pivots, 1, x, SIZE);
    perp_lu_invert(SIZE, LU, SIZE, pivots, scratch);
    if (perp_qr_factor(&arena, SIZE, SIZE, A, 1e-12, &qr)) {
        perp_qr_apply_q(&qr, true, 1, x + SIZE, SIZE);
        perp_qr_solve_r(&qr, false, 1, x + SIZE, SIZE);
    }
    sum[trial] = LU[0];
    for (int i = 0; i < 2 * SIZE; i++)
        sum[trial] += x[i];
    perp_arena_free(&arena);
}

// several threads at once, though the BLAS may not be made for that
static void test_threads(void **state)
{
    (void)state;
    static double one[TRIALS], several[TRIALS];
    perp_parallel(1, TRIALS, use_all, one);
    perp_parallel(4, TRIALS, use_all, several);
    assert_memory_equal(one, several, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves_any_number_of_columns),
        cmocka_unit_test(lu_inverts),
        cmocka_unit_test(lu_refuses_a_zero_pivot),
        cmocka_unit_test(qr_reveals_the_rank),
        cmocka_unit_test(qr_counts_what_is_above_the_tolerance),
        cmocka_unit_test(qr_says_when_memory_is_short),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

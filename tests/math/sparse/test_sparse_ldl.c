// L D L' of sparse matrices, with and without dependent rows.
#include "math/sparse/sparse_ldl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

#include <math.h>
#include <string.h>

enum { MOST = 60 };

// A symmetric matrix, dense, and its lower triangle by columns without the zeros.
typedef struct Matrix {
    int n;
    double dense[MOST][MOST];
    int start[MOST + 1], row[MOST * MOST];
    double value[MOST * MOST];
} Matrix;

static PerpSparseSymmetric lower_triangle(Matrix *A)
{
    int entries = 0;
    for (int j = 0; j < A->n; j++) {
        A->start[j] = entries;
        for (int i = A->n - 1; i >= j; i--)
            if (A->dense[i][j] != 0) {
                A->row[entries] = i;
                A->value[entries++] = A->dense[i][j];
            }
    }
    A->start[A->n] = entries;
    return (PerpSparseSymmetric){A->n, A->start, A->row, A->value};
}

static int set_up(void **state)
{
    static PerpArena arena;
    PerpContext context = perp_default_context();
    perp_arena_init(&arena, &context.allocator);
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    perp_arena_free(*state);
    return 0;
}

static PerpSparseLdl factor(PerpArena *arena, Matrix *A, double tolerance)
{
    PerpSparseLdl ldl;
    PerpSparseSymmetric lower = lower_triangle(A);
    assert_true(perp_sparse_ldl_analyse(arena, &lower, &ldl));
    perp_sparse_ldl_factor(&ldl, tolerance);
    return ldl;
}

// A = B B', B with three numbers a row, of n rows in `width` dimensions
static void fill_gram(Matrix *A, PerpRandom *random, int n, int width)
{
    double B[MOST][MOST] = {{0}};
    *A = (Matrix){.n = n};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            B[i][perp_random_int(random, 0, width - 1)] = perp_random_normal(random);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < width; k++)
                A->dense[i][j] += B[i][k] * B[j][k];
}

// A x = b on the independent rows, and x = 0 on the others
static void assert_solves(const Matrix *A, const PerpSparseLdl *ldl, const double *b, double error)
{
    double x[MOST], largest = 0;
    memcpy(x, b, sizeof x);
    perp_sparse_ldl_solve(ldl, x);
    for (int i = 0; i < A->n; i++)
        largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < A->n; i++) {
        double sum = -b[i];
        for (int j = 0; j < A->n; j++)
            sum += A->dense[i][j] * x[j];
        if (ldl->dependent[i])
            assert_true(x[i] == 0);
        else
            assert_true(fabs(sum) <= error * (1 + largest));
    }
}

// [4 2; 2 5]: scaled, 1 and 1 - 1/5
static void two_rows_by_hand(void **state)
{
    Matrix A = {.n = 2, .dense = {{4, 2}, {2, 5}}};
    PerpSparseLdl ldl = factor(*state, &A, 1e-12);
    double x[2] = {8, 12};
    assert_int_equal(ldl.rank, 2);
    assert_true(fabs(ldl.pivot[0] - 1) <= 1e-15 && fabs(ldl.pivot[1] - 0.8) <= 1e-15);
    perp_sparse_ldl_solve(&ldl, x);
    assert_true(fabs(x[0] - 1) <= 1e-14 && fabs(x[1] - 2) <= 1e-14);
}

// the last row is the sum of the two before it
static void dependent_row_by_hand(void **state)
{
    Matrix A = {.n = 3, .dense = {{1, 0, 1}, {0, 1, 1}, {1, 1, 2}}};
    PerpSparseLdl ldl = factor(*state, &A, 1e-12);
    assert_int_equal(ldl.rank, 2);
    assert_int_equal(ldl.dependent[0] + ldl.dependent[1] + ldl.dependent[2], 1);
    assert_solves(&A, &ldl, (double[MOST]){3, 4, 7}, 1e-14);
}

static void random_matrices(void **state)
{
    static Matrix A;
    for (int seed = 0; seed < 200; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        double b[MOST];
        fill_gram(&A, &random, 1 + seed % MOST, MOST);
        for (int i = 0; i < A.n; i++) {
            A.dense[i][i] += 0.1;
            b[i] = perp_random_normal(&random);
        }
        PerpSparseLdl ldl = factor(*state, &A, 1e-12);
        assert_int_equal(ldl.rank, A.n);
        assert_solves(&A, &ldl, b, 1e-12);
        perp_arena_rewind(*state);
    }
}

// more rows than dimensions, and a right-hand side in the range
static void random_dependent_rows(void **state)
{
    static Matrix A;
    for (int seed = 0; seed < 200; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        int width = 3 + seed % 20;
        double b[MOST] = {0};
        fill_gram(&A, &random, width + seed % 30, width);
        for (int i = 0; i < A.n; i++)
            for (int j = 0; j < A.n; j++)
                b[i] += A.dense[i][j];
        PerpSparseLdl ldl = factor(*state, &A, 1e-8);
        int dependent = 0;
        for (int i = 0; i < A.n; i++)
            dependent += ldl.dependent[i];
        assert_true(ldl.rank <= width && ldl.rank + dependent == A.n);
        assert_solves(&A, &ldl, b, 1e-6);
        perp_arena_rewind(*state);
    }
}

// row 1 is 1e-3 from row 0: the tolerance decides, and may be changed
static void tolerance_decides(void **state)
{
    Matrix A = {.n = 2, .dense = {{1, 1}, {1, 1 + 1e-6}}};
    PerpSparseLdl ldl = factor(*state, &A, 1e-8);
    assert_int_equal(ldl.rank, 2);
    perp_sparse_ldl_factor(&ldl, 1e-4);
    assert_int_equal(ldl.rank, 1);
    perp_sparse_ldl_factor(&ldl, 1e-8);
    assert_int_equal(ldl.rank, 2);
    assert_solves(&A, &ldl, (double[MOST]){1, 2}, 1e-9);
}

// units of the rows do not matter
static void scale_does_not_matter(void **state)
{
    Matrix A = {.n = 3, .dense = {{1e-20, 5e-11, 0}, {5e-11, 1, 5e9}, {0, 5e9, 1e20}}};
    PerpSparseLdl ldl = factor(*state, &A, 1e-8);
    assert_int_equal(ldl.rank, 3);
    double x[3] = {0, 1, 0};
    perp_sparse_ldl_solve(&ldl, x);
    assert_true(fabs(x[1] - 2) <= 1e-14);
}

// a tree has an order without fill: a chain shuffled
static void chain_fills_nothing(void **state)
{
    static Matrix A;
    A = (Matrix){.n = MOST};
    for (int k = 0; k < MOST; k++) {
        int i = k * 7 % MOST, j = (k + 1) * 7 % MOST; // 7 is prime to MOST
        A.dense[i][i] = 2;
        if (k + 1 < MOST)
            A.dense[i][j] = A.dense[j][i] = -1;
    }
    PerpSparseLdl ldl = factor(*state, &A, 1e-12);
    assert_int_equal(ldl.rank, MOST);
    assert_int_equal(ldl.start[MOST], MOST - 1);
}

static void nothing_to_factor(void **state)
{
    Matrix A = {.n = 0};
    PerpSparseLdl ldl = factor(*state, &A, 1e-12);
    double x = 3;
    assert_int_equal(ldl.rank, 0);
    perp_sparse_ldl_solve(&ldl, &x);
    assert_true(x == 3);
}

static void rows_without_numbers_are_dependent(void **state)
{
    const double bad[] = {0, INFINITY, NAN};
    for (int k = 0; k < 3; k++) {
        Matrix A = {.n = 2, .dense = {{bad[k], 0}, {0, 1}}};
        PerpSparseLdl ldl = factor(*state, &A, 1e-12);
        assert_true(ldl.rank == 1 && ldl.dependent[0] && !ldl.dependent[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_rows_by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dependent_row_by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_matrices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_dependent_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tolerance_decides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scale_does_not_matter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chain_fills_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_factor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_without_numbers_are_dependent, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

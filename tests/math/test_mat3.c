#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "random.h"

#include <float.h>
#include <string.h>

static const PerpVec3 ONES = {1, 1, 1};

static PerpVec3 random_vector(PerpRandom *r)
{
    PerpVec3 a = {perp_random_normal(r), perp_random_normal(r), perp_random_normal(r)};
    return a;
}

static PerpMat3 random_matrix(PerpRandom *r)
{
    PerpMat3 A;
    A.x = random_vector(r);
    A.y = random_vector(r);
    A.z = random_vector(r);
    return A;
}

static PerpMat3 random_symmetric(PerpRandom *r)
{
    PerpMat3 A = random_matrix(r);
    A.y.x = A.x.y;
    A.z.x = A.x.z;
    A.z.y = A.y.z;
    return A;
}

// max_ij |a_ij|
static double largest_entry(PerpMat3 A)
{
    double a[9], largest = 0;
    memcpy(a, &A, sizeof a);
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(a[i]));
    return largest;
}

static double distance(PerpMat3 A, PerpMat3 B)
{
    return largest_entry(
        (PerpMat3){perp_vec3_sub(A.x, B.x), perp_vec3_sub(A.y, B.y), perp_vec3_sub(A.z, B.z)});
}

static long double determinant_reference(PerpMat3 A)
{
    long double a[9];
    double b[9];
    memcpy(b, &A, sizeof b);
    for (int i = 0; i < 9; i++)
        a[i] = b[i];
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[3] * (a[1] * a[8] - a[2] * a[7]) +
           a[6] * (a[1] * a[5] - a[2] * a[4]);
}

static void test_storage_is_by_columns(void **state)
{
    (void)state;
    double numbers[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    PerpMat3 A;
    assert_int_equal(sizeof A, sizeof numbers);
    memcpy(&A, numbers, sizeof A);
    PerpVec3 second_column = perp_mat3_times(A, (PerpVec3){0, 1, 0});
    assert_true(second_column.x == 4 && second_column.y == 5 && second_column.z == 6);
    PerpVec3 row_sums = perp_mat3_times(A, ONES);
    assert_true(row_sums.x == 12 && row_sums.y == 15 && row_sums.z == 19);
    PerpVec3 column_sums = perp_mat3_transposed_times(A, ONES);
    assert_true(column_sums.x == 6 && column_sums.y == 15 && column_sums.z == 25);
}

// (A B) v = A (B v)
static void test_products(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int i = 0; i < 1000; i++) {
        PerpMat3 A = random_matrix(&r), B = random_matrix(&r);
        PerpVec3 v = random_vector(&r);
        PerpMat3 AB = perp_mat3_product(A, B);
        PerpVec3 difference =
            perp_vec3_sub(perp_mat3_times(AB, v), perp_mat3_times(A, perp_mat3_times(B, v)));
        double size = 9 * largest_entry(A) * largest_entry(B) * perp_vec3_norm(v);
        assert_true(perp_vec3_norm(difference) <= 2 * DBL_EPSILON * size);
    }
}

static void test_skew_is_the_cross_product(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int i = 0; i < 100; i++) {
        PerpVec3 a = random_vector(&r), b = random_vector(&r);
        PerpVec3 product = perp_mat3_times(perp_mat3_skew(a), b);
        PerpVec3 difference = perp_vec3_sub(product, perp_vec3_cross(a, b));
        assert_true(perp_vec3_norm(difference) <=
                    2 * DBL_EPSILON * perp_vec3_norm(a) * perp_vec3_norm(b));
    }
}

static void test_solve_exact(void **state)
{
    (void)state;
    // needs row exchanges at both stages
    PerpMat3 A = {{0, 2, 4}, {1, 1, 2}, {0, 3, 4}};
    PerpVec3 x = {1, 2, -3}, solution;
    assert_true(perp_mat3_solve(A, perp_mat3_times(A, x), &solution));
    assert_true(solution.x == 1 && solution.y == 2 && solution.z == -3);
}

static void test_solve(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    for (int i = 0; i < 1000; i++) {
        PerpMat3 A = random_matrix(&r);
        PerpVec3 b = random_vector(&r), x;
        assert_true(perp_mat3_solve(A, b, &x));
        // backward stable: |A x - b| <= c eps |A| |x|
        double residual = perp_vec3_norm(perp_vec3_sub(perp_mat3_times(A, x), b));
        assert_true(residual <= 20 * DBL_EPSILON * largest_entry(A) * perp_vec3_norm(x));
    }
}

// with singular values 1, d, d a cofactor formula loses 1/d^2 digits, elimination 1/d
static void test_solve_ill_conditioned(void **state)
{
    (void)state;
    double d = ldexp(1, -20);
    PerpMat3 A = {{1 + d, 1, 1}, {1, 1 + d, 1}, {1, 1, 1 + d}};
    PerpVec3 x;
    assert_true(perp_mat3_solve(A, (PerpVec3){1, 2, 3}, &x));
    // x = (b - (sum b) / (3 + d)) / d, by Sherman and Morrison
    PerpVec3 exact = {(1 - 6 / (3 + d)) / d, (2 - 6 / (3 + d)) / d, (3 - 6 / (3 + d)) / d};
    assert_true(perp_vec3_norm(perp_vec3_sub(x, exact)) <=
                20 * DBL_EPSILON / d * perp_vec3_norm(exact));
}

static void test_singular_is_refused(void **state)
{
    (void)state;
    PerpMat3 rank_two = {{1, 2, 4}, {2, 4, 8}, {0, 0, 1}};
    PerpMat3 zero = perp_mat3_diagonal((PerpVec3){0, 0, 0});
    PerpVec3 x = ONES;
    assert_false(perp_mat3_solve(rank_two, ONES, &x));
    assert_false(perp_mat3_solve(zero, ONES, &x));
    assert_true(x.x == 1 && x.y == 1 && x.z == 1);
    rank_two.x.x = NAN;
    rank_two.x.y = NAN;
    assert_false(perp_mat3_solve(rank_two, ONES, &x));
}

// A Q = Q diag(d), Q'Q = 1, det Q = 1
static void check_eigen(PerpMat3 A, PerpVec3 *d, PerpMat3 *Q)
{
    *d = perp_mat3_eigen(A, Q);
    PerpMat3 AQ = perp_mat3_product(A, *Q);
    PerpMat3 QD = perp_mat3_product(*Q, perp_mat3_diagonal(*d));
    assert_true(distance(AQ, QD) <= 20 * DBL_EPSILON * largest_entry(A));
    PerpMat3 gram = perp_mat3_product(perp_mat3_transpose(*Q), *Q);
    assert_true(distance(gram, perp_mat3_diagonal(ONES)) <= 20 * DBL_EPSILON);
    double determinant = perp_vec3_dot(Q->x, perp_vec3_cross(Q->y, Q->z));
    assert_true(fabs(determinant - 1) <= 20 * DBL_EPSILON);
}

static void test_eigen_random(void **state)
{
    (void)state;
    PerpRandom r = perp_random(4);
    for (int i = 0; i < 10000; i++) {
        PerpVec3 d;
        PerpMat3 Q;
        check_eigen(random_symmetric(&r), &d, &Q);
    }
}

static void test_eigen_of_a_diagonal_matrix_is_itself(void **state)
{
    (void)state;
    PerpVec3 inertia = {3, 1, 2}, d;
    PerpMat3 Q;
    check_eigen(perp_mat3_diagonal(inertia), &d, &Q);
    assert_true(d.x == 3 && d.y == 1 && d.z == 2);
    assert_true(distance(Q, perp_mat3_diagonal(ONES)) == 0);
    check_eigen(perp_mat3_diagonal((PerpVec3){0, 0, 0}), &d, &Q);
    assert_true(d.x == 0 && d.y == 0 && d.z == 0);
}

// [2 1; 1 2] has 1 and 3; ones(3) has 0, 0 and 3; [0 1; 1 0] has -1 and 1
static void test_eigen_closed_forms(void **state)
{
    (void)state;
    PerpVec3 d;
    PerpMat3 Q;
    check_eigen((PerpMat3){{2, 1, 0}, {1, 2, 0}, {0, 0, 5}}, &d, &Q);
    assert_true(fabs(fmin(d.x, d.y) - 1) <= 2 * DBL_EPSILON);
    assert_true(fabs(fmax(d.x, d.y) - 3) <= 4 * DBL_EPSILON);
    assert_true(d.z == 5);
    check_eigen((PerpMat3){ONES, ONES, ONES}, &d, &Q);
    assert_true(fabs(fmax(d.x, fmax(d.y, d.z)) - 3) <= 8 * DBL_EPSILON);
    assert_true(fabs(fmin(d.x, fmin(d.y, d.z))) <= 4 * DBL_EPSILON);
    check_eigen((PerpMat3){{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}, &d, &Q);
    assert_true(fabs(d.x * d.y + 1) <= 4 * DBL_EPSILON && d.z == 0);
}

// the product of the eigenvalues is the determinant, to full relative accuracy although the
// smallest is 1e-24 of the largest: no absolute criterion could do that
static void test_eigen_keeps_small_inertias(void **state)
{
    (void)state;
    PerpRandom r = perp_random(5);
    for (int i = 0; i < 1000; i++) {
        double s[3];
        for (int k = 0; k < 3; k++)
            s[k] = perp_random_log_uniform(&r, 1e-6, 1e6);
        double a = s[0] * s[1] * 0.5, b = s[0] * s[2] * 0.25, c = s[1] * s[2] * -0.375;
        PerpMat3 A = {{s[0] * s[0], a, b}, {a, s[1] * s[1], c}, {b, c, s[2] * s[2]}};
        PerpVec3 d;
        PerpMat3 Q;
        check_eigen(A, &d, &Q);
        long double det = determinant_reference(A);
        long double product = (long double)d.x * d.y * d.z;
        assert_true(d.x > 0 && d.y > 0 && d.z > 0);
        assert_true(fabsl(product - det) <= 100 * DBL_EPSILON * det);
    }
}

static void test_eigen_ends_on_any_input(void **state)
{
    (void)state;
    PerpMat3 Q;
    PerpMat3 A = {{NAN, 1, 2}, {1, 3, INFINITY}, {2, INFINITY, 1}};
    PerpVec3 d = perp_mat3_eigen(A, &Q);
    assert_true(isnan(d.x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storage_is_by_columns),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_skew_is_the_cross_product),
        cmocka_unit_test(test_solve_exact),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_solve_ill_conditioned),
        cmocka_unit_test(test_singular_is_refused),
        cmocka_unit_test(test_eigen_random),
        cmocka_unit_test(test_eigen_of_a_diagonal_matrix_is_itself),
        cmocka_unit_test(test_eigen_closed_forms),
        cmocka_unit_test(test_eigen_keeps_small_inertias),
        cmocka_unit_test(test_eigen_ends_on_any_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

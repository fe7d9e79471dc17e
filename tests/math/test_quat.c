#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/quat.h"
#include "random.h"

#include <float.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const long double LONG_PI = 3.14159265358979323846264338327950288L;
static const PerpQuat IDENTITY = {1, 0, 0, 0};

static PerpVec3 random_direction(PerpRandom *r)
{
    double n[3];
    perp_random_direction(r, n);
    return perp_vec3_load(n);
}

static PerpQuat random_orientation(PerpRandom *r)
{
    PerpQuat q = {perp_random_normal(r), perp_random_normal(r), perp_random_normal(r),
                  perp_random_normal(r)};
    return perp_quat_normalise(q);
}

static double distance(PerpQuat a, PerpQuat b)
{
    return fmax(fmax(fabs(a.w - b.w), fabs(a.x - b.x)), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

// between the orientations: q and -q are the same
static double turn_distance(PerpQuat a, PerpQuat b)
{
    return fmin(distance(a, b), distance(a, (PerpQuat){-b.w, -b.x, -b.y, -b.z}));
}

static bool same_bits(PerpQuat a, PerpQuat b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void assert_vec3_near(PerpVec3 a, PerpVec3 b, double tolerance)
{
    assert_true(fabs(a.x - b.x) <= tolerance);
    assert_true(fabs(a.y - b.y) <= tolerance);
    assert_true(fabs(a.z - b.z) <= tolerance);
}

static void assert_mat3_near(PerpMat3 A, PerpMat3 B, double tolerance)
{
    assert_vec3_near(A.x, B.x, tolerance);
    assert_vec3_near(A.y, B.y, tolerance);
    assert_vec3_near(A.z, B.z, tolerance);
}

// |a - exact| in units of the last place of exact, up to a factor of two
static double ulps(double a, long double exact)
{
    long double ulp = fmaxl(DBL_EPSILON * fabsl(exact), DBL_TRUE_MIN);
    return (double)(fabsl(a - exact) / ulp);
}

// i j = k = -j i, i^2 = -1
static void test_product_of_units(void **state)
{
    (void)state;
    PerpQuat i = {0, 1, 0, 0}, j = {0, 0, 1, 0}, k = {0, 0, 0, 1};
    assert_true(distance(perp_quat_product(i, j), k) == 0);
    assert_true(distance(perp_quat_product(j, k), i) == 0);
    assert_true(distance(perp_quat_product(k, i), j) == 0);
    assert_true(distance(perp_quat_product(j, i), perp_quat_conjugate(k)) == 0);
    assert_true(distance(perp_quat_product(i, i), (PerpQuat){-1, 0, 0, 0}) == 0);
}

static void test_product_is_associative_and_conjugate_inverts(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int n = 0; n < 1000; n++) {
        PerpQuat a = random_orientation(&r), b = random_orientation(&r), c = random_orientation(&r);
        PerpQuat left = perp_quat_product(perp_quat_product(a, b), c);
        PerpQuat right = perp_quat_product(a, perp_quat_product(b, c));
        assert_true(distance(left, right) <= 8 * DBL_EPSILON);
        PerpQuat one = perp_quat_product(a, perp_quat_conjugate(a));
        assert_true(distance(one, IDENTITY) <= 8 * DBL_EPSILON);
    }
}

static void test_normalise(void **state)
{
    (void)state;
    assert_true(distance(perp_quat_normalise((PerpQuat){2, -2, 2, -2}),
                         (PerpQuat){0.5, -0.5, 0.5, -0.5}) == 0);
    PerpRandom r = perp_random(2);
    for (int n = 0; n < 100000; n++) {
        double size = perp_random_log_uniform(&r, 1e-100, 1e100);
        PerpQuat q = {size * perp_random_normal(&r), size * perp_random_normal(&r),
                      size * perp_random_normal(&r), size * perp_random_normal(&r)};
        PerpQuat unit = perp_quat_normalise(q);
        long double square = (long double)unit.w * unit.w + (long double)unit.x * unit.x +
                             (long double)unit.y * unit.y + (long double)unit.z * unit.z;
        assert_true(fabsl(square - 1) <= 4 * DBL_EPSILON);
        assert_true(same_bits(perp_quat_normalise(unit), unit));
    }
}

static void test_normalise_stops_drift(void **state)
{
    (void)state;
    PerpQuat q = IDENTITY;
    PerpVec3 phi = {0.01, -0.02, 0.017};
    for (int n = 0; n < 100000; n++)
        q = perp_quat_plus(q, phi);
    long double square = (long double)q.w * q.w + (long double)q.x * q.x + (long double)q.y * q.y +
                         (long double)q.z * q.z;
    assert_true(fabsl(square - 1) <= 10 * DBL_EPSILON);
}

// a quarter turn about z takes x to y
static void test_rotate_quarter_turn(void **state)
{
    (void)state;
    PerpQuat q = {sqrt(0.5), 0, 0, sqrt(0.5)};
    PerpVec3 x = {1, 0, 0}, y = {0, 1, 0};
    assert_vec3_near(perp_quat_rotate(q, x), y, 2 * DBL_EPSILON);
    assert_vec3_near(perp_quat_rotate_back(q, y), x, 2 * DBL_EPSILON);
    assert_vec3_near(perp_quat_to_matrix(q).x, y, 2 * DBL_EPSILON);
}

// q v q* = R(q) v, R(q)' R(q) v = v, R(a b) = R(a) R(b)
static void test_rotations_agree(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    for (int n = 0; n < 1000; n++) {
        PerpQuat a = random_orientation(&r), b = random_orientation(&r);
        PerpVec3 v = random_direction(&r);
        PerpVec3 turned = perp_quat_rotate(a, v);
        PerpQuat sandwich = perp_quat_product(perp_quat_product(a, (PerpQuat){0, v.x, v.y, v.z}),
                                              perp_quat_conjugate(a));
        double tolerance = 8 * DBL_EPSILON;
        assert_vec3_near(turned, (PerpVec3){sandwich.x, sandwich.y, sandwich.z}, tolerance);
        assert_vec3_near(turned, perp_mat3_times(perp_quat_to_matrix(a), v), tolerance);
        assert_vec3_near(perp_quat_rotate_back(a, turned), v, tolerance);
        PerpMat3 R_ab = perp_quat_to_matrix(perp_quat_product(a, b));
        PerpMat3 R_a_R_b = perp_mat3_product(perp_quat_to_matrix(a), perp_quat_to_matrix(b));
        assert_mat3_near(R_ab, R_a_R_b, 12 * DBL_EPSILON);
    }
}

static void test_from_matrix_random(void **state)
{
    (void)state;
    PerpRandom r = perp_random(4);
    for (int n = 0; n < 10000; n++) {
        PerpQuat q = random_orientation(&r);
        PerpQuat back = perp_quat_from_matrix(perp_quat_to_matrix(q));
        assert_true(back.w >= 0);
        assert_true(turn_distance(q, back) <= 4 * DBL_EPSILON);
    }
}

// half turns, where w vanishes and each of x, y, z is the largest in turn
static void test_from_matrix_near_half_turns(void **state)
{
    (void)state;
    double small[] = {0, 1e-300, 1e-20, 1e-16, 1e-8, 0.1};
    for (int i = 0; i < 6; i++) {
        double d = small[i];
        PerpQuat turns[] = {{d, 1, -d, d}, {d, d, 1, -d}, {d, -d, d, 1}, {1, d, d, -d},
                            {-d, 1, 1, d}, {d, 1, d, 1},  {d, -d, 1, 1}, {-d, 1, -1, 1}};
        for (int n = 0; n < 8; n++) {
            PerpQuat q = perp_quat_normalise(turns[n]);
            PerpQuat back = perp_quat_from_matrix(perp_quat_to_matrix(q));
            assert_true(turn_distance(q, back) <= 4 * DBL_EPSILON);
        }
    }
}

static void test_from_matrix_small_turn_keeps_its_digits(void **state)
{
    (void)state;
    PerpVec3 phi = {1e-9, -3e-11, 2e-13};
    PerpQuat q = perp_quat_from_matrix(perp_quat_to_matrix(perp_quat_exp(phi)));
    PerpVec3 back = perp_quat_log(q);
    assert_true(ulps(back.x, phi.x) <= 4 && ulps(back.y, phi.y) <= 4 && ulps(back.z, phi.z) <= 4);
}

// rounding errors of size e in R change q by no more than a few e
static void test_from_matrix_with_errors(void **state)
{
    (void)state;
    PerpRandom r = perp_random(5);
    for (int n = 0; n < 1000; n++) {
        PerpQuat q = random_orientation(&r);
        PerpMat3 R = perp_quat_to_matrix(q);
        R.x = perp_vec3_add_scaled(R.x, 1e-6, random_direction(&r));
        R.y = perp_vec3_add_scaled(R.y, 1e-6, random_direction(&r));
        R.z = perp_vec3_add_scaled(R.z, 1e-6, random_direction(&r));
        assert_true(turn_distance(q, perp_quat_from_matrix(R)) <= 2e-6);
    }
}

static void check_exp(PerpVec3 phi)
{
    long double a =
        sqrtl((long double)phi.x * phi.x + (long double)phi.y * phi.y + (long double)phi.z * phi.z);
    long double s = sinl(a / 2) / a;
    PerpQuat q = perp_quat_exp(phi);
    assert_true(fabsl(q.w - cosl(a / 2)) <= 2 * DBL_EPSILON);
    assert_true(ulps(q.x, s * phi.x) <= 4);
    assert_true(ulps(q.y, s * phi.y) <= 4);
    assert_true(ulps(q.z, s * phi.z) <= 4);
}

static void test_exp_to_the_last_digits(void **state)
{
    (void)state;
    PerpRandom r = perp_random(6);
    for (double angle = 1e-300; angle < 1; angle *= 1.7)
        check_exp(perp_vec3_scale(angle, random_direction(&r)));
    for (double angle = 0.01; angle < 1.2 * PI; angle += 0.001)
        check_exp(perp_vec3_scale(angle, random_direction(&r)));
    for (double d = 1; d > 1e-17; d *= 0.3)
        check_exp(perp_vec3_scale(PI - d, random_direction(&r)));
    assert_true(distance(perp_quat_exp((PerpVec3){0, 0, 0}), IDENTITY) == 0);
}

// exp(0) = 1 and its derivative is half the identity; one axis at a time is exact in the angle
static void test_exp_closed_forms(void **state)
{
    (void)state;
    PerpQuat small = perp_quat_exp((PerpVec3){1e-200, -2e-200, 4e-200});
    assert_true(small.w == 1 && small.x == 0.5e-200 && small.y == -1e-200 && small.z == 2e-200);
    PerpQuat third = perp_quat_exp((PerpVec3){0, 2 * PI / 3, 0});
    assert_true(distance(third, (PerpQuat){0.5, 0, sqrt(0.75), 0}) <= DBL_EPSILON);
    PerpQuat full = perp_quat_exp((PerpVec3){0, 0, 2 * PI});
    assert_true(distance(full, (PerpQuat){-1, 0, 0, 0}) <= 2 * DBL_EPSILON);
}

static void check_log(PerpQuat q)
{
    long double sign = q.w < 0 ? -1 : 1;
    long double u = sqrtl((long double)q.x * q.x + (long double)q.y * q.y + (long double)q.z * q.z);
    long double s = sign * 2 * atan2l(u, sign * q.w) / u;
    PerpVec3 phi = perp_quat_log(q);
    assert_true(ulps(phi.x, s * q.x) <= 4);
    assert_true(ulps(phi.y, s * q.y) <= 4);
    assert_true(ulps(phi.z, s * q.z) <= 4);
    assert_true(perp_vec3_norm(phi) <= PI + 4 * DBL_EPSILON);
}

static void test_log_to_the_last_digits(void **state)
{
    (void)state;
    PerpRandom r = perp_random(7);
    for (double d = 1; d > 1e-300; d *= 0.7) {
        PerpVec3 u = random_direction(&r);
        PerpQuat small = {1, d * u.x, d * u.y, d * u.z}, half_turn = {d, u.x, u.y, u.z};
        check_log(perp_quat_normalise(small));
        check_log(perp_quat_normalise(half_turn));
        check_log(perp_quat_normalise((PerpQuat){-1, small.x, small.y, small.z}));
        check_log(perp_quat_normalise((PerpQuat){-d, u.x, u.y, u.z}));
    }
    for (int n = 0; n < 10000; n++)
        check_log(random_orientation(&r));
}

static void test_log_special_values(void **state)
{
    (void)state;
    PerpVec3 zero = {0, 0, 0};
    assert_vec3_near(perp_quat_log(IDENTITY), zero, 0);
    assert_vec3_near(perp_quat_log((PerpQuat){-1, 0, 0, 0}), zero, 0);
    assert_vec3_near(perp_quat_log((PerpQuat){0, 0, -1, 0}), (PerpVec3){0, -PI, 0}, 0);
    // q and 4 q turn alike
    PerpVec3 log_q = perp_quat_log((PerpQuat){0.5, 0.5, -0.5, 0.5});
    assert_vec3_near(perp_quat_log((PerpQuat){2, 2, -2, 2}), log_q, 0);
    double third = 2 * PI / 3 / sqrt(3);
    assert_vec3_near(log_q, (PerpVec3){third, -third, third}, 4 * DBL_EPSILON);
}

// log(exp(phi)) = phi for |phi| < pi
static void test_log_inverts_exp(void **state)
{
    (void)state;
    PerpRandom r = perp_random(8);
    for (int n = 0; n < 10000; n++) {
        double angle = perp_random_log_uniform(&r, 1e-290, 3.1415);
        PerpVec3 phi = perp_vec3_scale(angle, random_direction(&r));
        assert_vec3_near(perp_quat_log(perp_quat_exp(phi)), phi, 4 * DBL_EPSILON * angle);
    }
    for (double d = 1; d > 1e-15; d *= 0.3) {
        PerpVec3 phi = perp_vec3_scale(PI - d, random_direction(&r));
        assert_vec3_near(perp_quat_log(perp_quat_exp(phi)), phi, 4 * DBL_EPSILON * PI);
    }
}

// beyond pi the shorter way round: log(exp(a u)) = (a - 2 pi k) u with the k that makes it shortest
static void test_log_of_long_rotation_vectors(void **state)
{
    (void)state;
    PerpRandom r = perp_random(9);
    for (double angle = PI + 0.01; angle < 30; angle += 0.0137) {
        PerpVec3 u = perp_vec3_normalise(random_direction(&r));
        PerpVec3 phi = perp_quat_log(perp_quat_exp(perp_vec3_scale(angle, u)));
        long double shortest = angle - 2 * LONG_PI * roundl(angle / (2 * LONG_PI));
        double tolerance = 8 * DBL_EPSILON * angle;
        if (fabsl(fabsl(shortest) - LONG_PI) < tolerance)
            continue;
        assert_vec3_near(phi, perp_vec3_scale((double)shortest, u), tolerance);
    }
}

// R(q (+) phi) = R(q) R(exp phi): phi is in body axes
static void test_plus_is_in_body_axes(void **state)
{
    (void)state;
    PerpRandom r = perp_random(10);
    for (int n = 0; n < 1000; n++) {
        PerpQuat q = random_orientation(&r);
        PerpVec3 phi = perp_vec3_scale(2, random_direction(&r));
        PerpMat3 R =
            perp_mat3_product(perp_quat_to_matrix(q), perp_quat_to_matrix(perp_quat_exp(phi)));
        assert_mat3_near(perp_quat_to_matrix(perp_quat_plus(q, phi)), R, 16 * DBL_EPSILON);
    }
    // pitched up by a quarter turn about y, a roll about the body's x turns about the world's -z
    PerpQuat pitched = perp_quat_exp((PerpVec3){0, PI / 2, 0});
    PerpQuat rolled = perp_quat_plus(pitched, (PerpVec3){PI / 2, 0, 0});
    PerpVec3 nose = perp_quat_rotate(rolled, (PerpVec3){1, 0, 0});
    PerpVec3 wing = perp_quat_rotate(rolled, (PerpVec3){0, 1, 0});
    assert_vec3_near(nose, (PerpVec3){0, 0, -1}, 4 * DBL_EPSILON);
    assert_vec3_near(wing, (PerpVec3){1, 0, 0}, 4 * DBL_EPSILON);
}

static void test_plus_zero_changes_no_bit(void **state)
{
    (void)state;
    PerpRandom r = perp_random(11);
    for (int n = 0; n < 10000; n++) {
        PerpQuat q = random_orientation(&r);
        assert_true(same_bits(perp_quat_plus(q, (PerpVec3){0, 0, 0}), q));
    }
}

// steady spin: n steps of h w are one turn by n h |w|
static void test_plus_steady_spin(void **state)
{
    (void)state;
    PerpRandom r = perp_random(12);
    PerpQuat start = random_orientation(&r), q = start;
    PerpVec3 w = {3, -4, 12};
    double h = ldexp(1, -10);
    for (int n = 0; n < 2048; n++)
        q = perp_quat_plus(q, perp_vec3_scale(h, w));
    assert_true(turn_distance(q, perp_quat_plus(start, perp_vec3_scale(2, w))) <= 1e-13);
}

// b (+) (a (-) b) = a and (q (+) phi) (-) q = phi
static void test_minus_inverts_plus(void **state)
{
    (void)state;
    PerpRandom r = perp_random(13);
    for (int n = 0; n < 1000; n++) {
        PerpQuat a = random_orientation(&r), b = random_orientation(&r);
        PerpVec3 difference = perp_quat_minus(a, b);
        assert_true(perp_vec3_norm(difference) <= PI + 4 * DBL_EPSILON);
        assert_true(turn_distance(perp_quat_plus(b, difference), a) <= 16 * DBL_EPSILON);
        PerpVec3 phi = perp_vec3_scale(3, random_direction(&r));
        assert_vec3_near(perp_quat_minus(perp_quat_plus(a, phi), a), phi, 64 * DBL_EPSILON);
        assert_vec3_near(perp_quat_minus(a, a), (PerpVec3){0, 0, 0}, DBL_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product_of_units),
        cmocka_unit_test(test_product_is_associative_and_conjugate_inverts),
        cmocka_unit_test(test_normalise),
        cmocka_unit_test(test_normalise_stops_drift),
        cmocka_unit_test(test_rotate_quarter_turn),
        cmocka_unit_test(test_rotations_agree),
        cmocka_unit_test(test_from_matrix_random),
        cmocka_unit_test(test_from_matrix_near_half_turns),
        cmocka_unit_test(test_from_matrix_small_turn_keeps_its_digits),
        cmocka_unit_test(test_from_matrix_with_errors),
        cmocka_unit_test(test_exp_to_the_last_digits),
        cmocka_unit_test(test_exp_closed_forms),
        cmocka_unit_test(test_log_to_the_last_digits),
        cmocka_unit_test(test_log_special_values),
        cmocka_unit_test(test_log_inverts_exp),
        cmocka_unit_test(test_log_of_long_rotation_vectors),
        cmocka_unit_test(test_plus_is_in_body_axes),
        cmocka_unit_test(test_plus_zero_changes_no_bit),
        cmocka_unit_test(test_plus_steady_spin),
        cmocka_unit_test(test_minus_inverts_plus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "random.h"

#include <float.h>

static PerpVec3 random_vector(PerpRandom *r)
{
    PerpVec3 a = {perp_random_normal(r), perp_random_normal(r), perp_random_normal(r)};
    return a;
}

static PerpVec3 random_direction(PerpRandom *r)
{
    double n[3];
    perp_random_direction(r, n);
    return perp_vec3_normalise(perp_vec3_load(n));
}

static void assert_vec3_near(PerpVec3 a, PerpVec3 b, double tolerance)
{
    assert_true(fabs(a.x - b.x) <= tolerance);
    assert_true(fabs(a.y - b.y) <= tolerance);
    assert_true(fabs(a.z - b.z) <= tolerance);
}

static long double norm_reference(PerpVec3 a)
{
    return sqrtl((long double)a.x * a.x + (long double)a.y * a.y + (long double)a.z * a.z);
}

static void test_sums(void **state)
{
    (void)state;
    PerpVec3 a = {1, -2, 4}, b = {0.5, 8, -16};
    assert_vec3_near(perp_vec3_add(a, b), (PerpVec3){1.5, 6, -12}, 0);
    assert_vec3_near(perp_vec3_sub(a, b), (PerpVec3){0.5, -10, 20}, 0);
    assert_vec3_near(perp_vec3_scale(-2, a), (PerpVec3){-2, 4, -8}, 0);
    assert_vec3_near(perp_vec3_add_scaled(a, 3, b), (PerpVec3){2.5, 22, -44}, 0);
    assert_true(perp_vec3_dot(a, b) == 0.5 - 16 - 64);
}

static void test_load_and_store(void **state)
{
    (void)state;
    double memory[5] = {7, 1, 2, 3, 7};
    PerpVec3 a = perp_vec3_load(memory + 1);
    assert_vec3_near(a, (PerpVec3){1, 2, 3}, 0);
    perp_vec3_store(perp_vec3_scale(2, a), memory + 1);
    double expected[5] = {7, 2, 4, 6, 7};
    assert_memory_equal(memory, expected, sizeof expected);
}

// x cross y = z, and a x (b x c) = b (a'c) - c (a'b)
static void test_cross(void **state)
{
    (void)state;
    PerpVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    assert_vec3_near(perp_vec3_cross(x, y), z, 0);
    assert_vec3_near(perp_vec3_cross(y, z), x, 0);
    assert_vec3_near(perp_vec3_cross(z, x), y, 0);
    PerpRandom r = perp_random(1);
    for (int i = 0; i < 1000; i++) {
        PerpVec3 a = random_vector(&r), b = random_vector(&r), c = random_vector(&r);
        PerpVec3 left = perp_vec3_cross(a, perp_vec3_cross(b, c));
        PerpVec3 right =
            perp_vec3_add_scaled(perp_vec3_scale(perp_vec3_dot(a, c), b), -perp_vec3_dot(a, b), c);
        double size = perp_vec3_norm(a) * perp_vec3_norm(b) * perp_vec3_norm(c);
        assert_vec3_near(left, right, 8 * DBL_EPSILON * size);
    }
}

static void test_norm_over_the_whole_range(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int exponent = -1000; exponent <= 1020; exponent += 5) {
        PerpVec3 a = perp_vec3_scale(ldexp(1, exponent), random_direction(&r));
        long double exact = norm_reference(a);
        assert_true(fabsl(perp_vec3_norm(a) - exact) <= 2 * DBL_EPSILON * exact);
    }
    assert_true(perp_vec3_norm((PerpVec3){0, 0, 0}) == 0);
    assert_true(perp_vec3_norm((PerpVec3){0, -DBL_TRUE_MIN, 0}) == DBL_TRUE_MIN);
    assert_true(perp_vec3_norm((PerpVec3){2e-200, 3e-200, 6e-200}) == 7e-200);
    assert_true(perp_vec3_norm((PerpVec3){0, INFINITY, 1}) == INFINITY);
    assert_true(isnan(perp_vec3_norm((PerpVec3){0, NAN, 1})));
}

static void test_normalise_over_the_whole_range(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    for (int exponent = -1000; exponent <= 1020; exponent += 5) {
        PerpVec3 a = perp_vec3_scale(ldexp(1, exponent), random_direction(&r));
        PerpVec3 n = perp_vec3_normalise(a);
        long double norm = norm_reference(a);
        assert_true(fabsl(n.x - a.x / norm) <= 2 * DBL_EPSILON * fabsl(a.x / norm));
        assert_true(fabsl(n.y - a.y / norm) <= 2 * DBL_EPSILON * fabsl(a.y / norm));
        assert_true(fabsl(n.z - a.z / norm) <= 2 * DBL_EPSILON * fabsl(a.z / norm));
    }
    // where |a| itself is no double
    PerpVec3 diagonal = {sqrt(0.5), 0, -sqrt(0.5)};
    PerpVec3 tiny = {DBL_TRUE_MIN, 0, -DBL_TRUE_MIN}, huge = {DBL_MAX, 0, -DBL_MAX};
    assert_vec3_near(perp_vec3_normalise(tiny), diagonal, DBL_EPSILON);
    PerpVec3 tiny_yz = {0, 3 * DBL_TRUE_MIN, -4 * DBL_TRUE_MIN};
    assert_vec3_near(perp_vec3_normalise(tiny_yz), (PerpVec3){0, 0.6, -0.8}, DBL_EPSILON);
    assert_vec3_near(perp_vec3_normalise(huge), diagonal, DBL_EPSILON);
    assert_vec3_near(perp_vec3_normalise((PerpVec3){0, 0, 0}), (PerpVec3){0, 0, 0}, 0);
}

static void check_tangents(PerpVec3 n)
{
    PerpVec3 t1, t2;
    perp_vec3_tangents(n, &t1, &t2);
    double tolerance = 4 * DBL_EPSILON;
    assert_true(fabs(perp_vec3_dot(t1, t1) - 1) <= tolerance);
    assert_true(fabs(perp_vec3_dot(t2, t2) - 1) <= tolerance);
    assert_true(fabs(perp_vec3_dot(t1, t2)) <= tolerance);
    assert_true(fabs(perp_vec3_dot(t1, n)) <= tolerance);
    assert_true(fabs(perp_vec3_dot(t2, n)) <= tolerance);
    assert_vec3_near(perp_vec3_cross(t1, t2), n, tolerance);
}

static void test_tangents_are_orthonormal(void **state)
{
    (void)state;
    PerpRandom r = perp_random(4);
    for (int i = 0; i < 10000; i++)
        check_tangents(random_direction(&r));
    // close to the poles and to the jump at n.z = 0
    for (double d = 1; d > 1e-300; d *= 0.01)
        for (int sign = -1; sign <= 1; sign += 2) {
            check_tangents(perp_vec3_normalise((PerpVec3){d, -0.3 * d, sign}));
            check_tangents(perp_vec3_normalise((PerpVec3){0.6, 0.8, sign * d}));
        }
    check_tangents((PerpVec3){0.6, 0.8, 0});
    check_tangents((PerpVec3){0.6, 0.8, -0.0});
}

static void test_tangents_of_the_axes_are_exact(void **state)
{
    (void)state;
    PerpVec3 t1, t2;
    perp_vec3_tangents((PerpVec3){0, 0, 1}, &t1, &t2);
    assert_vec3_near(t1, (PerpVec3){1, 0, 0}, 0);
    assert_vec3_near(t2, (PerpVec3){0, 1, 0}, 0);
    perp_vec3_tangents((PerpVec3){0, 0, -1}, &t1, &t2);
    assert_vec3_near(t1, (PerpVec3){1, 0, 0}, 0);
    assert_vec3_near(t2, (PerpVec3){0, -1, 0}, 0);
    perp_vec3_tangents((PerpVec3){1, 0, 0}, &t1, &t2);
    assert_vec3_near(t1, (PerpVec3){0, 0, -1}, 0);
    assert_vec3_near(t2, (PerpVec3){0, 1, 0}, 0);
}

// a small change of the normal changes the tangents by little: |dt| <= 3 |dn|
static void test_tangents_are_smooth(void **state)
{
    (void)state;
    PerpRandom r = perp_random(5);
    for (int i = 0; i < 10000; i++) {
        PerpVec3 n = random_direction(&r), t1, t2, u1, u2;
        PerpVec3 m = perp_vec3_normalise(perp_vec3_add_scaled(n, 1e-6, random_direction(&r)));
        if (n.z * m.z < 0)
            continue;
        perp_vec3_tangents(n, &t1, &t2);
        perp_vec3_tangents(m, &u1, &u2);
        assert_true(perp_vec3_norm(perp_vec3_sub(t1, u1)) <= 3e-6);
        assert_true(perp_vec3_norm(perp_vec3_sub(t2, u2)) <= 3e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_load_and_store),
        cmocka_unit_test(test_cross),
        cmocka_unit_test(test_norm_over_the_whole_range),
        cmocka_unit_test(test_normalise_over_the_whole_range),
        cmocka_unit_test(test_tangents_are_orthonormal),
        cmocka_unit_test(test_tangents_of_the_axes_are_exact),
        cmocka_unit_test(test_tangents_are_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

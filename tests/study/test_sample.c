// Points of samples: Sobol's against published ones, permutations, strata, distributions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/sample.h"

#include <math.h>

// The first points of three dimensions, in the order of the index, not of Gray code.
static void test_sobol(void **state)
{
    static const double points[8][3] = {{0, 0, 0},
                                        {0.5, 0.5, 0.5},
                                        {0.25, 0.75, 0.75},
                                        {0.75, 0.25, 0.25},
                                        {0.125, 0.625, 0.375},
                                        {0.625, 0.125, 0.875},
                                        {0.375, 0.375, 0.625},
                                        {0.875, 0.875, 0.125}};
    (void)state;
    for (uint32_t k = 0; k < 8; k++)
        for (int d = 0; d < 3; d++)
            assert_true(perp_sobol_bits(d, k) * 0x1p-32 == points[k][d]);
}

// The first 2^m points of every dimension fall one into each of 2^m intervals, shifted or not.
static void test_sobol_strata(void **state)
{
    enum { POINTS = 1024 };
    (void)state;
    for (int d = 0; d < PERP_SOBOL_DIMENSIONS; d++) {
        char plain[POINTS] = {0}, shifted[POINTS] = {0};
        for (uint32_t k = 0; k < POINTS; k++) {
            plain[perp_sobol_bits(d, k) >> 22]++;
            double u = perp_sobol_point(7, (uint64_t)d, d, k);
            assert_true(u > 0 && u < 1);
            shifted[(int)(u * POINTS)]++;
        }
        for (int k = 0; k < POINTS; k++)
            assert_true(plain[k] == 1 && shifted[k] == 1);
    }
}

static void test_permutations(void **state)
{
    static const uint64_t counts[] = {1, 2, 3, 5, 16, 17, 1000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        char seen[1000] = {0};
        for (uint64_t k = 0; k < counts[c]; k++) {
            uint64_t place = perp_permuted(3, k, counts[c]);
            assert_true(place < counts[c] && !seen[place]);
            seen[place] = 1;
        }
    }
    int differ = 0;
    for (uint64_t k = 0; k < 100; k++)
        differ += perp_permuted(1, k, 100) != perp_permuted(2, k, 100);
    assert_true(differ > 80);
}

static void test_latin(void **state)
{
    char seen[97] = {0};
    (void)state;
    for (uint64_t k = 0; k < 97; k++)
        seen[(int)(97 * perp_latin_point(5, 2, k, 97))]++;
    for (int k = 0; k < 97; k++)
        assert_int_equal(seen[k], 1);
}

// Mean 1/2 and variance 1/12 within five standard errors; other streams are other numbers.
static void test_random(void **state)
{
    enum { N = 20000 };
    double sum = 0, square = 0, product = 0;
    (void)state;
    for (uint64_t k = 0; k < N; k++) {
        double u = perp_random_point(1, 0, k), v = perp_random_point(1, 1, k);
        sum += u;
        square += (u - 0.5) * (u - 0.5);
        product += (u - 0.5) * (v - 0.5);
    }
    assert_true(fabs(sum / N - 0.5) < 5 * sqrt(1. / 12 / N));
    assert_true(fabs(square / N - 1. / 12) < 5 * sqrt(1. / 180 / N));
    assert_true(fabs(product / N) < 5. / 12 / sqrt(N));
}

static void assert_near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        fail_msg("%.17g, expected %.17g", a, b);
}

// Quantiles of tables.
static void test_distributions(void **state)
{
    PerpDistribution normal = {PERP_DRAW_NORMAL, 0, 1, 0, -INFINITY, INFINITY, 0, NULL};
    PerpDistribution cut = {PERP_DRAW_NORMAL, 0, 1, 0, -1, 1, 0, NULL};
    PerpDistribution tail = {PERP_DRAW_NORMAL, 0, 1, 0, 10, 11, 0, NULL};
    PerpDistribution triangle = {PERP_DRAW_TRIANGULAR, 0, 1, 4, 0, 0, 0, NULL};
    PerpDistribution integer = {PERP_DRAW_INTEGER, -1, 2, 0, 0, 0, 0, NULL};
    (void)state;
    assert_near(perp_drawn(&normal, 0.5), 0, 1e-16);
    assert_near(perp_drawn(&normal, 0.975), 1.959963984540054, 1e-14);
    assert_near(perp_drawn(&normal, 1e-10), -6.361340902404056, 1e-13);
    assert_near(perp_drawn(&normal, 1e-300), -37.0471, 1e-3);
    assert_near(perp_drawn(&cut, 0.5), 0, 1e-15);
    assert_near(perp_drawn(&cut, 1e-18), -1, 1e-9);
    assert_near(perp_drawn(&tail, 0.5), 10.068409369547616, 1e-13);
    assert_near(perp_probability_within(&tail), 7.6196619e-24, 1e-30);
    assert_near(perp_drawn(&triangle, 0.25), 1, 1e-15);
    assert_near(perp_drawn(&triangle, 0.8125), 4 - sqrt(0.1875 * 4 * 3), 1e-15);
    assert_near(perp_drawn(&integer, 0.1), -1, 0);
    assert_near(perp_drawn(&integer, 0.999), 2, 0);
}

static void test_spacings(void **state)
{
    PerpSpacing linear = {PERP_SPACING_LINEAR, 4, 0.1, 0.7, NULL};
    PerpSpacing logarithmic = {PERP_SPACING_LOGARITHMIC, 3, 1e-3, 10, NULL};
    (void)state;
    assert_true(perp_spaced(&linear, 0) == 0.1 && perp_spaced(&linear, 3) == 0.7);
    assert_near(perp_spaced(&linear, 1), 0.3, 1e-15);
    assert_true(perp_spaced(&logarithmic, 0) == 1e-3 && perp_spaced(&logarithmic, 2) == 10);
    assert_near(perp_spaced(&logarithmic, 1), 0.1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol),        cmocka_unit_test(test_sobol_strata),
        cmocka_unit_test(test_permutations), cmocka_unit_test(test_latin),
        cmocka_unit_test(test_random),       cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_spacings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The dense kernels against plain loops: every length around the lanes, and small integers, whose
// sums are exact in any order.
#include "math/dense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 41, WIDE = LONGEST + 3, COLUMNS = 11 };

static void fill_integers(PerpRandom *r, int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = perp_random_int(r, -9, 9);
}

static void fill_normal(PerpRandom *r, int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = perp_random_normal(r);
}

static void dot_is_exact_on_integers(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    double x[LONGEST], y[LONGEST];
    for (int n = 0; n <= LONGEST; n++) {
        fill_integers(&r, n, x);
        fill_integers(&r, n, y);
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += x[i] * y[i];
        assert_true(perp_dot(n, x, y) == sum);
    }
}

// lane l sums the products l, l + 8, l + 16, ...; the lanes are added in pairs 4, 2 and 1 apart
static double dot_in_lanes(int n, const double *x, const double *y)
{
    double lane[8] = {0};
    for (int i = 0; i < n; i++)
        lane[i % 8] += x[i] * y[i];
    for (int apart = 4; apart > 0; apart /= 2)
        for (int l = 0; l < apart; l++)
            lane[l] += lane[l + apart];
    return lane[0];
}

static void dot_has_the_same_bits_on_every_machine(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    double x[LONGEST], y[LONGEST];
    for (int n = 0; n <= LONGEST; n++) {
        fill_normal(&r, n, x);
        fill_normal(&r, n, y);
        double expected = dot_in_lanes(n, x, y), found = perp_dot(n, x, y);
        assert_memory_equal(&found, &expected, sizeof found);
    }
}

static void axpy_adds_a_multiple(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    double x[LONGEST], y[LONGEST + 1], expected[LONGEST + 1];
    for (int n = 0; n <= LONGEST; n++) {
        fill_normal(&r, n, x);
        fill_normal(&r, LONGEST + 1, y);
        memcpy(expected, y, sizeof y);
        for (int i = 0; i < n; i++)
            expected[i] += -1.7 * x[i];
        perp_axpy(n, -1.7, x, y);
        assert_memory_equal(y, expected, sizeof y);
    }
}

// a matrix whose columns are WIDE apart
static void fill_columns(PerpRandom *r, int n, double *X)
{
    for (int k = 0; k < COLUMNS * WIDE; k++)
        X[k] = NAN;
    for (int k = 0; k < COLUMNS; k++)
        fill_integers(r, n, X + WIDE * k);
}

static void add_columns_adds_any_number_of_them(void **state)
{
    (void)state;
    PerpRandom r = perp_random(4);
    double X[COLUMNS * WIDE], a[COLUMNS], y[WIDE], expected[WIDE];
    int column[COLUMNS];
    for (int n = 0; n <= LONGEST; n++)
        for (int count = 0; count <= COLUMNS; count++) {
            fill_columns(&r, n, X);
            fill_integers(&r, count, a);
            fill_integers(&r, WIDE, y);
            memcpy(expected, y, sizeof y);
            for (int k = 0; k < count; k++) {
                column[k] = perp_random_int(&r, 0, COLUMNS - 1);
                a[k] = perp_random_int(&r, 0, 3) == 0 ? 0 : a[k];
                for (int i = 0; i < n; i++)
                    expected[i] += a[k] * X[i + WIDE * column[k]];
            }
            perp_add_columns(n, X, WIDE, count, column, a, y);
            for (int i = 0; i < WIDE; i++)
                assert_true(y[i] == expected[i]);
        }
}

static void dot_columns_is_a_product_with_the_transpose(void **state)
{
    (void)state;
    PerpRandom r = perp_random(5);
    double X[COLUMNS * WIDE], x[LONGEST], y[COLUMNS + 1];
    for (int n = 0; n <= LONGEST; n++)
        for (int count = 0; count <= COLUMNS; count++) {
            fill_columns(&r, n, X);
            fill_integers(&r, n, x);
            y[count] = 77;
            perp_dot_columns(n, X, WIDE, count, x, y);
            for (int k = 0; k < count; k++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += X[i + WIDE * k] * x[i];
                assert_true(y[k] == sum);
            }
            assert_true(y[count] == 77);
        }
}

static void rank_one_leaves_the_padding_alone(void **state)
{
    (void)state;
    PerpRandom r = perp_random(6);
    double A[COLUMNS * WIDE], before[COLUMNS * WIDE], x[LONGEST], y[COLUMNS];
    for (int m = 0; m <= LONGEST; m++)
        for (int n = 0; n <= COLUMNS; n++) {
            fill_integers(&r, COLUMNS * WIDE, A);
            fill_integers(&r, m, x);
            fill_integers(&r, n, y);
            memcpy(before, A, sizeof A);
            perp_rank_one(m, n, A, WIDE, x, y);
            for (int k = 0; k < COLUMNS * WIDE; k++) {
                bool inside = k % WIDE < m && k / WIDE < n;
                assert_true(A[k] == before[k] + (inside ? x[k % WIDE] * y[k / WIDE] : 0));
            }
        }
}

// L (L^-1 x) = x; what is above the diagonal is not read
static void forward_substitution_solves_a_lower_triangle(void **state)
{
    (void)state;
    PerpRandom r = perp_random(8);
    double L[LONGEST * WIDE], x[WIDE], y[WIDE];
    for (int n = 0; n <= LONGEST; n++) {
        for (int k = 0; k < LONGEST * WIDE; k++)
            L[k] = k % WIDE == k / WIDE  ? 2
                   : k % WIDE > k / WIDE ? 0.1 * perp_random_normal(&r)
                                         : NAN;
        fill_normal(&r, WIDE, x);
        memcpy(y, x, sizeof x);
        perp_forward_substitute(n, L, WIDE, y);
        for (int i = 0; i < WIDE; i++) {
            double sum = i < n ? 0 : y[i];
            for (int j = 0; j <= i && i < n; j++)
                sum += L[i + WIDE * j] * y[j];
            assert_true(i < n ? fabs(sum - x[i]) <= 1e-14 : sum == x[i]);
        }
    }
}

static void max_abs_finds_the_largest_anywhere(void **state)
{
    (void)state;
    PerpRandom r = perp_random(7);
    double x[LONGEST];
    assert_true(perp_max_abs(0, x) == 0);
    for (int n = 1; n <= LONGEST; n++)
        for (int at = 0; at < n; at++) {
            for (int i = 0; i < n; i++)
                x[i] = perp_random_uniform(&r, -1, 1);
            x[at] = at % 2 ? -2 : 2;
            assert_true(perp_max_abs(n, x) == 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_is_exact_on_integers),
        cmocka_unit_test(dot_has_the_same_bits_on_every_machine),
        cmocka_unit_test(axpy_adds_a_multiple),
        cmocka_unit_test(add_columns_adds_any_number_of_them),
        cmocka_unit_test(dot_columns_is_a_product_with_the_transpose),
        cmocka_unit_test(rank_one_leaves_the_padding_alone),
        cmocka_unit_test(forward_substitution_solves_a_lower_triangle),
        cmocka_unit_test(max_abs_finds_the_largest_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

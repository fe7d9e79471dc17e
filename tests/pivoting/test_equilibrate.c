// Scaling by powers of two.
#include "pivoting/equilibrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SIZE = 20 };

static bool is_power_of_two(double x)
{
    int exponent;
    return frexp(x, &exponent) == 0.5;
}

// the nearest one on a logarithmic scale: 2^k up to 2^k sqrt(2)
static void power_is_the_nearest(void **state)
{
    (void)state;
    assert_true(perp_power_of_two(0) == 1);
    for (int k = -1000; k <= 1000; k += 50)
        for (double x = 0.72; x < 1.41; x += 0.01)
            assert_true(perp_power_of_two(ldexp(x, k)) == ldexp(1, k));
}

// a matrix with entries near 1, whose rows and columns are then stretched
static void fill_badly_scaled(PerpRandom *r, double *M, bool symmetric)
{
    double row[SIZE], column[SIZE];
    for (int i = 0; i < SIZE; i++) {
        row[i] = perp_random_log_uniform(r, 1e-4, 1e4);
        column[i] = symmetric ? row[i] : perp_random_log_uniform(r, 1e-4, 1e4);
    }
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++)
            M[i + SIZE * j] = row[i] * column[j] * perp_random_uniform(r, -1, 1);
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < j && symmetric; i++)
            M[i + SIZE * j] = M[j + SIZE * i];
}

// each pass takes the root of what rows and columns differ by, here at most 1e8: three passes leave
// 10, and the rounding to powers of two a little
static void assert_near_one(const double *M, const double *row, const double *column)
{
    for (int i = 0; i < SIZE; i++) {
        double row_max = 0, column_max = 0;
        for (int j = 0; j < SIZE; j++) {
            row_max = fmax(row_max, fabs(row[i] * M[i + SIZE * j] * column[j]));
            column_max = fmax(column_max, fabs(row[j] * M[j + SIZE * i] * column[i]));
        }
        assert_true(row_max >= 0.05 && row_max <= 4);
        assert_true(column_max >= 0.05 && column_max <= 4);
        assert_true(is_power_of_two(row[i]) && is_power_of_two(column[i]));
    }
}

static void rows_and_columns_come_near_one(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    double M[SIZE * SIZE], row[SIZE], column[SIZE], scratch[3 * SIZE];
    for (int k = 0; k < 200; k++) {
        fill_badly_scaled(&r, M, k % 2);
        perp_equilibrate(SIZE, M, row, column, scratch);
        assert_near_one(M, row, column);
        if (k % 2)
            assert_memory_equal(row, column, sizeof row);
    }
}

static void zero_rows_keep_their_factor(void **state)
{
    (void)state;
    double M[4] = {0, 0, 0, 1e6}, row[2], column[2], scratch[6];
    perp_equilibrate(2, M, row, column, scratch);
    assert_true(row[0] == 1 && column[0] == 1);
    assert_true(row[1] == column[1] && fabs(log2(row[1] * 1e6 * column[1])) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_the_nearest),
        cmocka_unit_test(rows_and_columns_come_near_one),
        cmocka_unit_test(zero_rows_keep_their_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

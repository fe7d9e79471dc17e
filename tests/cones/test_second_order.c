// One cone alone: its impulse obeys the law, and its derivative is that of the impulse.
#include "cones/second_order.h"
#include "solving.h"

#include "random.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// B B' / 3 and a little of the identity; rows: 3, or 2 for a contact in the plane
static void make_block(PerpRandom *random, int rows, double *A)
{
    double B[9] = {0};
    memset(A, 0, 9 * sizeof(double));
    for (int i = 0; i < 3 * rows; i++)
        B[i] = perp_random_uniform(random, -1, 1);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            A[3 * i + j] = dot(B + 3 * i, B + 3 * j) / 3 + (i == j ? 0.1 : 0);
}

static PerpContactMode solve(const double *A, const double *q, double *slide, double *r)
{
    double regular[9], inverse[9];
    memcpy(regular, A, sizeof regular);
    perp_soc_prepare(regular, inverse);
    memset(r, 0, 3 * sizeof(double));
    return perp_soc_solve(regular, inverse, q, slide, r);
}

static void local_solution_obeys_the_law(void **state)
{
    (void)state;
    int ways[3] = {0};
    PerpRandom random = perp_random(1);
    for (int k = 0; k < 3000; k++) {
        int rows = k % 2 ? 3 : 2;
        double A[9], q[3] = {0}, r[3], u[3] = {0}, slide = 0;
        make_block(&random, rows, A);
        for (int i = 0; i < rows; i++)
            q[i] = perp_random_uniform(&random, -1, 1);
        ways[solve(A, q, &slide, r)]++;
        for (int i = 0; i < rows; i++)
            u[i] = q[i] + dot(A + 3 * i, r);
        assert_true(perp_soc_residual(r, u, 1) <= 1e-12);
        assert_true(rows == 3 || r[2] == 0);
    }
    assert_true(ways[PERP_MODE_OPEN] > 100 && ways[PERP_MODE_STICK] > 100 &&
                ways[PERP_MODE_SLIP] > 100);
}

static void derivative_agrees_with_differences(void **state)
{
    (void)state;
    const double h = 1e-6;
    int judged = 0;
    PerpRandom random = perp_random(2);
    for (int k = 0; k < 1000; k++) {
        double A[9], q[3], r[3], regular[9], inverse[9], G[9], slide = 0;
        make_block(&random, 3, A);
        for (int i = 0; i < 3; i++)
            q[i] = perp_random_uniform(&random, -1, 1);
        PerpContactMode mode = solve(A, q, &slide, r);
        memcpy(regular, A, sizeof regular);
        perp_soc_prepare(regular, inverse);
        assert_true(perp_soc_derive(mode, regular, inverse, slide, r, G));
        for (int j = 0; j < 3; j++) {
            double more[3], less[3], q_more[3] = {q[0], q[1], q[2]}, q_less[3] = {q[0], q[1], q[2]};
            double guess = 0;
            q_more[j] += h;
            q_less[j] -= h;
            if (solve(A, q_more, &guess, more) != mode || solve(A, q_less, &guess, less) != mode)
                continue; // at a kink
            for (int i = 0; i < 3; i++)
                assert_true(fabs((more[i] - less[i]) / (2 * h) - G[3 * i + j]) <=
                            1e-4 * (1 + fabs(G[3 * i + j])));
            judged++;
        }
    }
    assert_true(judged > 2900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_solution_obeys_the_law),
        cmocka_unit_test(derivative_agrees_with_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Principal pivoting on symmetric problems.
#include "pivoting/dantzig.h"

#include "paths.h"

#include "generate.h"

#include <math.h>

static bool follow(Path *path, int max_pivots)
{
    PerpDantzigPath dantzig = {.max_pivots = max_pivots};
    bool found = perp_dantzig_follow(&path->basis, &dantzig);
    assert_true(dantzig.pivots <= max_pivots + 1);
    return found;
}

static void check_solved(PerpLcpSample *s)
{
    Path path;
    open_path(&path, &s->lcp);
    assert_true(follow(&path, 1000));
    assert_true(perp_basis_refactor(&path.basis));
    assert_true(worst_of_basis(&path, &s->lcp) <= 1e-9);
    close_path(&path);
    perp_lcp_sample_free(s);
}

static void definite_problems_are_solved(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        int n = 1 + seed % 30;
        check_solved(perp_lcp_sample_psd((uint64_t)seed, n, n + 2, false));
    }
    check_solved(perp_lcp_sample_fathi(8));
    check_solved(perp_lcp_sample_obstacle(40));
}

static void semidefinite_problems_are_solved(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        int n = 2 + seed % 20;
        check_solved(perp_lcp_sample_psd((uint64_t)seed, n, 1 + n / 2, false));
    }
}

static void assert_gives_up(const PerpLcp *p, int max_pivots)
{
    Path path;
    open_path(&path, p);
    assert_false(follow(&path, max_pivots));
    assert_memory_equal(path.basis.Md, p->M, (size_t)(p->n * p->n) * sizeof(double));
    for (int i = 0; i < p->n; i++) // the right-hand side is given back
        assert_true(fabs(path.basis.q[i] - p->q[i]) <= 1e-12);
    close_path(&path);
}

static void infeasible_problems_are_given_up(void **state)
{
    (void)state;
    for (int seed = 0; seed < 50; seed++) {
        PerpLcpSample *s = perp_lcp_sample_infeasible((uint64_t)seed, 2 + seed % 10);
        assert_gives_up(&s->lcp, 1000);
        perp_lcp_sample_free(s);
    }
    assert_gives_up(&(PerpLcp){.n = 1, .M = (double[]){0}, .q = (double[]){-1}}, 10);
    assert_gives_up(&(PerpLcp){.n = 1, .M = (double[]){-1}, .q = (double[]){-1}}, 10);
}

// raising z_1, w_2 reaches zero first; its own z_2 cannot lift it, for M_22 = 0 < 1 = |M_12|
static void indefinite_problems_are_given_up(void **state)
{
    (void)state;
    assert_gives_up(&(PerpLcp){.n = 2, .M = (double[]){1, -1, -1, 0}, .q = (double[]){-2, 1}}, 10);
}

// z_1 = 4 enters first; then w_3 blocks z_2, and the column of z_3 overflows in the basis
static void overflow_is_given_up(void **state)
{
    (void)state;
    const double M[9] = {0.5, 0, 0, 0, 1, -1, 1.5e308, 0, 1};
    assert_gives_up(&(PerpLcp){.n = 3, .M = M, .q = (double[]){-2, -1, 0.5}}, 10);
}

static void limit_of_pivots_is_kept(void **state)
{
    (void)state;
    PerpLcpSample *s = perp_lcp_sample_psd(1, 20, 20, false);
    assert_gives_up(&s->lcp, 1);
    perp_lcp_sample_free(s);
}

// symmetric to rounding of the diagonal, which a zero diagonal does not forgive
static void symmetry_is_judged_to_rounding(void **state)
{
    (void)state;
    double M[9] = {4, 1, 2, 1, 9, 3, 2, 3, 1};
    assert_true(perp_is_symmetric(3, M));
    M[1] += 5e-13;
    assert_true(perp_is_symmetric(3, M));
    M[1] += 5e-12;
    assert_false(perp_is_symmetric(3, M));
    assert_true(perp_is_symmetric(2, (double[]){0, 1, 1, 0}));
    assert_false(perp_is_symmetric(2, (double[]){0, 1, 1 + 1e-15, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_problems_are_solved),
        cmocka_unit_test(semidefinite_problems_are_solved),
        cmocka_unit_test(infeasible_problems_are_given_up),
        cmocka_unit_test(indefinite_problems_are_given_up),
        cmocka_unit_test(overflow_is_given_up),
        cmocka_unit_test(limit_of_pivots_is_kept),
        cmocka_unit_test(symmetry_is_judged_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The field's classical problems, solved through the public interface and judged by certificates.
#include "generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double tolerance = 1e-9;
static const double weight_step = 9.81 * 0.01; // m/s that a step of the generators' gravity gives

static int create_solver(void **state)
{
    PerpSolver *solver;
    if (perp_solver_create(NULL, &solver) != PERP_OK)
        return -1;
    *state = solver;
    return 0;
}

static int destroy_solver(void **state)
{
    perp_solver_destroy(*state);
    return 0;
}

static PerpLcpResult solve_lcp(PerpSolver *solver, const PerpLcp *p,
                               const PerpLcpSettings *settings)
{
    PerpLcpResult result;
    PerpLcpCertificate certificate;
    assert_int_equal(perp_lcp_solve(solver, p, settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    perp_lcp_certify(p, result.z, NULL, &certificate);
    assert_true(certificate.worst <= tolerance);
    return result;
}

static PerpProblemResult solve_sample(PerpSolver *solver, PerpSample *sample,
                                      const PerpProblemSettings *settings)
{
    PerpProblem p = perp_sample_problem(sample);
    PerpProblemResult result;
    PerpCertificate certificate;
    assert_int_equal(perp_problem_check(&p, NULL), PERP_OK);
    assert_int_equal(perp_problem_solve(solver, &p, settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    assert_true(certificate.worst <= tolerance);
    assert_true(!certificate.symmetric || certificate.energy_excess <= tolerance);
    return result;
}

// --- worst cases and cycles ---

static void assert_solution(const PerpLcpSample *s, const PerpLcpResult *result)
{
    for (int i = 0; i < s->lcp.n; i++)
        assert_true(fabs(result->z[i] - s->solution[i]) <= tolerance);
}

// every one of the 2^n complementary bases is visited
static void check_worst_case(PerpSolver *solver, PerpLcpSample *s)
{
    double ones[16];
    for (int i = 0; i < 16; i++)
        ones[i] = 1.0;
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    settings.scale = false;
    settings.cover = ones;
    PerpLcpResult result = solve_lcp(solver, &s->lcp, &settings);
    assert_in_range(result.pivots, (1 << s->lcp.n) - 1, 1 << s->lcp.n);
    assert_int_equal(result.attempts, 1);
    assert_solution(s, &result);

    result = solve_lcp(solver, &s->lcp, NULL);
    assert_solution(s, &result);
    perp_lcp_sample_free(s);
}

static void murty_takes_two_to_the_n_pivots(void **state)
{
    for (int n = 2; n <= 12; n++)
        check_worst_case(*state, perp_lcp_sample_murty(n));
}

static void fathi_takes_two_to_the_n_pivots(void **state)
{
    for (int n = 2; n <= 10; n++)
        check_worst_case(*state, perp_lcp_sample_fathi(n));
}

static void fathi_is_solved_by_dantzig(void **state)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_DANTZIG;
    for (int n = 2; n <= 10; n++) {
        PerpLcpSample *s = perp_lcp_sample_fathi(n);
        PerpLcpResult result = solve_lcp(*state, &s->lcp, &settings);
        assert_int_equal(result.method, PERP_LCP_DANTZIG);
        assert_solution(s, &result);
        perp_lcp_sample_free(s);
    }
}

static void cycling_examples_do_not_cycle(void **state)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    for (int number = 0; number < PERP_CYCLING_SAMPLES; number++) {
        PerpLcpSample *s = perp_lcp_sample_cycling(number);
        for (int scale = 0; scale < 2; scale++) {
            settings.scale = scale;
            PerpLcpResult result = solve_lcp(*state, &s->lcp, &settings);
            assert_in_range(result.pivots, 1, 1 << s->lcp.n);
            assert_int_equal(result.attempts, 1);
        }
        perp_lcp_sample_free(s);
    }
}

static void string_rests_on_the_middle_of_the_floor(void **state)
{
    PerpLcpSample *s = perp_lcp_sample_obstacle(41);
    for (int method = 0; method < PERP_LCP_METHOD_COUNT; method++) {
        PerpLcpSettings settings = perp_default_lcp_settings();
        settings.method = (PerpLcpMethod)method;
        PerpLcpResult result = solve_lcp(*state, &s->lcp, &settings);
        assert_true(result.z[20] == 0.0 && result.w[20] > 0.0);
        assert_true(result.z[0] > 0.0);
        for (int i = 0; i < 41; i++)
            assert_true(fabs(result.z[i] - result.z[40 - i]) <= tolerance);
    }
    perp_lcp_sample_free(s);
}

// --- games ---

// no player gains by any other choice: (A y)_i >= x'A y, (B'x)_j >= x'B y
static void assert_nash(const PerpGame *g, const double *x, const double *y)
{
    double cost[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};
    for (int i = 0; i < g->rows; i++)
        sum[0] += x[i];
    for (int j = 0; j < g->columns; j++)
        sum[1] += y[j];
    assert_true(fabs(sum[0] - 1.0) <= tolerance && fabs(sum[1] - 1.0) <= tolerance);
    for (int k = 0; k < g->rows * g->columns; k++) {
        cost[0] += x[k % g->rows] * g->A[k] * y[k / g->rows];
        cost[1] += x[k % g->rows] * g->B[k] * y[k / g->rows];
    }
    for (int i = 0; i < g->rows; i++) {
        double other = -cost[0];
        for (int j = 0; j < g->columns; j++)
            other += g->A[i + g->rows * j] * y[j];
        assert_true(x[i] >= -tolerance && other >= -tolerance);
    }
    for (int j = 0; j < g->columns; j++) {
        double other = -cost[1];
        for (int i = 0; i < g->rows; i++)
            other += g->B[i + g->rows * j] * x[i];
        assert_true(y[j] >= -tolerance && other >= -tolerance);
    }
}

static void check_games(PerpSolver *solver, bool integer)
{
    for (int k = 0; k < 200; k++) {
        PerpGame g = perp_random_game((uint64_t)k, 1 + k % 12, 1 + k % 7, integer);
        PerpLcpSample *s = perp_lcp_sample_game(&g);
        PerpLcpResult result = solve_lcp(solver, &s->lcp, NULL);
        assert_nash(&g, result.z + 2, result.z + 2 + g.rows);
        perp_lcp_sample_free(s);
        perp_game_free(&g);
    }
}

static void random_games_have_equilibria(void **state)
{
    check_games(*state, false);
}

static void degenerate_games_have_equilibria(void **state)
{
    check_games(*state, true);
}

// a ray is no proof that there is no solution, and is not sold as one
static void plain_games_end_in_an_honest_ray(void **state)
{
    for (int k = 0; k < 20; k++) {
        PerpGame g = perp_random_game((uint64_t)k, 1 + k % 5, 1 + k % 4, k % 2);
        PerpLcpSample *s = perp_lcp_sample_plain_game(&g);
        PerpLcpResult result;
        assert_int_equal(perp_lcp_solve(*state, &s->lcp, NULL, &result, NULL), PERP_OK);
        assert_true(result.outcome == PERP_OUTCOME_RAY || result.outcome == PERP_OUTCOME_SOLVED);
        if (result.outcome == PERP_OUTCOME_RAY) {
            PerpLcpRayCertificate certificate;
            perp_lcp_certify_ray(&s->lcp, &result.ray, &certificate);
            assert_true(certificate.worst <= tolerance);
        }
        perp_lcp_sample_free(s);
        perp_game_free(&g);
    }
}

// --- mechanisms ---

static void assert_at_rest(const double *v, int count)
{
    for (int i = 0; i < count; i++)
        assert_true(fabs(v[i]) <= tolerance);
}

// the legs are dependent, the motion is not: every method finds it                   [L82 section
// 5]
static void table_stands_still_with_any_method(void **state)
{
    for (int method = 0; method < PERP_LCP_METHOD_COUNT; method++) {
        PerpProblemSettings settings = perp_default_problem_settings();
        settings.method = (PerpLcpMethod)method;
        for (int legs = 3; legs <= 8; legs++) {
            PerpSample *s = perp_sample_table(legs, 0.0, 0);
            assert_at_rest(solve_sample(*state, s, &settings).v, 6);
            perp_sample_free(s);
        }
    }
}

// the shortest of all impulses shares the weight evenly                          [L82 lemma 5.2]
static void table_of_minimum_norm_loads_its_legs_evenly(void **state)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.minimum_norm = true;
    for (int legs = 3; legs <= 8; legs++) {
        PerpSample *s = perp_sample_table(legs, 0.0, 0);
        PerpProblemResult result = solve_sample(*state, s, &settings);
        for (int leg = 0; leg < legs; leg++)
            assert_true(fabs(result.c[leg] - 4.0 * weight_step / legs) <= tolerance);
        perp_sample_free(s);
    }
}

static void table_with_friction_stands_still(void **state)
{
    for (int facets = 2; facets <= 16; facets++) {
        PerpSample *s = perp_sample_table(4, 0.5, facets);
        assert_at_rest(solve_sample(*state, s, NULL).v, 6);
        perp_sample_free(s);
    }
}

// sliding left at 1 m/s: a jam stops the tip within the step, however short; else it slides on
static void painleve_rod_jams_where_it_must(void **state)
{
    for (double mu = 0.1; mu < 5.0; mu += 0.3)
        for (double turns = 0.02; turns < 0.25; turns += 0.02) {
            PerpSample *s = perp_sample_painleve_rod(mu, turns, -1.0, 0.0, 1e-6);
            PerpProblemResult result = solve_sample(*state, s, NULL);
            double cosine, sine;
            perp_circle_point(turns, &cosine, &sine);
            double tip_slip = result.v[0] + sine * result.v[2];
            if (perp_painleve_jams(mu, turns)) {
                assert_true(fabs(tip_slip) <= tolerance);
                assert_true(result.c[0] > 1e-3);
            } else {
                assert_true(tip_slip < -0.9);
            }
            perp_sample_free(s);
        }
}

// l sin(theta) theta'^2 > g: sliding, lifting off and stopping are all solutions; one is found
static void painleve_rod_with_several_solutions_has_one(void **state)
{
    assert_true(perp_painleve_jams(3.0, 0.18));
    PerpSample *s = perp_sample_painleve_rod(3.0, 0.18, -1.0, 5.0, 1e-3);
    solve_sample(*state, s, NULL);
    perp_sample_free(s);
}

// friction holds at most 2 mu squeeze
static void grasp_holds_what_friction_can_hold(void **state)
{
    for (double mu = 0.005; mu < 0.1; mu += 0.01) {
        PerpSample *s = perp_sample_grasp(mu, 1.0, 4);
        double fall = fmin(0.0, 2.0 * mu - weight_step);
        PerpProblemResult result = solve_sample(*state, s, NULL);
        assert_true(fabs(result.v[2] - fall) <= tolerance);
        perp_sample_free(s);
    }
    PerpSample *s = perp_sample_grasp(0.5, 0.0, 4);
    solve_sample(*state, s, NULL);
    perp_sample_free(s);
}

static void stack_stands_still_at_any_mass_ratio(void **state)
{
    for (double ratio = 1.0; ratio < 1e7; ratio *= 100.0) {
        PerpSample *s = perp_sample_stack(4, ratio, 0.5, 4);
        PerpProblemResult result = solve_sample(*state, s, NULL);
        double ground = result.c[0] + result.c[1] + result.c[2] + result.c[3];
        assert_at_rest(result.v, 24);
        assert_true(fabs(ground / ((3.0 + ratio) * weight_step) - 1.0) <= tolerance);
        perp_sample_free(s);
    }
}

static void ball_stays_in_its_groove(void **state)
{
    for (int k = 0; k < 11; k++) {
        PerpSample *s = perp_sample_groove(0.3 * k, 0.02 * (k + 1), 8);
        assert_at_rest(solve_sample(*state, s, NULL).v, 6);
        perp_sample_free(s);
    }
}

static void ring_has_three_rows_too_many(void **state)
{
    for (int bodies = 3; bodies <= 8; bodies++) {
        PerpSample *s = perp_sample_ring(bodies, 0.5, 4);
        assert_int_equal(solve_sample(*state, s, NULL).joint_rank, 5 * bodies - 3);
        perp_sample_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(murty_takes_two_to_the_n_pivots),
        cmocka_unit_test(fathi_takes_two_to_the_n_pivots),
        cmocka_unit_test(fathi_is_solved_by_dantzig),
        cmocka_unit_test(cycling_examples_do_not_cycle),
        cmocka_unit_test(string_rests_on_the_middle_of_the_floor),
        cmocka_unit_test(random_games_have_equilibria),
        cmocka_unit_test(degenerate_games_have_equilibria),
        cmocka_unit_test(plain_games_end_in_an_honest_ray),
        cmocka_unit_test(table_stands_still_with_any_method),
        cmocka_unit_test(table_of_minimum_norm_loads_its_legs_evenly),
        cmocka_unit_test(table_with_friction_stands_still),
        cmocka_unit_test(painleve_rod_jams_where_it_must),
        cmocka_unit_test(painleve_rod_with_several_solutions_has_one),
        cmocka_unit_test(grasp_holds_what_friction_can_hold),
        cmocka_unit_test(stack_stands_still_at_any_mass_ratio),
        cmocka_unit_test(ball_stays_in_its_groove),
        cmocka_unit_test(ring_has_three_rows_too_many),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

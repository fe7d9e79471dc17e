// The step problem from end to end, against closed forms.
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * (1 + fabs(expected)));
}

static PerpProblemResult solve_any(PerpSolver *solver, PerpSample *sample,
                                   const PerpProblemSettings *settings)
{
    PerpProblem p = perp_sample_problem(sample);
    PerpProblemResult result;
    assert_int_equal(perp_problem_solve(solver, &p, settings, &result, NULL), PERP_OK);
    return result;
}

// a body of one velocity and momentum b
static PerpSample *slider(double mass, double b)
{
    PerpSample *s = perp_sample_create();
    perp_sample_add_body(s, 1, &mass, &b);
    return s;
}

// a row that sees the velocity of body 0, times `gradient`
static PerpSampleRow row_of_slider(const double *gradient, double d)
{
    static const int body = 0;
    return (PerpSampleRow){1, &body, gradient, d};
}

// --- settings -----------------------------------------------------------------------------------

static void settings_out_of_range_are_refused(void **state)
{
    PerpSample *s = slider(1, 1);
    PerpProblem p = perp_sample_problem(s);
    for (int fault = 0; fault < 3; fault++) {
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        PerpError error;
        settings.tolerance = fault == 0 ? 0 : fault == 1 ? NAN : 1e-9;
        settings.max_pivots = fault == 2 ? -1 : 0;
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, &error),
                         PERP_BAD_VALUE);
        assert_non_null(strstr(error.message, "tolerance > 0"));
    }
    perp_sample_free(s);
}

static void bad_masses_are_refused(void **state)
{
    PerpSample *s = slider(-1, 1);
    PerpProblem p = perp_sample_problem(s);
    PerpProblemResult result;
    PerpLcp lcp;
    assert_int_equal(perp_problem_solve(*state, &p, NULL, &result, NULL), PERP_BAD_MASS);
    assert_int_equal(perp_problem_reduce(*state, &p, &lcp, NULL), PERP_BAD_MASS);
    perp_sample_free(s);
}

static void free_motion_needs_no_rows(void **state)
{
    PerpSample *s = slider(4, 2);
    PerpProblemResult result = solve_sample(*state, s, NULL);
    assert_true(result.v[0] == 0.5 && result.lcp_size == 0 && result.pivots == 0);
    perp_sample_free(s);
}

// Above the ground, with speeds that are rounding or not: no impulse, and the slip is that of free
// motion.
static void what_nothing_touches_flies(void **state)
{
    static const double speeds[] = {1e-21, 1e-9, 1};
    for (int i = 0; i < 3; i++)
        for (int cones = 0; cones < 2; cones++) {
            PerpSample *s = perp_sample_create();
            const double b[] = {speeds[i], 2 * speeds[i], -3 * speeds[i]};
            const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, up[] = {0, 0, 1};
            const double x[] = {1, 0, 0}, back[] = {-1, 0, 0}, y[] = {0, 1, 0};
            int body = perp_sample_add_body(s, 3, M, b);
            int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, up, 3.5});
            if (cones)
                perp_sample_add_circular_group(s, contact, 0.5, 0);
            else
                perp_sample_add_group(s, contact, 0.5, 0);
            perp_sample_add_direction(s, (PerpSampleRow){1, &body, x, 0});
            perp_sample_add_direction(s, (PerpSampleRow){1, &body, cones ? y : back, 0});
            PerpProblemResult result = solve_sample(*state, s, NULL);
            assert_memory_equal(result.v, b, sizeof b);
            assert_true(result.c[0] == 0 && result.c[1] == 0 && result.c[2] == 0);
            assert_near(result.lambda[0] / speeds[i], cones ? sqrt(5) : 1);
            assert_int_equal(result.solved_by, PERP_METHOD_FREE);
            perp_sample_free(s);
        }
}

// --- closed forms -------------------------------------------------------------------------------

// a block of mass 2 pushed by b along x with weight 3: friction takes min(|b|, mu 3)
static void block_sticks_or_slides(void **state)
{
    for (double b = -4; b <= 4; b += 0.25) {
        PerpSample *s = perp_sample_create();
        const double mu = 0.5;
        int body = perp_sample_add_body(s, 2, (double[]){2, 0, 0, 2}, (double[]){b, -3});
        int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, (double[]){0, 1}, 0});
        perp_sample_add_group(s, contact, mu, 0);
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, (double[]){1, 0}, 0});
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, (double[]){-1, 0}, 0});
        PerpProblemResult result = solve_sample(*state, s, NULL);
        double friction = fmin(fabs(b), mu * 3);
        assert_near(result.c[0], 3);
        assert_near(result.v[0], copysign(fabs(b) - friction, b) / 2);
        assert_near(result.v[1], 0);
        if (fabs(b) > mu * 3)
            assert_near(result.lambda[0], fabs(result.v[0]));
        perp_sample_free(s);
    }
}

// y = v + d with lo <= c <= hi: c is what makes y = 0, as far as the bounds let it
static void boxes_of_every_kind_clamp(void **state)
{
    const double bounds[6][2] = {{0, INFINITY}, {-INFINITY, 0}, {-1, 2},
                                 {-3, -1},      {1.5, 1.5},     {-INFINITY, INFINITY}};
    const double one = 1, mass = 2;
    for (int kind = 0; kind < 6; kind++)
        for (double b = -5; b <= 5; b += 0.5) {
            PerpSample *s = slider(mass, b);
            double lo = bounds[kind][0], hi = bounds[kind][1], d = 0.25;
            perp_sample_add_box(s, row_of_slider(&one, d), lo, hi);
            PerpProblemResult result = solve_sample(*state, s, NULL);
            double c = fmin(fmax(-mass * d - b, lo), hi);
            assert_near(result.c[0], c);
            assert_near(result.v[0], (b + c) / mass);
            assert_int_equal(result.joint_rank, kind == 5);
            perp_sample_free(s);
        }
}

// the sliding limit is mu c_n + cohesion, here of a contact that carries nothing
static void cohesion_holds_without_load(void **state)
{
    const double one = 1, minus = -1;
    for (double b = 0; b < 1; b += 0.125) {
        PerpSample *s = slider(1, b);
        perp_sample_add_contact(s, row_of_slider(&one, 10));
        perp_sample_add_group(s, 0, 0.5, 0.375);
        perp_sample_add_direction(s, row_of_slider(&one, 0));
        perp_sample_add_direction(s, row_of_slider(&minus, 0));
        assert_near(solve_sample(*state, s, NULL).v[0], fmax(b - 0.375, 0));
        perp_sample_free(s);
    }
}

// the LCP that other solvers get has the same motion
static void reduced_problem_gives_the_same_motion(void **state)
{
    PerpSolver *other;
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    for (int seed = 0; seed < 50; seed++) {
        PerpSceneOptions o = perp_default_scene_options();
        o.contacts = 4;
        o.facets = 0; // frictionless: the velocities are unique
        PerpSample *s = perp_sample_scene((uint64_t)seed, &o);
        PerpProblem p = perp_sample_problem(s);
        PerpLcp lcp;
        assert_int_equal(perp_problem_reduce(other, &p, &lcp, NULL), PERP_OK);
        PerpLcpResult reduced = solve_lcp(*state, &lcp, NULL);
        PerpProblemResult step = solve_problem(other, &p, NULL);
        for (int i = 0; i < 4; i++) { // the normal velocities are the slacks
            double y = p.d[i];
            const double *J = p.J;
            for (int e = 0; e < p.row_start[i + 1]; e++, J += 6)
                for (int k = 0; k < 6 && e >= p.row_start[i]; k++)
                    y += J[k] * step.v[6 * p.entry_body[e] + k];
            assert_true(fabs(y - reduced.w[i]) <= 1e-10);
        }
        perp_sample_free(s);
    }
    perp_solver_destroy(other);
}

// --- joints -------------------------------------------------------------------------------------

static void redundant_joints_are_counted(void **state)
{
    const double one = 1, two = 2;
    PerpSample *s = slider(1, 1);
    perp_sample_add_joint(s, row_of_slider(&one, -3));
    perp_sample_add_joint(s, row_of_slider(&two, -6));
    perp_sample_add_joint(s, row_of_slider(&one, -3));
    PerpProblemResult result = solve_sample(*state, s, NULL);
    assert_int_equal(result.joint_rank, 1);
    assert_near(result.v[0], 3);
    perp_sample_free(s);
}

// v = 3 and v = 4: one of the two rows is named
static void inconsistent_joints_are_missed(void **state)
{
    const double one = 1;
    PerpSample *s = slider(1, 1);
    perp_sample_add_joint(s, row_of_slider(&one, -3));
    perp_sample_add_joint(s, row_of_slider(&one, -4));
    perp_sample_add_contact(s, row_of_slider(&one, 0));
    PerpProblemResult result = solve_any(*state, s, NULL);
    assert_int_equal(result.outcome, PERP_OUTCOME_MISSED);
    assert_int_equal(result.joint_rank, 1);
    assert_int_equal(result.certificate.worst_kind, PERP_RESIDUAL_JOINT);
    int row = result.certificate.residual_row[PERP_RESIDUAL_JOINT];
    double wanted = row == 0 ? 3 : 4;
    assert_true(fabs(result.v[0] - wanted) > 0.5);
    assert_true(result.certificate.worst > 0.01);
    perp_sample_free(s);
}

// v >= 1 and v <= 0: infeasible or a ray, and never solved
static void contradicting_limits_are_not_solved(void **state)
{
    const double one = 1;
    PerpSample *s = slider(1, 1);
    perp_sample_add_box(s, row_of_slider(&one, -1), 0, INFINITY);
    perp_sample_add_box(s, row_of_slider(&one, 0), -INFINITY, 0);
    PerpProblemResult result = solve_any(*state, s, NULL);
    assert_true(result.outcome == PERP_OUTCOME_INFEASIBLE || result.outcome == PERP_OUTCOME_RAY);
    assert_int_equal(result.certificate.worst_kind, PERP_RESIDUAL_BOX_SIGN);
    assert_true(isfinite(result.v[0]) && result.certificate.worst > 0.1);
    perp_sample_free(s);
}

// Two joints that hold x, and x + epsilon y: independent or not, the motion is finite and nearly
// obeys both.
static void nearly_dependent_joints_give_a_motion(void **state)
{
    for (double epsilon = 1e-5; epsilon > 1e-12; epsilon *= 0.3) {
        PerpSample *s = perp_sample_create();
        int body = perp_sample_add_body(s, 2, (double[]){1, 0, 0, 1}, (double[]){1, 2});
        perp_sample_add_joint(s, (PerpSampleRow){1, &body, (double[]){1, 0}, 0});
        perp_sample_add_joint(s, (PerpSampleRow){1, &body, (double[]){1, epsilon}, 0});
        PerpProblemResult result = solve_any(*state, s, NULL);
        assert_true(isfinite(result.v[0]) && isfinite(result.v[1]));
        assert_true(result.certificate.worst <= 1e-7);
        perp_sample_free(s);
    }
}

// --- settings that steer ------------------------------------------------------------------------

static PerpSample *pile(uint64_t seed)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.bodies = 3;
    o.contacts = 12;
    o.motion = PERP_SCENE_SLIDING;
    return perp_sample_scene(seed, &o);
}

static void methods_agree_without_friction(void **state)
{
    PerpSample *s = perp_sample_stack(3, 1, 0, 0);
    for (int method = 0; method < PERP_LCP_METHOD_COUNT; method++) {
        PerpProblemSettings settings = perp_default_problem_settings();
        settings.method = (PerpLcpMethod)method;
        PerpProblemResult result = solve_sample(*state, s, &settings);
        for (int i = 0; i < 18; i++)
            assert_true(fabs(result.v[i]) <= 1e-12);
    }
    perp_sample_free(s);
}

static void pivot_limit_is_an_outcome(void **state)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.max_pivots = 3;
    PerpSample *s = pile(1);
    PerpProblemResult result = solve_any(*state, s, &settings);
    assert_int_equal(result.outcome, PERP_OUTCOME_PIVOT_LIMIT);
    assert_true(isfinite(result.certificate.worst) && result.certificate.worst > TEST_TOLERANCE);
    perp_sample_free(s);
}

// the next step: the basis still fits, one factorisation and no pivot
static void given_basis_that_fits_is_one_factorisation(void **state)
{
    PerpSolver *other;
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    for (uint64_t seed = 0; seed < 30; seed++) {
        PerpSample *s = pile(seed);
        PerpProblemResult first = solve_sample(other, s, NULL);
        for (int i = 0; i < s->b.count; i++)
            s->b.at[i] *= 1 + 1e-7;
        PerpProblemSettings settings = perp_default_problem_settings();
        settings.basis = first.basis;
        settings.basis_size = first.lcp_size;
        PerpProblemResult again = solve_sample(*state, s, &settings);
        assert_true(again.basis_reused);
        assert_int_equal(again.pivots, 0);
        assert_int_equal(again.factorisations, 1);
        assert_memory_equal(again.basis, first.basis, (size_t)first.lcp_size);
        perp_sample_free(s);
    }
    perp_solver_destroy(other);
}

static void given_basis_that_does_not_fit_is_a_start(void **state)
{
    PerpSolver *other;
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    for (uint64_t seed = 0; seed < 30; seed++) {
        PerpSample *s = pile(seed);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult solved = solve_sample(other, s, NULL);
        settings.basis = solved.basis;
        settings.basis_size = solved.lcp_size;
        for (int i = 0; i < s->b.count; i++)
            s->b.at[i] = -s->b.at[i];
        assert_false(solve_sample(*state, s, &settings).basis_reused);
        perp_sample_free(s);
    }
    perp_solver_destroy(other);
}

// --- the shortest impulses ----------------------------------------------------------------------

static double length_of(int n, const double *c)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += c[i] * c[i];
    return sqrt(sum);
}

// friction and all: the same motion, impulses that are no longer
static void shortest_impulses_move_alike(void **state)
{
    PerpSolver *other;
    int shorter = 0;
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    for (uint64_t seed = 0; seed < 60; seed++) {
        PerpSceneOptions o = perp_default_scene_options();
        o.contacts = 8;
        o.bodies = 2;
        o.balls = seed % 2;
        o.redundant = 2;
        o.motors = o.limits = 2;
        o.motion = (PerpSceneMotion)(seed % 3);
        PerpSample *s = perp_sample_scene(seed, &o);
        PerpProblem p = perp_sample_problem(s);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult any = solve_problem(other, &p, NULL);
        settings.minimum_norm = true;
        PerpProblemResult minimum = solve_problem(*state, &p, &settings);
        int rows = perp_problem_rows(&p);
        assert_memory_equal(minimum.v, any.v, 12 * sizeof(double));
        double before = length_of(rows, any.c), after = length_of(rows, minimum.c);
        assert_true(after <= before * (1 + 1e-12));
        shorter += after < before * (1 - 1e-6);
        perp_sample_free(s);
    }
    assert_true(shorter > 30);
    perp_solver_destroy(other);
}

// a block between two motors that push it, [0, 2] and [0, 6], with 4 against them: 2 + 2; with 7: 2
// + 5
static void shortest_impulses_keep_their_bounds(void **state)
{
    const double one = 1;
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.minimum_norm = true;
    for (int b = 1; b <= 7; b++) {
        PerpSample *s = slider(1, -b);
        perp_sample_add_box(s, row_of_slider(&one, 0), 0, 2);
        perp_sample_add_box(s, row_of_slider(&one, 0), 0, 6);
        PerpProblemResult result = solve_sample(*state, s, &settings);
        assert_near(result.c[0], fmin(b / 2.0, 2));
        assert_near(result.c[1], b - result.c[0]);
        perp_sample_free(s);
    }
}

// two equal contacts share the weight; the one that is open carries nothing
static void shortest_impulses_leave_open_contacts_alone(void **state)
{
    const double one = 1;
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.minimum_norm = true;
    PerpSample *s = slider(1, -3);
    perp_sample_add_contact(s, row_of_slider(&one, 0));
    perp_sample_add_contact(s, row_of_slider(&one, 1));
    perp_sample_add_contact(s, row_of_slider(&one, 0));
    PerpProblemResult result = solve_sample(*state, s, &settings);
    assert_near(result.c[0], 1.5);
    assert_true(result.c[1] == 0);
    assert_near(result.c[2], 1.5);
    perp_sample_free(s);
}

// --- threads ------------------------------------------------------------------------------------

enum { STEPS = 40 };

typedef struct Worker {
    uint64_t first_seed;
    double sum[STEPS];
    bool failed;
} Worker;

// no assertions here: cmocka's do not work outside the main thread
static void *solve_many(void *user)
{
    Worker *worker = user;
    PerpSolver *solver;
    worker->failed = perp_solver_create(NULL, &solver) != PERP_OK;
    for (int k = 0; k < STEPS && !worker->failed; k++) {
        PerpSample *s = pile(worker->first_seed + (uint64_t)k);
        PerpProblem p = perp_sample_problem(s);
        PerpProblemResult result;
        worker->failed = perp_problem_solve(solver, &p, NULL, &result, NULL) != PERP_OK ||
                         result.outcome != PERP_OUTCOME_SOLVED;
        for (int i = 0; i < 18 && !worker->failed; i++)
            worker->sum[k] += result.v[i];
        perp_sample_free(s);
    }
    perp_solver_destroy(solver);
    return NULL;
}

// two at a time give the same bits as one after the other
static void solvers_of_two_threads_are_independent(void **state)
{
    (void)state;
    Worker together[2] = {{.first_seed = 100}, {.first_seed = 200}};
    pthread_t thread[2];
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, solve_many, &together[t]), 0);
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int t = 0; t < 2; t++) {
        Worker alone = {.first_seed = together[t].first_seed};
        solve_many(&alone);
        assert_false(together[t].failed || alone.failed);
        assert_memory_equal(together[t].sum, alone.sum, sizeof alone.sum);
    }
}

// A hinge with dry friction at its limit, without load: the impulses of both could cancel, but
// nothing asks for any.
static void nothing_moves_without_cause(void **state)
{
    static const double Mt[1] = {2}, b[1] = {0}, J[1] = {1};
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 1, Mt, b);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, J, 0}, -0.5, 0.5);
    perp_sample_add_contact(s, (PerpSampleRow){1, &body, J, 0});
    PerpProblem p = perp_sample_problem(s);
    PerpProblemResult result;
    assert_int_equal(perp_problem_solve(*state, &p, NULL, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_true(result.v[0] == 0 && result.c[0] == 0 && result.c[1] == 0);
    assert_true(result.certificate.worst == 0);
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_without_cause),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(bad_masses_are_refused),
        cmocka_unit_test(free_motion_needs_no_rows),
        cmocka_unit_test(what_nothing_touches_flies),
        cmocka_unit_test(block_sticks_or_slides),
        cmocka_unit_test(boxes_of_every_kind_clamp),
        cmocka_unit_test(cohesion_holds_without_load),
        cmocka_unit_test(reduced_problem_gives_the_same_motion),
        cmocka_unit_test(redundant_joints_are_counted),
        cmocka_unit_test(inconsistent_joints_are_missed),
        cmocka_unit_test(contradicting_limits_are_not_solved),
        cmocka_unit_test(nearly_dependent_joints_give_a_motion),
        cmocka_unit_test(methods_agree_without_friction),
        cmocka_unit_test(pivot_limit_is_an_outcome),
        cmocka_unit_test(given_basis_that_fits_is_one_factorisation),
        cmocka_unit_test(given_basis_that_does_not_fit_is_a_start),
        cmocka_unit_test(shortest_impulses_move_alike),
        cmocka_unit_test(shortest_impulses_keep_their_bounds),
        cmocka_unit_test(shortest_impulses_leave_open_contacts_alone),
        cmocka_unit_test(solvers_of_two_threads_are_independent),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

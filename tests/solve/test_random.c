// Thousands of problems, each of which must be solved to the certificate. A failure prints what it
// takes to make the problem again.
#include "random_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- step problems ------------------------------------------------------------------------------

static void large_scenes(void **state)
{
    check_scenes(*state, 30001, 500, 40);
}

// Found among 300000 others: mass ratios near 1e8, where a path stops one or two pivots short; two
// contacts that are opposite but for 1e-5. One more, 111786 of at most 8 contacts, still ends in a
// ray: asymmetric masses of ratio 6e7 and three hinges that leave one motion, blocked.
static void scenes_that_were_missed_once(void **state)
{
    const int seeds[] = {710251, 718218, 719219, 731881};
    for (int k = 0; k < 4; k++)
        check_scenes(*state, seeds[k], 1, 40);
}

// one option at a time, at its end of the range
static void check_options(PerpSolver *solver, const char *name, PerpSceneOptions options, int count)
{
    for (int seed = 0; seed < count; seed++) {
        options.contacts = 1 + seed % 12;
        options.bodies = 1 + options.contacts / (1 + seed % 3);
        options.motion = (PerpSceneMotion)(seed % 3);
        check_step(solver, perp_sample_scene((uint64_t)seed, &options), name, seed);
    }
}

static void integer_scenes_with_many_ties(void **state)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.integer = true;
    check_options(*state, "integer", o, 400);
    o.moving = true;
    o.balls = 1;
    o.limits = o.motors = 2;
    check_options(*state, "integer with joints", o, 200);
}

static void redundant_joints(void **state)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.hinges = 2;
    o.balls = 1;
    o.redundant = 6;
    check_options(*state, "redundant", o, 200);
}

static void mass_ratios(void **state)
{
    PerpSceneOptions o = perp_default_scene_options();
    for (o.mass_ratio = 1e2; o.mass_ratio < 2e8; o.mass_ratio *= 100)
        check_options(*state, "mass ratio", o, 150);
}

static void masses_that_are_not_symmetric(void **state)
{
    PerpSceneOptions o = perp_default_scene_options();
    for (o.asymmetry = 0.1; o.asymmetry < 1.05; o.asymmetry += 0.3)
        check_options(*state, "asymmetry", o, 100);
}

static void friction_from_none_to_ten(void **state)
{
    const double mu[] = {0, 0.01, 0.1, 1, 3, 10};
    for (int k = 0; k < 6; k++) {
        PerpSceneOptions o = perp_default_scene_options();
        o.mu_min = o.mu_max = mu[k];
        o.facets = 3 + k;
        check_options(*state, "friction", o, 100);
    }
}

// --- mechanisms ---------------------------------------------------------------------------------

// the Painleve rod over angle, friction, speed and step, jammed and not
static void rods(void **state)
{
    const double speeds[] = {-1, 1, -1e-3, 0};
    int number = 0;
    for (int k = 0; k < 4; k++)
        for (double h = 1e-6; h < 0.02; h *= 100)
            for (double mu = 0; mu < 5; mu += 0.35)
                for (double turns = 0.01; turns < 0.25; turns += 0.02)
                    for (int spin = -4; spin <= 4; spin += 4)
                        check_step(*state, perp_sample_painleve_rod(mu, turns, speeds[k], spin, h),
                                   "rod", number++);
}

static void grasps(void **state)
{
    int number = 0;
    for (double mu = 0; mu < 2; mu += 0.1)
        for (double squeeze = 1e-3; squeeze < 2e3; squeeze *= 10)
            for (int facets = 2; facets <= 10; facets += 4)
                check_step(*state, perp_sample_grasp(mu, squeeze, facets), "grasp", number++);
}

static void stacks(void **state)
{
    int number = 0;
    for (int cubes = 1; cubes <= 6; cubes++)
        for (double ratio = 1e-4; ratio < 2e8; ratio *= 100)
            for (int facets = 0; facets <= 8; facets += 4)
                check_step(*state, perp_sample_stack(cubes, ratio, 0.5, facets), "stack", number++);
}

static void tables_grooves_and_rings(void **state)
{
    int number = 0;
    for (int legs = 1; legs <= 12; legs++)
        for (int facets = 0; facets <= 12; facets += 3)
            check_step(*state, perp_sample_table(legs, 0.3, facets == 3 ? 4 : facets), "table",
                       number++);
    for (double mu = 0; mu < 3; mu += 0.2)
        for (double turns = 0.01; turns < 0.25; turns += 0.02)
            check_step(*state, perp_sample_groove(mu, turns, 8), "groove", number++);
    for (int bodies = 3; bodies <= 12; bodies++)
        for (int facets = 2; facets <= 8; facets += 2)
            check_step(*state, perp_sample_ring(bodies, 0.5, facets), "ring", number++);
}

// --- plain and mixed LCPs -----------------------------------------------------------------------

static void check_lcp(PerpSolver *solver, PerpLcpSample *sample, const char *name, int number)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    PerpLcpResult result;
    PerpLcpCertificate certificate;
    settings.tolerance = TEST_TOLERANCE;
    assert_int_equal(perp_lcp_solve(solver, &sample->lcp, &settings, &result, NULL), PERP_OK);
    perp_lcp_certify(&sample->lcp, result.z, NULL, &certificate);
    if (result.outcome != PERP_OUTCOME_SOLVED || !(certificate.worst <= TEST_TOLERANCE))
        fail_msg("%s %d: %s, %.2e", name, number, perp_outcome_name(result.outcome),
                 certificate.worst);
    perp_lcp_sample_free(sample);
}

static void lcps_of_every_family(void **state)
{
    for (int seed = 0; seed < 600; seed++) {
        uint64_t s = (uint64_t)seed;
        int n = 1 + seed % 30;
        bool integer = seed % 2;
        check_lcp(*state, perp_lcp_sample_psd(s, n, 1 + seed % n, integer), "psd", seed);
        check_lcp(*state, perp_lcp_sample_monotone(s, n, seed % (n + 1), integer), "monotone",
                  seed);
        check_lcp(*state, perp_lcp_sample_p_matrix(s, n, integer), "p-matrix", seed);
        check_lcp(*state, perp_lcp_sample_copositive(s, n, integer), "copositive", seed);
        check_lcp(*state, perp_lcp_sample_mixed(s, n + 1, seed % (n + 1)), "mixed", seed);
        check_lcp(*state, perp_lcp_sample_kkt(s, n, 1 + n / 3, seed % 3, n), "kkt", seed);
    }
    for (int n = 1; n <= 80; n += 7)
        check_lcp(*state, perp_lcp_sample_obstacle(n), "obstacle", n);
}

static void games(void **state)
{
    for (int seed = 0; seed < 400; seed++) {
        PerpGame game = perp_random_game((uint64_t)seed, 1 + seed % 15, 1 + seed % 13, seed % 2);
        check_lcp(*state, perp_lcp_sample_game(&game), "game", seed);
        check_lcp(*state, perp_lcp_sample_plain_game(&game), "plain game", seed);
        perp_game_free(&game);
    }
}

static void infeasible_lcps_are_proved_so(void **state)
{
    for (int seed = 0; seed < 300; seed++) {
        PerpLcpSample *s = perp_lcp_sample_infeasible((uint64_t)seed, 1 + seed % 25);
        PerpLcpSettings settings = perp_default_lcp_settings();
        PerpLcpResult result;
        PerpLcpRayCertificate ray;
        settings.tolerance = TEST_TOLERANCE;
        assert_int_equal(perp_lcp_solve(*state, &s->lcp, &settings, &result, NULL), PERP_OK);
        assert_int_equal(result.outcome, PERP_OUTCOME_INFEASIBLE);
        perp_lcp_certify_ray(&s->lcp, &result.ray, &ray);
        assert_true(ray.farkas <= TEST_TOLERANCE && ray.q_dz < -TEST_TOLERANCE);
        perp_lcp_sample_free(s);
    }
}

// --- repeatability ------------------------------------------------------------------------------

typedef struct Answer {
    int velocities, rows, groups;
    double *v, *c, *lambda;
} Answer;

static double *copy_of(const double *x, int n)
{
    double *copy = malloc(((size_t)n + 1) * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

static Answer answer_of(PerpSolver *solver, const PerpProblem *p)
{
    PerpProblemResult r = solve_problem(solver, p, NULL);
    int velocities = perp_problem_velocities(p), rows = perp_problem_rows(p);
    return (Answer){velocities,         rows,
                    p->n_groups,        copy_of(r.v, velocities),
                    copy_of(r.c, rows), copy_of(r.lambda, p->n_groups)};
}

static void assert_same_bits(const Answer *a, const Answer *b)
{
    assert_memory_equal(a->v, b->v, (size_t)a->velocities * sizeof(double));
    assert_memory_equal(a->c, b->c, (size_t)a->rows * sizeof(double));
    assert_memory_equal(a->lambda, b->lambda, (size_t)a->groups * sizeof(double));
}

static void free_answer(Answer *a)
{
    free(a->v);
    free(a->c);
    free(a->lambda);
}

// the same problem again, after others, and by a new solver: the same bits
static void answers_repeat_to_the_last_bit(void **state)
{
    for (int seed = 0; seed < 100; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions options = perp_random_scene_options(&random, 12);
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        PerpSolver *fresh;
        assert_int_equal(perp_solver_create(NULL, &fresh), PERP_OK);
        Answer first = answer_of(*state, &p), again = answer_of(*state, &p);
        Answer other = answer_of(fresh, &p);
        assert_same_bits(&first, &again);
        assert_same_bits(&first, &other);
        free_answer(&first);
        free_answer(&again);
        free_answer(&other);
        perp_solver_destroy(fresh);
        perp_sample_free(sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_scenes),
        cmocka_unit_test(scenes_that_were_missed_once),
        cmocka_unit_test(integer_scenes_with_many_ties),
        cmocka_unit_test(redundant_joints),
        cmocka_unit_test(mass_ratios),
        cmocka_unit_test(masses_that_are_not_symmetric),
        cmocka_unit_test(friction_from_none_to_ten),
        cmocka_unit_test(rods),
        cmocka_unit_test(grasps),
        cmocka_unit_test(stacks),
        cmocka_unit_test(tables_grooves_and_rings),
        cmocka_unit_test(lcps_of_every_family),
        cmocka_unit_test(games),
        cmocka_unit_test(infeasible_lcps_are_proved_so),
        cmocka_unit_test(answers_repeat_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

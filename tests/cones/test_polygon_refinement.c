// The last rung for second-order cones: polygons that are refined, and Newton's method on the
// normal map.
#include "cones/methods/direction_set.h"
#include "cones/methods/polygon_refinement.h"
#include "cones/operator/delassus.h"
#include "solve/certified.h"
#include "solve/solver.h"

#include "solving.h"

#include "failing_allocator.h"
#include "generate.h"

#include <math.h>
#include <string.h>

static const double accuracy = 1e-8;

static PerpSample *make_scene(int seed, int max_contacts)
{
    PerpRandom random = perp_random((uint64_t)seed);
    PerpSceneOptions options = perp_random_scene_options(&random, max_contacts);
    options.circular = true;
    options.integer = false;
    return perp_sample_scene((uint64_t)seed, &options);
}

// --- whole problems -----------------------------------------------------------------------------

// Problems that all other rungs miss: contacts that slip by little, and large mass ratios.
static const struct Hard {
    int seed, max_contacts;
} hard[] = {{2607, 6}, {8187, 6}, {20854, 15}, {40909, 40}, {51822, 40}};

static void solves_what_other_rungs_miss(void **state)
{
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
        PerpSample *sample = make_scene(hard[k].seed, hard[k].max_contacts);
        PerpProblem p = perp_sample_problem(sample);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        PerpCertificate anew;
        settings.tolerance = accuracy;
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &anew, NULL),
                         PERP_OK);
        if (result.outcome != PERP_OUTCOME_SOLVED || !(anew.worst <= accuracy))
            fail_msg("scene %d: %s, %.2e", hard[k].seed, perp_residual_name(anew.worst_kind),
                     anew.worst);
        perp_sample_free(sample);
    }
}

// The best certificate of what the method asks about.
static double judge_point(void *user, const PerpProblem *p, const PerpPoint *point, double enough,
                          double *of_contact)
{
    (void)enough;
    double *best = user;
    PerpCertificate certificate;
    assert_int_equal(perp_certify_contacts(NULL, p, point->v, point->c, point->lambda, &certificate,
                                           of_contact, NULL),
                     PERP_OK);
    if (best)
        *best = fmin(*best, certificate.worst);
    return certificate.worst;
}

static void refine_alone(int seed, int max_contacts)
{
    PerpSolver *solver;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    PerpSample *sample = make_scene(seed, max_contacts);
    PerpProblem p = perp_sample_problem(sample);
    PerpConeProblem cones;
    double worst = INFINITY;
    assert_true(perp_cones_build(&solver->arena, NULL, &p, &cones));
    assert_true(perp_delassus_analyse(&cones));
    PerpPolygonRefinement refine = {.arena = &solver->arena,
                                    .cones = &cones,
                                    .judge = {judge_point, &worst, &perp_certified_lcp_judge},
                                    .of_polygons = {judge_point, NULL, &perp_certified_lcp_judge},
                                    .tolerance = accuracy,
                                    .start =
                                        PERP_TAKE(&solver->arena, double, 3 * cones.n_constraints)};
    if (!perp_polygon_refinement(&refine))
        fail_msg("scene %d, %d contacts: %.2e", seed, p.n_contacts, worst);
    assert_false(refine.memory_short);
    assert_true(worst <= accuracy);
    perp_sample_free(sample);
    perp_solver_destroy(solver);
}

static void solves_without_other_rungs(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 200; seed++)
        refine_alone(seed, 6);
    for (int seed = 20001; seed <= 20020; seed++)
        refine_alone(seed, 15);
}

static void says_when_memory_is_short(void **state)
{
    PerpSample *sample = make_scene(hard[0].seed, hard[0].max_contacts);
    PerpProblem p = perp_sample_problem(sample);
    PerpProblemSettings settings = perp_default_problem_settings();
    (void)state;
    settings.tolerance = accuracy;
    for (int fail_at = 2, failed = 1; failed; fail_at++) {
        PerpFailingAllocator memory = {.fail_at = fail_at};
        PerpContext context = perp_failing_context(&memory);
        PerpSolver *solver;
        PerpProblemResult result;
        assert_int_equal(perp_solver_create(&context, &solver), PERP_OK);
        PerpStatus status = perp_problem_solve(solver, &p, &settings, &result, NULL);
        failed = memory.calls >= fail_at;
        assert_int_equal(status, failed ? PERP_NO_MEMORY : PERP_OK);
        perp_solver_destroy(solver);
        assert_int_equal(memory.live, 0);
    }
    perp_sample_free(sample);
}

// --- Newton's method ----------------------------------------------------------------------------

// A point of mass 2 on the ground whose friction, 0.5 of the impulse 4, a push of 2 + slip along x
// just overcomes.
static PerpSample *make_block(double slip)
{
    static const double Mt[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double b[3] = {2 + slip, 0, -4};
    static const double normal[3] = {0, 0, 1}, tangent[2][3] = {{1, 0, 0}, {0, 1, 0}};
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 3, Mt, b);
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, normal, 0});
    perp_sample_add_circular_group(s, contact, 0.5, 0);
    for (int k = 0; k < 2; k++)
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, tangent[k], 0});
    return s;
}

// Half a radian off, whatever the slip: few steps all the same.
static void finds_the_direction_of_any_slip(void **state)
{
    static const PerpNewtonNormalParameters mode = {1e-4, 0.3, 10};
    for (double slip = 1; slip > 1e-11; slip /= 100) {
        PerpSample *s = make_block(slip);
        PerpProblem p = perp_sample_problem(s);
        PerpConeProblem cones;
        PerpSolver *solver = *state;
        perp_arena_rewind(&solver->arena);
        assert_true(perp_cones_build(&solver->arena, NULL, &p, &cones));
        assert_true(perp_delassus_analyse(&cones));
        double r_n = 4 / (cones.constraint[0].scale[0] * cones.speed), r[3];
        double x[3] = {r_n * (1 - 1e-12), -r_n * cos(0.5), r_n * sin(0.5)};
        int steps = 8;
        double residual = perp_newton_normal(&solver->arena, &cones, &mode, 1e-15, &steps, x);
        perp_newton_normal_impulses(&cones, x, r);
        if (!(residual <= 1e-15))
            fail_msg("slip %g: %.1e after %d steps", slip, residual, steps);
        assert_true(fabs(r[0] - r_n) < 1e-13 && fabs(r[1] + r_n) < 1e-13 && fabs(r[2]) < 1e-13);
        perp_sample_free(s);
    }
}

// --- direction sets ------------------------------------------------------------------------------

static void fans_keep_vertices_and_basis(void **state)
{
    static const PerpDirectionSetStart even = {6, 0};
    static const double centre[1] = {1.2};
    int start[2], next_start[2] = {0};
    double angle[PERP_DIRECTION_SET_SIZE], next_angle[PERP_DIRECTION_SET_SIZE], nearest = INFINITY;
    PerpDirectionSet directions = {start, angle}, next = {next_start, next_angle};
    signed char basis[9] = {1, 0, 1, 1, 0, 0, 0, 0, 1}; // normal, six directions, two behind
    signed char next_basis[3 + PERP_DIRECTION_SET_SIZE];
    PerpSample *s = make_block(1);
    PerpProblem p = perp_sample_problem(s);
    (void)state;
    perp_direction_set_begin(&p, &even, &directions);
    assert_int_equal(directions.start[1], 6);
    perp_direction_set_refine(&p, &even, &directions, basis + 1, centre, &next);
    int count = next.start[1];
    for (int k = 0; k < count; k++) {
        assert_true(next.angle[k] >= 0 && next.angle[k] < 6.283185307179587);
        assert_true(k == 0 || next.angle[k] > next.angle[k - 1]);
        if (next.angle[k] != centre[0])
            nearest = fmin(nearest, fabs(next.angle[k] - centre[0]));
    }
    assert_true(nearest < 0.01);
    assert_int_equal(perp_direction_set_carry(&p, &directions, &next, 1, 2, basis, next_basis),
                     1 + count + 2);
    int used = 0;
    for (int k = 0; k < count; k++) {
        bool was = next.angle[k] == directions.angle[1] || next.angle[k] == directions.angle[2];
        assert_int_equal(next_basis[1 + k], was);
        used += was;
    }
    assert_int_equal(used, 2);
    assert_int_equal(next_basis[0], 1);
    assert_int_equal(next_basis[1 + count], 0);
    assert_int_equal(next_basis[2 + count], 1);
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_what_other_rungs_miss),
        cmocka_unit_test(solves_without_other_rungs),
        cmocka_unit_test(says_when_memory_is_short),
        cmocka_unit_test(finds_the_direction_of_any_slip),
        cmocka_unit_test(fans_keep_vertices_and_basis),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

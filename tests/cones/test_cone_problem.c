// Round friction cones: the exact law, whatever the direction.
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

static const double accuracy = 1e-8;

static PerpProblemSettings settings_of_tests(void)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.tolerance = accuracy;
    return settings;
}

// A point of mass 2 on the ground, pushed by b, friction 0.5.
static PerpSample *make_block(double push_x, double push_y)
{
    static const double Mt[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double b[3] = {push_x, push_y, -4};
    static const double normal[3] = {0, 0, 1}, tangent[2][3] = {{1, 0, 0}, {0, 1, 0}};
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 3, Mt, b);
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, normal, 0});
    perp_sample_add_circular_group(s, contact, 0.5, 0);
    for (int k = 0; k < 2; k++)
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, tangent[k], 0});
    return s;
}

// |b_T| = 5 against friction 0.5 * 4: v = (5 - 2)/2 along b_T, in any direction
static void slides_alike_in_all_directions(void **state)
{
    for (int degrees = 0; degrees < 360; degrees += 17) {
        double angle = degrees * 3.14159265358979323846 / 180;
        PerpSample *s = make_block(5 * cos(angle), 5 * sin(angle));
        PerpProblem p = perp_sample_problem(s);
        PerpProblemSettings settings = settings_of_tests();
        PerpProblemResult result;
        settings.tolerance = 1e-12;
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
        assert_true(fabs(result.v[0] - 1.5 * cos(angle)) < 1e-11);
        assert_true(fabs(result.v[1] - 1.5 * sin(angle)) < 1e-11);
        assert_true(fabs(result.v[2]) < 1e-11);
        assert_true(fabs(result.lambda[0] - 1.5) < 1e-11);
        perp_sample_free(s);
    }
}

static void sticks_below_the_limit(void **state)
{
    PerpSample *s = make_block(1.2, -1.5); // |b_T| = 1.92 < 2
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = settings_of_tests();
    PerpProblemResult result;
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(result.v[i]) < 1e-9);
    perp_sample_free(s);
}

// The same problem again from its own impulses costs nothing; a slightly different one, little.
static void starts_from_given_impulses(void **state)
{
    PerpSample *s = make_block(3, 4);
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = settings_of_tests();
    PerpProblemResult result;
    double start[3];
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.solved_by, PERP_METHOD_NSGS); // one contact: one sweep
    memcpy(start, result.c, sizeof start);
    settings.start = start;
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.solved_by, PERP_METHOD_WARM_START);
    assert_int_equal(result.iterations, 0);
    s->b.at[0] = 3.1;
    p = perp_sample_problem(s);
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_int_equal(result.solved_by, PERP_METHOD_NSGS);
    perp_sample_free(s);
}

// Every part of the law shows in the certificate when it is broken.
static void certificate_sees_errors(void **state)
{
    PerpSample *s = make_block(3, 4);
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = settings_of_tests();
    PerpProblemResult result;
    PerpCertificate certificate;
    double v[3], c[3];
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    const double turned[2] = {result.c[1] - 1e-3 * result.c[2], result.c[2] + 1e-3 * result.c[1]};
    for (int broken = 0; broken < 3; broken++) {
        memcpy(c, result.c, sizeof c);
        if (broken == 0) // friction against another direction than the slip's
            memcpy(c + 1, turned, sizeof turned);
        else if (broken == 1) // more friction than the cone has
            c[1] *= 1.001, c[2] *= 1.001;
        else // less, though it slides
            c[1] *= 0.999, c[2] *= 0.999;
        for (int i = 0; i < 3; i++) // momentum holds all the same
            v[i] = (p.b[i] + c[(i + 1) % 3]) / 2;
        assert_int_equal(perp_certify(NULL, &p, v, c, result.lambda, &certificate, NULL), PERP_OK);
        assert_true(certificate.worst > 1e-5);
        assert_true(certificate.worst_kind == PERP_RESIDUAL_DISSIPATION ||
                    certificate.worst_kind == PERP_RESIDUAL_CONE);
    }
    perp_sample_free(s);
}

// The gap of impulses c, with the velocities that momentum gives them.
static PerpGap gap_of(const PerpProblem *p, const double *c, double *v)
{
    PerpGap gap;
    for (int i = 0; i < 3; i++)
        v[i] = (p->b[i] + c[(i + 1) % 3]) / 2;
    assert_int_equal(perp_certify_gap(NULL, p, v, c, &gap, NULL), PERP_OK);
    return gap;
}

static PerpHeld held_of(const PerpProblem *p, const double *c, double slip)
{
    PerpHeld held;
    double v[3];
    gap_of(p, c, v);
    assert_int_equal(perp_certify_held(NULL, p, v, c, &slip, &held, NULL), PERP_OK);
    return held;
}

// With the slip s held the block, mu = 1/2, slides as u_n = mu (u_T - s):
//     2 u_T = 5 - N/2,  2 u_n = N - 4   gives   N = 4 + (1.5 - s) / 1.25
// s = 1.5, the exact law, N = 4 and v = (1.5, 0, 0); s = 0, the convex relaxation, N = 5.2 and
// v = (1.2, 0, 0.6)
static void slip_held_is_certified(void **state)
{
    (void)state;
    PerpSample *s = make_block(5, 0);
    PerpProblem p = perp_sample_problem(s);
    double v[3];
    assert_true(gap_of(&p, (const double[]){4, -2, 0}, v).velocity < 1e-7);
    assert_true(gap_of(&p, (const double[]){5.2, -2.6, 0}, v).velocity > 0.1);
    for (double slip = 0; slip <= 2; slip += 0.25) {
        double N = 4 + (1.5 - slip) / 1.25, u_n = (N - 4) / 2;
        PerpHeld held = held_of(&p, (const double[]){N, -N / 2, 0}, slip);
        assert_true(held.residual < 1e-15 && fabs(held.gap_speed - fabs(u_n)) < 1e-15);
        assert_int_equal(held.contacts, slip != 1.5);
        assert_true(held_of(&p, (const double[]){N, -N / 2, 0}, slip + 0.1).residual > 1e-3);
        assert_true(held_of(&p, (const double[]){N, -0.49 * N, 0}, slip).residual > 1e-3);
    }
    assert_true(held_of(&p, (const double[]){4, -2, 0}, 1.5).gap_speed < 1e-15);
    perp_sample_free(s);
}

// Momentum counts: the certificate of impulses with other velocities than theirs.
static void slip_held_knows_momentum(void **state)
{
    (void)state;
    PerpSample *s = make_block(5, 0);
    PerpProblem p = perp_sample_problem(s);
    PerpHeld held;
    const double v[3] = {1.2, 0, 0.6}, c[3] = {5.3, -2.65, 0}, slip = 0;
    assert_int_equal(perp_certify_held(NULL, &p, v, c, &slip, &held, NULL), PERP_OK);
    assert_true(held.residual > 1e-3);
    perp_sample_free(s);
}

// |v - v*|_M is no more than the gap says, however wrong the impulses
static void gap_bounds_velocities(void **state)
{
    (void)state;
    PerpSample *s = make_block(5, 0);
    PerpProblem p = perp_sample_problem(s);
    for (int k = -40; k <= 40; k++) {
        double more = 1 + 0.01 * k, v[3];
        PerpGap gap = gap_of(&p, (const double[]){4 * more, -2 * more, 0}, v);
        double wrong = 2 * ((v[0] - 1.5) * (v[0] - 1.5) + v[2] * v[2]);
        double moved = (20 * more * more) / 2; // |v - v_f|^2_M = c'c / 2
        assert_true(sqrt(wrong) <= gap.velocity * sqrt(moved) + 1e-12);
    }
    perp_sample_free(s);
}

// Joints, boxes, redundant rows, mass ratios to 1e8, asymmetric masses.
static void check_scenes(PerpSolver *solver, int first_seed, int count, int max_contacts)
{
    for (int seed = first_seed; seed < first_seed + count; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions options = perp_random_scene_options(&random, max_contacts);
        PerpProblemSettings settings = settings_of_tests();
        PerpProblemResult result;
        PerpCertificate certificate;
        options.circular = true;
        options.integer = false;
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(
            perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL), PERP_OK);
        if (result.outcome != PERP_OUTCOME_SOLVED || !(certificate.worst <= accuracy))
            fail_msg("scene %d, %d contacts: %s, %.2e", seed, p.n_contacts,
                     perp_residual_name(certificate.worst_kind), certificate.worst);
        perp_sample_free(sample);
    }
}

static void small_scenes(void **state)
{
    check_scenes(*state, 1, 3000, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_alike_in_all_directions),
        cmocka_unit_test(sticks_below_the_limit),
        cmocka_unit_test(starts_from_given_impulses),
        cmocka_unit_test(certificate_sees_errors),
        cmocka_unit_test(slip_held_is_certified),
        cmocka_unit_test(slip_held_knows_momentum),
        cmocka_unit_test(gap_bounds_velocities),
        cmocka_unit_test(small_scenes),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

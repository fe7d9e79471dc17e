// Compliant rows, y = J v + C c + d: closed forms, random problems, and the rigid limit.
#include "random_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 4096 };

static double compliance[MOST_ROWS];

static PerpProblem with_compliance(PerpSample *sample)
{
    PerpProblem p = perp_sample_problem(sample);
    assert_true(perp_problem_rows(&p) <= MOST_ROWS);
    memset(compliance, 0, sizeof compliance);
    p.compliance = compliance;
    return p;
}

// A body of one velocity, mass 2 and momentum b, with a row J = 1.
static PerpSample *slider(double b)
{
    PerpSample *s = perp_sample_create();
    const double mass = 2;
    perp_sample_add_body(s, 1, &mass, &b);
    return s;
}

static PerpSampleRow row_of_slider(double d)
{
    static const int body = 0;
    static const double one = 1;
    return (PerpSampleRow){1, &body, &one, d};
}

// u + C r + d = 0 with u = (b + r)/m:  r = -(b/m + d)/(1/m + C)
static void a_spring_is_a_compliant_joint(void **state)
{
    for (double C = 1e-18; C < 1e18; C *= 1e3) {
        PerpSample *s = slider(3);
        perp_sample_add_joint(s, row_of_slider(0.25));
        PerpProblem p = with_compliance(s);
        compliance[0] = C;
        PerpProblemResult result = solve_problem(*state, &p, NULL);
        double r = -(1.5 + 0.25) / (0.5 + C);
        assert_true(fabs(result.c[0] - r) <= 1e-12 * fabs(r));
        assert_true(fabs(result.v[0] - (3 + r) / 2) <= 1e-12);
        perp_sample_free(s);
    }
}

// The same between bounds: a servo that saturates.
static void a_servo_saturates(void **state)
{
    const double force[] = {0.1, 10};
    for (int i = 0; i < 2; i++) {
        PerpSample *s = slider(3);
        perp_sample_add_box(s, row_of_slider(0.25), -force[i], force[i]);
        PerpProblem p = with_compliance(s);
        compliance[0] = 0.5;
        PerpProblemResult result = solve_problem(*state, &p, NULL);
        double r = fmax(-1.75, -force[i]);
        assert_true(fabs(result.c[0] - r) <= 1e-12);
        perp_sample_free(s);
    }
}

// 0 <= u + C r + d  perp  r >= 0
static void a_soft_contact_pushes_only(void **state)
{
    const double b[] = {-3, 3};
    for (int i = 0; i < 2; i++) {
        PerpSample *s = slider(b[i]);
        perp_sample_add_contact(s, row_of_slider(0.25));
        PerpProblem p = with_compliance(s);
        compliance[0] = 0.5;
        PerpProblemResult result = solve_problem(*state, &p, NULL);
        assert_true(fabs(result.c[0] - fmax(0, -(b[i] / 2 + 0.25))) <= 1e-12);
        perp_sample_free(s);
    }
}

static void rigid_answers_are_refused(void **state)
{
    PerpSample *s = slider(-3);
    PerpCertificate certificate;
    perp_sample_add_contact(s, row_of_slider(0));
    PerpProblem p = with_compliance(s);
    PerpProblemResult result = solve_problem(*state, &p, NULL); // C = 0
    compliance[0] = 0.5;
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    assert_true(certificate.worst > 0.1);
    perp_sample_free(s);
}

static void bad_compliances_are_refused(void **state)
{
    PerpSceneOptions options = perp_default_scene_options();
    PerpSample *s = perp_sample_scene(1, &options);
    PerpProblem p = with_compliance(s);
    PerpProblemResult result;
    PerpError error;
    const double bad[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        compliance[1] = bad[i];
        assert_int_equal(perp_problem_solve(*state, &p, NULL, &result, &error), PERP_BAD_VALUE);
        assert_non_null(strstr(error.message, "compliance of row 1"));
    }
    compliance[1] = 0;
    compliance[p.n_joints + p.n_boxes + p.n_contacts] = 1;
    assert_int_equal(perp_problem_solve(*state, &p, NULL, &result, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "a friction direction"));
    perp_sample_free(s);
}

// Some rows of all kinds, from rigid to slack.
static void soften(PerpRandom *random, const PerpProblem *p)
{
    int rows = p->n_joints + p->n_boxes + p->n_contacts;
    for (int r = 0; r < rows; r++)
        if (perp_random_coin(random))
            compliance[r] = pow(10, perp_random_uniform(random, -12, 6));
}

static void check_random(PerpSolver *solver, int seed, const PerpSceneOptions *options)
{
    PerpRandom random = perp_random((uint64_t)seed);
    PerpSample *sample = perp_sample_scene((uint64_t)seed, options);
    PerpProblem p = with_compliance(sample);
    PerpProblemResult result;
    PerpProblemSettings settings = perp_default_problem_settings();
    soften(&random, &p);
    assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
    PerpCertificate certificate;
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    bool gains = certificate.symmetric && certificate.energy_excess > 1e-8;
    if (result.outcome != PERP_OUTCOME_SOLVED || certificate.worst != result.certificate.worst ||
        gains)
        fail_msg("scene %d: %s, %s %.2e, energy excess %.2e", seed,
                 perp_outcome_name(result.outcome), perp_residual_name(certificate.worst_kind),
                 certificate.worst, certificate.energy_excess);
    perp_sample_free(sample);
}

// Polygons and frictionless rows by pivoting, circular cones, product cones.
static void random_problems_are_solved(void **state)
{
    for (int seed = 1; seed <= 300; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions options = perp_random_scene_options(&random, 12);
        options.circular = seed % 3 > 0;
        options.product = seed % 3 > 1;
        if (options.product)
            options.cohesion = 0;
        options.mass_ratio = fmin(options.mass_ratio, 1e4);
        check_random(*state, seed, &options);
    }
}

// |v(C) - v(0)| = O(C): the observed rate over two decades. The law may have several answers: the
// rigid one is sought from the impulses of the stiffest.
static void compliance_to_zero_is_rigid(void **state)
{
    enum { LEVELS = 3 };
    static double v[LEVELS][MOST_ROWS], c[MOST_ROWS];
    for (int seed = 1; seed <= 20; seed++) {
        PerpSceneOptions options = perp_default_scene_options();
        options.circular = true;
        options.mu_min = 0.05;
        options.mu_max = 0.1;
        options.balls = 2;
        options.motors = 1;
        options.motion = PERP_SCENE_IMPACTING;
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = with_compliance(sample);
        PerpProblemSettings settings = perp_default_problem_settings();
        settings.tolerance = 1e-10;
        double error[LEVELS] = {0}, C = 1e-4;
        int n = perp_problem_velocities(&p), rows = p.n_joints + p.n_boxes + p.n_contacts;
        for (int level = 0; level < LEVELS; level++, C /= 10) {
            for (int r = 0; r < rows; r++)
                compliance[r] = C;
            PerpProblemResult result = solve_problem(*state, &p, &settings);
            memcpy(v[level], result.v, (size_t)n * sizeof **v);
            memcpy(c, result.c, (size_t)perp_problem_rows(&p) * sizeof *c);
        }
        memset(compliance, 0, sizeof compliance);
        settings.start = c;
        PerpProblemResult rigid = solve_problem(*state, &p, &settings);
        for (int level = 0; level < LEVELS; level++)
            for (int i = 0; i < n; i++)
                error[level] = fmax(error[level], fabs(v[level][i] - rigid.v[i]));
        assert_true(error[0] > 0);
        double rate = log10(error[1] / error[2]);
        if (!(rate > 0.95 && rate < 1.05))
            fail_msg("scene %d: errors %.3e %.3e %.3e, rate %.3f", seed, error[0], error[1],
                     error[2], rate);
        perp_sample_free(sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_is_a_compliant_joint),
        cmocka_unit_test(a_servo_saturates),
        cmocka_unit_test(a_soft_contact_pushes_only),
        cmocka_unit_test(rigid_answers_are_refused),
        cmocka_unit_test(bad_compliances_are_refused),
        cmocka_unit_test(random_problems_are_solved),
        cmocka_unit_test(compliance_to_zero_is_rigid),
    };
    return cmocka_run_group_tests_name("compliance", tests, create_solver, destroy_solver);
}

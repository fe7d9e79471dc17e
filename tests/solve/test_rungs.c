// Rungs of the ladder that can be demanded: left alone with problems that suit them, they solve
// them to the tolerance, and the result says so. Certificates are computed again.
#include "generate.h"
#include "solving.h"

#include <math.h>

enum { SCENES = 12 };

typedef struct Demand {
    PerpMethod method;
    int contacts;     // of a random scene
    bool product;     // torsion and rolling
    double tolerance; //
    int least;        // of SCENES that are solved by it
} Demand;

static const Demand demands[] = {
    {PERP_METHOD_NSGS, 12, false, 1e-6, 3},         {PERP_METHOD_APGD, 80, false, 1e-4, 8},
    {PERP_METHOD_NEWTON_LOCAL, 80, false, 1e-8, 4}, {PERP_METHOD_NEWTON, 12, false, 1e-8, 4},
    {PERP_METHOD_PROXIMAL, 20, false, 1e-8, 8},     {PERP_METHOD_INTERIOR, 20, false, 1e-8, 8},
    {PERP_METHOD_PROXIMAL, 12, true, 1e-8, 6},
};

static PerpSample *scene(uint64_t seed, const Demand *demand)
{
    PerpSceneOptions options = perp_default_scene_options();
    options.bodies = 1 + demand->contacts / 4;
    options.contacts = demand->contacts;
    options.circular = true;
    options.product = options.torsion = options.rolling = demand->product;
    options.motion = PERP_SCENE_SLIDING;
    return perp_sample_scene(seed, &options);
}

static bool solves(PerpSolver *solver, const Demand *demand, uint64_t seed)
{
    PerpSample *sample = scene(seed, demand);
    PerpProblem p = perp_sample_problem(sample);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpCertificate certificate;
    settings.methods = PERP_METHOD_BIT(demand->method);
    settings.tolerance = demand->tolerance;
    assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    bool solved = result.outcome == PERP_OUTCOME_SOLVED;
    assert_int_equal(solved, certificate.worst <= demand->tolerance);
    if (solved)
        assert_int_equal(result.solved_by, demand->method);
    perp_sample_free(sample);
    return solved;
}

static void test_each_rung_alone(void **state)
{
    for (size_t k = 0; k < sizeof demands / sizeof *demands; k++) {
        int solved = 0;
        for (uint64_t seed = 1; seed <= SCENES; seed++)
            solved += solves(*state, &demands[k], seed);
        if (solved < demands[k].least)
            fail_msg("%s solves %d of %d, not %d", perp_method_name(demands[k].method), solved,
                     SCENES, demands[k].least);
    }
}

// A block of mass 2 that slides with friction 0.5, v = (5, 0, -4)/2 before. Of the exact law
// c = (4, -2, 0), v = (1.5, 0, 0); of the convex relaxation, which lets what slides rise,
// c = (5.2, -2.6, 0), v = (1.2, 0, 0.6).
static void test_convex_relaxation(void **state)
{
    static const double Mt[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, b[3] = {5, 0, -4};
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 3, Mt, b);
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, axis[0], 0});
    perp_sample_add_circular_group(s, contact, 0.5, 0);
    for (int k = 1; k < 3; k++)
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, axis[k], 0});
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpGap gap;
    settings.methods = PERP_METHOD_BIT(PERP_METHOD_CONVEX);
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_RELAXED);
    assert_int_equal(result.solved_by, PERP_METHOD_CONVEX);
    assert_int_equal(perp_certify_gap(NULL, &p, result.v, result.c, &gap, NULL), PERP_OK);
    assert_true(gap.relaxed <= settings.tolerance && fabs(gap.lift - 0.6) < 1e-6);
    assert_true(fabs(result.v[0] - 1.2) < 1e-6 && fabs(result.v[2] - 0.6) < 1e-6);
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_rung_alone),
                                       cmocka_unit_test(test_convex_relaxation)};
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

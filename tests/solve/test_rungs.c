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
    {PERP_METHOD_PROXIMAL, 20, false, 1e-8, 8},     {PERP_METHOD_PROXIMAL, 12, true, 1e-8, 6},
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

// The law with slip held, by gradients and by interior points: left alone with many contacts that
// slide it answers, is certified on that law, and is never called solved.
static void test_slip_held_alone(void **state)
{
    static const double tolerances[] = {1e-3, 1e-8};
    const Demand demand = {PERP_METHOD_SLIP_HELD, 80, false, 0, 0};
    for (int k = 0; k < 2; k++)
        for (uint64_t seed = 1; seed <= SCENES; seed++) {
            PerpSample *sample = scene(seed, &demand);
            PerpProblem p = perp_sample_problem(sample);
            PerpProblemSettings settings = perp_default_problem_settings();
            PerpProblemResult result;
            PerpHeld held;
            settings.methods =
                PERP_METHOD_BIT(PERP_METHOD_APGD) | PERP_METHOD_BIT(PERP_METHOD_SLIP_HELD);
            settings.tolerance = 1e-12;
            settings.held_tolerance = tolerances[k];
            assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
            assert_int_equal(result.outcome, PERP_OUTCOME_HELD);
            assert_int_equal(result.solved_by, PERP_METHOD_SLIP_HELD);
            assert_int_equal(
                perp_certify_held(NULL, &p, result.v, result.c, result.slip_held, &held, NULL),
                PERP_OK);
            assert_true(held.residual <= tolerances[k] && held.gap_speed == result.held.gap_speed);
            perp_sample_free(sample);
        }
}

static bool count(void *user)
{
    ++*(int *)user;
    return false;
}

// How often the caller was asked whether to go on.
static int asked(PerpSolver *solver, const PerpProblem *p, unsigned methods)
{
    int times = 0;
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    settings.methods = methods;
    settings.tolerance = 1e-16; // out of reach
    settings.interrupt = count;
    settings.interrupt_user = &times;
    assert_int_equal(perp_problem_solve(solver, p, &settings, &result, NULL), PERP_OK);
    return times;
}

// Between rungs the caller is asked in any case; also between the iterations of each, since one may
// take seconds.
static void test_each_rung_can_be_interrupted(void **state)
{
    for (size_t k = 0; k < sizeof demands / sizeof *demands; k++) {
        PerpSample *sample = scene(1, &demands[k]);
        PerpProblem p = perp_sample_problem(sample);
        int between = asked(*state, &p, 0);
        int within = asked(*state, &p, PERP_METHOD_BIT(demands[k].method)) - between;
        if (within < 3)
            fail_msg("%s asks %d times", perp_method_name(demands[k].method), within);
        perp_sample_free(sample);
    }
}

static bool agree(void *user)
{
    ++*(int *)user;
    return true;
}

// Dense pivots of many pairs: the caller's wish ends the path, and no other begins.
static void test_pivoting_can_be_interrupted(void **state)
{
    PerpSceneOptions options = perp_default_scene_options();
    options.bodies = 10;
    options.contacts = 40;
    PerpSample *sample = perp_sample_scene(1, &options);
    PerpProblem p = perp_sample_problem(sample);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    int between = asked(*state, &p, 0);
    int within = asked(*state, &p, PERP_METHOD_BIT(PERP_METHOD_PIVOTING)) - between;
    assert_true(within > 10);
    int times = 0;
    settings.methods = PERP_METHOD_BIT(PERP_METHOD_PIVOTING);
    settings.interrupt = agree;
    settings.interrupt_user = &times;
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_INTERRUPTED);
    assert_true(times < 10);
    perp_sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rung_alone), cmocka_unit_test(test_each_rung_can_be_interrupted),
        cmocka_unit_test(test_pivoting_can_be_interrupted), cmocka_unit_test(test_slip_held_alone)};
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}

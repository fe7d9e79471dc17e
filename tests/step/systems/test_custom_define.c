// Definitions of custom systems: derivatives that are given, mistakes, memory that runs short.

#include "../stepping.h"
#include "custom_systems.h"
#include "failing_allocator.h"

static const double START[2] = {0.6, -0.8}, ANGLES[2] = {1, 0.5}, AT_REST[2] = {0, 0};

static PerpStatus create(const PerpSystemDef *def, PerpSimulation **simulation, PerpError *error)
{
    return perp_simulation_create_custom(NULL, def, NULL, simulation, error);
}

// The definition is refused, with a message that has these words.
static void assert_refused(const PerpSystemDef *def, PerpStatus expected, const char *words)
{
    PerpSimulation *simulation;
    PerpError error;
    assert_int_equal(create(def, &simulation, &error), expected);
    assert_null(simulation);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" has no \"%s\"", error.message, words);
}

// --- derivatives --------------------------------------------------------------------------------

// The end after half a second.
static void run_half_second(const PerpSystemDef *def, double end[2])
{
    PerpSimulation *simulation;
    PerpError error;
    int n;
    if (create(def, &simulation, &error))
        fail_msg("%s", error.message);
    for (int k = 0; k < 500; k++)
        if (perp_simulation_step(simulation, 0, &error))
            fail_msg("%s", error.message);
    memcpy(end, perp_simulation_q(simulation, &n), 2 * sizeof *end);
    perp_simulation_destroy(simulation);
}

static void test_given_gradients_are_used(void **state)
{
    PerpSystemDef def = bead_def(START, AT_REST);
    double with[2], without[2];
    (void)state;
    run_half_second(&def, without);
    def.joint_gradients = wire_gradient;
    run_half_second(&def, with);
    assert_near(hypot(with[0] - without[0], with[1] - without[1]), 0, 1e-10);
}

static void test_right_force_derivatives_are_accepted(void **state)
{
    const double moving[2] = {1, -2};
    PerpSystemDef def = pendulum_def(ANGLES, moving);
    PerpSimulation *simulation;
    PerpError error;
    (void)state;
    def.force_derivatives = pendulum_derivatives;
    if (create(&def, &simulation, &error))
        fail_msg("%s", error.message);
    perp_simulation_destroy(simulation);
}

static void wrong_gradient(void *user, const double *q, double *nu)
{
    (void)user;
    nu[0] = q[0];
    nu[1] = -q[1];
}

static void wrong_k_q(void *user, double t, const double *q, const double *v, double *k_q,
                      double *k_v)
{
    pendulum_derivatives(user, t, q, v, k_q, k_v);
    k_q[2] += 0.01;
}

static void wrong_k_v(void *user, double t, const double *q, const double *v, double *k_q,
                      double *k_v)
{
    pendulum_derivatives(user, t, q, v, k_q, k_v);
    k_v[1] = -k_v[1];
}

static void nan_gradient(void *user, const double *q, double *nu)
{
    (void)user, (void)q;
    nu[0] = nu[1] = NAN;
}

static void test_wrong_derivatives_are_refused(void **state)
{
    const double moving[2] = {1, -2}, one = 1;
    PerpSystemDef joint = bead_def(START, AT_REST), constraint = joint, link = joint;
    PerpSystemDef pendulum = pendulum_def(ANGLES, moving);
    (void)state;
    joint.joint_gradients = wrong_gradient;
    assert_refused(&joint, PERP_BAD_VALUE,
                   "joint_gradients gives 0.8 in row 1, column 0 at the start, where differences");
    joint.joint_gradients = nan_gradient;
    assert_refused(&joint, PERP_BAD_VALUE, "joint_gradients");
    constraint.n_constraints = 1;
    constraint.constraints = wire;
    constraint.constraint_gradients = wrong_gradient;
    assert_refused(&constraint, PERP_BAD_VALUE, "constraint_gradients gives 0.8");
    link.n_links = 1;
    link.links = wire;
    link.stiffness = &one;
    link.link_gradients = wrong_gradient;
    assert_refused(&link, PERP_BAD_VALUE, "link_gradients gives 0.8");
    pendulum.force_derivatives = wrong_k_q;
    assert_refused(&pendulum, PERP_BAD_VALUE, "force_derivatives, k_q, gives");
    pendulum.force_derivatives = wrong_k_v;
    assert_refused(&pendulum, PERP_BAD_VALUE, "force_derivatives, k_v, gives");
}

// --- mistakes -----------------------------------------------------------------------------------

static void test_counts_and_missing_functions(void **state)
{
    PerpSystemDef good = bead_def(START, AT_REST), def = good;
    (void)state;
    def.n = 0;
    assert_refused(&def, PERP_BAD_VALUE, "n is 0");
    def.n = 1 << 30;
    assert_refused(&def, PERP_BAD_VALUE, "n is");
    def = good;
    def.n_joints = -1;
    assert_refused(&def, PERP_BAD_VALUE, "n_joints is -1");
    def = good;
    def.joints = NULL;
    assert_refused(&def, PERP_BAD_VALUE, "n_joints is 1, but there is no function `joints`");
    def = good;
    def.mass = NULL;
    assert_refused(&def, PERP_BAD_VALUE, "a system needs mass");
    def = good;
    def.position = NULL;
    assert_refused(&def, PERP_BAD_VALUE, "a system needs mass");
    def = good;
    def.n_constraints = 3;
    assert_refused(&def, PERP_BAD_VALUE, "n_constraints is 3");
    def = good;
    def.n_rates = 1;
    assert_refused(&def, PERP_BAD_VALUE, "n_rates is 1");
    def = good;
    def.n_links = 1;
    assert_refused(&def, PERP_BAD_VALUE, "n_links is 1");
    def = good;
    def.n_tangents = 3;
    def.tangents = along_floor;
    assert_refused(&def, PERP_BAD_VALUE, "n_tangents is 3");
    def.n_tangents = -1;
    assert_refused(&def, PERP_BAD_VALUE, "n_tangents is -1");
}

// Sizes that would not fit into an int together.
static void test_systems_beyond_all_memory(void **state)
{
    static double zeros[4096];
    PerpSystemDef def = floor_def(zeros, zeros, NULL, NULL);
    (void)state;
    def.n = 4096;
    def.n_constraints = 65536;
    def.n_tangents = 2;
    assert_refused(&def, PERP_BAD_SIZE, "rows of 4096 numbers");
}

static void test_numbers_out_of_range(void **state)
{
    const double wrong[] = {-0.1, 1.5, NAN, INFINITY}, nan_start[2] = {0, NAN};
    PerpSystemDef def;
    (void)state;
    for (int k = 0; k < 4; k++) {
        def = floor_def(START, AT_REST, &wrong[k], NULL);
        assert_refused(&def, PERP_BAD_VALUE, "restitution[0] is");
        if (wrong[k] == 1.5)
            continue;
        def = floor_def(START, AT_REST, NULL, &wrong[k]);
        assert_refused(&def, PERP_BAD_VALUE, "mu[0] is");
        def = point_def(START, AT_REST);
        def.n_links = 1;
        def.links = wire;
        def.stiffness = &wrong[k];
        assert_refused(&def, PERP_BAD_VALUE, "stiffness[0] is");
        def.stiffness = NULL;
        def.damping = &wrong[k];
        assert_refused(&def, PERP_BAD_VALUE, "damping[0] is");
    }
    def = point_def(nan_start, AT_REST);
    assert_refused(&def, PERP_BAD_VALUE, "not finite");
    def = point_def(START, nan_start);
    assert_refused(&def, PERP_BAD_VALUE, "not finite");
}

// user: the four numbers of M
static void given_mass(void *user, const double *q, double *M)
{
    (void)q;
    memcpy(M, user, 4 * sizeof *M);
}

static void test_wrong_mass_matrices(void **state)
{
    double asymmetric[] = {1, 0.5, 0, 1}, indefinite[] = {1, 2, 2, 1}, none[4] = {0};
    double infinite[] = {1, 0, 0, INFINITY};
    PerpSystemDef def = point_def(START, AT_REST);
    (void)state;
    def.mass = given_mass;
    def.user = asymmetric;
    assert_refused(&def, PERP_BAD_MASS, "not symmetric");
    def.user = indefinite;
    assert_refused(&def, PERP_BAD_MASS, "not positive definite");
    def.user = none;
    assert_refused(&def, PERP_BAD_MASS, "not positive definite");
    def.user = infinite;
    assert_refused(&def, PERP_BAD_VALUE, "not finite");
}

// --- functions that go wrong during the run -----------------------------------------------------

// user: counts down to the call that gives NaN.
static void force_that_breaks(void *user, double t, const double *q, const double *v, double *k)
{
    int *calls = user;
    weight(NULL, t, q, v, k);
    if (--*calls <= 0)
        k[1] = NAN;
}

static void constraint_that_breaks(void *user, const double *q, double *phi)
{
    int *calls = user;
    phi[0] = --*calls <= 0 ? NAN : q[1];
}

// The steps before it count, the one that fails leaves the state as it was.
static void check_break(PerpSystemDef def, const char *scheme)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    PerpError error;
    PerpStatus status = PERP_OK;
    double before[2] = {0, 0};
    int n, calls = 200;
    def.user = &calls;
    settings.scheme = scheme;
    if (perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error))
        fail_msg("%s", error.message);
    for (int k = 0; k < 400 && !status; k++) {
        memcpy(before, perp_simulation_q(simulation, &n), sizeof before);
        status = perp_simulation_step(simulation, 0, &error);
    }
    assert_int_not_equal(status, PERP_OK);
    assert_true(strlen(error.message) > 0);
    assert_memory_equal(before, perp_simulation_q(simulation, &n), sizeof before);
    perp_simulation_destroy(simulation);
}

static void test_functions_that_give_nan(void **state)
{
    const double high[2] = {0, 5};
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpSystemDef force = point_def(high, AT_REST);
        PerpSystemDef constraint = floor_def(high, AT_REST, NULL, NULL);
        force.force = force_that_breaks;
        check_break(force, perp_scheme_name(scheme));
        constraint.constraints = constraint_that_breaks;
        check_break(constraint, perp_scheme_name(scheme));
    }
}

// --- memory -------------------------------------------------------------------------------------

static void one_rate(void *user, const double *q, double *column)
{
    (void)user, (void)q;
    column[0] = 1;
    column[1] = 0;
}

// Everything that a system may have, falling onto the floor.
static PerpSystemDef rich_def(void)
{
    static const double start_at[2] = {0.6, 0.8}, moving[2] = {0.8, -0.6}, half = 0.5;
    PerpSystemDef def = floor_def(start_at, moving, &half, &half);
    def.n_joints = 1;
    def.joints = wire;
    def.joint_gradients = wire_gradient;
    def.n_rates = 1;
    def.rates = one_rate;
    def.n_links = 1;
    def.links = floor_gap;
    def.stiffness = def.damping = &half;
    return def;
}

static PerpStatus create_and_step(const PerpContext *context, int scheme)
{
    PerpSystemDef def = rich_def();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    settings.scheme = perp_scheme_name(scheme);
    settings.step = 0.01;
    PerpStatus status = perp_simulation_create_custom(context, &def, &settings, &simulation, NULL);
    for (int k = 0; k < 3 && !status; k++)
        status = perp_simulation_step(simulation, 0, NULL);
    perp_simulation_destroy(simulation);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        int fail_at = 1;
        for (PerpStatus status = PERP_NO_MEMORY; status; fail_at++) {
            PerpFailingAllocator memory = {.fail_at = fail_at};
            PerpContext context = perp_failing_context(&memory);
            status = create_and_step(&context, scheme);
            assert_true(status == PERP_OK || status == PERP_NO_MEMORY);
            assert_int_equal(memory.live, 0);
        }
        assert_true(fail_at > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_gradients_are_used),
        cmocka_unit_test(test_right_force_derivatives_are_accepted),
        cmocka_unit_test(test_wrong_derivatives_are_refused),
        cmocka_unit_test(test_counts_and_missing_functions),
        cmocka_unit_test(test_systems_beyond_all_memory),
        cmocka_unit_test(test_numbers_out_of_range),
        cmocka_unit_test(test_wrong_mass_matrices),
        cmocka_unit_test(test_functions_that_give_nan),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

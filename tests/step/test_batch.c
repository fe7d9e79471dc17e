// Batches: the same bits as one after the other, failures that stop only themselves, arrays.

#include "mixture.h"

#include "perp/batch.h"
#include "perp/system.h"

enum { COUNT = 5, STEPS = 12, EVERY = 4, ROWS = STEPS / EVERY };

static void start_all(PerpWorld *worlds, PerpSimulation **simulations, int scheme)
{
    for (int k = 0; k < COUNT; k++) {
        place_mixture(&worlds[k], scheme);
        worlds[k].bodies[0].velocity[0] = k; // each its own motion
        start(&worlds[k]);
        simulations[k] = worlds[k].simulation;
    }
}

static void end_all(PerpWorld *worlds)
{
    for (int k = 0; k < COUNT; k++)
        perp_world_end(&worlds[k]);
}

static void expect_same_state(const PerpSimulation *a, const PerpSimulation *b)
{
    int n_q, n_v;
    const double *q = perp_simulation_q(a, &n_q), *v = perp_simulation_v(a, &n_v);
    assert_memory_equal(q, perp_simulation_q(b, &n_q), (size_t)n_q * sizeof *q);
    assert_memory_equal(v, perp_simulation_v(b, &n_v), (size_t)n_v * sizeof *v);
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int threads = 0; threads < 4; threads++) {
            static PerpWorld alone[COUNT], batched[COUNT];
            PerpSimulation *one[COUNT], *many[COUNT];
            PerpBatchResult results[COUNT];
            PerpBatchOptions options = perp_default_batch_options();
            options.steps = STEPS;
            options.threads = threads;
            start_all(alone, one, scheme);
            start_all(batched, many, scheme);
            for (int k = 0; k < COUNT; k++)
                run(&alone[k], STEPS);
            assert_int_equal(perp_batch_step(many, COUNT, &options, results, NULL), PERP_OK);
            for (int k = 0; k < COUNT; k++) {
                assert_int_equal(results[k].error.status, PERP_OK);
                assert_int_equal(results[k].steps, STEPS);
                expect_same_state(one[k], many[k]);
            }
            end_all(alone);
            end_all(batched);
        }
}

// Rows of the arrays are what the functions for single bodies say at those steps.
static void test_arrays(void **state)
{
    (void)state;
    static PerpWorld alone[COUNT], batched[COUNT];
    static double t[COUNT][ROWS], position[COUNT][ROWS][PERP_WORLD_BODIES * 3],
        spin[COUNT][ROWS][PERP_WORLD_BODIES * 3], turn[COUNT][ROWS][PERP_WORLD_JOINTS * 2];
    PerpSimulation *one[COUNT], *many[COUNT];
    PerpStateArrays arrays[COUNT];
    start_all(alone, one, DEFAULT_SCHEME);
    start_all(batched, many, DEFAULT_SCHEME);
    int bodies = alone[0].def.n_bodies, joints = alone[0].def.n_joints;
    for (int k = 0; k < COUNT; k++) {
        arrays[k] = perp_default_state_arrays();
        arrays[k].t = t[k];
        arrays[k].position = position[k][0];
        arrays[k].spin = spin[k][0];
        arrays[k].coordinate = turn[k][0];
    }
    PerpBatchOptions options = perp_default_batch_options();
    options.steps = STEPS;
    options.every = EVERY;
    options.arrays = arrays;
    assert_int_equal(perp_batch_step(many, COUNT, &options, NULL, NULL), PERP_OK);
    for (int k = 0; k < COUNT; k++)
        for (int row = 0; row < ROWS; row++) {
            run(&alone[k], EVERY);
            assert_true(t[k][row] == perp_simulation_time(one[k]));
            for (int b = 0; b < bodies; b++) {
                double x[3], r[4], v[3], w[3];
                perp_simulation_pose(one[k], b, x, r);
                perp_simulation_velocity(one[k], b, v, w);
                assert_memory_equal(x, position[k][0] + 3 * (row * bodies + b), sizeof x);
                assert_memory_equal(w, spin[k][0] + 3 * (row * bodies + b), sizeof w);
            }
            const double *angle = turn[k][0] + 2 * row * joints;
            for (int j = 0; j < joints; j++) {
                bool hinge = alone[k].joints[j].kind == PERP_JOINT_HINGE;
                assert_true(angle[2 * j] == (hinge ? coordinate(&alone[k], j) : 0));
                assert_true(angle[2 * j + 1] == 0);
            }
        }
    end_all(alone);
    end_all(batched);
}

static void force_of_one(void *user, double t, int body, const double position[3],
                         const double rotation[4], double force[3], double torque[3])
{
    (void)user, (void)position, (void)rotation, (void)torque;
    if (t > 3.5 * 5e-3 && body == 0)
        force[0] = NAN;
}

static void test_a_failure_stops_only_itself(void **state)
{
    (void)state;
    static PerpWorld worlds[COUNT];
    PerpSimulation *simulations[COUNT];
    PerpBatchResult results[COUNT];
    for (int k = 0; k < COUNT; k++) {
        place_mixture(&worlds[k], DEFAULT_SCHEME);
        if (k == 2)
            worlds[k].settings.force = force_of_one;
        start(&worlds[k]);
        simulations[k] = worlds[k].simulation;
    }
    PerpBatchOptions options = perp_default_batch_options();
    options.steps = STEPS;
    assert_int_equal(perp_batch_step(simulations, COUNT, &options, results, NULL), PERP_OK);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(results[k].steps, k == 2 ? 4 : STEPS);
        assert_int_equal(results[k].error.status != PERP_OK, k == 2);
        assert_true(fabs(perp_simulation_time(simulations[k]) - 5e-3 * (k == 2 ? 4 : STEPS)) <
                    1e-12);
    }
    assert_true(strlen(results[2].error.message) > 0);
    end_all(worlds);
}

// A cart of 2 kg on a rail, pushed by its control: row r has the force r + k.
static void test_controls_and_sensors(void **state)
{
    (void)state;
    static const double half[3] = {0.1, 0.1, 0.1};
    PerpWorld worlds[2];
    PerpSimulation *simulations[2];
    PerpStateArrays arrays[2];
    double speed[2][ROWS][2], sensor[2][ROWS], controls[2][ROWS];
    PerpActuatorDef push = perp_default_actuator();
    PerpSensorDef measured = perp_default_sensor();
    push.joint = 0;
    measured.kind = PERP_SENSOR_JOINT_SPEED;
    for (int k = 0; k < 2; k++) {
        PerpWorld *w = &worlds[k];
        perp_world_init(w);
        choose(w, DEFAULT_SCHEME, 1e-2);
        int cart = perp_world_box(w, 2, half, 0, 0, 0);
        int rail = perp_world_joint(w, PERP_JOINT_SLIDER, -1, cart, 0, 0, 0);
        w->joints[rail].axis[0] = 1;
        w->joints[rail].axis[2] = 0;
        w->def.n_actuators = w->def.n_sensors = 1;
        w->def.actuators = &push;
        w->def.sensors = &measured;
        start(w);
        simulations[k] = w->simulation;
        arrays[k] = perp_default_state_arrays();
        arrays[k].speed = speed[k][0];
        arrays[k].sensor = sensor[k];
        for (int row = 0; row < ROWS; row++)
            controls[k][row] = row + k;
    }
    PerpBatchOptions options = perp_default_batch_options();
    PerpBatchResult results[2];
    options.steps = STEPS;
    options.every = EVERY;
    options.arrays = arrays;
    options.controls = controls[0];
    assert_int_equal(perp_batch_step(simulations, 2, &options, results, NULL), PERP_OK);
    for (int k = 0; k < 2; k++) {
        double v = 0;
        assert_int_equal(results[k].steps, STEPS);
        for (int row = 0; row < ROWS; row++) {
            v += EVERY * 1e-2 * (row + k) / 2;
            assert_true(fabs(speed[k][row][0] - v) < 1e-12);
            assert_true(sensor[k][row] == speed[k][row][0]);
        }
    }
    const double nan = NAN, infinite = INFINITY;
    assert_int_equal(perp_simulation_set_controls(simulations[0], &nan, NULL), PERP_OK);
    assert_true(perp_simulation_control(simulations[0], 0) == ROWS - 1);
    assert_int_equal(perp_simulation_set_controls(simulations[0], &infinite, NULL), PERP_BAD_VALUE);
    perp_world_end(&worlds[0]);
    perp_world_end(&worlds[1]);
}

static void expect_bad(PerpWorld *w, const PerpBatchOptions *options, int count, const char *word)
{
    PerpError error = {0};
    double before = perp_simulation_time(w->simulation);
    assert_int_not_equal(perp_batch_step(&w->simulation, count, options, NULL, &error), PERP_OK);
    assert_non_null(strstr(error.message, word));
    assert_true(perp_simulation_time(w->simulation) == before);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    PerpWorld w;
    place_mixture(&w, DEFAULT_SCHEME);
    start(&w);
    PerpBatchOptions bad = perp_default_batch_options();
    expect_bad(&w, &bad, -1, "-1");
    bad.steps = -1;
    expect_bad(&w, &bad, 1, "steps");
    bad = perp_default_batch_options();
    bad.h = NAN;
    expect_bad(&w, &bad, 1, "step");
    bad = perp_default_batch_options();
    bad.threads = -2;
    expect_bad(&w, &bad, 1, "threads");
    bad.size = 0;
    expect_bad(&w, &bad, 1, "perp_default_batch_options");
    PerpStateArrays none = {0};
    PerpError error = {0};
    assert_int_equal(perp_simulation_read(w.simulation, &none, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "perp_default_state_arrays"));
    perp_world_end(&w);
}

static void unit_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = 1;
}

static void test_custom_systems(void **state)
{
    (void)state;
    const double start_q[] = {2}, start_v[] = {3};
    double t, q, v, x[3];
    PerpSystemDef def = perp_default_system();
    def.n = 1;
    def.position = start_q;
    def.velocity = start_v;
    def.mass = unit_mass;
    PerpSimulation *sim;
    assert_int_equal(perp_simulation_create_custom(NULL, &def, NULL, &sim, NULL), PERP_OK);
    PerpStateArrays arrays = perp_default_state_arrays();
    arrays.t = &t;
    arrays.q = &q;
    arrays.v = &v;
    assert_int_equal(perp_simulation_read(sim, &arrays, NULL), PERP_OK);
    assert_true(t == 0 && q == 2 && v == 3);
    arrays.position = x;
    assert_int_equal(perp_simulation_read(sim, &arrays, NULL), PERP_BAD_VALUE);
    perp_simulation_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_a_failure_stops_only_itself),
        cmocka_unit_test(test_controls_and_sensors),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_custom_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

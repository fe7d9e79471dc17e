// Keyframes, friction set by a program, sensors of shapes, distances, timings, checked indices.

#include "../stepping.h"

#include "perp/scene.h"
#include "perp/system.h"

#include <string.h>

// --- keyframes ----------------------------------------------------------------------------------

static const char keyed[] =
    "parameters: {l: 1}\n"
    "run: {keyframe: swung}\n"
    "bodies:\n"
    "  bob: {sphere: 0.1, mass: 1, at: [0, 0, -l]}\n"
    "  box: {box: [1, 1, 1], at: [5, 0, 0.5], velocity: [1, 0, 0]}\n"
    "joints:\n"
    "  pin: {hinge: [world, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "signals: {gain: {input: 1}}\n"
    "actuators: {motor: {joint: pin, force: input}}\n"
    "sensors: {angle: {joint-position: pin}}\n"
    "keyframes:\n"
    "  swung: {joints: {pin: {position: 0.5, speed: 2}}, controls: {motor: 3}, inputs: {gain: 7}}\n"
    "  moved: {bodies: {box: {at: [9, 0, 1], spin: [0, 0, 4]}}, joints: {pin: -0.2}}\n";

static PerpStatus read_text(const char *bytes, PerpScene **scene, PerpError *error)
{
    PerpSceneText text = {"scene.yaml", bytes, strlen(bytes)};
    return perp_scene_read_texts(NULL, &text, 1, NULL, 0, scene, error);
}

static void test_keyframes(void **state)
{
    (void)state;
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *sim;
    PerpError error;
    if (read_text(keyed, &scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) ||
        perp_simulation_create(NULL, model, NULL, &sim, &error))
        fail_msg("%s", error.message);
    int n, swung = perp_model_find_keyframe(model, "swung");
    double first[14], x[3], q[4], v[3], spin[3], angle[PERP_SENSOR_NUMBERS];
    assert_int_equal(perp_model_keyframe_count(model), 2);
    assert_string_equal(perp_model_keyframe_name(model, swung), "swung");
    assert_near(perp_simulation_coordinate(sim, 0, 0), 0.5, 1e-15); // the one to start from
    assert_near(perp_simulation_joint_speed(sim, 0, 0), 2, 1e-14);
    assert_near(perp_simulation_control(sim, 0), 3, 0);
    assert_near(perp_simulation_signal(sim, 0), 7, 0);
    perp_simulation_sensor(sim, 0, angle);
    assert_near(angle[0], 0.5, 1e-15);
    perp_simulation_pose(sim, 0, x, q);
    assert_near(x[0], -sin(0.5), 1e-15);
    for (int k = 0; k < 100; k++)
        assert_int_equal(perp_simulation_step(sim, 0, NULL), PERP_OK);
    memcpy(first, perp_simulation_q(sim, &n), sizeof first);

    assert_int_equal(perp_simulation_reset_to(sim, 1, NULL), PERP_OK);
    perp_simulation_pose(sim, 1, x, q);
    perp_simulation_velocity(sim, 1, v, spin);
    assert_near(x[0], 9, 0);
    assert_near(v[0], 1, 0); // as the body has it
    assert_near(spin[2], 4, 0);
    assert_near(perp_simulation_coordinate(sim, 0, 0), -0.2, 1e-15);
    assert_near(perp_simulation_control(sim, 0), 0, 0);
    assert_near(perp_simulation_time(sim), 0, 0);

    assert_int_equal(perp_simulation_reset_to(sim, -1, NULL), PERP_OK);
    assert_near(perp_simulation_coordinate(sim, 0, 0), 0, 0);
    assert_int_equal(perp_simulation_reset(sim, NULL), PERP_OK); // the same bits again
    for (int k = 0; k < 100; k++)
        assert_int_equal(perp_simulation_step(sim, 0, NULL), PERP_OK);
    assert_memory_equal(perp_simulation_q(sim, &n), first, sizeof first);
    assert_int_equal(perp_simulation_reset_to(sim, 2, &error), PERP_BAD_VALUE);
    assert_int_equal(perp_simulation_reset_to(sim, -2, &error), PERP_BAD_VALUE);
    assert_memory_equal(perp_simulation_q(sim, &n), first, sizeof first);
    perp_simulation_destroy(sim);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
}

// The lower arm is turned while both swing: it goes on with the elbow, and joints take nothing.
static void test_turned_while_moving(void **state)
{
    (void)state;
    static const char text[] =
        "bodies:\n"
        "  upper: {box: [0.1, 0.1, 1], mass: 1, at: [0, 0, -0.5]}\n"
        "  lower: {box: [0.1, 0.1, 1], mass: 1, at: [0, 0, -1.5]}\n"
        "joints:\n"
        "  shoulder: {hinge: [world, upper], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  elbow: {hinge: [upper, lower], at: [0, 0, -1], axis: [0, 1, 0]}\n";
    PerpScene *scene = NULL;
    PerpModel *model = NULL;
    PerpSimulation *sim = NULL;
    PerpError error;
    if (read_text(text, &scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) ||
        perp_simulation_create(NULL, model, NULL, &sim, &error))
        fail_msg("%s", error.message);
    double v[3], spin[3];
    assert_int_equal(perp_simulation_set_joint_speed(sim, 0, 0, 2, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_joint_speed(sim, 1, 0, 0.5, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_coordinate(sim, 1, 0, -1, NULL), PERP_OK);
    assert_near(perp_simulation_joint_speed(sim, 0, 0), 2, 1e-14);
    assert_near(perp_simulation_joint_speed(sim, 1, 0), 0.5, 1e-14);
    // the elbow goes with 2 x 1; from it the lower arm reaches to (sin 1, 0, -cos 1)/2
    perp_simulation_velocity(sim, 1, v, spin);
    assert_near(spin[1], 2.5, 1e-14);
    assert_near(v[0], -2 - 2.5 * cos(1) / 2, 1e-14);
    assert_near(v[2], -2.5 * sin(1) / 2, 1e-14);
    assert_int_equal(perp_simulation_step(sim, 0, NULL), PERP_OK);
    assert_near(perp_simulation_report(sim)->energy.impact, 0, 1e-12);
    perp_simulation_destroy(sim);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
}

static void test_bad_keyframes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"run: {keyframe: nine}\nkeyframes: {one: {}}", "nine"},
        {"keyframes: {one: {joints: {a: 1}}}", "there is no joint \"a\""},
        {"keyframes: {one: {controls: {a: 1}}}", "there is no actuator \"a\""},
        {"keyframes: {one: {bodies: {a: {}}}}", "there is no body \"a\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpScene *scene;
        PerpError error;
        assert_true(read_text(cases[k][0], &scene, &error) != PERP_OK);
        if (!strstr(error.message, cases[k][1]))
            fail_msg("%s: %s", cases[k][0], error.message);
    }
    PerpWorld w;
    perp_world_init(&w);
    int body = perp_world_point(&w, 1, 0, 0, 0);
    PerpKeyframePose pose = {.body = body + 1, .rotation = {1, 0, 0, 0}};
    PerpKeyframeDef def = perp_default_keyframe();
    def.n_poses = 1;
    def.poses = &pose;
    w.def.n_keyframes = 1;
    w.def.keyframes = &def;
    assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
    assert_non_null(strstr(w.error.message, "keyframe-0"));
    perp_world_end(&w);
}

// --- friction -----------------------------------------------------------------------------------

// A block on a slope of 20 degrees sticks with mu = 0.5. When a program says 0.2 it slides with
// g (sin a - mu cos a), also in a copy from a checkpoint; a reset has 0.5 again.
static void test_set_friction(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.05}, a = 20 * PI / 180, t = 0.2;
    static unsigned char bytes[1 << 16];
    PerpWorld w;
    perp_world_init(&w);
    perp_world_set(w.def.gravity, G * sin(a), 0, -G * cos(a));
    perp_world_plane(&w, 0, 0, 1);
    int block = perp_world_box(&w, 2, half, 0, 0, 0.05);
    start(&w);
    run(&w, 50);
    assert_near(velocity(&w, block).x, 0, 0);
    assert_near(perp_simulation_friction(w.simulation, 0, 0), 0.5, 0);
    assert_int_equal(perp_simulation_set_friction(w.simulation, 0, 0, 0.2, NULL), PERP_OK);
    assert_near(perp_simulation_friction(w.simulation, 0, 0), 0.2, 0);
    size_t size = perp_simulation_state_size(w.simulation);
    assert_true(size <= sizeof bytes);
    perp_simulation_save(w.simulation, bytes);
    double speed = G * (sin(a) - 0.2 * cos(a)) * t;
    run(&w, steps_of(&w, t));
    assert_near(velocity(&w, block).x, speed, 1e-7);
    PerpVec3 end = position(&w, block);
    assert_int_equal(perp_simulation_reset(w.simulation, NULL), PERP_OK);
    assert_near(perp_simulation_friction(w.simulation, 0, 0), 0.5, 0);
    run(&w, 10);
    assert_near(velocity(&w, block).x, 0, 0);
    assert_int_equal(perp_simulation_restore(w.simulation, bytes, size, NULL), PERP_OK);
    run(&w, steps_of(&w, t));
    PerpVec3 again = position(&w, block);
    assert_memory_equal(&end, &again, sizeof end);
    assert_int_equal(perp_simulation_set_friction(w.simulation, 0, 1, 0.2, NULL), PERP_BAD_VALUE);
    assert_int_equal(perp_simulation_set_friction(w.simulation, 0, 0, -1, NULL), PERP_BAD_VALUE);
    assert_int_equal(perp_simulation_set_friction(w.simulation, 0, 0, NAN, NULL), PERP_BAD_VALUE);
    assert_true(isnan(perp_simulation_friction(w.simulation, 0, 1)));
    perp_world_end(&w);
}

// --- sensors of shapes --------------------------------------------------------------------------

// A bench on two feet, its centre of mass at a quarter between them: the feet carry 3/4 and 1/4 of
// the weight. The distance of the one that is in the air to the ground.
static void test_sensors_of_shapes(void **state)
{
    (void)state;
    static const char text[] =
        "world: [{name: ground, plane: [0, 0, 1]}]\n"
        "bodies:\n"
        "  bench: {at: [0, 0, 0.1], mass: 2, centre: [-0.25, 0, 0], inertia: [1, 1, 1], shapes: [\n"
        "    {name: left, sphere: 0.1, at: [-0.5, 0, 0]}, {name: right, sphere: 0.1, at: [0.5, 0, "
        "0]},\n"
        "    {name: air, sphere: 0.1, at: [0, 0, 0.5]}], free: planar-xz}\n"
        "sensors:\n"
        "  l: {touch: left}\n"
        "  r: {contact-force: [right, world]}\n"
        "  g: {contact-moment: [bench, ground]}\n"
        "  d: {distance: [air, ground]}\n";
    PerpScene *scene = NULL;
    PerpModel *model = NULL;
    PerpSimulation *sim = NULL;
    PerpError error;
    if (read_text(text, &scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) ||
        perp_simulation_create(NULL, model, NULL, &sim, &error))
        fail_msg("%s", error.message);
    for (int k = 0; k < 100; k++)
        if (perp_simulation_step(sim, 0, &error))
            fail_msg("%s", error.message);
    int n;
    const double *values = perp_simulation_sensors(sim, &n);
    assert_int_equal(n, 1 + 3 + 3 + 1);
    assert_near(values[0], 0.75 * 2 * G, 1e-8);
    assert_near(values[3], 0.25 * 2 * G, 1e-8);
    assert_near(values[5], 0, 1e-8); // about the centre of mass
    assert_near(values[7], 0.5, 1e-9);

    // the same from the state alone; lifted by 0.1 m, without contacts, it shows that
    double told[8], q[7];
    int n_contacts;
    PerpSensedState at = {.q = perp_simulation_q(sim, &n),
                          .v = perp_simulation_v(sim, &n),
                          .contacts = perp_simulation_contacts(sim, &n_contacts),
                          .h = 1e-3,
                          .step = 100};
    at.n_contacts = n_contacts;
    perp_simulation_sensors_at(sim, &at, told);
    assert_memory_equal(told, values, sizeof told);
    memcpy(q, at.q, sizeof q);
    q[2] += 0.1;
    at.q = q;
    at.n_contacts = 0;
    perp_simulation_sensors_at(sim, &at, told);
    assert_near(told[0], 0, 0);
    assert_near(told[7], 0.6, 1e-9);
    assert_near(values[7], 0.5, 1e-9); // its own are as they were
    at.n_contacts = -1;
    perp_simulation_sensors_at(sim, &at, told);
    assert_true(isnan(told[0]) && isnan(told[3]) && isnan(told[6]));
    assert_near(told[7], 0.6, 1e-9);
    perp_simulation_destroy(sim);
    perp_model_destroy(model);
    perp_scene_destroy(scene);

    static const char *const refused[][2] = {
        {"bodies: {a: {shapes: [{name: s, sphere: 1}, {name: s, sphere: 1}]}}\n"
         "sensors: {x: {touch: s}}",
         "2 shapes have the name"},
        {"world: [{name: g, plane: [0, 0, 1]}]\nbodies: {a: {sphere: 1, at: [0, 0, 2]}}\n"
         "sensors: {x: {touch: g}}",
         "of the world"},
    };
    for (int k = 0; k < 2; k++) {
        assert_true(read_text(refused[k][0], &scene, &error) != PERP_OK);
        assert_non_null(strstr(error.message, refused[k][1]));
    }
}

// --- distances ----------------------------------------------------------------------------------

static void test_nearest_and_overlaps(void **state)
{
    (void)state;
    const double half[3] = {0.5, 0.5, 0.5};
    PerpWorld w;
    perp_world_init(&w);
    w.settings.overlap = PERP_OVERLAP_ALLOW;
    int plane = perp_world_plane(&w, 0, 0, 1);
    perp_world_sphere(&w, 1, 0.5, 3, 0, 2);
    perp_world_box(&w, 1, half, 0, 0, 0.4);
    perp_world_sphere(&w, 1, 0.5, 3.2, 0, 2);
    start(&w);
    PerpNearest near;
    int ball = 1, box = 2, other = 3, found[4];
    assert_true(perp_simulation_nearest(w.simulation, ball, plane, &near));
    assert_near(near.distance, 1.5, 1e-12);
    assert_near(near.point_a[2], 1.5, 1e-12);
    assert_near(near.point_b[2], 0, 1e-12);
    assert_near(fabs(near.normal[2]), 1, 1e-12);
    assert_true(perp_simulation_nearest(w.simulation, ball, box, &near));
    double apart = hypot(2.5, 1.1); // from the centre to the edge x = 0.5, z = 0.9
    assert_near(near.distance, apart - 0.5, 1e-9);
    assert_near(near.point_b[0], 0.5, 1e-8);
    assert_near(near.point_b[2], 0.9, 1e-8);
    assert_near(near.point_a[0], 3 - 0.5 * 2.5 / apart, 1e-8);
    assert_true(perp_simulation_nearest(w.simulation, ball, other, &near));
    assert_near(near.distance, -0.8, 1e-8);
    assert_int_equal(perp_simulation_overlaps(w.simulation, box, found, 4), 1);
    assert_int_equal(found[0], plane);
    assert_int_equal(perp_simulation_overlaps(w.simulation, ball, found, 0), 1); // counted only
    assert_int_equal(perp_simulation_overlaps(w.simulation, 4, found, 4), 0);
    assert_false(perp_simulation_nearest(w.simulation, ball, 4, &near));
    assert_false(perp_simulation_nearest(w.simulation, ball, ball, &near));
    perp_world_end(&w);
}

// --- timings ------------------------------------------------------------------------------------

static double total_time(const PerpSimulation *sim)
{
    double sum = 0;
    for (int k = 0; k < PERP_TIMING_COUNT; k++)
        sum += perp_simulation_stage_time(sim, (PerpTiming)k);
    return sum;
}

static void test_timings(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1};
    PerpWorld w;
    perp_world_init(&w);
    perp_world_plane(&w, 0, 0, 1);
    for (int k = 0; k < 10; k++)
        perp_world_box(&w, 1, half, 0.01 * k, 0, 0.1 + 0.2001 * k);
    start(&w);
    run(&w, 3);
    assert_near(total_time(w.simulation), 0, 0);
    perp_simulation_time_stages(w.simulation, true);
    double sum[PERP_TIMING_COUNT] = {0};
    for (int round = 0; round < 20; round++) {
        step(&w, 0);
        for (int k = 0; k < PERP_TIMING_COUNT; k++) {
            double seconds = perp_simulation_stage_time(w.simulation, (PerpTiming)k);
            assert_true(seconds >= 0);
            sum[k] += seconds;
        }
    }
    assert_true(sum[PERP_TIMING_SOLVE] > 0 && sum[PERP_TIMING_COLLIDE] > 0);
    assert_string_equal(perp_timing_name(PERP_TIMING_SOLVE), "solve");
    assert_string_equal(perp_timing_name(PERP_TIMING_COUNT), "?");
    perp_simulation_time_stages(w.simulation, false);
    step(&w, 0);
    assert_near(total_time(w.simulation), 0, 0);
    perp_world_end(&w);
}

// --- indices ------------------------------------------------------------------------------------

static void test_checked_indices(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    perp_world_point(&w, 1, 0, 0, 0);
    perp_world_joint(&w, PERP_JOINT_WELD, -1, 0, 0, 0, 0);
    start(&w);
    PerpSimulation *s = w.simulation;
    double x[4], y[4], J[18];
    for (int k = -5; k <= 5; k += 10) {
        assert_int_equal(perp_simulation_sensor(s, k, x), 0);
        assert_true(isnan(perp_simulation_signal(s, k)) && isnan(perp_simulation_control(s, k)));
        assert_true(isnan(perp_simulation_actuator_force(s, k)));
        assert_true(isnan(perp_simulation_actuator_power(s, k)));
        assert_true(isnan(perp_simulation_actuator_length(s, k)));
        assert_true(isnan(perp_simulation_coordinate(s, k, 0)));
        assert_true(isnan(perp_simulation_joint_speed(s, 0, k)));
        assert_true(isnan(perp_simulation_motor_force(s, k, 0)));
        assert_true(isnan(perp_simulation_distance(s, k, 0)));
        perp_simulation_joint_reaction(s, k, x, y);
        assert_true(isnan(x[0]) && isnan(y[2]));
        perp_simulation_motion_force(s, k, x, y);
        assert_true(isnan(x[0]) && isnan(y[2]));
        perp_simulation_site(s, k, x, y);
        assert_true(isnan(x[0]) && isnan(y[3]));
        perp_simulation_pose(s, k, x, y);
        assert_true(isnan(x[0]) && isnan(y[3]));
        perp_simulation_velocity(s, k, x, y);
        assert_true(isnan(x[0]) && isnan(y[2]));
        perp_simulation_momentum(s, k, x, y);
        assert_true(isnan(x[0]) && isnan(y[2]));
        PerpContactReport contact = perp_simulation_contact(s, k);
        assert_true(contact.body_a == -1 && contact.shape_b == -1 && isnan(contact.gap));
        assert_true(isnan(contact.impulse[2]) && isnan(contact.normal[0]));
        PerpLimitReport limit = perp_simulation_limit(s, k);
        assert_true(limit.joint == -1 && isnan(limit.impulse));
        perp_simulation_jacobian(s, k, x, J);
        assert_near(J[0], 0, 0);
        perp_simulation_set_velocity(s, k, (const double[]){1, 1, 1}, (const double[]){0, 0, 0});
    }
    assert_near(velocity(&w, 0).x, 0, 0);
    perp_world_end(&w);
}

// A cart that feedback drives: what its sensors show after a step, from the state before and the
// loads alone, in a simulation that has not stepped.
static void test_sensors_after_a_step(void **state)
{
    (void)state;
    static const char text[] =
        "control: {every: 2}\n"
        "bodies: {cart: {box: [1, 1, 1], mass: 2}, bob: {sphere: 0.1, mass: 1, at: [0, 0, -1]}}\n"
        "joints:\n"
        "  rail: {slider: [world, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  pin: {hinge: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0], motor: {speed: 9, force: "
        "30}}\n"
        "sites: {s: {body: bob}}\n"
        "actuators: {drive: {joint: rail, force: 3*t - pull - drive.force + pin.angle}}\n"
        "sensors:\n"
        "  pull: {signal: rail.speed}\n"
        "  shake: {accelerometer: s, noise: 0.1}\n"
        "  bearing: {joint-force: pin, frame: s}\n"
        "  motor: {motor-force: pin}\n"
        "  drive: {actuator-force: drive}\n"
        "  power: {actuator-power: drive}\n";
    enum { NUMBERS = 1 + 3 + 3 + 1 + 1 + 1 };
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *sim, *other;
    PerpError error;
    if (read_text(text, &scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) ||
        perp_simulation_create(NULL, model, NULL, &sim, &error) ||
        perp_simulation_create(NULL, model, NULL, &other, &error))
        fail_msg("%s", error.message);
    double told[NUMBERS], q[14], v[12], coordinates[4], sensors[NUMBERS], forces[1];
    double reactions[12], motors[4], actuators[1];
    for (long k = 1; k <= 1500; k++) { // the pin goes round
        int n;
        memcpy(q, perp_simulation_q(sim, &n), sizeof q);
        memcpy(v, perp_simulation_v(sim, &n), sizeof v);
        memcpy(sensors, perp_simulation_sensors(sim, &n), sizeof sensors);
        forces[0] = perp_simulation_actuator_force(sim, 0);
        for (int j = 0; j < 2; j++)
            coordinates[2 * j] = perp_simulation_coordinate(sim, j, 0);
        PerpSensedState before = {.q = q, .v = v};
        double t = perp_simulation_time(sim);
        if (perp_simulation_step(sim, 0, &error))
            fail_msg("%s", error.message);
        actuators[0] = perp_simulation_actuator_force(sim, 0);
        for (int j = 0; j < 2; j++) {
            perp_simulation_joint_reaction(sim, j, reactions + 6 * j, reactions + 6 * j + 3);
            motors[2 * j] = perp_simulation_motor_force(sim, j, 0);
        }
        PerpSensedState at = {
            .q = perp_simulation_q(sim, &n), .v = perp_simulation_v(sim, &n), .h = 1e-3, .step = k};
        PerpSensedStep step = {.before = &before,
                               .t = t,
                               .coordinates = coordinates,
                               .sensors = sensors,
                               .forces = forces,
                               .reactions = reactions,
                               .motors = motors,
                               .actuators = actuators};
        perp_simulation_sensors_after(other, &at, &step, told);
        assert_memory_equal(told, perp_simulation_sensors(sim, &n), 9 * sizeof *told);
        assert_true(isnan(told[9])); // power
        step.before = NULL;
        step.reactions = NULL;
        perp_simulation_sensors_after(other, &at, &step, told);
        for (int i = 0; i < 7; i++)
            assert_true(isnan(told[i]));
    }
    assert_true(coordinates[2] > 7 || coordinates[2] < -7);
    assert_true(perp_simulation_coordinate(other, 1, 0) == 0); // its own are as they were
    assert_true(perp_simulation_signal(other, 0) == 0);
    perp_simulation_destroy(sim);
    perp_simulation_destroy(other);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensors_after_a_step), cmocka_unit_test(test_keyframes),
        cmocka_unit_test(test_turned_while_moving),  cmocka_unit_test(test_bad_keyframes),
        cmocka_unit_test(test_set_friction),         cmocka_unit_test(test_sensors_of_shapes),
        cmocka_unit_test(test_nearest_and_overlaps), cmocka_unit_test(test_timings),
        cmocka_unit_test(test_checked_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

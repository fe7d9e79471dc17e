// Acting and measuring, against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/system.h"
#include "world.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, PI = 3.14159265358979323846;

static void start(PerpWorld *w)
{
    if (perp_world_start(w))
        fail_msg("%s", w->error.message);
}

static void run(PerpWorld *w, int steps)
{
    for (int k = 0; k < steps; k++)
        if (perp_world_step(w, 0))
            fail_msg("%s", w->error.message);
}

static PerpSignalDef expression(const char *name, const char *text)
{
    PerpSignalDef def = perp_default_signal();
    def.name = name;
    def.expression = text;
    return def;
}

static void assert_near(double x, double y, double within)
{
    if (!(fabs(x - y) <= within))
        fail_msg("%.15g is not within %g of %.15g", x, within, y);
}

// A point mass on a massless arm is not possible; a small sphere of moment i on a hinge is.
static int pendulum(PerpWorld *w, double mass, double length, double angle)
{
    const double moments[3] = {1e-3, 1e-3, 1e-3};
    int bob = perp_world_solid(w, mass, moments, length * sin(angle), 0, -length * cos(angle));
    perp_world_hinge(w, -1, bob, 0, 0, 0);
    return bob;
}

// --- loads --------------------------------------------------------------------------------------

// From the horizontal: N = m g + m l w^2, w^2 = 2 m g l/(m l^2 + i) at the lowest point; 3 m g for
// i = 0.
static void test_pendulum_reaction(void **state)
{
    (void)state;
    static const char *const schemes[] = {"default",     "anitescu-potra",     "stewart-trinkle",
                                          "trapezoidal", "trapezoidal-damped", "paoli-schatzman"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        PerpWorld w;
        perp_world_init(&w);
        const double m = 2, l = 0.5, i = 1e-3, inertia = m * l * l + i;
        pendulum(&w, m, l, PI / 2);
        w.settings.scheme = schemes[s];
        w.settings.step = 1e-4;
        start(&w);
        double highest = 0, force[3], moment[3];
        for (int k = 0; k < 10000 && perp_simulation_time(w.simulation) < 0.6; k++) {
            run(&w, 1);
            perp_simulation_joint_reaction(w.simulation, 0, force, moment);
            highest = fmax(highest, force[2]);
        }
        bool is_second_order = s == 0 || s == 3;
        double expected = m * G + m * l * 2 * m * G * l / inertia;
        assert_near(highest, expected, is_second_order ? 2e-6 * expected : 2e-3 * expected);
        perp_world_end(&w);
    }
}

// Both ends of a hanging chain of two: the upper joint carries both weights.
static void test_hanging_weights(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    const double moments[3] = {0.1, 0.1, 0.1};
    int upper = perp_world_solid(&w, 3, moments, 0, 0, -1);
    int lower = perp_world_solid(&w, 5, moments, 0.2, 0, -2);
    perp_world_joint(&w, PERP_JOINT_WELD, -1, upper, 0, 0, 0);
    perp_world_joint(&w, PERP_JOINT_WELD, lower, upper, 0, 0, -1.5); // the second body is above
    start(&w);
    run(&w, 3);
    double force[3], moment[3];
    perp_simulation_joint_reaction(w.simulation, 0, force, moment);
    assert_near(force[2], 8 * G, 1e-9);
    assert_near(moment[1], -5 * G * 0.2, 1e-9); // on the upper body: holds the lower one's moment
    perp_simulation_joint_reaction(w.simulation, 1, force, moment);
    assert_near(force[2], -5 * G, 1e-9);
    assert_near(moment[1], 5 * G * 0.2, 1e-9);
    perp_world_end(&w);
}

static void test_weight_on_the_ground(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    perp_world_plane(&w, 0, 0, 1);
    const double half[3] = {0.5, 0.5, 0.5};
    int lower = perp_world_box(&w, 10, half, 0, 0, 0.5),
        upper = perp_world_box(&w, 4, half, 0, 0, 1.5);
    PerpSensorDef sensors[4];
    for (int k = 0; k < 4; k++) {
        sensors[k] = perp_default_sensor();
        sensors[k].kind = k == 3 ? PERP_SENSOR_TOUCH : PERP_SENSOR_CONTACT_FORCE;
        sensors[k].index = k == 1 ? upper : lower;
    }
    sensors[2].other = -1;
    w.def.n_sensors = 4;
    w.def.sensors = sensors;
    start(&w);
    run(&w, 50);
    int count;
    const double *value = perp_simulation_sensors(w.simulation, &count);
    assert_int_equal(count, 10);
    assert_near(value[2], 10 * G, 1e-8); // net: ground minus the upper box
    assert_near(value[5], 4 * G, 1e-8);
    assert_near(value[8], 14 * G, 1e-8); // of the ground alone
    assert_near(value[9], 18 * G, 1e-8);
    perp_world_end(&w);
}

static void test_accelerometer(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    perp_world_plane(&w, 0, 0, 1);
    const double half[3] = {0.5, 0.5, 0.5};
    perp_world_box(&w, 1, half, 0, 0, 0.5);
    int falls = perp_world_sphere(&w, 1, 0.1, 5, 0, 50);
    w.bodies[falls].spin[2] = 3;
    PerpSiteDef sites[3] = {perp_default_site(), perp_default_site(), perp_default_site()};
    sites[0].body = 0;
    sites[0].rotation[0] = 0; // z down
    sites[0].rotation[1] = 1;
    sites[1].body = falls;
    sites[2].body = falls;
    sites[2].position[0] = 0.1;
    PerpSensorDef sensors[4];
    for (int k = 0; k < 4; k++) {
        sensors[k] = perp_default_sensor();
        sensors[k].kind = k == 3 ? PERP_SENSOR_GYROSCOPE : PERP_SENSOR_ACCELEROMETER;
        sensors[k].index = k < 3 ? k : 2;
    }
    w.def.n_sites = 3;
    w.def.sites = sites;
    w.def.n_sensors = 4;
    w.def.sensors = sensors;
    start(&w);
    run(&w, 20);
    double a[4];
    assert_int_equal(perp_simulation_sensor(w.simulation, 0, a), 3);
    assert_near(a[2], -G, 1e-7);
    perp_simulation_sensor(w.simulation, 1, a);
    assert_near(hypot(a[0], hypot(a[1], a[2])), 0, 1e-9);
    perp_simulation_sensor(w.simulation, 2, a); // on a turning ball: r w^2 inwards
    assert_near(a[0], -0.1 * 9, 1e-2);
    assert_near(a[2], 0, 1e-9);
    perp_simulation_sensor(w.simulation, 3, a);
    assert_near(a[2], 3, 1e-9);
    perp_world_end(&w);
}

// --- actuators ----------------------------------------------------------------------------------

// A weight on a slider: at rest kp (u - x) = m g.
static void test_servo_static_error(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; stiff++) {
        PerpWorld w;
        perp_world_init(&w);
        const double moments[3] = {1, 1, 1}, m = 2, kp = stiff ? 1e8 : 300;
        int body = perp_world_solid(&w, m, moments, 0, 0, 0);
        perp_world_joint(&w, PERP_JOINT_SLIDER, -1, body, 0, 0, 0); // axis z
        PerpSignalDef signal = expression("target", "0.3");
        PerpActuatorDef servo = perp_default_actuator();
        servo.kind = PERP_ACTUATOR_POSITION;
        servo.joint = 0;
        servo.control = 0;
        servo.kp = kp;
        servo.kd = 2 * sqrt(kp * m);
        w.def.n_signals = 1;
        w.def.signals = &signal;
        w.def.n_actuators = 1;
        w.def.actuators = &servo;
        start(&w);
        run(&w, 3000);
        double x = perp_simulation_coordinate(w.simulation, 0, 0);
        assert_near(kp * (0.3 - x), m * G, 1e-6 * kp * 0.3);
        assert_near(perp_simulation_actuator_force(w.simulation, 0), m * G, 1e-6);
        assert_near(perp_simulation_actuator_length(w.simulation, 0), x, 0);
        perp_world_end(&w);
    }
}

// Static error load/kp to the last digits where kp is moderate.
static void test_force_range_and_gear(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    w.def.gravity[2] = 0;
    const double moments[3] = {1, 1, 1};
    for (int k = 0; k < 3; k++) {
        int body = perp_world_solid(&w, 2, moments, k, 0, 0);
        perp_world_joint(&w, PERP_JOINT_SLIDER, -1, body, k, 0, 0);
    }
    PerpActuatorDef actuators[3];
    for (int k = 0; k < 3; k++) {
        actuators[k] = perp_default_actuator();
        actuators[k].joint = k;
    }
    actuators[0].gear = 3; // force 3 u
    actuators[1].force_upper = 4;
    actuators[2].time_constant = 0.1; // a = u (1 - exp(-t/0.1))
    w.def.n_actuators = 3;
    w.def.actuators = actuators;
    start(&w);
    for (int k = 0; k < 3; k++)
        assert_int_equal(perp_simulation_set_control(w.simulation, k, 10, NULL), PERP_OK);
    run(&w, 500);
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = perp_simulation_joint_speed(w.simulation, k, 0);
    assert_near(v[0], 30.0 / 2 * 0.5, 1e-9);
    assert_near(v[1], 4.0 / 2 * 0.5, 1e-9);
    assert_near(v[2], 10.0 / 2 * (0.5 - 0.1 * (1 - exp(-5))), 1e-5);
    double work = 0;
    for (int k = 0; k < 3; k++)
        work += v[k] * v[k]; // m/2 v^2 with m = 2
    assert_near(perp_simulation_report(w.simulation)->energy.work, work, 1e-9 * work);
    assert_int_equal(perp_simulation_set_control(w.simulation, 3, 0, NULL), PERP_BAD_VALUE);
    assert_int_equal(perp_simulation_set_control(w.simulation, 0, NAN, NULL), PERP_BAD_VALUE);
    perp_world_end(&w);
}

// A tendon over two sliders, and a cable between two sites: force times gradient.
static void test_tendon_and_cable(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    w.def.gravity[2] = 0;
    const double moments[3] = {1, 1, 1};
    for (int k = 0; k < 2; k++) {
        int body = perp_world_solid(&w, 1, moments, k, 0, 0);
        perp_world_joint(&w, PERP_JOINT_SLIDER, -1, body, k, 0, 0);
    }
    int left = perp_world_solid(&w, 1, moments, 0, 5, 0);
    int right = perp_world_solid(&w, 1, moments, 3, 5, 4);
    PerpSiteDef sites[2] = {perp_default_site(), perp_default_site()};
    sites[0].body = left;
    sites[1].body = right;
    const PerpTendonTerm terms[2] = {{0, 0, 1}, {1, 0, -2}};
    PerpActuatorDef actuators[2] = {perp_default_actuator(), perp_default_actuator()};
    actuators[0].n_terms = 2;
    actuators[0].terms = terms;
    actuators[1].site_a = 0;
    actuators[1].site_b = 1;
    w.def.n_sites = 2;
    w.def.sites = sites;
    w.def.n_actuators = 2;
    w.def.actuators = actuators;
    start(&w);
    assert_near(perp_simulation_actuator_length(w.simulation, 1), 5, 1e-15);
    perp_simulation_set_control(w.simulation, 0, 2, NULL);
    perp_simulation_set_control(w.simulation, 1, -1, NULL); // pulls
    run(&w, 100);
    assert_near(perp_simulation_joint_speed(w.simulation, 0, 0), 0.2, 1e-12);
    assert_near(perp_simulation_joint_speed(w.simulation, 1, 0), -0.4, 1e-12);
    double v[3], spin[3];
    perp_simulation_velocity(w.simulation, left, v, spin);
    assert_near(v[0], 0.06, 1e-12);
    assert_near(v[2], 0.08, 1e-12);
    perp_simulation_velocity(w.simulation, right, v, spin);
    assert_near(v[0], -0.06, 1e-12);
    perp_world_end(&w);
}

// --- prescribed motion --------------------------------------------------------------------------

// A weight on a slider that follows a sin(w t): force m (g + x''), power m (g + x'') x'; work in
// the ledger.
static void test_driven_slider(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    const double moments[3] = {1, 1, 1}, m = 2, a = 0.2, omega = 7;
    int body = perp_world_solid(&w, m, moments, 0, 0, 0);
    w.bodies[body].velocity[2] = a * omega;
    perp_world_joint(&w, PERP_JOINT_SLIDER, -1, body, 0, 0, 0);
    PerpSignalDef signal = expression("path", "0.2*sin(7*t)");
    PerpActuatorDef drive = perp_default_actuator();
    drive.kind = PERP_ACTUATOR_MOTION;
    drive.joint = 0;
    drive.control = 0;
    w.def.n_signals = 1;
    w.def.signals = &signal;
    w.def.n_actuators = 1;
    w.def.actuators = &drive;
    w.settings.step = 1e-4;
    start(&w);
    for (int k = 0; k < 3000; k++) {
        run(&w, 1);
        double t = perp_simulation_time(w.simulation), middle = t - 0.5e-4;
        double force = m * (G - a * omega * omega * sin(omega * middle));
        assert_near(perp_simulation_coordinate(w.simulation, 0, 0), a * sin(omega * t), 1e-10);
        assert_near(perp_simulation_joint_speed(w.simulation, 0, 0), a * omega * cos(omega * t),
                    1e-8);
        assert_near(perp_simulation_actuator_force(w.simulation, 0), force, 1e-5);
        assert_near(perp_simulation_actuator_power(w.simulation, 0),
                    force * a * omega * cos(omega * middle), 1e-4);
    }
    const PerpEnergy *energy = &perp_simulation_report(w.simulation)->energy;
    assert_near(energy->balance, 0, 1e-7); // order 2
    perp_world_end(&w);
}

// A platform that follows a signal carries a box by friction; the box keeps its place on it.
static void test_platform(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    const double half[3] = {1, 1, 0.1}, small[3] = {0.1, 0.1, 0.1};
    int platform = perp_world_box(&w, 5, half, 0, 0, 0),
        box = perp_world_box(&w, 1, small, 0.3, 0, 0.2);
    const double a = 0.05, omega = 4; // a w^2 = 0.8 < mu g
    PerpSignalDef signals[2] = {expression("x", "0.05*(1 - cos(4*t))"), expression("angle", "0")};
    PerpMotionDef motion = perp_default_motion();
    motion.body = platform;
    motion.position[0] = 0;
    motion.angle = 1;
    w.def.n_signals = 2;
    w.def.signals = signals;
    w.def.n_motions = 1;
    w.def.motions = &motion;
    start(&w);
    run(&w, 1000);
    double p[3], r[4], force[3], moment[3], t = perp_simulation_time(w.simulation);
    perp_simulation_pose(w.simulation, platform, p, r);
    assert_near(p[0], a * (1 - cos(omega * t)), 1e-10);
    assert_near(p[2], 0, 1e-10);
    perp_simulation_pose(w.simulation, box, p, r);
    assert_near(p[0], 0.3 + a * (1 - cos(omega * t)), 1e-5);
    perp_simulation_motion_force(w.simulation, 0, force, moment);
    assert_near(force[2], 6 * G, 1e-5);
    assert_near(force[0], 6 * a * omega * omega * cos(omega * (t - 0.5e-3)), 1e-4);
    assert_true(perp_simulation_report(w.simulation)->energy.balance < 1e-4);
    perp_world_end(&w);
}

// A box on a belt: v = mu g t until it has the belt's speed, then distance u t - u^2/(2 mu g).
static void test_conveyor(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    int belt = perp_world_plane(&w, 0, 0, 1);
    w.shapes[belt].surface_velocity[0] = 0.8;
    const double half[3] = {0.1, 0.1, 0.1}, u = 0.8, mu = 0.5;
    int box = perp_world_box(&w, 3, half, 0, 0, 0.1);
    start(&w);
    run(&w, 1000);
    double p[3], r[4], v[3], spin[3];
    perp_simulation_pose(w.simulation, box, p, r);
    perp_simulation_velocity(w.simulation, box, v, spin);
    assert_near(v[0], u, 1e-9);
    assert_near(p[0], u * 1 - u * u / (2 * mu * G), 1e-3 * u);
    const PerpEnergy *energy = &perp_simulation_report(w.simulation)->energy;
    assert_near(energy->work, 3 * u * u, 2e-2); // force mu m g along u t: twice the energy
    assert_near(energy->friction, 1.5 * u * u, 2e-2);
    assert_true(energy->balance < 1e-9);
    perp_world_end(&w);
}

// --- signals ------------------------------------------------------------------------------------

// A spring by feedback: x'' = -k x, sampled; energy closes with the work of the actuator.
static void test_feedback(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    w.def.gravity[2] = 0;
    const double moments[3] = {1, 1, 1};
    int body = perp_world_solid(&w, 1, moments, 0, 0, 0);
    w.bodies[body].velocity[2] = 1;
    perp_world_joint(&w, PERP_JOINT_SLIDER, -1, body, 0, 0, 0);
    PerpConstant k = {"k", 25};
    PerpSignalDef signals[2] = {expression("pull", "-k*'joint-0'.position"),
                                expression("force", "pull - 0*'joint-0'.speed")};
    signals[0].constants = &k;
    signals[0].n_constants = 1;
    PerpActuatorDef actuator = perp_default_actuator();
    actuator.joint = 0;
    actuator.control = 1;
    w.def.n_signals = 2;
    w.def.signals = signals;
    w.def.n_actuators = 1;
    w.def.actuators = &actuator;
    w.settings.step = 1e-4;
    start(&w);
    run(&w, 3000);
    double t = perp_simulation_time(w.simulation);
    assert_near(perp_simulation_coordinate(w.simulation, 0, 0), sin(5 * t) / 5, 2e-4);
    assert_true(perp_simulation_report(w.simulation)->energy.balance < 1e-9);
    assert_near(perp_simulation_signal(w.simulation, 1), perp_simulation_control(w.simulation, 0),
                0);
    perp_world_end(&w);
}

static void test_bad_signals(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *word;
        int column;
    } cases[] = {{"2*b", "1 + a", "depends on itself", 9},
                 {"1 + joint-0.agle", "1", "joint-0.angle", 9},
                 {"joint-0.position", "1", "an angle and a speed", 5},
                 {"body-0.k", "1", "body-0.x", 5},
                 {"nobody.x", "1", "no joint, body", 5},
                 {"sqrt(-1)", "1", "not a number", 5},
                 {"sqrt(-1 - t)", "1", "not a number", 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpWorld w;
        perp_world_init(&w);
        pendulum(&w, 1, 1, 0.1);
        PerpSignalDef signals[2] = {expression("a", cases[k].first),
                                    expression("b", cases[k].second)};
        for (int i = 0; i < 2; i++) {
            signals[i].file = "scene.yaml";
            signals[i].line = 3 + i;
            signals[i].column = 5;
        }
        w.def.n_signals = 2;
        w.def.signals = signals;
        bool at_run_time = k == 6;
        PerpStatus status = perp_world_start(&w);
        double before = 0, after = 0;
        if (at_run_time) {
            assert_int_equal(status, PERP_OK);
            before = perp_simulation_coordinate(w.simulation, 0, 0);
            status = perp_world_step(&w, 0);
            after = perp_simulation_coordinate(w.simulation, 0, 0);
        }
        bool unknown = k > 0 && k < 5;
        assert_int_equal(status, unknown ? PERP_BAD_SYNTAX : PERP_BAD_VALUE);
        assert_true(before == after);
        if (!strstr(w.error.message, cases[k].word) || w.error.column != cases[k].column ||
            strcmp(w.error.file, "scene.yaml") != 0)
            fail_msg("%s:%d:%d: %s", w.error.file, w.error.line, w.error.column, w.error.message);
        perp_world_end(&w);
    }
}

// Actuators and sensors that would do nothing as they are.
static void test_without_effect(void **state)
{
    (void)state;
    static const char *const words[] = {"needs kp or kd", "needs a push or a twist",
                                        "for a single site", "a range has no frame"};
    for (int k = 0; k < 4; k++) {
        PerpWorld w;
        perp_world_init(&w);
        pendulum(&w, 1, 1, 0.1);
        PerpSiteDef site = perp_default_site();
        PerpActuatorDef actuator = perp_default_actuator();
        PerpSensorDef sensor = perp_default_sensor();
        site.body = 0;
        if (k == 1)
            actuator.site_a = 0;
        else
            actuator.joint = 0;
        actuator.kind = k == 0 ? PERP_ACTUATOR_POSITION : PERP_ACTUATOR_FORCE;
        actuator.wrench[2] = k == 2;
        sensor.kind = PERP_SENSOR_RANGE;
        sensor.frame = k == 3 ? 0 : -1;
        w.def.n_sites = w.def.n_actuators = w.def.n_sensors = 1;
        w.def.sites = &site;
        w.def.actuators = &actuator;
        w.def.sensors = &sensor;
        assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
        if (!strstr(w.error.message, words[k]))
            fail_msg("%s", w.error.message);
        perp_world_end(&w);
    }
}

static void count_calls(void *user, PerpSimulation *simulation)
{
    ++*(int *)user;
    perp_simulation_set_input(simulation, 0, 4, NULL);
}

static void test_inputs_and_rate(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    pendulum(&w, 1, 1, 0.1);
    PerpSignalDef signals[3] = {perp_default_signal(), expression("twice", "2*drive"),
                                expression("clock", "t")};
    signals[0].name = "drive";
    signals[0].value = 3;
    w.def.n_signals = 3;
    w.def.signals = signals;
    w.def.control_every = 10;
    start(&w);
    run(&w, 1);
    assert_near(perp_simulation_signal(w.simulation, 1), 6, 0);
    assert_int_equal(perp_simulation_set_input(w.simulation, 0, 5, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_input(w.simulation, 1, 5, &w.error), PERP_BAD_VALUE);
    run(&w, 9);
    assert_near(perp_simulation_signal(w.simulation, 1), 6, 0); // held
    run(&w, 1);
    assert_near(perp_simulation_signal(w.simulation, 1), 10, 0);
    assert_near(perp_simulation_signal(w.simulation, 2), 0.01, 1e-15);
    int calls = 0;
    perp_simulation_set_control_callback(w.simulation, count_calls, &calls);
    run(&w, 20);
    assert_int_equal(calls, 2);
    assert_near(perp_simulation_signal(w.simulation, 1), 8, 0);
    perp_world_end(&w);
}

static void lift(void *user, PerpSimulation *simulation)
{
    (void)user;
    perp_simulation_set_gravity(simulation, (const double[]){0, 0, 0}, NULL);
}

static double gravity_energy(PerpSimulation *simulation)
{
    PerpEnergy energy;
    int count;
    perp_simulation_energy_at(simulation, perp_simulation_q(simulation, &count),
                              perp_simulation_v(simulation, &count), &energy);
    return energy.gravity;
}

// What a callback set before the step failed is undone with the step.
static void test_failed_step_keeps_gravity(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    pendulum(&w, 1, 1, 0.1);
    PerpSignalDef signal = expression("root", "sqrt(-1 - t)");
    w.def.n_signals = 1;
    w.def.signals = &signal;
    start(&w);
    double before = gravity_energy(w.simulation);
    perp_simulation_set_control_callback(w.simulation, lift, NULL);
    assert_int_equal(perp_world_step(&w, 0), PERP_BAD_VALUE);
    assert_true(before != 0 && gravity_energy(w.simulation) == before);
    perp_world_end(&w);
}

// Servos are rows with compliance, which not every scheme takes.
static void test_schemes_that_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        PerpActuatorKind kind;
        bool taken;
    } cases[] = {{"default", PERP_ACTUATOR_POSITION, true},
                 {"trapezoidal-damped", PERP_ACTUATOR_POSITION, true},
                 {"trapezoidal", PERP_ACTUATOR_POSITION, false},
                 {"anitescu-potra", PERP_ACTUATOR_VELOCITY, false},
                 {"trapezoidal", PERP_ACTUATOR_FORCE, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpWorld w;
        perp_world_init(&w);
        pendulum(&w, 1, 1, 0.1);
        PerpActuatorDef actuator = perp_default_actuator();
        actuator.kind = cases[k].kind;
        actuator.joint = 0;
        actuator.kp = 1;
        actuator.kd = 1;
        w.def.n_actuators = 1;
        w.def.actuators = &actuator;
        w.settings.scheme = cases[k].scheme;
        PerpStatus status = perp_world_start(&w);
        assert_int_equal(status, cases[k].taken ? PERP_OK : PERP_NOT_SUPPORTED);
        assert_true(cases[k].taken || strstr(w.error.message, "needs the scheme default"));
        perp_world_end(&w);
    }
}

// --- setting the state --------------------------------------------------------------------------

// An arm of two links: the outer one follows; joints stay closed; energy is neither made nor lost.
static void test_set_coordinates(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    const double moments[3] = {0.1, 0.1, 0.1};
    int upper = perp_world_solid(&w, 1, moments, 0, 0, -0.5);
    int lower = perp_world_solid(&w, 1, moments, 0, 0, -1.5);
    perp_world_hinge(&w, -1, upper, 0, 0, 0);
    perp_world_hinge(&w, upper, lower, 0, 0, -1);
    start(&w);
    assert_int_equal(perp_simulation_set_coordinate(w.simulation, 0, 0, 7, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_coordinate(w.simulation, 1, 0, -1, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_joint_speed(w.simulation, 0, 0, 2, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_joint_speed(w.simulation, 1, 0, -3, NULL), PERP_OK);
    assert_near(perp_simulation_coordinate(w.simulation, 0, 0), 7, 1e-14);
    assert_near(perp_simulation_coordinate(w.simulation, 1, 0), -1, 1e-14);
    assert_near(perp_simulation_joint_speed(w.simulation, 0, 0), 2, 1e-14);
    assert_near(perp_simulation_joint_speed(w.simulation, 1, 0), -3, 1e-14);
    run(&w, 1);
    assert_true(perp_simulation_report(w.simulation)->energy.balance < 1e-5);
    assert_true(perp_simulation_report(w.simulation)->joint_gap < 1e-9);
    assert_near(perp_simulation_joint_speed(w.simulation, 0, 0), 2, 0.1);
    const double none[3] = {0}, up[3] = {0, 0, 20}, nan[3] = {NAN, 0, 0}, turn[4] = {0};
    assert_int_equal(perp_simulation_set_pose(w.simulation, 0, none, turn, NULL), PERP_BAD_VALUE);
    assert_int_equal(perp_simulation_set_gravity(w.simulation, nan, NULL), PERP_BAD_VALUE);
    assert_int_equal(perp_simulation_set_gravity(w.simulation, none, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_wrench(w.simulation, 1, up, none, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_coordinate(w.simulation, 2, 0, 0, NULL), PERP_BAD_VALUE);
    run(&w, 10);
    perp_world_end(&w);
}

// Gravity off and a force up: v = f t/m. The same bits after a reset and from a checkpoint.
static void test_reset_and_checkpoint(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    perp_world_plane(&w, 0, 0, 1);
    perp_world_sphere(&w, 2, 0.5, 0, 0, 0.5);
    pendulum(&w, 1, 1, 0.5);
    PerpSignalDef signal = expression("torque", "sin(20*t) - 'joint-0'.speed");
    PerpActuatorDef actuator = perp_default_actuator();
    actuator.joint = 0;
    actuator.control = 0;
    actuator.time_constant = 0.05;
    PerpSensorDef sensor = perp_default_sensor();
    sensor.noise = 0.1;
    w.def.n_signals = w.def.n_actuators = w.def.n_sensors = 1;
    w.def.signals = &signal;
    w.def.actuators = &actuator;
    w.def.sensors = &sensor;
    w.def.control_every = 3;
    start(&w);
    const double force[3] = {1, 0, 0}, none[3] = {0}, less[3] = {0, 0, -5};
    int n;
    size_t size = 0;
    double end[2] = {0};
    static unsigned char bytes[1 << 16];
    for (int round = 0; round < 3; round++) {
        assert_int_equal(perp_simulation_reset(w.simulation, NULL), PERP_OK);
        if (round < 2) {
            perp_simulation_set_wrench(w.simulation, 0, force, none, NULL);
            perp_simulation_set_gravity(w.simulation, less, NULL);
            run(&w, 50);
            size = perp_simulation_state_size(w.simulation);
            assert_true(size <= sizeof bytes);
            perp_simulation_save(w.simulation, bytes);
        } else
            assert_int_equal(perp_simulation_restore(w.simulation, bytes, size, NULL), PERP_OK);
        run(&w, 50);
        const double *q = perp_simulation_q(w.simulation, &n);
        double now[2] = {q[0] + q[9], perp_simulation_sensors(w.simulation, &n)[0]};
        if (round > 0)
            assert_memory_equal(now, end, sizeof now);
        memcpy(end, now, sizeof now);
    }
    perp_world_end(&w);
}

// --- queries ------------------------------------------------------------------------------------

static void test_rays_and_distances(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    perp_world_plane(&w, 0, 0, 1);
    const double half[3] = {0.5, 0.5, 0.5};
    int ball = perp_world_sphere(&w, 1, 0.5, 0, 0, 3), box = perp_world_box(&w, 1, half, 4, 0, 3);
    start(&w);
    PerpRayHit hit;
    const double from[3] = {-5, 0, 3}, along[3] = {2, 0, 0}, down[3] = {0, 0, -1};
    assert_true(perp_simulation_cast_ray(w.simulation, from, along, 100, PERP_ANY_BODY, &hit));
    assert_int_equal(hit.body, ball);
    assert_near(hit.distance, 4.5, 1e-10);
    assert_near(hit.normal[0], -1, 1e-10);
    assert_true(perp_simulation_cast_ray(w.simulation, from, along, 100, ball, &hit));
    assert_int_equal(hit.body, box);
    assert_near(hit.distance, 8.5, 1e-10);
    assert_false(perp_simulation_cast_ray(w.simulation, from, along, 4.4, PERP_ANY_BODY, &hit));
    assert_true(perp_simulation_cast_ray(w.simulation, from, down, 100, PERP_ANY_BODY, &hit));
    assert_int_equal(hit.body, -1);
    assert_near(hit.distance, 3, 1e-12);
    for (int k = 1; k < 10; k++) { // slanting: the ball's formula
        double y = 0.05 * k;
        const double at[3] = {-5, y, 3};
        assert_true(perp_simulation_cast_ray(w.simulation, at, along, 100, PERP_ANY_BODY, &hit));
        assert_near(hit.distance, 5 - sqrt(0.25 - y * y), 1e-9);
    }
    assert_near(perp_simulation_distance(w.simulation, ball, box), 3, 1e-10);
    assert_near(perp_simulation_distance(w.simulation, ball, -1), 2.5, 1e-10);
    assert_near(perp_simulation_distance(w.simulation, -1, box), 2.5, 1e-10);

    double J[6 * 12], p[12], v[12] = {0};
    const double point[3] = {4.5, 0.5, 3};
    perp_simulation_jacobian(w.simulation, box, point, J);
    v[6] = 1;  // velocity x of the box
    v[11] = 2; // spin about z
    double velocity[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 12; k++)
            velocity[i] += J[12 * i + k] * v[k];
    assert_near(velocity[0], 1 - 2 * 0.5, 1e-15);
    assert_near(velocity[1], 2 * 0.5, 1e-15);
    assert_near(velocity[5], 2, 1e-15);
    perp_simulation_mass_product(w.simulation, v, p);
    assert_near(p[6], 1, 1e-15);
    assert_near(p[11], 2 * 1.0 / 6, 1e-12); // m (2 half)^2/6
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_reaction),
        cmocka_unit_test(test_hanging_weights),
        cmocka_unit_test(test_weight_on_the_ground),
        cmocka_unit_test(test_accelerometer),
        cmocka_unit_test(test_servo_static_error),
        cmocka_unit_test(test_force_range_and_gear),
        cmocka_unit_test(test_tendon_and_cable),
        cmocka_unit_test(test_driven_slider),
        cmocka_unit_test(test_platform),
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_bad_signals),
        cmocka_unit_test(test_without_effect),
        cmocka_unit_test(test_failed_step_keeps_gravity),
        cmocka_unit_test(test_schemes_that_refuse),
        cmocka_unit_test(test_inputs_and_rate),
        cmocka_unit_test(test_set_coordinates),
        cmocka_unit_test(test_reset_and_checkpoint),
        cmocka_unit_test(test_rays_and_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

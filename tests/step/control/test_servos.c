// Servos and prescribed lengths against closed forms: of second order, stable when stiff.
#include "scenario.h"

#include "perp/verdict.h"

// J q'' = kp (u - q) - kd q', from rest: what stands for J includes the armature.
typedef struct Oscillator {
    double J, kp, kd, u;
} Oscillator;

static double angle_of(const Oscillator *o, double t)
{
    double w = sqrt(o->kp / o->J), z = o->kd / (2 * sqrt(o->kp * o->J)), wd = w * sqrt(1 - z * z);
    return o->u * (1 - exp(-z * w * t) * (cos(wd * t) + z * w / wd * sin(wd * t)));
}

static double speed_of(const Oscillator *o, double t)
{
    double w = sqrt(o->kp / o->J), z = o->kd / (2 * sqrt(o->kp * o->J)), wd = w * sqrt(1 - z * z);
    return o->u * exp(-z * w * t) * w * w / wd * sin(wd * t);
}

static const char SERVOS[] =
    "parameters: {h: 1e-3}\n"
    "run: {h: h}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.3, 0.3, 0.3]}\n"
    "  b: {mass: 1, inertia: [0.3, 0.3, 0.3], at: [1, 0, 0]}\n"
    "joints:\n"
    "  a: {hinge: [world, a], at: [0, 0, 0], axis: [0, 0, 1], armature: 0.2}\n"
    "  b: {hinge: [world, b], at: [1, 0, 0], axis: [0, 0, 1], armature: 0.2}\n"
    "actuators:\n"
    "  place: {joint: a, position: \"0.5\", kp: 50, kd: 4}\n"
    "  speed: {joint: b, velocity: \"0.5\", kd: 4}\n"
    "sensors:\n"
    "  angle: {joint-position: a}\n"
    "  torque: {actuator-force: place}\n"
    "  speed: {joint-speed: b}\n";

// The largest errors of angle, torque and speed in a second.
static void measure_servos(const char *scheme, double h, double error[3])
{
    const Oscillator o = {0.5, 50, 4, 0.5};
    Scenario s = scenario_of(SERVOS, "h", h, scheme);
    error[0] = error[1] = error[2] = 0;
    for (int k = 1; k * h < 1; k++) {
        double t = k * h, middle = t - h / 2;
        run_until(&s, t);
        double torque = o.kp * (o.u - angle_of(&o, middle)) - o.kd * speed_of(&o, middle);
        error[0] = fmax(error[0], fabs(sensed(&s, "angle", 0) - angle_of(&o, t)));
        error[1] = fmax(error[1], fabs(sensed(&s, "torque", 0) - torque));
        error[2] = fmax(error[2], fabs(sensed(&s, "speed", 0) - 0.5 * (1 - exp(-4 * t / 0.5))));
    }
    end_scenario(&s);
}

static void test_step_response(void **state)
{
    (void)state;
    static const char *const schemes[] = {"default", "trapezoidal-damped"};
    const double bounds[3] = {2e-5, 1e-3, 5e-6};
    for (int scheme = 0; scheme < 2; scheme++) {
        double coarse[3], fine[3];
        measure_servos(schemes[scheme], 2e-3, coarse);
        measure_servos(schemes[scheme], 1e-3, fine);
        for (int k = 0; k < 3; k++) {
            assert_true(coarse[k] < bounds[k]);
            assert_true(coarse[k] > 3.8 * fine[k] && coarse[k] < 4.2 * fine[k]);
        }
    }
}

// Servos too stiff for the step are where they aim after a few steps, and stay there.
static void test_stiff(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {kp: 1}\n"
        "run: {h: 1e-3}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.3, 0.3, 0.3], at: [0.2, 0, 0]}\n"
        "  b: {mass: 2, inertia: [0.1, 0.2, 0.1], at: [0.6, 0, 0]}\n"
        "joints:\n"
        "  a: {hinge: [world, a], at: [0, 0, 0], axis: [0, 1, 0], armature: 0.1}\n"
        "  b: {hinge: [a, b], at: [0.4, 0, 0], axis: [0, 1, 0]}\n"
        "actuators:\n"
        "  a: {joint: a, position: \"0.1\", kp: kp}\n"
        "  b: {joint: b, position: \"-0.2\", kp: kp, kd: 1e-3*kp}\n"
        "sensors:\n"
        "  a: {joint-position: a}\n"
        "  b: {joint-position: b}\n";
    for (double kp = 1e8; kp < 1e13; kp *= 1e2) {
        Scenario s = scenario(text, "kp", kp);
        run_until(&s, 0.05);
        assert_near(sensed(&s, "a", 0), 0.1, 1e-6);
        assert_near(sensed(&s, "b", 0), -0.2, 1e-6);
        run_until(&s, 0.5);
        assert_near(sensed(&s, "a", 0), 0.1, 3 * G / kp);
        assert_near(sensed(&s, "b", 0), -0.2, 3 * G / kp);
        end_scenario(&s);
    }
}

// Gains that are next to nothing do nothing.
static void test_faint(void **state)
{
    (void)state;
    static const char text[] = "parameters: {kp: 1}\n"
                               "run: {h: 1e-3}\n"
                               "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints: {j: {slider: [world, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                               "actuators: {a: {joint: j, position: \"9\", kp: kp}}\n"
                               "sensors: {speed: {joint-speed: j}}\n";
    for (double kp = 1e-320; kp < 1e-100; kp *= 1e60) {
        Scenario s = scenario(text, "kp", kp);
        run_until(&s, 0.1);
        assert_near(sensed(&s, "speed", 0), -0.1 * G, 1e-9);
        end_scenario(&s);
    }
}

// A weight on a string that is drawn in at the rate c: r = r0 - c t, and since r^2 w stays, the
// tension is L^2/(m r^3). By a winch, whose speed is given, and by a given length; a body alone
// that the world draws at turns as it must.
static void test_drawn_in(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {h: 1e-3}\n"
        "run: {h: h}\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], velocity: [-0.5, 2, 0]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], at: [1, 5, 0], velocity: [-0.5, 2, 0]}\n"
        "sites: {o: {}, p: {at: [0, 5, 0]}, a: {body: a}, b: {body: b}}\n"
        "actuators:\n"
        "  winch: {sites: [o, a], velocity: \"-0.5\"}\n"
        "  given: {sites: [p, b], motion: 1 - 0.5*t}\n"
        "sensors:\n"
        "  a: {signal: sqrt(a.x^2 + a.y^2)}\n"
        "  place: {position: b}\n"
        "  winch: {actuator-force: winch}\n"
        "  given: {actuator-force: given}\n";
    double off[2][3];
    for (int half = 0; half < 2; half++) {
        double h = half ? 1e-3 : 2e-3, middle = 0.5 - h / 2;
        Scenario s = scenario(text, "h", h);
        run_until(&s, 0.5);
        double r = 1 - 0.5 * middle, tension = -4 / (r * r * r);
        off[half][0] = fabs(sensed(&s, "a", 0) - (1 - 0.5 * (0.5 - h))); // signals are a step old
        off[half][1] = fabs(sensed(&s, "winch", 0) - tension);
        off[half][2] = fabs(sensed(&s, "given", 0) - tension);
        double x = sensed(&s, "place", 0), y = sensed(&s, "place", 1) - 5;
        assert_near(hypot(x, y), 0.75, 1e-12);
        PerpVerdict verdict = perp_simulation_verdict(s.simulation);
        assert_true(verdict.certified); // nothing is said of momentum: the world draws
        assert_true(verdict.check[PERP_CHECK_JOINT_GAP].applies);
        end_scenario(&s);
    }
    assert_true(off[0][0] < 1e-5 && off[0][1] < 1e-3 && off[0][2] < 1e-3);
    for (int k = 0; k < 3; k++)
        assert_true(off[0][k] > 3.5 * off[1][k]);
}

// 2 q_a - 3 q_b = sin 2t: with the inertias 1 and 2 the tendon's force is L''/(4/1 + 9/2).
static void test_given_tendon(void **state)
{
    (void)state;
    static const char text[] =
        "run: {h: 1e-3}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {mass: 1, inertia: [2, 2, 2], at: [1, 0, 0]}\n"
        "joints:\n"
        "  a: {hinge: [world, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {hinge: [world, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "actuators:\n"
        "  m: {tendon: [{joint: a, ratio: 2}, {joint: b, ratio: -3}], motion: sin(2*t)}\n"
        "sensors:\n"
        "  a: {joint-position: a}\n"
        "  b: {joint-position: b}\n"
        "  force: {actuator-force: m}\n";
    Scenario s = scenario(text, NULL, 0);
    for (int k = 1; k <= 10; k++) {
        double t = 0.1 * k;
        run_until(&s, t);
        assert_near(2 * sensed(&s, "a", 0) - 3 * sensed(&s, "b", 0), sin(2 * t), 1e-9);
        assert_near(sensed(&s, "force", 0), -4 * sin(2 * (t - 0.5e-3)) / 8.5, 1e-6);
    }
    end_scenario(&s);
}

// A motion that begins elsewhere than its body is told, and what the first step does.
static void test_misplaced(void **state)
{
    (void)state;
    static const char text[] = "parameters: {off: 0}\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}\n"
                               "  b: {mass: 1, inertia: [1, 1, 1], at: [3, 0, 0]}\n"
                               "joints:\n"
                               "  j: {hinge: [world, b], at: [3, 0, 0], axis: [0, 0, 1]}\n"
                               "motions: {a: {position: [1 + 2*off, 0, t]}}\n"
                               "actuators: {drive: {joint: j, motion: -off}}\n";
    for (int k = 0; k < 2; k++) {
        int actuator, motion;
        Scenario s = scenario(text, "off", 0.1 * k);
        assert_near(perp_simulation_motion_error(s.simulation, &actuator, &motion), 0.2 * k, 1e-15);
        assert_int_equal(motion, k - 1);
        assert_int_equal(actuator, -1);
        run_until(&s, 0.1);
        assert_near(perp_simulation_motion_error(s.simulation, &actuator, &motion), 0, 1e-9);
        end_scenario(&s);
    }
}

// A motion that follows what has a value and no rate: told with its place, the state as it was.
static void test_without_rate(void **state)
{
    (void)state;
    static const char text[] = "run: {h: 0.125}\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}\n"
                               "motions: {a: {position: [sqrt(1 - t), 0, 0]}}\n";
    Scenario s = scenario(text, NULL, 0);
    PerpError error;
    double position[3], rotation[4];
    run_until(&s, 0.875);
    assert_int_equal(perp_simulation_step(s.simulation, 0, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "its rate"));
    assert_string_equal(error.file, "scenario.yaml");
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 26);
    perp_simulation_pose(s.simulation, 0, position, rotation);
    assert_near(position[0], sqrt(1 - 0.875), 1e-9);
    end_scenario(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_response), cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_faint),         cmocka_unit_test(test_drawn_in),
        cmocka_unit_test(test_given_tendon),  cmocka_unit_test(test_misplaced),
        cmocka_unit_test(test_without_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

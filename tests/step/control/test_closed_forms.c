// Acting and measuring against closed forms of mechanics.
#include "scenario.h"

// Two weights on a cord over a pulley: a = g (m - M)/(m + M), and the cord carries
// 2 m M g/(m + M). The cord is a servo that holds the sum of both heights.
static void test_atwood(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {m: 1, M: 3}\n"
        "bodies:\n"
        "  a: {sphere: 0.1, mass: m, at: [0, 0, 0]}\n"
        "  b: {sphere: 0.1, mass: M, at: [1, 0, 0]}\n"
        "joints:\n"
        "  left: {slider: [world, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  right: {slider: [world, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "actuators:\n"
        "  cord: {tendon: [{joint: left}, {joint: right}], position: \"0\", kp: 1e10, kd: 1e6}\n"
        "sensors:\n"
        "  speed: {joint-speed: left}\n"
        "  tension: {actuator-force: cord}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.5);
    assert_near(sensed(&s, "speed", 0), G * (3 - 1) / 4 * 0.5, 1e-6);
    assert_near(sensed(&s, "tension", 0), 2 * 1 * 3 * G / 4, 1e-6);
    end_scenario(&s);
}

// A block on a turntable slips where w^2 r > mu g, and not before. What sticks stays where it is,
// to second order: it lags by an angle, and does not drift outwards.
static void test_turntable(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {ratio: 0.99, mu: 0.4, r: 0.5, w: sqrt(ratio*mu*9.81/r)}\n"
        "run: {h: 1e-3}\n"
        "materials: {default: {mu: mu}}\n"
        "bodies:\n"
        "  table: {cylinder: {radius: 2, height: 0.1}, at: [0, 0, -0.05], spin: [0, 0, w]}\n"
        "  block: {box: [0.1, 0.1, 0.02], at: [r, 0, 0.01], velocity: [0, w*r, 0], spin: [0, 0, "
        "w]}\n"
        "motions: {table: {angle: w*t, axis: [0, 0, 1]}}\n"
        "sensors:\n"
        "  radius: {signal: sqrt(block.x^2 + block.y^2)}\n"
        "  friction: {contact-force: [block, table]}\n";
    for (int slips = 0; slips < 2; slips++) {
        double ratio = slips ? 1.02 : 0.99;
        Scenario s = scenario(text, "ratio", ratio);
        run_until(&s, 1);
        double radius = sensed(&s, "radius", 0), mass = 0.1 * 0.1 * 0.02 * 1000;
        double friction = hypot(sensed(&s, "friction", 0), sensed(&s, "friction", 1));
        if (slips)
            assert_true(radius > 0.55);
        else
            assert_near(radius, 0.5, 1e-6);
        if (!slips)
            assert_near(friction, mass * ratio * 0.4 * G * radius / 0.5, 1e-4 * mass * G);
        end_scenario(&s);
    }
}

// A ball that rolls on a turntable of the rate W, Weltner 1979: its centre goes round with 2 W/7,
// whatever it spins about the vertical, and is back after a period, to second order.
static void test_ball_on_turntable(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {h: 4e-3, W: 3, R: 0.05, r: 0.3}\n"
        "run: {h: h}\n"
        "materials: {default: {mu: 1}}\n"
        "bodies:\n"
        "  table: {cylinder: {radius: 3, height: 0.1}, at: [0, 0, -0.05], spin: [0, 0, W]}\n"
        "  ball: {sphere: R, at: [r, 0, R], velocity: [0, 2*W/7*r, 0], spin: [5*W*r/(7*R), 0, 4]}\n"
        "motions: {table: {angle: W*t, axis: [0, 0, 1]}}\n"
        "sensors:\n"
        "  radius: {signal: sqrt(ball.x^2 + ball.y^2)}\n"
        "  angle: {signal: \"atan2(ball.y, ball.x)\"}\n";
    double error[2], t = 7; // s, of a period of 7.33
    for (int half = 0; half < 2; half++) {
        double h = 4e-3 / (1 + half); // what is measured is as old
        Scenario s = scenario(text, "h", h);
        run_until(&s, t);
        assert_near(sensed(&s, "radius", 0), 0.3, 1e-6);
        error[half] = sensed(&s, "angle", 0) - (2 * 3.0 / 7 * (t - h) - 2 * PI);
        end_scenario(&s);
    }
    assert_near(error[0] / error[1], 4, 0.1);
    assert_true(fabs(error[1]) < 1e-5);
}

// A ball that rolls and pivots on the ground goes straight on.
static void test_pivoting_ball(void **state)
{
    (void)state;
    static const char text[] = "parameters: {R: 0.05}\n"
                               "run: {h: 1e-3}\n"
                               "materials: {default: {mu: 1}}\n"
                               "world: [{plane: [0, 0, 1]}]\n"
                               "bodies:\n"
                               "  ball: {sphere: R, at: [0, 0, R], velocity: [1, 0, 0], spin: [0, "
                               "1/R, 10]}\n"
                               "sensors: {x: {signal: ball.x}, y: {signal: ball.y}}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 2);
    assert_near(sensed(&s, "x", 0), 2 - 1e-3, 1e-9); // measured at the start of the last step
    assert_near(sensed(&s, "y", 0), 0, 1e-9);
    end_scenario(&s);
}

// A table that is driven with the angular acceleration A carries a block that sticks: the work of
// the motion is what both gain, and friction takes nothing, both to second order.
static void test_driven_turntable(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {h: 1e-3, A: 0.8, r: 0.5}\n"
        "run: {h: h}\n"
        "materials: {default: {mu: 0.8}}\n"
        "bodies:\n"
        "  table: {mass: 10, inertia: [5, 5, 5], shapes: [{cylinder: {radius: 1, height: 0.1}}], "
        "at: [0, 0, -0.05]}\n"
        "  block: {box: [0.1, 0.1, 0.02], mass: 2, at: [r, 0, 0.01]}\n"
        "motions: {table: {angle: A*t^2/2, axis: [0, 0, 1]}}\n"
        "sensors: {radius: {signal: sqrt(block.x^2 + block.y^2)}}\n";
    double w = 0.8 * 2, inertia = 2 * (0.02 / 12 + 0.25), work[2], friction[2];
    for (int half = 0; half < 2; half++) {
        Scenario s = scenario(text, "h", 4e-3 / (1 + half));
        run_until(&s, 2);
        const PerpEnergy *e = &perp_simulation_report(s.simulation)->energy;
        work[half] = e->work - (5 + inertia) * w * w / 2;
        friction[half] = e->friction;
        assert_near(sensed(&s, "radius", 0), 0.5, 1e-5);
        assert_near(e->scheme, 0, 1e-9);
        end_scenario(&s);
    }
    assert_near(work[0] / work[1], 4, 0.2);
    assert_near(friction[0] / friction[1], 4, 0.2);
    assert_near(work[1], 0, 1e-4);
    assert_near(friction[1], 0, 1e-5);
}

// A wheel that turns as it rolls goes round a circle: the point of contact goes along with the
// axle, whatever the wheel's shape, and friction holds it with m v w and takes no energy.
static void test_wheel_in_a_circle(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "sphere: R", "ellipsoid: [0.05, R, R]",
        "cylinder: {radius: R, height: 2e-4}, turn: {axis: [0, 1, 0], angle: 90 deg}",
        "capsule: {radius: R, length: 2e-4}, turn: {axis: [0, 1, 0], angle: 90 deg}"};
    static const char format[] =
        "parameters: {h: 2e-3, w: 2, v: 1, R: 0.1}\n"
        "run: {h: h}\n"
        "materials: {default: {mu: 1.5}}\n"
        "world: [{plane: [0, 0, 1]}]\n"
        "bodies:\n"
        "  axle: {mass: 1, inertia: [1, 1, 1], at: [0, 0, R], spin: [0, 0, w], velocity: [0, v, "
        "0], free: [x, y, z, rotation-z]}\n"
        "  wheel: {%s, at: [0, 0, R], mass: 1, inertia: [0.005, 0.005, 0.005], velocity: [0, v, "
        "0], spin: [-v/R, 0, w]}\n"
        "forces: {load: {body: wheel, force: [0, 0, -20]}}\n"
        "joints: {turn: {hinge: [axle, wheel], at: [0, 0, R], axis: [1, 0, 0]}}\n"
        "sensors:\n"
        "  x: {signal: wheel.x}\n"
        "  y: {signal: wheel.y}\n"
        "  force: {contact-force: wheel}\n";
    for (int shape = 0; shape < 4; shape++) {
        char text[2048];
        snprintf(text, sizeof text, format, shapes[shape]);
        Scenario s = scenario(text, NULL, 0);
        run_until(&s, 3);
        double t = 3 - 2e-3; // signals are as old as the start of the step
        assert_near(sensed(&s, "x", 0), 0.5 * cos(2 * t) - 0.5, 1e-5);
        assert_near(sensed(&s, "y", 0), 0.5 * sin(2 * t), 1e-5);
        assert_near(hypot(sensed(&s, "force", 0), sensed(&s, "force", 1)), 2 * 1 * 2, 1e-3);
        assert_near(perp_simulation_report(s.simulation)->energy.friction, 0, 2e-6);
        end_scenario(&s);
    }
}

// A beam of five bars welded to each other and to a wall, with a load at its tip: each weld carries
// what hangs on it, force and moment.
static void test_cantilever(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {n: 5, l: 0.2, m: 1.5}\n"
        "run: {h: 1e-3}\n"
        "repeat:\n"
        "  - for: {k: 0..n-1}\n"
        "    bodies: {\"bar-{k}\": {box: [l, 0.05, 0.05], mass: m, at: [(k + 0.5)*l, 0, 1]}}\n"
        "    sensors: {\"force-{k}\": {joint-force: \"weld-{k}\"}, \"moment-{k}\": {joint-moment: "
        "\"weld-{k}\"}}\n"
        "  - for: {k: 1..n-1}\n"
        "    joints: {\"weld-{k}\": {weld: [\"bar-{k-1}\", \"bar-{k}\"], at: [k*l, 0, 1]}}\n"
        "joints: {weld-0: {weld: [world, bar-0], at: [0, 0, 1]}}\n"
        "forces: {tip: {body: bar-4, at: [l/2, 0, 0], force: [0, 3, -7], torque: [2, 0, 0]}}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.05);
    for (int k = 0; k < 5; k++) {
        char force[32], moment[32];
        snprintf(force, sizeof force, "force-%d", k);
        snprintf(moment, sizeof moment, "moment-%d", k);
        double length = 0.2 * (5 - k), weight = 1.5 * G * (5 - k);
        assert_near(sensed(&s, force, 1), -3, 1e-9);
        assert_near(sensed(&s, force, 2), weight + 7, 1e-9);
        assert_near(sensed(&s, moment, 0), -2, 1e-9);
        assert_near(sensed(&s, moment, 1), -(weight / 2 + 7) * length, 1e-9);
        assert_near(sensed(&s, moment, 2), -3 * length, 1e-9);
    }
    end_scenario(&s);
}

// An actuator with a time constant gives u (1 - exp(-t/T)), exactly; force and speed of one whose
// control and force are limited; a servo at rest is off by load/kp.
static void test_actuators(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "run: {h: 1e-3}\n"
        "repeat:\n"
        "  for: {i: 0..2}\n"
        "  bodies: {\"b-{i}\": {mass: 2, inertia: [1, 1, 1], at: [0, i, 0]}}\n"
        "  joints: {\"j-{i}\": {slider: [world, \"b-{i}\"], at: [0, i, 0], axis: [1, 0, 0]}}\n"
        "forces: {load: {body: b-2, force: [-7, 0, 0]}}\n"
        "actuators:\n"
        "  slow: {joint: j-0, force: \"4\", time-constant: 0.3}\n"
        "  geared: {joint: j-1, force: \"10\", control-range: [-3, 3], force-range: [-2, 2], gear: "
        "2.5}\n"
        "  servo: {joint: j-2, position: \"0.5\", kp: 350, kd: 60}\n"
        "sensors:\n"
        "  slow: {actuator-force: slow}\n"
        "  slow-speed: {joint-speed: j-0}\n"
        "  geared: {actuator-force: geared}\n"
        "  on-the-joint: {motor-force: j-1}\n"
        "  geared-speed: {joint-speed: j-1}\n"
        "  place: {joint-position: j-2}\n";
    static const char *const schemes[] = {"default", "trapezoidal-damped"};
    for (int scheme = 0; scheme < 2; scheme++) {
        Scenario s = scenario_of(text, NULL, 0, schemes[scheme]);
        for (int k = 1; k <= 4; k++) {
            run_until(&s, k);
            double middle = k - 0.5e-3; // forces are means over the step
            assert_near(sensed(&s, "slow", 0), 4 * (1 - exp(-middle / 0.3)), 1e-12);
            assert_near(sensed(&s, "slow-speed", 0), 2 * (k - 0.3 * (1 - exp(-k / 0.3))), 1e-6);
            assert_near(sensed(&s, "geared", 0), 2, 1e-12);
            assert_near(sensed(&s, "on-the-joint", 0), 5, 1e-12);
            assert_near(sensed(&s, "geared-speed", 0), 2.5 * k, 1e-9);
        }
        assert_near(sensed(&s, "place", 0), 0.5 - 7.0 / 350, 1e-9);
        assert_near(perp_simulation_report(s.simulation)->energy.scheme, 0, 1e-3);
        end_scenario(&s);
    }
}

// Range finders look at bodies that move and turn.
static void test_ranges(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "run: {h: 1e-3}\n"
        "bodies:\n"
        "  ball: {sphere: 0.3, at: [0, 0, 2], velocity: [0.1, 0, 0.5]}\n"
        "  slab: {box: [1, 1, 0.1], at: [5, 0, 3], spin: [0.7, 0, 0]}\n"
        "  can: {cylinder: {radius: 0.2, height: 1}, at: [10, 0, 3], spin: [0.7, 0, 0]}\n"
        "  egg: {ellipsoid: [0.3, 0.2, 0.5], at: [20, 0, 3], spin: [0.7, 0, 0]}\n"
        "sites: {a: {}, b: {at: [5, 0.1, 0]}, c: {at: [10, 0, 0]}, d: {at: [20, 0, 0]}, e: {at: "
        "[40, 0, 0]}}\n"
        "sensors: {ball: {range: a}, slab: {range: b}, can: {range: c}, egg: {range: d}, none: "
        "{range: e, limit: 7}}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 1);
    double c = cos(0.7), z = sin(0.7);
    assert_near(sensed(&s, "ball", 0), 2.5 - sqrt(0.09 - 0.01), 1e-9);
    assert_near(sensed(&s, "slab", 0), 3 + (0.1 * z - 0.05) / c, 1e-9);
    assert_near(sensed(&s, "can", 0), 3 - 0.2 / z, 1e-9);
    assert_near(sensed(&s, "egg", 0), 3 - 1 / sqrt(z * z / 0.04 + c * c / 0.25), 1e-9);
    assert_near(sensed(&s, "none", 0), 7, 0);
    end_scenario(&s);
}

// A motor against viscous damping: I w' = tau - c w, w = tau/c (1 - exp(-c t/I)); held at a speed
// it takes c w.
static void test_viscous(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "run: {h: 1e-3}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.2, 0.2, 0.2]}\n"
        "  b: {mass: 1, inertia: [0.2, 0.2, 0.2], at: [1, 0, 0]}\n"
        "joints:\n"
        "  one: {hinge: [world, a], at: [0, 0, 0], axis: [0, 0, 1], spring: {damping: 0.5}}\n"
        "  two: {hinge: [world, b], at: [1, 0, 0], axis: [0, 0, 1], spring: {damping: 0.5}}\n"
        "actuators:\n"
        "  push: {joint: one, force: \"3\"}\n"
        "  turn: {joint: two, velocity: \"4\", force-range: [-100, 100]}\n"
        "sensors:\n"
        "  speed: {joint-speed: one}\n"
        "  torque: {actuator-force: turn}\n"
        "  power: {actuator-power: turn}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.4);
    assert_near(sensed(&s, "speed", 0), 3 / 0.5 * (1 - exp(-0.5 * 0.4 / 0.2)), 2e-6);
    assert_near(sensed(&s, "torque", 0), 0.5 * 4, 1e-9);
    assert_near(sensed(&s, "power", 0), 0.5 * 4 * 4, 1e-8);
    end_scenario(&s);
}

// Two wheels in mesh, n w_2 = w_1: the motor's wheel sees I_1 + I_2/n^2. Through a gear g on its
// own shaft a motor of torque f turns with g f.
static void test_gears(void **state)
{
    (void)state;
    static const char text[] = "gravity: [0, 0, 0]\n"
                               "run: {h: 1e-3}\n"
                               "parameters: {n: 4, g: 5}\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                               "  b: {mass: 1, inertia: [3, 3, 3], at: [1, 0, 0]}\n"
                               "joints:\n"
                               "  one: {hinge: [world, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                               "  two: {hinge: [world, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                               "  mesh: {coupling: [one, two], ratio: [1, n]}\n"
                               "actuators: {motor: {joint: one, force: \"0.2\", gear: g}}\n"
                               "sensors:\n"
                               "  first: {joint-speed: one}\n"
                               "  second: {joint-speed: two}\n"
                               "  torque: {motor-force: one}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 1);
    double speed = 5 * 0.2 / (0.1 + 3.0 / 16);
    assert_near(sensed(&s, "first", 0), speed, 1e-8);
    assert_near(sensed(&s, "second", 0), -speed / 4, 1e-8);
    assert_near(sensed(&s, "torque", 0), 1, 1e-12);
    end_scenario(&s);
}

// A force-torque sensor at a wrist that is turned by 30 degrees: an offset load m g at (x, y) of
// the wrist has the moment r x F, in the wrist's axes.
static void test_force_torque(void **state)
{
    (void)state;
    static const char text[] =
        "bodies:\n"
        "  hand: {mass: 2, inertia: [1, 1, 1], at: [0.3, 0.2, 1]}\n"
        "joints: {wrist: {weld: [world, hand], at: [0, 0, 1]}}\n"
        "sites: {wrist: {at: [0, 0, 1], turn: {axis: [1, 0, 0], angle: 30 deg}}}\n"
        "sensors:\n"
        "  force: {joint-force: wrist, frame: wrist}\n"
        "  moment: {joint-moment: wrist, frame: wrist}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.01);
    // what the joint does on the hand: F = (0, 0, m g), M = r x F = (0.2, -0.3, 0) m g
    double c = cos(PI / 6), d = sin(PI / 6), F = 2 * G;
    const double force[3] = {0, d * F, c * F}, moment[3] = {0.2 * F, -0.3 * F * c, 0.3 * F * d};
    for (int k = 0; k < 3; k++) {
        assert_near(sensed(&s, "force", k), force[k], 1e-9);
        assert_near(sensed(&s, "moment", k), moment[k], 1e-9);
    }
    end_scenario(&s);
}

// An arm that turns steadily with a mass at its end: in axes that turn along, what holds it and
// what an accelerometer off its centre shows do not change. A ball that rolls on has no moment of
// contact. Means over a step belong to its middle: all to second order.
static void test_axes_that_turn(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {h: 1e-3, w: 10, r: 0.5, R: 0.1}\n"
        "run: {h: h}\n"
        "world: [{plane: [0, 0, 1]}]\n"
        "bodies:\n"
        "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [r, 0, 1], velocity: [0, w*r, 0], spin: "
        "[0, 0, w]}\n"
        "  ball: {sphere: R, mass: 3, at: [0, 5, R], velocity: [4, 0, 0], spin: [0, 4/R, 0]}\n"
        "joints: {axle: {hinge: [world, arm], at: [0, 0, 1], axis: [0, 0, 1]}}\n"
        "actuators: {drive: {joint: axle, motion: w*t}}\n"
        "sites: {end: {body: arm, at: [0.2, 0.1, 0]}}\n"
        "sensors:\n"
        "  force: {joint-force: axle, frame: end}\n"
        "  moment: {joint-moment: axle, frame: end}\n"
        "  felt: {accelerometer: end}\n"
        "  turned: {gyroscope: end}\n"
        "  rolling: {contact-moment: ball}\n";
    double F = -2 * 100 * 0.5, W = 2 * G; // along the arm, up; the arm from the site to the axle
    const double force[3] = {F, 0, W}, arm[3] = {-0.7, -0.1, 0}, felt[3] = {-70, -10, G};
    // the axle holds the weight by a moment, too
    const double moment[3] = {arm[1] * W, -arm[0] * W - 0.5 * W, -arm[1] * F};
    double error[2];
    for (int half = 0; half < 2; half++) {
        Scenario s = scenario(text, "h", 1e-3 / (1 + half));
        run_until(&s, 0.3);
        error[half] = 0;
        for (int k = 0; k < 3; k++) {
            error[half] = fmax(error[half], fabs(sensed(&s, "felt", k) - felt[k]));
            assert_near(sensed(&s, "force", k), force[k], 3e-3);
            assert_near(sensed(&s, "moment", k), moment[k], 3e-3);
            assert_near(sensed(&s, "turned", k), k == 2 ? 10 : 0, 1e-4);
            assert_near(sensed(&s, "rolling", k), 0, 1e-12);
        }
        end_scenario(&s);
    }
    assert_near(error[0] / error[1], 4, 0.2);
    assert_true(error[1] < 1e-3);
}

// A range finder that looks down at an angle b meets a slope of angle a through the origin: along
// the ray d = n'(p - o)/n'e. On the slope a block rests: its touch is m g cos a.
static void test_slope(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {a: 20 deg, b: 35 deg}\n"
        "materials: {default: {mu: 0.8}}\n"
        "world: [{plane: [sin(a), 0, cos(a)]}]\n"
        "bodies:\n"
        "  block: {box: [0.2, 0.1, 0.1], mass: 3, at: [0.05*sin(a) - 3*cos(a), 0, 0.05*cos(a) + "
        "3*sin(a)], turn: {axis: [0, 1, 0], angle: a}}\n"
        "sites:\n"
        "  eye: {at: [0.5, 0, 2], turn: {axis: [0, 1, 0], angle: pi - b}}\n"
        "sensors:\n"
        "  range: {range: eye}\n"
        "  touch: {touch: block}\n"
        "  force: {contact-force: block}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.2);
    double a = PI / 9, b = 35 * PI / 180;
    double distance = -(sin(a) * 0.5 + cos(a) * 2) / (sin(a) * sin(b) - cos(a) * cos(b));
    assert_near(sensed(&s, "range", 0), distance, 1e-12);
    assert_near(sensed(&s, "touch", 0), 3 * G * cos(a), 1e-8);
    assert_near(sensed(&s, "force", 0), 0, 1e-8);
    assert_near(sensed(&s, "force", 2), 3 * G, 1e-8);
    end_scenario(&s);
}

// A crank of radius r at constant speed, a rod without mass to speak of, a piston of mass m along
// x: x = r cos q + sqrt(l^2 - r^2 sin^2 q), the rod carries m x'', the guide m x'' tan of its
// angle.
static void test_slider_crank_reactions(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {r: 0.3, l: 1, w: 5, m: 2, light: 1e-7, q: 0.7, x: r*cos(q), z: r*sin(q),\n"
        "             end: x + sqrt(l^2 - z^2)}\n"
        "run: {h: 2e-4}\n"
        "bodies:\n"
        "  crank: {mass: light, inertia: [light, light, light], at: [x/2, 0, z/2]}\n"
        "  rod: {mass: light, inertia: [light, light, light], at: [(x + end)/2, 0, z/2]}\n"
        "  piston: {mass: m, inertia: [1, 1, 1], at: [end, 0, 0]}\n"
        "joints:\n"
        "  main: {hinge: [world, crank], at: [0, 0, 0], axis: [0, -1, 0]}\n"
        "  pin: {ball: [crank, rod], at: [x, 0, z]}\n"
        "  wrist: {hinge: [piston, rod], at: [end, 0, 0], axis: [0, 1, 0]}\n"
        "  guide: {slider: [world, piston], at: [end, 0, 0], axis: [1, 0, 0]}\n"
        "actuators: {drive: {joint: main, motion: w*t}}\n"
        "sensors:\n"
        "  side: {joint-force: guide}\n"
        "  rod: {joint-force: wrist}\n"
        "  torque: {actuator-force: drive}\n";
    const double r = 0.3, l = 1, w = 5, m = 2, h = 2e-4;
    Scenario s = scenario(text, NULL, 0);
    for (int k = 1; k <= 4; k++) {
        run_until(&s, 0.04 * k);
        double q = 0.7 + w * (perp_simulation_time(s.simulation) - h / 2); // forces are means
        double z = r * sin(q), y = sqrt(l * l - z * z);
        double slope = -r * sin(q) - r * r * sin(q) * cos(q) / y; // dx/dq
        double bend = -r * cos(q) - r * r * cos(2 * q) / y -
                      pow(r * r * sin(q) * cos(q), 2) / (y * y * y); // d2x/dq2
        double along = m * bend * w * w, across = along * z / y;
        // the rod pushes the piston by (along, -across), the guide holds it by across
        assert_near(sensed(&s, "side", 2), across, 2e-3);
        assert_near(sensed(&s, "rod", 0), -along, 2e-3);
        assert_near(sensed(&s, "rod", 2), across, 2e-3);
        assert_near(sensed(&s, "torque", 0), along * slope, 2e-3);
    }
    end_scenario(&s);
}

// A lift that follows a signal carries a box: with z = a sin(w t) it presses with m (g + z''), and
// the work in the ledger is what both gain. The force of a contact has an error of m h/12 times the
// jerk.
static void test_lift(void **state)
{
    (void)state;
    static const char text[] =
        "run: {h: 1e-3}\n"
        "bodies:\n"
        "  lift: {box: [1, 1, 0.1], at: [0, 0, -0.05], velocity: [0, 0, 0.5]}\n"
        "  box: {box: [0.2, 0.2, 0.2], mass: 4, at: [0, 0, 0.1], velocity: [0, 0, 0.5]}\n"
        "motions: {lift: {position: [\"0\", \"0\", -0.05 + 0.1*sin(5*t)]}}\n"
        "sensors: {load: {contact-force: [box, lift]}, e: {energy: [box]}}\n";
    Scenario s = scenario(text, NULL, 0);
    double h = 1e-3, before = sensed(&s, "e", 0);
    for (int k = 1; k <= 4; k++) {
        run_until(&s, 0.2 * k);
        double t = perp_simulation_time(s.simulation) - h / 2;
        assert_near(sensed(&s, "load", 2), 4 * (G - 0.1 * 25 * sin(5 * t)), 2 * 4 * h / 12 * 12.5);
    }
    const PerpEnergy *e = &perp_simulation_report(s.simulation)->energy;
    assert_near(e->scheme, 0, 1e-5 * fabs(e->work));
    double lift = 1 * 1 * 0.1 * 1000, ratio = (4 + lift) / 4; // both go the same way
    assert_near(e->work, ratio * (sensed(&s, "e", 0) - before), 1e-3);
    end_scenario(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atwood),
        cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_ball_on_turntable),
        cmocka_unit_test(test_pivoting_ball),
        cmocka_unit_test(test_driven_turntable),
        cmocka_unit_test(test_wheel_in_a_circle),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_actuators),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_viscous),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_force_torque),
        cmocka_unit_test(test_axes_that_turn),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_slider_crank_reactions),
        cmocka_unit_test(test_lift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

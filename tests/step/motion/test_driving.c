// What drives and brakes: motors, dry friction, gears, springs, dampers, given forces.

#include "../stepping.h"

static const double WHEEL[3] = {0.4, 0.5, 0.4}; // kg m^2, y is the axle

static int place_wheel(PerpWorld *w, double x)
{
    int wheel = perp_world_solid(w, 1, WHEEL, x, 0, 0);
    return perp_world_hinge(w, -1, wheel, x, 0, 0);
}

// Speed up to the motor's by torque / I, then hold it.
static void test_motor(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-2);
        int axle = place_wheel(&w, 0);
        w.joints[axle].axis_def[0].motor_speed = 12;
        w.joints[axle].axis_def[0].motor_force = 3;
        start(&w);
        run(&w, 150);
        assert_near(spin_of(&w, 0).y, 1.5 * 3 / 0.5, 1e-12); // 12 at 2 s
        if (scheme == DEFAULT_SCHEME)
            assert_near(coordinate(&w, axle), 1.5 * 1.5 * 3, 1e-10);
        run(&w, 150);
        assert_near(spin_of(&w, 0).y, 12, 1e-12);
        const PerpEnergy *e = &perp_simulation_report(w.simulation)->energy;
        assert_near(e->work, 0.5 * 12 * 12 * 0.5, 1e-9);
        assert_below(e->balance, 1e-12);
        perp_world_end(&w);
    }
}

// A motor against a load that is too much for it.
static void test_motor_gives_way(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-2);
        int axle = place_wheel(&w, 0);
        w.joints[axle].axis_def[0].motor_speed = 12;
        w.joints[axle].axis_def[0].motor_force = 3;
        w.forces[perp_world_force(&w, 0)].torque[1] = -5;
        start(&w);
        run(&w, 100);
        assert_near(spin_of(&w, 0).y, -2 / 0.5, 1e-12);
        perp_world_end(&w);
    }
}

// w0 - torque/I t until it stops; then it holds against less than its torque
static void test_dry_friction(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-3);
        int axle = place_wheel(&w, 0);
        w.joints[axle].axis_def[0].friction = 2;
        w.bodies[0].spin[1] = -8;
        int load = perp_world_force(&w, 0);
        w.forces[load].torque[1] = 1.9;
        w.forces[load].start = 3;
        start(&w);
        run(&w, 1999);
        assert_near(spin_of(&w, 0).y, -4e-3, 1e-10); // stops at 2 s
        run(&w, 2);
        assert_near(spin_of(&w, 0).y, 0, 1e-12);
        double stopped = coordinate(&w, axle);
        assert_near(stopped, -8, scheme == DEFAULT_SCHEME ? 1e-5 : 5e-3);
        run(&w, 2000);
        assert_near(coordinate(&w, axle), stopped, 1e-12);
        if (scheme == DEFAULT_SCHEME)
            assert_near(perp_simulation_report(w.simulation)->energy.friction, 16, 1e-9);
        perp_world_end(&w);
    }
}

// 2 x_a + 3 x_b = 0 over hundreds of turns; the inertia seen from a is I (1 + 4/9)
static void test_gears(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 2e-3);
        int a = place_wheel(&w, 0), b = place_wheel(&w, 1);
        perp_world_gear(&w, a, b, 2, 3);
        w.forces[perp_world_force(&w, 0)].torque[1] = 26;
        start(&w);
        run(&w, 5000); // 10 s
        double speed = 10 * 26 / (0.5 * 13 / 9);
        assert_near(spin_of(&w, 0).y, speed, 1e-9 * speed);
        assert_near(spin_of(&w, 1).y, -2.0 / 3 * speed, 1e-9 * speed);
        assert_near(2 * coordinate(&w, a) + 3 * coordinate(&w, b), 0, 1e-9);
        if (scheme == DEFAULT_SCHEME)
            assert_near(coordinate(&w, a), 5 * speed, 1e-9 * 5 * speed);
        perp_world_end(&w);
    }
}

// A rack: a hinge coupled to a slider, m x'' = F with the wheel's inertia I / r^2 on top.
static void test_rack(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-3);
        perp_world_set(w.def.gravity, 0, 0, 0);
        int axle = place_wheel(&w, 0);
        int cart = perp_world_solid(&w, 2, WHEEL, 0, 0, 1);
        int rail = perp_world_joint(&w, PERP_JOINT_SLIDER, -1, cart, 0, 0, 1);
        perp_world_set(w.joints[rail].axis, 1, 0, 0);
        perp_world_gear(&w, axle, rail, 0.5, -1); // x = r angle
        w.forces[perp_world_force(&w, cart)].force[0] = 8;
        start(&w);
        run(&w, 1000);
        assert_near(velocity(&w, cart).x, 8 / (2 + 0.5 / 0.25), 1e-10);
        assert_near(spin_of(&w, 0).y, 2 * velocity(&w, cart).x, 1e-10);
        assert_near(0.5 * coordinate(&w, axle), coordinate(&w, rail), 1e-9);
        perp_world_end(&w);
    }
}

// --- springs ------------------------------------------------------------------------------------

// A mass on a spring without rest length, pulled out by 1 and let go: cos(w t), -w sin(w t).
static double spring_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    perp_world_set(w.def.gravity, 0, 0, 0);
    choose(&w, scheme, 0.7 / steps);
    int mass = perp_world_point(&w, 2, 1, 0, 0);
    perp_world_spring(&w, -1, mass, 200);
    start(&w);
    run(&w, steps);
    double error = hypot(position(&w, mass).x - cos(7), velocity(&w, mass).x / 10 + sin(7));
    perp_world_end(&w);
    return error;
}

static void test_spring_period(void **state)
{
    (void)state;
    assert_order(spring_error, DEFAULT_SCHEME, 200, 2, 1e-3);
    assert_order(spring_error, ANITESCU_POTRA, 500, 1, 5e-2);
}

// no energy is made or lost in a thousand periods
static void test_spring_energy(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    perp_world_set(w.def.gravity, 0, 0, 0);
    choose(&w, DEFAULT_SCHEME, 2 * PI / 10 / 100);
    int mass = perp_world_point(&w, 2, 1, 0, 0);
    perp_world_spring(&w, -1, mass, 200);
    start(&w);
    run(&w, 100000);
    assert_near(energy_of(&w), 100, 1);
    perp_world_end(&w);
}

// with a rest length, hanging: it swings about rest + m g / k
static double hanging_spring_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 1.5 * 2 * PI / 10 / steps);
    int mass = perp_world_point(&w, 2, 0, 0, -0.5);
    w.springs[perp_world_spring(&w, -1, mass, 200)].rest = 0.5;
    start(&w);
    run(&w, steps);
    double error = position(&w, mass).z - (-0.5 - 2 * 2 * G / 200);
    double shake = velocity(&w, mass).z / 10;
    perp_world_end(&w);
    return hypot(error, shake);
}

static void test_hanging_spring(void **state)
{
    (void)state;
    assert_order(hanging_spring_error, DEFAULT_SCHEME, 300, 2, 1e-3);
    assert_order(hanging_spring_error, ANITESCU_POTRA, 1000, 1, 2e-2);
}

// v0 exp(-c t / m)
static double damper_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    perp_world_set(w.def.gravity, 0, 0, 0);
    choose(&w, scheme, 1.0 / steps);
    int mass = perp_world_point(&w, 2, 1, 0, 0);
    w.springs[perp_world_spring(&w, -1, mass, 0)].damping = 6;
    w.bodies[mass].velocity[0] = 1;
    start(&w);
    run(&w, steps);
    double error = velocity(&w, mass).x - exp(-3);
    const PerpEnergy *e = &perp_simulation_report(w.simulation)->energy;
    assert_near(e->damper, 1 - exp(-6), 20.0 / steps);
    assert_below(fabs(e->scheme), 20.0 / steps);
    perp_world_end(&w);
    return error;
}

static void test_damper(void **state)
{
    (void)state;
    static const double orders[SCHEME_COUNT] = {2, 1, 3}; // fitted to exp, of order 3 here
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        assert_order(damper_error, scheme, 200, orders[scheme], 1e-3);
}

// A spring of a hinge turns the wheel to and fro about `rest`; sqrt(k / I).
static double torsional_spring_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 0.7 / steps);
    int axle = place_wheel(&w, 0);
    w.joints[axle].axis_def[0].stiffness = 32;
    w.joints[axle].axis_def[0].rest = 4; // more than half a turn away
    start(&w);
    run(&w, steps);
    double angle = 8 * 0.7; // 4 - 4 cos, 32 sin
    double error =
        hypot(coordinate(&w, axle) - 4 + 4 * cos(angle), spin_of(&w, 0).y / 8 - 4 * sin(angle));
    perp_world_end(&w);
    return error;
}

static void test_torsional_spring(void **state)
{
    (void)state;
    assert_order(torsional_spring_error, DEFAULT_SCHEME, 200, 2, 5e-3);
    assert_order(torsional_spring_error, ANITESCU_POTRA, 1000, 1, 1e-1);
}

// --- given forces -------------------------------------------------------------------------------

static const double FREQUENCY = 1.5, AMPLITUDE = 4, PHASE = 0.4;

// m x'' = A sin(w t + p): x' = A/(m w) (cos p - cos(w t + p))
static PerpVec3 driven(double t)
{
    double w = 2 * PI * FREQUENCY, a = AMPLITUDE / 2;
    double v = a / w * (cos(PHASE) - cos(w * t + PHASE));
    double x = a / w * (cos(PHASE) * t - (sin(w * t + PHASE) - sin(PHASE)) / w);
    return (PerpVec3){x, v, 0};
}

static double periodic_force_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 0.85 / steps);
    int mass = perp_world_point(&w, 2, 0, 0, 0);
    PerpForceDef *force = &w.forces[perp_world_force(&w, mass)];
    force->wave[0] = AMPLITUDE;
    force->frequency = FREQUENCY;
    force->phase = PHASE;
    start(&w);
    run(&w, steps);
    PerpVec3 expected = driven(0.85), seen = {position(&w, mass).x, velocity(&w, mass).x, 0};
    perp_world_end(&w);
    return distance(seen, expected);
}

static void test_periodic_force(void **state)
{
    (void)state;
    assert_order(periodic_force_error, DEFAULT_SCHEME, 200, 2, 1e-4);
    assert_order(periodic_force_error, ANITESCU_POTRA, 200, 1, 1e-2);
}

static void push(void *user, double t, int body, const double x[3], const double q[4],
                 double force[3], double torque[3])
{
    (void)q;
    int *calls = user;
    ++*calls;
    force[0] += AMPLITUDE * sin(2 * PI * FREQUENCY * t + PHASE);
    force[1] += -8 * x[1];
    torque[2] += body == 0 ? 3 : 0;
}

// the caller's own force is the same as a given one; it may depend on where the body is
static void test_force_callback(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        int calls = 0;
        perp_world_init(&w);
        choose(&w, scheme, 1e-4);
        int body = perp_world_solid(&w, 2, WHEEL, 0, 1, 0);
        w.settings.force = push;
        w.settings.force_user = &calls;
        start(&w);
        run(&w, 8500);
        assert_true(calls >= 8500);
        assert_near(position(&w, body).x, driven(0.85).x, 5e-4);
        assert_near(velocity(&w, body).x, driven(0.85).y, 5e-4);
        assert_near(position(&w, body).y, cos(2 * 0.85), 1e-3);
        assert_near(spin_of(&w, body).z, 0.85 * 3 / WHEEL[2], 1e-9);
        perp_world_end(&w);
    }
}

// A force at a point has a moment; it acts from `start` to `end`.
static void test_force_at_a_point(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-3);
        int axle = place_wheel(&w, 0), load = perp_world_force(&w, 0);
        perp_world_set(w.forces[load].point, 0, 0.3, 0.2);
        perp_world_set(w.forces[load].force, 0, 7, 0); // along the axle: no moment about it
        load = perp_world_force(&w, 0);
        w.forces[load].torque[1] = 2;
        w.forces[load].start = 0.25;
        w.forces[load].end = 0.75;
        start(&w);
        run(&w, 1000);
        assert_near(spin_of(&w, 0).y, 2 * 0.5 / 0.5, 5e-3);
        assert_near(position(&w, 0).y, 0, 1e-12);
        assert_true(coordinate(&w, axle) > 0.9);
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_motor_gives_way),
        cmocka_unit_test(test_dry_friction),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_rack),
        cmocka_unit_test(test_spring_period),
        cmocka_unit_test(test_spring_energy),
        cmocka_unit_test(test_hanging_spring),
        cmocka_unit_test(test_damper),
        cmocka_unit_test(test_torsional_spring),
        cmocka_unit_test(test_periodic_force),
        cmocka_unit_test(test_force_callback),
        cmocka_unit_test(test_force_at_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

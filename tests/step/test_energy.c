// The energy ledger: every term against its closed form, and what is left over.

#include "stepping.h"

static const double FLAT[3] = {0.5, 0.5, 0.125};

static const PerpEnergy *ledger(const PerpWorld *w)
{
    return &perp_simulation_report(w->simulation)->energy;
}

// falling and turning, a body trades height for speed exactly
static void test_free_fall(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-2);
    const double moments[3] = {1, 1, 1};
    int body = perp_world_solid(&w, 2, moments, 0, 0, 3);
    perp_world_set(w.bodies[body].velocity, 1, 0, 2);
    w.bodies[body].spin[0] = 3;
    start(&w);
    run(&w, 100);
    assert_near(ledger(&w)->gravity, 2 * G * (3 + 2 - G / 2), 1e-11);
    assert_near(ledger(&w)->kinetic, (2 * (1 + (2 - G) * (2 - G)) + 9) / 2, 1e-11);
    assert_below(ledger(&w)->balance, 1e-13);
    perp_world_end(&w);
}

// friction takes m v^2/2 until the block stops: mu m g times the distance, exactly
static void test_sliding(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-2);
    w.settings.tolerance = SHARP;
    perp_world_plane(&w, 0, 0, 1);
    int block = perp_world_box(&w, 2, FLAT, 0, 0, FLAT[2]);
    w.bodies[block].velocity[0] = 3;
    start(&w);
    run(&w, 20);
    assert_near(ledger(&w)->friction, 0.5 * 2 * G * position(&w, block).x, 1e-11);
    assert_below(ledger(&w)->balance, 1e-12);
    run(&w, 80);
    assert_near(ledger(&w)->friction, 9, 1e-11);
    assert_near(ledger(&w)->impact, 0, 1e-12);
    assert_below(ledger(&w)->balance, 1e-12);
    perp_world_end(&w);
}

// sliding down an incline: gravity's loss is friction's and motion's
static void test_sliding_down(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-2);
    perp_world_plane(&w, 0, 0, 1);
    w.materials[0].mu = 0.3;
    perp_world_set(w.def.gravity, 5, 0, -8);
    perp_world_box(&w, 2, FLAT, 0, 0, FLAT[2]);
    start(&w);
    run(&w, 100);
    double distance = (5 - 0.3 * 8) / 2;
    assert_near(ledger(&w)->friction, 0.3 * 2 * 8 * distance, 1e-10);
    assert_below(ledger(&w)->balance, 1e-12);
    perp_world_end(&w);
}

// impacts take (1 - e^2) m g H, then e^2 of that, ...
static void test_bounces(void **state)
{
    (void)state;
    for (int one_phase = 0; one_phase < 2; one_phase++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        perp_world_plane(&w, 0, 0, 1);
        w.materials[0].restitution = 0.5;
        w.settings.one_phase = one_phase;
        perp_world_sphere(&w, 2, 0.1, 0, 0, 1.1);
        start(&w);
        run(&w, 600); // the first impact is at 0.45 s, the second at 0.90 s
        assert_near(ledger(&w)->impact, 0.75 * 2 * G, 1e-9);
        run(&w, 400);
        assert_near(ledger(&w)->impact, 0.75 * 1.25 * 2 * G, 1e-9);
        run(&w, 1000); // at rest
        assert_near(ledger(&w)->impact, 2 * G, 1e-4);
        assert_near(ledger(&w)->gravity, 2 * G * 0.1, 1e-8);
        assert_below(ledger(&w)->balance, 1e-6);
        perp_world_end(&w);
    }
}

// perfectly plastic, without a bounce: all of it, to the order of the step
static void test_landing(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-3);
        perp_world_plane(&w, 0, 0, 1);
        perp_world_sphere(&w, 2, 0.1, 0, 0, 1.1);
        start(&w);
        run(&w, 600);
        assert_near(ledger(&w)->impact, 2 * G, 0.2);
        assert_near(ledger(&w)->kinetic, 0, 1e-12);
        assert_below(ledger(&w)->balance, 1e-2);
        perp_world_end(&w);
    }
}

// work of a given force and torque, of a motor and against dry friction
static void test_work(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-2);
    const double moments[3] = {1, 2, 1};
    int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
    int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
    w.joints[axle].axis_def[0].friction = 1;
    w.forces[perp_world_force(&w, wheel)].torque[1] = 3;
    start(&w);
    run(&w, 100); // 1 rad/s^2
    assert_near(ledger(&w)->work, 3 * 0.5, 1e-11);
    assert_near(ledger(&w)->friction, 0.5, 1e-11);
    assert_near(ledger(&w)->kinetic, 1, 1e-11);
    assert_below(ledger(&w)->balance, 1e-12);
    perp_world_end(&w);
}

// A spring's energy is in the balance; what the scheme itself takes falls with the step.
static double spring_balance(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 1.0 / steps);
    int mass = perp_world_point(&w, 2, 1, 0, 0);
    perp_world_spring(&w, -1, mass, 50);
    start(&w);
    run(&w, steps);
    double x = perp_vec3_norm(position(&w, mass)), balance = ledger(&w)->balance;
    assert_near(ledger(&w)->spring, 25 * x * x, 1e-10);
    perp_world_end(&w);
    return balance;
}

static double pendulum_balance(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 1.3 / steps);
    int bob = perp_world_point(&w, 2, 1, 0, 0);
    perp_world_joint(&w, PERP_JOINT_DISTANCE, -1, bob, 0, 0, 0);
    start(&w);
    run(&w, steps);
    double balance = ledger(&w)->balance;
    perp_world_end(&w);
    return balance;
}

// with half the step at least 2^order times less is left over
static void assert_falls(ErrorOfRun balance, int scheme, int steps, double close)
{
    double coarse = balance(scheme, steps), fine = balance(scheme, 2 * steps);
    assert_below(fine, close);
    assert_below(fine / coarse, scheme == DEFAULT_SCHEME ? 0.3 : 0.6);
}

static void test_order_of_the_balance(void **state)
{
    (void)state;
    assert_falls(spring_balance, DEFAULT_SCHEME, 400, 1e-4);
    assert_falls(pendulum_balance, DEFAULT_SCHEME, 400, 1e-4);
    assert_falls(spring_balance, ANITESCU_POTRA, 400, 5e-2);
    assert_falls(pendulum_balance, ANITESCU_POTRA, 1000, 0.2);
}

// A velocity set by the caller is neither work nor the scheme's.
static void test_set_velocity(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    const double moments[3] = {1, 1, 1}, v[3] = {3, 0, 0}, spin[3] = {0, 2, 0};
    int body = perp_world_solid(&w, 2, moments, 0, 0, 0);
    start(&w);
    run(&w, 10);
    perp_simulation_set_velocity(w.simulation, body, v, spin);
    run(&w, 10);
    assert_near(ledger(&w)->scheme, 0, 1e-12);
    assert_near(velocity(&w, body).x, 3, 1e-14);
    assert_near(spin_of(&w, body).y, 2, 1e-13);
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_sliding_down),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_landing),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_order_of_the_balance),
        cmocka_unit_test(test_set_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

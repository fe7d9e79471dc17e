// Pendulums and closed loops: periods, energy, joint gaps, with redundant joints as well.

#include "../stepping.h"

static const double RAISE = 1.2; // rad, from which pendulums are released
static const double ARM = 0.7;   // m, from the pivot to the centre of mass
static const double MOMENT = 0.3;

static double period_of(double moment_about_pivot, double mass)
{
    return 2 * PI * sqrt(moment_about_pivot / (mass * G * ARM)) / agm(1, cos(RAISE / 2));
}

// Where the pendulum is after a quarter period: at the bottom, error in the angle.
typedef enum PendulumKind { HINGED, ON_ROD, ON_TAUT_ROPE, PLANAR_HINGED } PendulumKind;

static int place_pendulum(PerpWorld *w, PendulumKind kind)
{
    const double moments[3] = {MOMENT, MOMENT, MOMENT};
    double x = ARM * sin(RAISE), z = -ARM * cos(RAISE);
    perp_world_init(w);
    if (kind == ON_ROD || kind == ON_TAUT_ROPE) {
        int bob = perp_world_point(w, 2, x, 0, z);
        return perp_world_joint(w, kind == ON_ROD ? PERP_JOINT_DISTANCE : PERP_JOINT_ROPE, -1, bob,
                                0, 0, 0);
    }
    int bob = perp_world_solid(w, 2, moments, x, 0, z);
    w->bodies[bob].freedom = kind == PLANAR_HINGED ? PERP_FREE_PLANAR_XZ : PERP_FREE_ALL;
    return perp_world_hinge(w, -1, bob, 0, 0, 0);
}

static double swing_error(PendulumKind kind, int scheme, int steps)
{
    PerpWorld w;
    place_pendulum(&w, kind);
    double own = kind == HINGED || kind == PLANAR_HINGED ? MOMENT : 0;
    choose(&w, scheme, period_of(own + 2 * ARM * ARM, 2) * 1.25 / steps);
    start(&w);
    run(&w, steps);
    if (scheme == DEFAULT_SCHEME)
        assert_below(perp_simulation_report(w.simulation)->joint_gap, 1e-9);
    double error = atan2(position(&w, 0).x, -position(&w, 0).z);
    perp_world_end(&w);
    return error;
}

static double hinged_error(int scheme, int steps)
{
    return swing_error(HINGED, scheme, steps);
}

static double planar_error(int scheme, int steps)
{
    return swing_error(PLANAR_HINGED, scheme, steps);
}

static double rod_error(int scheme, int steps)
{
    return swing_error(ON_ROD, scheme, steps);
}

static double rope_error(int scheme, int steps)
{
    return swing_error(ON_TAUT_ROPE, scheme, steps);
}

// one and a quarter periods with the complete elliptic integral
static void test_period(void **state)
{
    (void)state;
    static const ErrorOfRun errors[] = {hinged_error, planar_error, rod_error};
    for (int k = 0; k < 3; k++) {
        assert_order(errors[k], DEFAULT_SCHEME, 500, 2, 1e-4);
        assert_order(errors[k], ANITESCU_POTRA, 1000, 1, 2e-2);
    }
}

static void test_period_on_rope(void **state)
{
    (void)state;
    assert_below(fabs(rope_error(DEFAULT_SCHEME, 2000)), 1e-2);
    assert_below(fabs(rope_error(DEFAULT_SCHEME, 8000)), 2.5e-3);
}

// Energy relative to the height of the swing, after ten periods.
static double energy_error(int scheme, int steps)
{
    PerpWorld w;
    place_pendulum(&w, HINGED);
    choose(&w, scheme, 10 * period_of(MOMENT + 2 * ARM * ARM, 2) / steps);
    start(&w);
    double first = -2 * G * ARM * cos(RAISE);
    run(&w, steps);
    double error = (energy_of(&w) - first) / (2 * G * ARM * (1 - cos(RAISE)));
    perp_world_end(&w);
    return error;
}

static void test_energy(void **state)
{
    (void)state;
    assert_below(fabs(energy_error(DEFAULT_SCHEME, 10000)), 1e-4);
    assert_below(fabs(energy_error(DEFAULT_SCHEME, 20000)), 0.3e-4);
    assert_order(energy_error, ANITESCU_POTRA, 10000, 1, 0.1);
}

// A bob on a rod that circles about the vertical: rate^2 = g / (L cos)
static double conical_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    const double lean = 0.6;
    double rate = sqrt(G / cos(lean)), seconds = 2;
    choose(&w, scheme, seconds / steps);
    int bob = perp_world_point(&w, 1, sin(lean), 0, -cos(lean));
    perp_world_joint(&w, PERP_JOINT_DISTANCE, -1, bob, 0, 0, 0);
    w.bodies[bob].velocity[1] = rate * sin(lean);
    start(&w);
    run(&w, steps);
    PerpVec3 expected = {sin(lean) * cos(rate * seconds), sin(lean) * sin(rate * seconds),
                         -cos(lean)};
    double error = distance(position(&w, bob), expected);
    perp_world_end(&w);
    return error;
}

static void test_conical_pendulum(void **state)
{
    (void)state;
    assert_order(conical_error, DEFAULT_SCHEME, 500, 2, 1e-3);
    assert_order(conical_error, ANITESCU_POTRA, 1000, 1, 5e-2);
}

// Two links, each a rod of length 1 with a hinge at its end.
static double double_pendulum_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 2.0 / steps);
    const double moments[3] = {0.01, 1.0 / 12, 1.0 / 12};
    int upper = perp_world_solid(&w, 1, moments, 0.5, 0, 0);
    int lower = perp_world_solid(&w, 1, moments, 1.5, 0, 0);
    perp_world_hinge(&w, -1, upper, 0, 0, 0);
    perp_world_hinge(&w, upper, lower, 1, 0, 0);
    start(&w);
    run(&w, steps);
    if (scheme == DEFAULT_SCHEME)
        assert_below(perp_simulation_report(w.simulation)->joint_gap, 1e-9);
    assert_below(fabs(position(&w, lower).y), 1e-12);
    double error = energy_of(&w) / G; // 0 at the start
    perp_world_end(&w);
    return error;
}

static void test_double_pendulum(void **state)
{
    (void)state;
    assert_order(double_pendulum_error, DEFAULT_SCHEME, 2000, 2, 1e-4);
    assert_order(double_pendulum_error, ANITESCU_POTRA, 4000, 1, 2e-2);
}

// --- closed loops -------------------------------------------------------------------------------

// A bar of mass 1 from (x0, z0) to (x1, z1).
static int place_bar(PerpWorld *w, double x0, double z0, double x1, double z1)
{
    double length = hypot(x1 - x0, z1 - z0), moment = length * length / 12;
    const double moments[3] = {0.001, moment, moment};
    int bar = perp_world_solid(w, 1, moments, (x0 + x1) / 2, 0, (z0 + z1) / 2);
    perp_world_turn(w, bar, 0, -atan2(z1 - z0, x1 - x0), 0);
    return bar;
}

// Crank, coupler and rocker of a linkage that turns all around; spatial hinges leave 3 of 20 rows
// redundant.
static void place_four_bar(PerpWorld *w, unsigned freedom)
{
    perp_world_init(w);
    perp_world_set(w->def.gravity, 0, 0, 0);
    // ground (0, 0) .. (1, 0), crank to (0, 0.3), rocker from (1, 0) to (0.9, 0.8)
    int crank = place_bar(w, 0, 0, 0, 0.3), coupler = place_bar(w, 0, 0.3, 0.9, 0.8);
    int rocker = place_bar(w, 1, 0, 0.9, 0.8);
    perp_world_hinge(w, -1, crank, 0, 0, 0);
    perp_world_hinge(w, crank, coupler, 0, 0, 0.3);
    perp_world_hinge(w, coupler, rocker, 0.9, 0, 0.8);
    perp_world_hinge(w, -1, rocker, 1, 0, 0);
    for (int k = 0; k < 3; k++)
        w->bodies[k].freedom = freedom;
    w->joints[0].axis_def[0].motor_speed = 5;
    w->joints[0].axis_def[0].motor_force = INFINITY;
}

// The rocker's end from the crank's: the point at the two distances, on the side it started on.
static PerpVec3 rocker_end(double angle)
{
    double l = hypot(0.9, 0.5), r = hypot(0.1, 0.8);
    PerpVec3 a = {0.3 * sin(angle), 0, 0.3 * cos(angle)}, b = {1, 0, 0};
    double d = distance(a, b), along = (l * l - r * r + d * d) / (2 * d);
    double off = sqrt(l * l - along * along);
    PerpVec3 u = perp_vec3_scale(1 / d, perp_vec3_sub(b, a));
    return (PerpVec3){a.x + along * u.x - off * u.z, 0, a.z + along * u.z + off * u.x};
}

static void test_four_bar(void **state)
{
    (void)state;
    static const unsigned freedoms[] = {PERP_FREE_ALL, PERP_FREE_PLANAR_XZ};
    for (int planar = 0; planar < 2; planar++) {
        PerpWorld w;
        place_four_bar(&w, freedoms[planar]);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        start(&w);
        for (int k = 0; k < 3000; k++) {
            step(&w, 0);
            assert_below(perp_simulation_report(w.simulation)->joint_gap, 1e-9);
        }
        double angle = coordinate(&w, 0);
        assert_near(angle, 15, 0.05);
        PerpVec3 end = perp_vec3_sub(perp_vec3_scale(2, position(&w, 2)), (PerpVec3){1, 0, 0});
        assert_below(distance(end, rocker_end(angle)), 1e-9);
        perp_world_end(&w);
    }
}

// free of the motor, the linkage keeps its energy
static double loop_energy_error(int scheme, int steps)
{
    PerpWorld w;
    place_four_bar(&w, PERP_FREE_ALL);
    w.joints[0].axis_def[0].motor_force = 0;
    choose(&w, scheme, 2.0 / steps);
    w.bodies[0].spin[1] = 5; // the impulses of the first step make the others follow
    w.bodies[0].velocity[0] = 0.75;
    start(&w);
    step(&w, 0);
    double first = energy_of(&w);
    run(&w, steps - 1);
    double error = energy_of(&w) / first - 1;
    perp_world_end(&w);
    return error;
}

static void test_energy_of_the_loop(void **state)
{
    (void)state;
    assert_below(fabs(loop_energy_error(DEFAULT_SCHEME, 2000)), 2e-3);
    assert_below(fabs(loop_energy_error(DEFAULT_SCHEME, 8000)), 2e-4);
    assert_below(fabs(loop_energy_error(ANITESCU_POTRA, 4000)), 1e-1);
    assert_below(fabs(loop_energy_error(ANITESCU_POTRA, 16000)), 3e-2);
}

// x = r cos + sqrt(l^2 - r^2 sin^2) of the piston; r = 0.2, l = 0.6, the crank starts along z
static void test_slider_crank(void **state)
{
    (void)state;
    static const unsigned freedoms[] = {PERP_FREE_ALL, PERP_FREE_PLANAR_XZ};
    for (int planar = 0; planar < 2; planar++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        double reach = sqrt(0.32);
        int crank = place_bar(&w, 0, 0, 0, 0.2), rod = place_bar(&w, 0, 0.2, reach, 0);
        const double moments[3] = {0.01, 0.01, 0.01};
        int piston = perp_world_solid(&w, 0.5, moments, reach, 0, 0);
        int axle = perp_world_hinge(&w, -1, crank, 0, 0, 0);
        perp_world_hinge(&w, crank, rod, 0, 0, 0.2);
        perp_world_hinge(&w, rod, piston, reach, 0, 0);
        int rail = perp_world_joint(&w, PERP_JOINT_SLIDER, -1, piston, reach, 0, 0);
        perp_world_set(w.joints[rail].axis, 1, 0, 0);
        w.joints[axle].axis_def[0].motor_speed = -10;
        w.joints[axle].axis_def[0].motor_force = INFINITY;
        for (int k = 0; k < 3; k++)
            w.bodies[k].freedom = freedoms[planar];
        start(&w);
        for (int k = 0; k < 2000; k++) {
            step(&w, 0);
            assert_below(perp_simulation_report(w.simulation)->joint_gap, 1e-9);
            double angle = PI / 2 - coordinate(&w, axle), s = 0.2 * sin(angle);
            assert_near(position(&w, piston).x, 0.2 * cos(angle) + sqrt(0.36 - s * s), 1e-9);
        }
        assert_near(coordinate(&w, axle), -20, 0.05);
        perp_world_end(&w);
    }
}

// Links with ball joints, released horizontal.
static void hang_chain(PerpWorld *w, int links, double tolerance)
{
    const double length = 0.1, moments[3] = {1e-5, 6e-5, 6e-5};
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 1e-3);
    w->settings.tolerance = tolerance;
    for (int k = 0, last = -1; k < links; k++) {
        int link = perp_world_solid(w, 0.07, moments, length * (k + 0.5), 0, 0);
        perp_world_joint(w, PERP_JOINT_BALL, last, link, length * k, 0, 0);
        last = link;
    }
    start(w);
}

// The largest error that is reported; in four seconds the end cracks like a whip.
static double chain_gap(double tolerance, double duration)
{
    PerpWorld w;
    double worst = 0;
    hang_chain(&w, 20, tolerance);
    for (int k = 0; k < steps_of(&w, duration); k++) {
        step(&w, 0);
        const PerpStepReport *report = perp_simulation_report(w.simulation);
        worst = fmax(worst, report->joint_gap);
        assert_int_equal(report->outcome, PERP_OUTCOME_SOLVED);
        assert_below(report->certificate.worst, tolerance);
        assert_int_equal(report->warnings, 0);
    }
    perp_world_end(&w);
    return worst;
}

static void test_chain_stays_closed(void **state)
{
    (void)state;
    assert_below(chain_gap(1e-3, 1), 1.1e-6);
    assert_below(chain_gap(1e-8, 4), 1e-10);
    assert_below(chain_gap(1e-10, 1), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_period_on_rope),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_energy_of_the_loop),
        cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_chain_stays_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

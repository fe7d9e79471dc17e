// Custom systems: closed forms, energies, agreement with rigid bodies, rows of every kind.

#include "../stepping.h"
#include "custom_systems.h"

static PerpSimulation *begin(const PerpSystemDef *def, int scheme, double h)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    PerpError error;
    settings.scheme = perp_scheme_name(scheme);
    settings.step = h;
    if (perp_simulation_create_custom(NULL, def, &settings, &simulation, &error))
        fail_msg("%s", error.message);
    return simulation;
}

static void go(PerpSimulation *simulation, int steps)
{
    PerpError error;
    for (int k = 0; k < steps; k++) {
        if (perp_simulation_step(simulation, 0, &error))
            fail_msg("%s", error.message);
        assert_int_equal(perp_simulation_report(simulation)->outcome, PERP_OUTCOME_SOLVED);
    }
}

static const double *q_of(const PerpSimulation *simulation)
{
    int n;
    return perp_simulation_q(simulation, &n);
}

static const double *v_of(const PerpSimulation *simulation)
{
    int n;
    return perp_simulation_v(simulation, &n);
}

static double stored(const PerpSimulation *simulation)
{
    const PerpEnergy *e = &perp_simulation_report(simulation)->energy;
    return e->kinetic + e->gravity + e->spring;
}

static const double AT_REST[2] = {0, 0};

// --- the double pendulum ------------------------------------------------------------------------

static const double ANGLES[2] = {1, 0.5};

// Points on rods, of the same pendulum.
static void place_rigid_pendulum(PerpWorld *w, double h)
{
    double x[2] = {sin(ANGLES[0]), sin(ANGLES[0]) + sin(ANGLES[1])};
    double z[2] = {-cos(ANGLES[0]), -cos(ANGLES[0]) - cos(ANGLES[1])};
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, h);
    for (int k = 0; k < 2; k++) {
        int body = perp_world_point(w, 1, x[k], 0, z[k]);
        int rod =
            perp_world_joint(w, PERP_JOINT_DISTANCE, k - 1, body, k ? x[0] : 0, 0, k ? z[0] : 0);
        w->joints[rod].anchor_b[0] = x[k];
        w->joints[rod].anchor_b[2] = z[k];
    }
    start(w);
}

// How far the lower mass is from that of the rigid system after a second.
static double apart_from_rigid(int scheme, int steps)
{
    PerpSystemDef def = pendulum_def(ANGLES, AT_REST);
    PerpSimulation *simulation = begin(&def, scheme, 1. / steps);
    PerpWorld w;
    place_rigid_pendulum(&w, 1. / 4096);
    run(&w, 4096);
    go(simulation, steps);
    const double *a = q_of(simulation);
    PerpVec3 end = {sin(a[0]) + sin(a[1]), 0, -cos(a[0]) - cos(a[1])};
    double apart = distance(end, position(&w, 1));
    perp_simulation_destroy(simulation);
    perp_world_end(&w);
    return apart;
}

static void test_pendulum_agrees_with_rigid_bodies(void **state)
{
    (void)state;
    assert_order(apart_from_rigid, DEFAULT_SCHEME, 128, 2, 1e-4);
    assert_order(apart_from_rigid, ANITESCU_POTRA, 256, 1, 2e-2);
}

static double energy_error_of_pendulum(int scheme, int steps)
{
    PerpSystemDef def = pendulum_def(ANGLES, AT_REST);
    PerpSimulation *simulation = begin(&def, scheme, 2. / steps);
    go(simulation, steps);
    double error = stored(simulation) - pendulum_potential(NULL, ANGLES);
    perp_simulation_destroy(simulation);
    return error;
}

static void test_pendulum_keeps_its_energy(void **state)
{
    (void)state;
    assert_below(fabs(energy_error_of_pendulum(DEFAULT_SCHEME, 2000)), 1e-4);
    assert_below(fabs(energy_error_of_pendulum(DEFAULT_SCHEME, 8000)), 1e-5);
}

// --- the bead -----------------------------------------------------------------------------------

// The speed at the bottom, v^2 = 2 g (z_0 + 1), and the time there, K(sin(a/2)) sqrt(1/g).
static double error_of_bead(int scheme, int steps)
{
    const double a = 1.2, start_at[2] = {sin(a), -cos(a)};
    double quarter = PI / 2 / agm(1, cos(a / 2)) / sqrt(GRAVITY);
    PerpSystemDef def = bead_def(start_at, AT_REST);
    PerpSimulation *simulation = begin(&def, scheme, quarter / steps);
    go(simulation, steps);
    double error =
        hypot(q_of(simulation)[0], v_of(simulation)[0] + sqrt(2 * GRAVITY * (1 - cos(a))));
    perp_simulation_destroy(simulation);
    return error;
}

static void test_bead_reaches_the_bottom_in_time(void **state)
{
    (void)state;
    assert_order(error_of_bead, DEFAULT_SCHEME, 64, 2, 1e-4);
    assert_order(error_of_bead, ANITESCU_POTRA, 256, 1, 1e-2);
}

static void test_bead_stays_on_the_wire(void **state)
{
    const double start_at[2] = {0.6, -0.8};
    PerpSystemDef def = bead_def(start_at, AT_REST);
    PerpSimulation *simulation = begin(&def, DEFAULT_SCHEME, 1e-3);
    (void)state;
    for (int k = 0; k < 2000; k++) {
        go(simulation, 1);
        assert_below(perp_simulation_report(simulation)->joint_gap, 1e-10);
    }
    perp_simulation_destroy(simulation);
}

// --- polar coordinates --------------------------------------------------------------------------

// Straight on at 2 m/s, from (0.5, 0) at a right angle: (0.5, 2 t).
static double error_of_straight_line(int scheme, int steps)
{
    const double start_at[2] = {0.5, 0}, velocity_at[2] = {0, 4}, none = 0, t = 0.4;
    PerpSystemDef def = polar_def(start_at, velocity_at, &none, &none);
    PerpSimulation *simulation = begin(&def, scheme, t / steps);
    go(simulation, steps);
    const double *q = q_of(simulation);
    double error = hypot(q[0] * cos(q[1]) - 0.5, q[0] * sin(q[1]) - 2 * t);
    perp_simulation_destroy(simulation);
    return error;
}

static void test_free_particle_goes_straight(void **state)
{
    (void)state;
    assert_order(error_of_straight_line, DEFAULT_SCHEME, 64, 2, 1e-4);
    assert_order(error_of_straight_line, ANITESCU_POTRA, 256, 1, 1e-2);
}

// One bounce at the wall: v_n = sqrt(3) is thrown back with e, friction takes mu (1 + e) v_n.
static void check_bounce(int scheme, double e, double mu, double tolerance)
{
    const double start_at[2] = {0.5, 0}, velocity_at[2] = {0, 4};
    PerpSystemDef def = polar_def(start_at, velocity_at, &e, &mu);
    PerpSimulation *simulation = begin(&def, scheme, 1e-4);
    go(simulation, 4400); // the wall is reached after sqrt(3)/4 = 0.433 s
    const double *q = q_of(simulation), *v = v_of(simulation);
    double momentum = q[0] * q[0] * v[1], speed = hypot(v[0], q[0] * v[1]);
    double slip = 1 - mu * (1 + e) * sqrt(3);
    assert_near(momentum, slip, tolerance);
    assert_near(speed, hypot(e * sqrt(3), slip), tolerance);
    assert_int_equal(perp_simulation_report(simulation)->energy.impact > 0, e < 1);
    perp_simulation_destroy(simulation);
}

static void test_wall_with_restitution_and_friction(void **state)
{
    (void)state;
    check_bounce(DEFAULT_SCHEME, 0.5, 0, 1e-4);
    check_bounce(DEFAULT_SCHEME, 0.5, 0.1, 1e-4);
    check_bounce(DEFAULT_SCHEME, 1, 0, 1e-4);
    check_bounce(ANITESCU_POTRA, 0.5, 0.1, 5e-3);
}

// --- friction at rest on a floor ----------------------------------------------------------------

// v_0^2 / (2 mu g), and there it stays.
static void test_sliding_point_stops(void **state)
{
    const double start_at[2] = {0, 0}, velocity_at[2] = {2, 0}, none = 0, mu = 0.4;
    PerpSystemDef def = floor_def(start_at, velocity_at, &none, &mu);
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpSimulation *simulation = begin(&def, scheme, 1e-3);
        go(simulation, 700);
        double there = q_of(simulation)[0];
        assert_near(there, 4 / (2 * mu * GRAVITY), scheme == DEFAULT_SCHEME ? 1e-5 : 2e-3);
        go(simulation, 100);
        assert_true(q_of(simulation)[0] == there);
        assert_near(perp_simulation_report(simulation)->energy.friction, 2, 1e-2);
        perp_simulation_destroy(simulation);
    }
}

// --- rates --------------------------------------------------------------------------------------

// G = (1, 0): x may grow only.
static void ratchet(void *user, const double *q, double *column)
{
    (void)user, (void)q;
    column[0] = 1;
    column[1] = 0;
}

static void swinging_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)q, (void)v;
    k[0] = cos(t);
    k[1] = 0;
}

// x'' = cos t with x' >= 0: v = sin t until pi, held until 3 pi/2, then 1 + sin t.
static void test_ratchet_goes_one_way(void **state)
{
    PerpSystemDef def = point_def(AT_REST, AT_REST);
    def.force = swinging_force;
    def.potential = NULL;
    def.n_rates = 1;
    def.rates = ratchet;
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpSimulation *simulation = begin(&def, scheme, PI / 2000);
        double within = scheme == DEFAULT_SCHEME ? 1e-5 : 2e-3;
        go(simulation, 1000);
        assert_near(v_of(simulation)[0], 1, within);
        go(simulation, 1500);
        assert_near(v_of(simulation)[0], 0, 1e-12);
        assert_near(q_of(simulation)[0], 2, 2 * within);
        go(simulation, 1500);
        assert_near(v_of(simulation)[0], 1, within);
        perp_simulation_destroy(simulation);
    }
}

// --- links --------------------------------------------------------------------------------------

static void stretch(void *user, const double *q, double *psi)
{
    (void)user;
    psi[0] = q[0] - 1;
}

// x'' = -100 (x - 1) - 2 x':  x = 1 + e^-t (cos w t + sin(w t)/w),  w^2 = 99
static double error_of_spring(int scheme, int steps)
{
    const double start_at[2] = {2, 0}, stiffness = 100, damping = 2, w = sqrt(99);
    PerpSystemDef def = point_def(start_at, AT_REST);
    def.force = NULL;
    def.potential = NULL;
    def.n_links = 1;
    def.links = stretch;
    def.stiffness = &stiffness;
    def.damping = &damping;
    PerpSimulation *simulation = begin(&def, scheme, 1. / steps);
    go(simulation, steps);
    double error = q_of(simulation)[0] - 1 - exp(-1) * (cos(w) + sin(w) / w);
    perp_simulation_destroy(simulation);
    return error;
}

static void test_link_is_a_spring_with_damper(void **state)
{
    (void)state;
    assert_order(error_of_spring, DEFAULT_SCHEME, 256, 2, 1e-3);
    assert_order(error_of_spring, ANITESCU_POTRA, 2048, 1, 1e-2);
}

// What springs store and dampers take is what was there.
static void test_links_are_in_the_ledger(void **state)
{
    const double start_at[2] = {2, 0}, stiffness = 100, damping = 2;
    PerpSystemDef def = point_def(start_at, AT_REST);
    def.force = NULL;
    def.potential = NULL;
    def.n_links = 1;
    def.links = stretch;
    def.stiffness = &stiffness;
    def.damping = &damping;
    PerpSimulation *simulation = begin(&def, DEFAULT_SCHEME, 1e-3);
    (void)state;
    go(simulation, 1000);
    const PerpEnergy *energy = &perp_simulation_report(simulation)->energy;
    assert_near(energy->kinetic + energy->spring + energy->damper, 50, 0.05);
    assert_true(energy->damper > 30);
    perp_simulation_destroy(simulation);
}

// --- units --------------------------------------------------------------------------------------

// The floor z = 0 as a constraint in another unit: phi = `user` z.
static void scaled_floor(void *user, const double *q, double *phi)
{
    phi[0] = *(const double *)user * q[1];
}

static void scaled_floor_gradient(void *user, const double *q, double *n)
{
    (void)q;
    n[0] = 0;
    n[1] = *(const double *)user;
}

// x, z after 0.9 s; the impulse that rests on the floor at the end, in the unit of phi, and its
// gap.
static void drop_on_scaled_floor(int scheme, double unit, double q[2], double *impulse, double *gap)
{
    const double start[2] = {0, 0.5}, velocity[2] = {1, 0}, restitution = 0.5;
    const double mu = 0.1 * unit; // friction is bounded by mu times the multiplier of phi
    PerpSystemDef def = floor_def(start, velocity, &restitution, &mu);
    def.user = &unit;
    def.constraints = scaled_floor;
    def.constraint_gradients = scaled_floor_gradient;
    PerpSimulation *simulation = begin(&def, scheme, 1e-3);
    go(simulation, 1);
    *gap = perp_simulation_contact_count(simulation) > 0
               ? perp_simulation_contact(simulation, 0).gap / unit
               : NAN;
    go(simulation, 899);
    memcpy(q, q_of(simulation), 2 * sizeof(double));
    *impulse = 0;
    for (int k = 0; k < perp_simulation_contact_count(simulation); k++)
        *impulse += perp_simulation_contact(simulation, k).impulse[0] * unit;
    perp_simulation_destroy(simulation);
}

// phi = 1e-9 z is closed at z = 0, not at 1 m: the unit of a constraint changes nothing but
// rounding.
static void test_units_of_constraints_do_not_matter(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        double in_metres[2], q[2], impulse[2], gap[2];
        drop_on_scaled_floor(scheme, 1, in_metres, &impulse[0], &gap[0]);
        for (int k = 0; k < 2; k++) {
            drop_on_scaled_floor(scheme, k ? 1e-9 : 1e9, q, &impulse[1], &gap[1]);
            assert_near(q[0], in_metres[0], 1e-9);
            assert_near(q[1], in_metres[1], 1e-9);
            assert_near(impulse[1], impulse[0], 1e-9 + 1e-6 * impulse[0]);
            assert_true((isnan(gap[0]) && isnan(gap[1])) || fabs(gap[0] - gap[1]) < 1e-9);
        }
    }
}

// --- external impulses --------------------------------------------------------------------------

// A blow on a point that rests: what presses on the floor is answered, with friction, without
// bounce; the ledger has its work.
static void test_impulse_on_a_resting_point(void **state)
{
    (void)state;
    const double start[2] = {0, 0}, restitution = 0.8, mu = 0.25;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        PerpSystemDef def = floor_def(start, AT_REST, &restitution, &mu);
        PerpSimulation *simulation = begin(&def, scheme, 1e-3);
        PerpError error;
        const double blow[2] = {1, -2}, broken[2] = {NAN, 0};
        assert_int_equal(perp_simulation_apply_impulse(simulation, broken, &error), PERP_BAD_VALUE);
        assert_true(v_of(simulation)[0] == 0);
        assert_int_equal(perp_simulation_apply_impulse(simulation, blow, &error), PERP_OK);
        assert_near(v_of(simulation)[0], 0.5, 1e-9); // 1 - mu 2
        assert_near(v_of(simulation)[1], 0, 1e-9);
        const PerpEnergy *energy = &perp_simulation_report(simulation)->energy;
        assert_near(energy->work, 0.25, 1e-9); // (v1 + v2)'F/2
        assert_near(energy->friction + energy->impact, 0.125, 1e-9);
        assert_near(energy->scheme, 0, 1e-9);
        go(simulation, 10);
        assert_true(v_of(simulation)[0] > 0.4 && q_of(simulation)[0] > 0.004);
        perp_simulation_destroy(simulation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_agrees_with_rigid_bodies),
        cmocka_unit_test(test_pendulum_keeps_its_energy),
        cmocka_unit_test(test_bead_reaches_the_bottom_in_time),
        cmocka_unit_test(test_bead_stays_on_the_wire),
        cmocka_unit_test(test_free_particle_goes_straight),
        cmocka_unit_test(test_wall_with_restitution_and_friction),
        cmocka_unit_test(test_sliding_point_stops),
        cmocka_unit_test(test_ratchet_goes_one_way),
        cmocka_unit_test(test_link_is_a_spring_with_damper),
        cmocka_unit_test(test_links_are_in_the_ledger),
        cmocka_unit_test(test_units_of_constraints_do_not_matter),
        cmocka_unit_test(test_impulse_on_a_resting_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

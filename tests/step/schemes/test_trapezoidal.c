// The trapezoidal scheme of PAGT06 as printed, and its damped sibling, against closed forms.
#include "../stepping.h"

#include "perp/system.h"

#include <string.h>

static const char *const both[2] = {"trapezoidal", "trapezoidal-damped"};

// --- custom systems -----------------------------------------------------------------------------

static void unit_mass(void *user, const double *q, double *M)
{
    int n = *(const int *)user;
    (void)q;
    for (int i = 0; i < n; i++)
        M[i * (n + 1)] = 1;
}

static void first_coordinate(void *user, const double *q, double *psi)
{
    (void)user;
    psi[0] = q[0];
}

static void first_gradient(void *user, const double *q, double *g)
{
    (void)user, (void)q;
    g[0] = 1;
}

static PerpSimulation *create(const PerpSystemDef *def, const char *scheme, double h)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    PerpError error = {0};
    settings.scheme = scheme;
    settings.step = h;
    if (perp_simulation_create_custom(NULL, def, &settings, &simulation, &error))
        fail_msg("%s", error.message);
    return simulation;
}

static void go(PerpSimulation *simulation, int steps)
{
    PerpError error = {0};
    for (int k = 0; k < steps; k++)
        if (perp_simulation_step(simulation, 0, &error))
            fail_msg("%s", error.message);
}

// A unit mass on a spring gamma and damper delta, from (x, v), `steps` steps of h.
static void oscillate(const char *scheme, double gamma, double delta, double h, int steps,
                      double state[2])
{
    static int one = 1;
    PerpSystemDef def = perp_default_system();
    def.n = 1;
    def.user = &one;
    def.position = &state[0];
    def.velocity = &state[1];
    def.mass = unit_mass;
    def.n_links = 1;
    def.links = first_coordinate;
    def.link_gradients = first_gradient;
    def.stiffness = &gamma;
    def.damping = &delta;
    PerpSimulation *simulation = create(&def, scheme, h);
    int count;
    go(simulation, steps);
    double x = perp_simulation_q(simulation, &count)[0],
           v = perp_simulation_v(simulation, &count)[0];
    state[0] = x;
    state[1] = v;
    perp_simulation_destroy(simulation);
}

// One step is R(z) = (1 + z/2)/(1 - z/2) of the matrix [0 1; -gamma -delta] h.
static void test_amplification(void **state)
{
    (void)state;
    static const double cases[][2] = {{4, 0}, {100, 3}, {1e4, 0}, {0, 50}, {1e8, 1e4}};
    const double h = 0.01;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double a = h * h / 4 * cases[k][0], b = h / 2 * cases[k][1], x = 0.3, v = -2;
        double s[2] = {x, v};
        oscillate("trapezoidal", cases[k][0], cases[k][1], h, 1, s);
        double expected = ((1 - a - b) * v - h * cases[k][0] * x) / (1 + a + b);
        assert_near(s[1], expected, 1e-12 * (1 + fabs(expected)));
        assert_near(s[0], x + h / 2 * (v + expected), 1e-13);
    }
}

// An undamped oscillator keeps its energy to rounding, as printed, whatever the step.
static void test_energy_of_oscillator(void **state)
{
    (void)state;
    for (double gamma = 1; gamma < 1e9; gamma *= 100) {
        double s[2] = {0.1, 1};
        double first = gamma * s[0] * s[0] + s[1] * s[1];
        oscillate("trapezoidal", gamma, 0, 0.01, 500, s);
        assert_near((gamma * s[0] * s[0] + s[1] * s[1]) / first, 1, 1e-9);
    }
}

// Stiff links: the printed scheme rings with the factor -1, the sibling is dead at once.
static void test_stiff_limit(void **state)
{
    (void)state;
    static const double cases[][2] = {{1e12, 0}, {0, 1e12}, {1e12, 1e12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double rings[2] = {0, 1}, dead[2] = {0, 1};
        oscillate(both[0], cases[k][0], cases[k][1], 0.01, 11, rings);
        oscillate(both[1], cases[k][0], cases[k][1], 0.01, 11, dead);
        assert_near(rings[1], -1, 1e-4); // cos(22 atan(h w/2)) of a spring
        assert_below(fabs(rings[0]), 1e-6);
        assert_below(fabs(dead[1]), 1e-6);
        assert_below(fabs(dead[0]), 1e-6);
    }
}

// Amplitude of the damped sibling never grows, for steps from tiny to huge.
static void test_sibling_is_stable(void **state)
{
    (void)state;
    for (double gamma = 1; gamma < 1e13; gamma *= 7) {
        double s[2] = {0, 1};
        oscillate(both[1], gamma, 0, 0.01, 50, s);
        double early = s[1] * s[1] + gamma * s[0] * s[0];
        oscillate(both[1], gamma, 0, 0.01, 1000, s);
        assert_below(s[1] * s[1] + gamma * s[0] * s[0], early * (1 + 1e-9) + 1e-20);
        assert_below(early, 1 + 1e-9);
    }
}

// --- order --------------------------------------------------------------------------------------

// Decaying oscillation against its closed form.
static double oscillator_error(const char *scheme, int steps)
{
    double s[2] = {1, 0}, w = sqrt(100 - 1), h = 1.0 / steps;
    oscillate(scheme, 100, 2, h, steps, s);
    return s[0] - exp(-1) * (cos(w) + sin(w) / w);
}

static void pendulum_mass(void *user, const double *q, double *M)
{
    (void)user;
    M[0] = 2;
    M[1] = M[2] = cos(q[0] - q[1]);
    M[3] = 1;
}

static void pendulum_force(void *user, double t, const double *q, const double *v, double *k)
{
    double s = sin(q[0] - q[1]);
    (void)user, (void)t;
    k[0] = -s * v[1] * v[1] - 2 * 9.8 * sin(q[0]);
    k[1] = s * v[0] * v[0] - 9.8 * sin(q[1]);
}

static double pendulum_energy(const double *q, const double *v)
{
    return v[0] * v[0] + v[1] * v[1] / 2 + cos(q[0] - q[1]) * v[0] * v[1] - 9.8 * 2 * cos(q[0]) -
           9.8 * cos(q[1]);
}

// A double pendulum in angles has a mass matrix that changes: the energy after a second.
static double angles_error(const char *scheme, int steps)
{
    const double q[2] = {1, 0.5}, v[2] = {0, 0};
    PerpSystemDef def = perp_default_system();
    int count;
    def.n = 2;
    def.position = q;
    def.velocity = v;
    def.mass = pendulum_mass;
    def.force = pendulum_force;
    PerpSimulation *simulation = create(&def, scheme, 1.0 / steps);
    go(simulation, steps);
    double error = pendulum_energy(perp_simulation_q(simulation, &count),
                                   perp_simulation_v(simulation, &count)) -
                   pendulum_energy(q, v);
    perp_simulation_destroy(simulation);
    return error;
}

static double observed_order(double (*error)(const char *, int), const char *scheme, int steps)
{
    return log2(fabs(error(scheme, steps)) / fabs(error(scheme, 2 * steps)));
}

// Theorem 3.3: order 2 with a constant mass matrix, 1 without; the sibling has order 2 with both.
static void test_order(void **state)
{
    (void)state;
    assert_near(observed_order(oscillator_error, both[0], 400), 2, 0.1);
    assert_near(observed_order(oscillator_error, both[1], 400), 2, 0.2);
    assert_near(observed_order(angles_error, both[0], 400), 1, 0.2);
    assert_near(observed_order(angles_error, both[1], 400), 2, 0.2);
}

// --- rigid bodies -------------------------------------------------------------------------------

static void prepare(PerpWorld *w, const char *scheme, double h)
{
    perp_world_init(w);
    w->settings.scheme = scheme;
    w->settings.step = h;
}

static PerpVec3 tumbled_spin(bool printed, int steps)
{
    PerpWorld w;
    const double moments[3] = {1, 2, 2.8};
    prepare(&w, "trapezoidal", 1.0 / steps);
    perp_world_set(w.def.gravity, 0, 0, 0);
    int body = perp_world_solid(&w, 1, moments, 0, 0, 0);
    perp_world_set(w.bodies[body].spin, 0.5, 2, 1);
    w.settings.printed_coriolis = printed;
    start(&w);
    run(&w, steps);
    PerpVec3 spin = spin_of(&w, body);
    perp_world_end(&w);
    return spin;
}

// A free body: order 2 with the exact derivative of the Coriolis force, 1 as printed.
static void test_coriolis(void **state)
{
    (void)state;
    PerpVec3 reference = tumbled_spin(false, 6400);
    for (int printed = 0; printed < 2; printed++) {
        double coarse = distance(tumbled_spin(printed, 100), reference);
        double fine = distance(tumbled_spin(printed, 200), reference);
        assert_near(log2(coarse / fine), printed ? 1 : 2, 0.25);
    }
}

// A block that slides with v0 under mu g: the printed one alternates +-|v0 - N mu g h|, the
// sibling stops.
static void test_sliding_block(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1}, h = 0.01, mu = 0.5, v0 = 0.21;
    for (int k = 0; k < 2; k++) {
        PerpWorld w;
        prepare(&w, both[k], h);
        perp_world_plane(&w, 0, 0, 1);
        int block = perp_world_box(&w, 1, half, 0, 0, 0.1);
        w.bodies[block].velocity[0] = v0;
        start(&w);
        int sliding = (int)floor(v0 / (mu * G * h));
        double left = v0 - sliding * mu * G * h;
        run(&w, sliding);
        assert_near(velocity(&w, block).x, left, 1e-9);
        for (int n = 0; n < 10; n++) {
            step(&w, 0);
            assert_near(velocity(&w, block).x, k == 0 ? (n % 2 ? left : -left) : 0, 1e-9);
        }
        perp_world_end(&w);
    }
}

// Height after the bounce e^2 H, to the accuracy of the located collision.
static void test_bounce(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        PerpWorld w;
        prepare(&w, both[k], 1e-3);
        perp_world_plane(&w, 0, 0, 1);
        int ball = perp_world_sphere(&w, 1, 0.1, 0, 0, 1.1);
        w.materials[0].restitution = 0.5;
        start(&w);
        double fall = sqrt(2 / G), highest = 0;
        run(&w, steps_of(&w, fall) + 2);
        for (int n = 0; n < 400; n++) {
            step(&w, 0);
            highest = fmax(highest, position(&w, ball).z);
        }
        assert_near(highest, 0.1 + 0.25, 1e-6);
        perp_world_end(&w);
    }
}

// Three masses in a row on two springs, the outer ones first and last in the model: the matrix
// couples blocks that do not lie side by side. The same as a custom system, to rounding.
static void chain_links(void *user, const double *q, double *psi)
{
    (void)user;
    psi[0] = q[1] - q[0] - 1;
    psi[1] = q[2] - q[1] - 1;
}

static void chain_gradients(void *user, const double *q, double *g)
{
    const double gradients[6] = {-1, 1, 0, 0, -1, 1};
    (void)user, (void)q;
    memcpy(g, gradients, sizeof gradients);
}

static void place_row(PerpWorld *w, const char *scheme, double stiffness)
{
    const double x[3] = {0, 2, 1}; // bodies: left, right, middle
    prepare(w, scheme, 0.01);
    perp_world_set(w->def.gravity, 0, 0, 0);
    for (int i = 0; i < 3; i++)
        perp_world_point(w, 1, x[i], 0, 0);
    w->bodies[0].velocity[0] = 1;
    for (int i = 0; i < 2; i++) {
        int spring =
            i == 0 ? perp_world_spring(w, 0, 2, stiffness) : perp_world_spring(w, 2, 1, stiffness);
        w->springs[spring].rest = 1;
    }
}

static void test_merged_blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double stiffness = 10; stiffness < 1e8; stiffness *= 100) {
            static int three = 3;
            const double q[3] = {0, 1, 2}, v[3] = {1, 0, 0}, gamma[2] = {stiffness, stiffness};
            PerpSystemDef def = perp_default_system();
            PerpWorld w;
            int count;
            place_row(&w, both[k], stiffness);
            start(&w);
            run(&w, 50);
            def.n = 3;
            def.user = &three;
            def.position = q;
            def.velocity = v;
            def.mass = unit_mass;
            def.n_links = 2;
            def.links = chain_links;
            def.link_gradients = chain_gradients;
            def.stiffness = gamma;
            PerpSimulation *simulation = create(&def, both[k], 0.01);
            go(simulation, 50);
            const double *x = perp_simulation_q(simulation, &count);
            assert_near(position(&w, 0).x, x[0], 1e-9);
            assert_near(position(&w, 2).x, x[1], 1e-9);
            assert_near(position(&w, 1).x, x[2], 1e-9);
            perp_simulation_destroy(simulation);
            perp_world_end(&w);
        }
}

// A bob on a very stiff spring is a pendulum; the exact derivatives keep the matrix definite or are
// given up, and nothing blows up.
static void test_stiff_pendulum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double stiffness = 1e4; stiffness < 1e13; stiffness *= 1e4) {
            PerpWorld w;
            prepare(&w, both[k], 1e-3);
            int bob = perp_world_point(&w, 1, 1, 0, 0);
            int spring = perp_world_spring(&w, -1, bob, stiffness);
            w.springs[spring].rest = 1;
            start(&w);
            for (int n = 0; n < 1000; n++) {
                step(&w, 0);
                assert_near(perp_vec3_norm(position(&w, bob)), 1, 0.05);
                const PerpEnergy *e = &perp_simulation_report(w.simulation)->energy;
                assert_below(e->kinetic + e->gravity, 0.3); // of a swing of 9.81 J
            }
            perp_world_end(&w);
        }
}

// The matrix with exact derivatives is indefinite under a strong push: EXACT fails and says so,
// SWITCH goes on and reports it.
static void test_switch(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        PerpWorld w;
        prepare(&w, "trapezoidal", 0.1);
        int bob = perp_world_point(&w, 1, 0.5, 0, 0);
        int spring = perp_world_spring(&w, -1, bob, 1e5);
        w.springs[spring].rest = 1; // pressed together
        w.settings.jacobian = exact ? PERP_JACOBIAN_EXACT : PERP_JACOBIAN_SWITCH;
        start(&w);
        PerpStatus status = perp_world_step(&w, 0);
        assert_int_equal(status, exact ? PERP_NOT_SOLVED : PERP_OK);
        if (exact)
            assert_non_null(strstr(w.error.message, "indefinite"));
        else
            assert_int_equal(perp_simulation_report(w.simulation)->warnings, 1);
        perp_world_end(&w);
    }
}

// Redundant hinges, inconsistent start: as printed the wrong velocity flips, the sibling mends it.
static void test_inconsistent_joints(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        PerpWorld w;
        const double moments[3] = {1, 1, 1};
        prepare(&w, both[k], 1e-3);
        perp_world_set(w.def.gravity, 0, 0, 0);
        int body = perp_world_solid(&w, 1, moments, 0, 0, 0);
        perp_world_hinge(&w, -1, body, 0, 0, 0);
        perp_world_hinge(&w, -1, body, 0, 1, 0); // the same axis again
        w.bodies[body].velocity[0] = 0.1;
        start(&w);
        for (int n = 0; n < 5; n++) {
            step(&w, 0);
            assert_near(velocity(&w, body).x, k == 0 ? (n % 2 ? 0.1 : -0.1) : 0, 1e-9);
        }
        perp_world_end(&w);
    }
}

// Springs, dampers and a constant force on masses in a row: the ledger closes to rounding.
static void test_ledger(void **state)
{
    (void)state;
    PerpWorld w;
    place_row(&w, "trapezoidal", 1e3);
    w.springs[0].damping = 7;
    int force = perp_world_force(&w, 1);
    perp_world_set(w.forces[force].force, 2, 0, 0);
    start(&w);
    run(&w, 200);
    const PerpEnergy *energy = &perp_simulation_report(w.simulation)->energy;
    assert_below(energy->balance, 1e-12);
    assert_true(energy->damper > 0.01 && energy->work > 0.1);
    perp_world_end(&w);
}

// The theorems hold in every step of a sliding, spring-driven block; 9.1 and 8.1 are evaluated.
static void test_bounds(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1};
    PerpWorld w;
    prepare(&w, "trapezoidal", 0.01);
    w.settings.jacobian = PERP_JACOBIAN_APPROXIMATE;
    perp_world_plane(&w, 0, 0, 1);
    int block = perp_world_box(&w, 1, half, 0, 0, 0.1);
    int spring = perp_world_spring(&w, -1, block, 1e6);
    w.springs[spring].rest = -1;
    w.bodies[block].velocity[0] = 1;
    start(&w);
    for (int n = 0; n < 50; n++) {
        step(&w, 0);
        const PerpBound *bound = perp_simulation_report(w.simulation)->bound;
        assert_true(bound[PERP_BOUND_PAGT06_GROWTH].applies);
        assert_true(bound[PERP_BOUND_PAGT06_STIFF].applies);
        for (int k = PERP_BOUND_PAGT06_GROWTH; k <= PERP_BOUND_PAGT06_LIMIT; k++)
            if (bound[k].applies)
                assert_true(bound[k].margin > -1e-12);
    }
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amplification), cmocka_unit_test(test_energy_of_oscillator),
        cmocka_unit_test(test_stiff_limit),   cmocka_unit_test(test_sibling_is_stable),
        cmocka_unit_test(test_order),         cmocka_unit_test(test_coriolis),
        cmocka_unit_test(test_sliding_block), cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_merged_blocks), cmocka_unit_test(test_stiff_pendulum),
        cmocka_unit_test(test_switch),        cmocka_unit_test(test_inconsistent_joints),
        cmocka_unit_test(test_ledger),        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Bodies in free motion, and the top: momentum, energy, and the closed forms of Euler and Lagrange.

#include "../stepping.h"
#include "random.h"
#include "step/systems/rigid.h"

// in free flight both momenta are kept to rounding
static void test_free_bodies_keep_momentum(void **state)
{
    (void)state;
    PerpRandom r = perp_random(7);
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int n = 0; n < 20; n++) {
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, scheme, 1e-2);
            perp_world_set(w.def.gravity, 0, 0, 0);
            const double moments[3] = {perp_random_uniform(&r, 1, 1.9), 2, 2.5};
            int body = perp_world_solid(&w, 3, moments, 1, 2, 3);
            perp_random_direction(&r, w.bodies[body].velocity);
            perp_random_direction(&r, w.bodies[body].spin);
            perp_world_turn(&w, body, perp_random_normal(&r), perp_random_normal(&r), 1);
            perp_world_set(w.bodies[body].centre, 0.1, -0.2, 0.3);
            start(&w);
            double p0[3], L0[3], p[3], L[3];
            perp_simulation_momentum(w.simulation, body, p0, L0);
            run(&w, 1000);
            perp_simulation_momentum(w.simulation, body, p, L);
            for (int k = 0; k < 3; k++) {
                assert_near(p[k], p0[k], 1e-14);
                assert_near(L[k], L0[k], 1e-12);
            }
            perp_world_end(&w);
        }
}

// about a principal axis the spin stays as it is, bit by bit; a hair off it, it does not
static void test_principal_axes(void **state)
{
    (void)state;
    const PerpBody body = {.freedom = PERP_FREE_ALL,
                           .inertia = perp_mat3_diagonal((PerpVec3){0.1, 0.3, 0.7})};
    for (int explicit_turn = 0; explicit_turn < 2; explicit_turn++) {
        PerpVec3 spin = {0, 5.1, 0}, off = {1e-13, 5.1, 0};
        PerpVec3 kept = perp_rigid_free_spin(&body, spin, 1e-3, explicit_turn);
        assert_memory_equal(&kept, &spin, sizeof spin);
        PerpVec3 turned = perp_rigid_free_spin(&body, off, 1e-3, explicit_turn);
        // I_z w_z' = (I_x - I_y) w_x w_y
        assert_near(turned.z, 1e-3 * (0.1 - 0.3) * off.x * off.y / 0.7, 1e-3 * fabs(turned.z));
    }
}

// the parabola: exact for the mean velocity, order 1 for explicit Euler
static double parabola_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 1.0 / steps);
    const double moments[3] = {1, 1, 1};
    int body = perp_world_solid(&w, 3, moments, 0, 0, 0);
    perp_world_set(w.bodies[body].velocity, 2, 0, 5);
    start(&w);
    run(&w, steps);
    assert_near(position(&w, body).x, 2, 1e-12);
    assert_near(velocity(&w, body).z, 5 - G, 1e-12);
    double error = position(&w, body).z - (5 - G / 2);
    perp_world_end(&w);
    return error;
}

static void test_parabola(void **state)
{
    (void)state;
    assert_below(fabs(parabola_error(DEFAULT_SCHEME, 100)), 1e-12);
    assert_order(parabola_error, ANITESCU_POTRA, 100, 1, 0.1);
}

// --- Dzhanibekov --------------------------------------------------------------------------------

static const double MOMENTS[3] = {1, 2, 3};
static const double SPIN[3] = {0.5, 3, 0.5};

// Euler's equations: the period of the spin in the body is 4 K(k) / p               [Landau, 37]
static double tumbling_period(void)
{
    const double *I = MOMENTS, *w = SPIN;
    double E2 = 0, L2 = 0; // twice the energy, the square of the momentum
    for (int k = 0; k < 3; k++) {
        E2 += I[k] * w[k] * w[k];
        L2 += I[k] * I[k] * w[k] * w[k];
    }
    bool about_largest = L2 > E2 * I[1];
    double a = about_largest ? I[0] : I[2], c = about_largest ? I[2] : I[0];
    double p2 = (c - I[1]) * (L2 - E2 * a) / (I[0] * I[1] * I[2]);
    double k2 = (I[1] - a) * (E2 * c - L2) / ((c - I[1]) * (L2 - E2 * a));
    return 2 * PI / (sqrt(p2) * agm(1, sqrt(1 - k2)));
}

static int place_tumbler(PerpWorld *w, int scheme, double h)
{
    perp_world_init(w);
    choose(w, scheme, h);
    perp_world_set(w->def.gravity, 0, 0, 0);
    int body = perp_world_solid(w, 1, MOMENTS, 0, 0, 0);
    perp_world_set(w->bodies[body].spin, SPIN[0], SPIN[1], SPIN[2]);
    return body;
}

static double period_error(int scheme, int steps)
{
    PerpWorld w;
    int body = place_tumbler(&w, scheme, tumbling_period() / steps);
    start(&w);
    run(&w, steps);
    PerpVec3 spin = perp_quat_rotate_back(rotation(&w, body), spin_of(&w, body));
    perp_world_end(&w);
    return distance(spin, perp_vec3_load(SPIN));
}

static void test_period_of_the_tumbling(void **state)
{
    (void)state;
    assert_order(period_error, DEFAULT_SCHEME, 2000, 2, 1e-4);
    assert_order(period_error, ANITESCU_POTRA, 20000, 1, 5e-2);
}

// It turns over and over; momentum is kept to rounding. Energy swings with h^2 and does not drift,
// with explicit turning it drifts with h.
static void test_dzhanibekov(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        int body = place_tumbler(&w, scheme, 1e-3), flips = 0;
        start(&w);
        double p[3], L0[3], L[3], worst = 0, last = SPIN[1];
        perp_simulation_momentum(w.simulation, body, p, L0);
        for (int k = 0; k < 20000; k++) {
            step(&w, 0);
            double about = perp_quat_rotate_back(rotation(&w, body), spin_of(&w, body)).y;
            flips += about * last < 0;
            last = about;
            worst = fmax(worst, fabs(energy_of(&w) / 9.5 - 1));
        }
        perp_simulation_momentum(w.simulation, body, p, L);
        int expected = (int)lround(2 * 20 / tumbling_period());
        assert_in_range(flips, expected - 1, expected + 1);
        assert_below(worst, scheme == DEFAULT_SCHEME ? 1e-6 : 0.1);
        for (int k = 0; k < 3; k++)
            assert_near(L[k], L0[k], 1e-11);
        perp_world_end(&w);
    }
}

// --- the top ------------------------------------------------------------------------------------

// A symmetric top on a ball joint, leaning by LEAN, in steady precession about z with rate W:
// I1 W^2 cos - I3 w3 W + m g l = 0, I1 about the support                           [Lagrange]
static const double LEAN = 0.5, ARM = 0.4, ROUND = 0.05, ACROSS = 0.2, SPIN3 = 60;

static double precession_rate(void)
{
    double I1 = ACROSS + ARM * ARM, a = I1 * cos(LEAN), b = ROUND * SPIN3;
    return 2 * G * ARM / (b + sqrt(b * b - 4 * a * G * ARM));
}

static double top_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    double rate = precession_rate(), seconds = 0.5;
    choose(&w, scheme, seconds / steps);
    const double moments[3] = {ACROSS, ACROSS, ROUND};
    int top = perp_world_solid(&w, 1, moments, ARM * sin(LEAN), 0, ARM * cos(LEAN));
    perp_world_turn(&w, top, 0, LEAN, 0);
    perp_world_joint(&w, PERP_JOINT_BALL, -1, top, 0, 0, 0);
    double own = SPIN3 - rate * cos(LEAN);
    perp_world_set(w.bodies[top].spin, own * sin(LEAN), 0, rate + own * cos(LEAN));
    perp_world_set(w.bodies[top].velocity, 0, rate * ARM * sin(LEAN), 0);
    start(&w);
    run(&w, steps);
    double angle = rate * seconds;
    PerpVec3 expected = {ARM * sin(LEAN) * cos(angle), ARM * sin(LEAN) * sin(angle),
                         ARM * cos(LEAN)};
    double error = distance(position(&w, top), expected);
    perp_world_end(&w);
    return error;
}

static void test_steady_precession(void **state)
{
    (void)state;
    assert_order(top_error, DEFAULT_SCHEME, 1000, 2, 1e-4);
    assert_order(top_error, ANITESCU_POTRA, 1000, 1, 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_bodies_keep_momentum),
        cmocka_unit_test(test_principal_axes),
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_period_of_the_tumbling),
        cmocka_unit_test(test_dzhanibekov),
        cmocka_unit_test(test_steady_precession),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

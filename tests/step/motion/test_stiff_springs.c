// Springs and dampers of any stiffness, against closed forms: docs/theory/compliance.md.
#include "../stepping.h"

#include <math.h>

// A ball of 1 kg at (x, 0, z).
static int place_ball(PerpWorld *w, double h, double x, double z)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, h);
    return perp_world_sphere(w, 1, 0.1, x, 0, z);
}

static double scheme_energy(const PerpWorld *w)
{
    return fabs(perp_simulation_report(w->simulation)->energy.scheme);
}

// --- any stiffness ------------------------------------------------------------------------------

// A ball thrown along a spring: no stiffness makes energy.
static void test_energy_never_grows(void **state)
{
    (void)state;
    for (double k = 1e-6; k <= 1e12; k *= 10)
        for (double damping = 0; damping <= 1e12; damping = damping > 0 ? 1e6 * damping : 1) {
            PerpWorld w;
            int ball = place_ball(&w, 1e-2, 0, 0);
            w.def.gravity[2] = 0;
            w.bodies[ball].velocity[0] = 1;
            int spring = perp_world_spring(&w, -1, ball, k);
            w.springs[spring].damping = damping;
            start(&w);
            for (int i = 0; i < 100; i++) {
                run(&w, 1);
                const PerpEnergy *energy = &perp_simulation_report(w.simulation)->energy;
                assert_true(energy->kinetic + energy->spring <= 0.5 * (1 + 1e-6));
            }
            perp_world_end(&w);
        }
}

// x = m g/k
static void test_static_deflection(void **state)
{
    (void)state;
    for (double k = 1e3; k <= 1e12; k *= 1e3) {
        PerpWorld w;
        int ball = place_ball(&w, 1e-2, 0, 0);
        int spring = perp_world_spring(&w, -1, ball, k);
        w.springs[spring].damping = 20 * sqrt(k / 1e3);
        start(&w);
        run(&w, 1000);
        assert_true(fabs(position(&w, ball).z + G / k) <= 1e-8 * G / k + 1e-15);
        perp_world_end(&w);
    }
}

// A mass between two stiff springs of k and 3 k: a force F moves it by F/(4 k).
static void test_between_two_stiff_springs(void **state)
{
    (void)state;
    const double k = 1e10;
    PerpWorld w;
    int ball = place_ball(&w, 1e-2, 0, 0);
    const double stiffness[] = {k, 3 * k}, end[] = {1, -1};
    for (int i = 0; i < 2; i++) {
        int spring = perp_world_spring(&w, -1, ball, stiffness[i]);
        w.springs[spring].anchor_a[2] = end[i];
        w.springs[spring].rest = 1;
    }
    start(&w);
    run(&w, 200);
    assert_true(fabs(position(&w, ball).z + G / (4 * k)) <= 1e-5 * G / (4 * k));
    assert_true(scheme_energy(&w) <= 1e-6);
    perp_world_end(&w);
}

// --- order --------------------------------------------------------------------------------------

static double stiffness; // N/m, of the swinging spring

// A ball swings on a spring from the horizontal: where it is after 0.5 s.
static PerpVec3 swing(int steps, double *energy)
{
    PerpWorld w;
    int ball = place_ball(&w, 0.5 / steps, 1, 0);
    int spring = perp_world_spring(&w, -1, ball, stiffness);
    for (int i = 0; i < 3; i++)
        w.springs[spring].anchor_a[i] = 0;
    w.springs[spring].rest = 1;
    start(&w);
    run(&w, steps);
    PerpVec3 x = position(&w, ball);
    *energy = scheme_energy(&w);
    perp_world_end(&w);
    return x;
}

// Differences of three steps: of second order, and so is the energy ledger, whether the step
// resolves the spring or not. Between (1e4, 1e5 N/m here) the modes that fade away count.
static void test_second_order(void **state)
{
    (void)state;
    const double k[] = {1, 100, 1e8, 1e10, 1e12};
    for (int i = 0; i < 5; i++) {
        PerpVec3 x[3];
        double energy[3];
        stiffness = k[i];
        for (int level = 0; level < 3; level++)
            x[level] = swing(50 << level, &energy[level]);
        double coarse = perp_vec3_norm(perp_vec3_sub(x[0], x[1]));
        double fine = perp_vec3_norm(perp_vec3_sub(x[1], x[2]));
        double order = log2(coarse / fine);
        if (!(order > 1.9 && order < 2.1 && energy[2] < energy[1] / 3 && energy[2] < 1e-4))
            fail_msg("k = %g: order %.2f, energy %.1e %.1e", k[i], order, energy[1], energy[2]);
    }
}

// A stiff spring with a stiff damper creeps: x = exp(-k/d t), k/d = 2, at steps that resolve
// neither.
static double creep_error(int scheme, int steps)
{
    PerpWorld w;
    int ball = place_ball(&w, 1.0 / steps, 1, 0);
    choose(&w, scheme, 1.0 / steps);
    w.def.gravity[2] = 0;
    w.bodies[ball].velocity[0] = -2;
    int spring = perp_world_spring(&w, -1, ball, 2e6);
    for (int i = 0; i < 3; i++)
        w.springs[spring].anchor_a[i] = w.springs[spring].anchor_b[i] = 0;
    w.springs[spring].anchor_b[0] = 1;
    w.springs[spring].damping = 1e6;
    start(&w);
    run(&w, steps);
    double error = fabs(position(&w, ball).x - exp(-2));
    perp_world_end(&w);
    return error;
}

static void test_creep(void **state)
{
    (void)state;
    assert_order(creep_error, DEFAULT_SCHEME, 50, 2, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_static_deflection),
        cmocka_unit_test(test_between_two_stiff_springs),
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_creep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Soft contacts and limits, and armatures, against closed forms: docs/theory/compliance.md.
#include "../stepping.h"

#include <math.h>
#include <string.h>

static const char *const SCHEMES[] = {"default", "trapezoidal-damped"};
enum { SOFT_SCHEMES = 2 };

// A ball of 1 kg above a floor of this stiffness and damping, `gap` above it.
static int place_ball(PerpWorld *w, const char *scheme, double h, double gap, double stiffness,
                      double damping)
{
    perp_world_init(w);
    w->settings.scheme = scheme;
    w->settings.step = h;
    w->materials[0].stiffness = 2 * stiffness; // of both; 0: rigid: springs in series
    w->materials[0].damping = 2 * damping;
    perp_world_plane(w, 0, 0, 1);
    return perp_world_sphere(w, 1, 0.1, 0, 0, 0.1 + gap);
}

// --- bounces ------------------------------------------------------------------------------------

// m x'' + c x' + k x = 0 while it pushes [Schwager and Poeschel 2007]
static double closed_restitution(double k, double c)
{
    double beta = c / 2, w = sqrt(k - beta * beta);
    double angle = atan2(2 * beta * w, w * w - beta * beta);
    return exp(-beta / w * (PI - angle));
}

// k = 1e4 1/s^2: half a period takes 31 ms.
static void test_restitution(void **state)
{
    (void)state;
    const double damping[] = {0, 10, 40, 100};
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++)
        for (int i = 0; i < 4; i++) {
            PerpWorld w;
            int ball = place_ball(&w, SCHEMES[scheme], 2e-4, 1e-3, 1e4, damping[i]);
            w.def.gravity[2] = 0;
            w.bodies[ball].velocity[2] = -1;
            start(&w);
            run(&w, 400);
            double e = velocity(&w, ball).z, expected = closed_restitution(1e4, damping[i]);
            if (!(fabs(e - expected) <= 1e-3))
                fail_msg("%s, damping %g: %.5f, not %.5f", SCHEMES[scheme], damping[i], e,
                         expected);
            assert_true(perp_simulation_report(w.simulation)->energy.balance <= 1e-12);
            perp_world_end(&w);
        }
}

// An elastic bounce leaves the floor pi/sqrt(k) after it touched: where it is then.
static void test_duration(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++) {
        PerpWorld w;
        int ball = place_ball(&w, SCHEMES[scheme], 2e-4, 0, 1e4, 0);
        w.def.gravity[2] = 0;
        w.bodies[ball].velocity[2] = -1;
        start(&w);
        run(&w, 400);
        assert_true(fabs(position(&w, ball).z - 0.1 - (0.08 - PI / 100)) <= 1e-5);
        perp_world_end(&w);
    }
}

// --- rest ---------------------------------------------------------------------------------------

// Two boxes, one upon the other: four contacts of k each carry the weights, at any stiffness.
static void test_static_deflection(void **state)
{
    (void)state;
    static const double half[3] = {0.1, 0.1, 0.1};
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++)
        for (double k = 1e4; k <= 1e12; k *= 100) {
            PerpWorld w;
            perp_world_init(&w);
            w.settings.scheme = SCHEMES[scheme];
            w.settings.step = 1e-2;
            w.materials[0].stiffness = 2 * k;
            w.materials[0].damping = 400;
            perp_world_plane(&w, 0, 0, 1);
            int lower = perp_world_box(&w, 1, half, 0, 0, 0.101);
            int upper = perp_world_box(&w, 1, half, 0, 0, 0.302);
            start(&w);
            run(&w, 200);
            double deep = 2 * G / (4 * k), between = G / (4 * k);
            double found = 0.1 - position(&w, lower).z;
            if (!(fabs(found - deep) <= 1e-6 * deep + 1e-11))
                fail_msg("%s, k = %g: deep by %.9g, not %.9g", SCHEMES[scheme], k, found, deep);
            assert_true(fabs(position(&w, upper).z - 0.3 + deep + between) <= 1e-6 * deep + 1e-11);
            perp_world_end(&w);
        }
}

// A stack at rest on contacts too stiff for the step goes on to the same bits from a saved state:
// their rows know the impulses of the last step, so that the scene sleeps only when those repeat.
static void place_stack(PerpWorld *w, double stiffness)
{
    static const double half[3] = {0.2, 0.15, 0.1};
    perp_world_init(w);
    w->settings.step = 1e-2;
    w->materials[0].stiffness = 2 * stiffness;
    w->materials[0].damping = 4 * sqrt(stiffness);
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < 4; k++)
        perp_world_box(w, 3, half, 0, 0, 0.1 + 0.2 * k);
    start(w);
}

static void test_same_bits_from_rest(void **state)
{
    (void)state;
    for (double k = 1e6; k <= 1e10; k *= 100) {
        static unsigned char bytes[1 << 16];
        PerpWorld w, other;
        place_stack(&w, k);
        place_stack(&other, k);
        run(&w, 330);
        size_t size = perp_simulation_state_size(w.simulation);
        assert_true(size <= sizeof bytes);
        perp_simulation_save(w.simulation, bytes);
        assert_int_equal(perp_simulation_restore(other.simulation, bytes, size, NULL), PERP_OK);
        run(&w, 5);
        run(&other, 5);
        assert_true(velocity(&w, 3).z == 0);
        assert_int_equal(perp_simulation_contact_count(w.simulation), 16);
        assert_int_equal(perp_simulation_contact_count(other.simulation), 16);
        for (int i = 0; i < 16; i++) {
            PerpContactReport a = perp_simulation_contact(w.simulation, i);
            PerpContactReport b = perp_simulation_contact(other.simulation, i);
            if (memcmp(a.impulse, b.impulse, sizeof a.impulse) != 0)
                fail_msg("k = %g: %.17g and %.17g N s", k, a.impulse[2], b.impulse[2]);
        }
        perp_world_end(&w);
        perp_world_end(&other);
    }
}

// As k grows a ball that falls on the floor comes to lie like on a rigid one: with rate 1.
static void test_rigid_limit(void **state)
{
    (void)state;
    double rigid = 0, error[3];
    for (int level = -1; level < 3; level++) {
        PerpWorld w;
        double k = level < 0 ? 0 : 1e8 * pow(10, level);
        int ball = place_ball(&w, "default", 1e-2, 0.05, k, 0);
        start(&w);
        run(&w, 100);
        double z = position(&w, ball).z;
        assert_true(fabs(velocity(&w, ball).z) <= 1e-6);
        rigid = level < 0 ? z : rigid;
        if (level >= 0)
            error[level] = fabs(z - rigid);
        perp_world_end(&w);
    }
    assert_true(fabs(log10(error[0] / error[1]) - 1) < 0.05);
    assert_true(fabs(log10(error[1] / error[2]) - 1) < 0.05);
}

// --- joints -------------------------------------------------------------------------------------

// A wheel on a hinge with armature I_a, driven by a torque: angle = T t^2 / (2 (I + I_a)).
static void test_armature(void **state)
{
    (void)state;
    static const double moments[3] = {0.1, 0.1, 0.1};
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++)
        for (double armature = 0; armature <= 1e6; armature = armature > 0 ? 1e3 * armature : 1) {
            PerpWorld w;
            perp_world_init(&w);
            w.settings.scheme = SCHEMES[scheme];
            w.settings.step = 1e-2;
            int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
            int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
            w.joints[axle].axis_soft[0].armature = armature;
            int force = perp_world_force(&w, wheel);
            w.forces[force].torque[1] = 3; // along the axis
            start(&w);
            run(&w, 100);
            double angle = 1.5 / (0.1 + armature);
            assert_true(fabs(fabs(coordinate(&w, axle)) - angle) <= 1e-9 * angle);
            double kinetic = perp_simulation_report(w.simulation)->energy.kinetic;
            assert_true(fabs(kinetic - 3 * angle) <= 1e-9 * 3 * angle);
            perp_world_end(&w);
        }
}

// A wheel against a soft limit: the torque bends it by T/k.
static void test_soft_limit(void **state)
{
    (void)state;
    static const double moments[3] = {0.1, 0.1, 0.1};
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++)
        for (double k = 1e2; k <= 1e10; k *= 1e4) {
            PerpWorld w;
            perp_world_init(&w);
            w.settings.scheme = SCHEMES[scheme];
            w.settings.step = 1e-2;
            int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
            int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
            w.joints[axle].axis_def[0].lower = -0.2;
            w.joints[axle].axis_def[0].upper = 0.2;
            w.joints[axle].axis_soft[0].limit_stiffness = k;
            w.joints[axle].axis_soft[0].limit_damping = 3;
            int force = perp_world_force(&w, wheel);
            w.forces[force].torque[1] = 3;
            start(&w);
            run(&w, 400);
            double over = fabs(coordinate(&w, axle)) - 0.2;
            if (!(fabs(over - 3 / k) <= 1e-6 * 3 / k + 1e-11))
                fail_msg("%s, k = %g: over by %.9g, not %.9g", SCHEMES[scheme], k, over, 3 / k);
            perp_world_end(&w);
        }
}

// A wheel bounces off a soft limit like a ball off a soft floor, wherever in a step it meets it: 32
// steps of contact. The angle has no size that its bodies' points would tell.
static void test_bounce_off_soft_limit(void **state)
{
    (void)state;
    static const double moments[3] = {0.5, 0.5, 0.5};
    const double k = 1e4, c = sqrt(k * 0.5), h = PI / sqrt(k / 0.5) / 32; // z = 1/2
    enum { PHASES = 10 };
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++)
        for (int i = 0; i < PHASES; i++) {
            PerpWorld w;
            perp_world_init(&w);
            w.settings.scheme = SCHEMES[scheme];
            w.settings.step = h;
            int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
            int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
            w.joints[axle].axis_def[0].lower = -0.02 - i * h / PHASES;
            w.joints[axle].axis_def[0].upper = 0.02 + i * h / PHASES;
            w.joints[axle].axis_soft[0].limit_stiffness = k;
            w.joints[axle].axis_soft[0].limit_damping = c;
            w.bodies[wheel].spin[1] = 1; // along the axis
            start(&w);
            run(&w, 100);
            double v[3], spin[3], expected = closed_restitution(k / 0.5, c / 0.5);
            perp_simulation_velocity(w.simulation, wheel, v, spin);
            if (!(fabs(-spin[1] - expected) <= 2e-3))
                fail_msg("%s, phase %d: %.5f, not %.5f", SCHEMES[scheme], i, -spin[1], expected);
            perp_world_end(&w);
        }
}

// As its stiffness grows a limit becomes the rigid one, and a spring a rod: with rate 1.
static void check_rate(const double error[3])
{
    for (int level = 0; level < 2; level++)
        if (!(fabs(log10(error[level] / error[level + 1]) - 1) < 0.05))
            fail_msg("errors %.3e %.3e %.3e", error[0], error[1], error[2]);
}

static void test_rigid_limit_of_limits(void **state)
{
    (void)state;
    static const double moments[3] = {0.1, 0.1, 0.1};
    double rigid = 0, error[3];
    for (int level = -1; level < 3; level++) {
        PerpWorld w;
        double k = 1e4 * pow(10, level);
        perp_world_init(&w);
        w.settings.step = 1e-2;
        int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
        int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
        w.joints[axle].axis_def[0].lower = -0.2;
        w.joints[axle].axis_def[0].upper = 0.2;
        w.joints[axle].axis_soft[0].limit_stiffness = level < 0 ? 0 : k;
        w.joints[axle].axis_soft[0].limit_damping = level < 0 ? 0 : sqrt(k);
        w.forces[perp_world_force(&w, wheel)].torque[1] = 3;
        start(&w);
        run(&w, 400);
        double angle = fabs(coordinate(&w, axle));
        rigid = level < 0 ? angle : rigid;
        if (level >= 0)
            error[level] = fabs(angle - rigid);
        perp_world_end(&w);
    }
    check_rate(error);
}

// A bob that is let go on a level rod, or on a spring in its place.
static void test_rigid_limit_of_springs(void **state)
{
    (void)state;
    double error[3];
    PerpVec3 rigid = {0, 0, 0};
    for (int level = -1; level < 3; level++) {
        PerpWorld w;
        perp_world_init(&w);
        w.settings.step = 2e-4;
        int bob = perp_world_sphere(&w, 1, 0.1, 1, 0, 0);
        if (level < 0) {
            int rod = perp_world_joint(&w, PERP_JOINT_DISTANCE, -1, bob, 0, 0, 0);
            w.joints[rod].anchor_b[0] = 1;
        } else {
            int spring = perp_world_spring(&w, -1, bob, 1e4 * pow(10, level));
            perp_world_set(w.springs[spring].anchor_a, 0, 0, 0);
            w.springs[spring].rest = 1;
            w.springs[spring].damping = 20 * sqrt(pow(10, level));
        }
        start(&w);
        run(&w, 2000);
        rigid = level < 0 ? position(&w, bob) : rigid;
        if (level >= 0)
            error[level] = perp_vec3_norm(perp_vec3_sub(position(&w, bob), rigid));
        perp_world_end(&w);
    }
    check_rate(error);
}

// Numbers at the ends of the range: as good as rigid, as good as nothing.
static void test_extreme_stiffness(void **state)
{
    (void)state;
    const double stiffness[] = {8e307, 1e300, 1e20, 1e-20, 1e-300, 5e-324};
    for (int scheme = 0; scheme < SOFT_SCHEMES; scheme++)
        for (int i = 0; i < 6; i++)
            for (int damped = 0; damped < 2; damped++) {
                PerpWorld w;
                double k = stiffness[i];
                int ball = place_ball(&w, SCHEMES[scheme], 1e-2, 0.05, k, damped ? k : 0);
                start(&w);
                run(&w, 60);
                double z = position(&w, ball).z, expected = k > 1 ? 0.1 : 0.15 - G * 0.36 / 2;
                if (!(fabs(z - expected) <= 1e-9))
                    fail_msg("%s, k = %g: at %.9g, not %.9g", SCHEMES[scheme], k, z, expected);
                perp_world_end(&w);
            }
}

// --- refusals -----------------------------------------------------------------------------------

static void test_refused(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        PerpWorld w;
        const char *name = perp_scheme_name(scheme);
        bool takes = strcmp(name, SCHEMES[0]) == 0 || strcmp(name, SCHEMES[1]) == 0;
        place_ball(&w, name, 1e-2, 0, 1e4, 0);
        assert_int_equal(perp_world_start(&w), takes ? PERP_OK : PERP_NOT_SUPPORTED);
        perp_world_end(&w);
    }
    const double bad[] = {INFINITY, -1, NAN};
    for (int i = 0; i < 3; i++) {
        PerpWorld w;
        place_ball(&w, "default", 1e-2, 0, bad[i], 0);
        assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_static_deflection),
        cmocka_unit_test(test_same_bits_from_rest),
        cmocka_unit_test(test_rigid_limit),
        cmocka_unit_test(test_armature),
        cmocka_unit_test(test_soft_limit),
        cmocka_unit_test(test_bounce_off_soft_limit),
        cmocka_unit_test(test_rigid_limit_of_limits),
        cmocka_unit_test(test_rigid_limit_of_springs),
        cmocka_unit_test(test_extreme_stiffness),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

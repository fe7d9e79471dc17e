// Springs and forces: energies, and derivatives against differences.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/springs.h"
#include "random.h"

static PerpVec3 random_vector(PerpRandom *r, double size)
{
    return (PerpVec3){size * perp_random_normal(r), size * perp_random_normal(r),
                      size * perp_random_normal(r)};
}

static PerpBodyMotion random_motion(PerpRandom *r)
{
    PerpQuat q = {perp_random_normal(r), perp_random_normal(r), perp_random_normal(r),
                  perp_random_normal(r)};
    return (PerpBodyMotion){
        {random_vector(r, 1), perp_quat_normalise(q)}, random_vector(r, 1), random_vector(r, 1)};
}

// rest: none, zero, short or long
static PerpSpring random_spring(PerpRandom *r, int n)
{
    static const double rests[] = {-1, 0, 0.3, 4};
    return (PerpSpring){.anchor_a = random_vector(r, 1),
                        .anchor_b = random_vector(r, 1),
                        .stiffness = perp_random_uniform(r, 1, 10),
                        .damping = perp_random_uniform(r, 0, 3),
                        .rest = rests[n % 4]};
}

static PerpBodyMotion after(PerpBodyMotion m, double h)
{
    m.pose.position = perp_vec3_add_scaled(m.pose.position, h, m.velocity);
    m.pose.rotation = perp_quat_plus(m.pose.rotation, perp_vec3_scale(h, m.spin));
    return m;
}

static double wrench_power(PerpWrench w, PerpBodyMotion m)
{
    return perp_vec3_dot(w.force, m.velocity) + perp_vec3_dot(w.torque, m.spin);
}

// d energy/dt + power taken by the damper = - power of the forces on both bodies
static void test_power_balance(void **state)
{
    (void)state;
    const double h = 1e-5;
    PerpRandom r = perp_random(1);
    for (int n = 0; n < 400; n++) {
        PerpSpring spring = random_spring(&r, n);
        PerpBodyMotion a = random_motion(&r), b = random_motion(&r);
        PerpSpringForce f = perp_spring_force(&spring, a, b);
        double before = perp_spring_force(&spring, after(a, -h), after(b, -h)).energy;
        double later = perp_spring_force(&spring, after(a, h), after(b, h)).energy;
        PerpVec3 on_a = perp_vec3_scale(-1, f.force);
        double power = wrench_power(perp_wrench_of_force(a.pose, f.point_a, on_a), a) +
                       wrench_power(perp_wrench_of_force(b.pose, f.point_b, f.force), b);
        double balance = (later - before) / (2 * h) + f.power + power;
        assert_true(f.power >= 0 && f.energy >= 0);
        assert_true(fabs(balance) <= 1e-7 * (1 + fabs(power)));
    }
}

static PerpVec3 unit(int k)
{
    return (PerpVec3){k == 0, k == 1, k == 2};
}

static PerpVec3 difference(PerpSpringForce before, PerpSpringForce later, double h)
{
    return perp_vec3_scale(-0.5 / h, perp_vec3_sub(later.force, before.force));
}

static void assert_near(PerpVec3 a, PerpVec3 b, double tolerance)
{
    assert_true(perp_vec3_norm(perp_vec3_sub(a, b)) <= tolerance * (1 + perp_vec3_norm(a)));
}

// column k of the matrices: the anchor on b moves along axis k
static void test_matrices_against_differences(void **state)
{
    (void)state;
    const double h = 1e-5;
    PerpRandom r = perp_random(2);
    for (int n = 0; n < 400; n++) {
        PerpSpring spring = random_spring(&r, n);
        PerpBodyMotion a = random_motion(&r), b = random_motion(&r);
        PerpSpringForce f = perp_spring_force(&spring, a, b);
        const PerpVec3 *stiffness = &f.stiffness.x, *damping = &f.damping.x;
        for (int k = 0; k < 3; k++) {
            PerpSpringForce change[4];
            for (int side = 0; side < 2; side++) {
                PerpBodyMotion moved = b, faster = b;
                double step = side ? h : -h;
                moved.pose.position = perp_vec3_add_scaled(b.pose.position, step, unit(k));
                faster.velocity = perp_vec3_add_scaled(b.velocity, step, unit(k));
                change[side] = perp_spring_force(&spring, a, moved);
                change[2 + side] = perp_spring_force(&spring, a, faster);
            }
            assert_near(difference(change[0], change[1], h), stiffness[k], 1e-6);
            assert_near(difference(change[2], change[3], h), damping[k], 1e-8);
        }
    }
}

static const PerpBodyMotion AT_REST = {.pose = {.rotation = {1, 0, 0, 0}}};

static void test_closed_forms(void **state)
{
    (void)state;
    PerpSpring spring = {.anchor_b = {0, 0, 3}, .stiffness = 10, .damping = 2, .rest = 1};
    PerpBodyMotion b = AT_REST;
    b.velocity = (PerpVec3){5, 0, 0.5};
    PerpSpringForce f = perp_spring_force(&spring, AT_REST, b);
    assert_near(f.force, (PerpVec3){0, 0, -21}, 0);
    assert_true(f.energy == 20 && f.power == 0.5);
    assert_true(f.stiffness.z.z == 10 && f.damping.z.z == 2 && f.damping.x.x == 0);
    spring.rest = -1;
    f = perp_spring_force(&spring, AT_REST, b);
    assert_near(f.force, (PerpVec3){-10, 0, -31}, 0);
    assert_true(f.energy == 45 && f.power == 2 * 25.25);
}

// with a rest length there is no direction; with rest 0 the stiffness is k in all directions
static void test_coincident_anchors(void **state)
{
    (void)state;
    PerpSpring spring = {.stiffness = 10, .damping = 2, .rest = 1};
    PerpBodyMotion b = AT_REST;
    b.velocity = (PerpVec3){1, 2, 3};
    PerpSpringForce f = perp_spring_force(&spring, AT_REST, b);
    assert_near(f.force, (PerpVec3){0, 0, 0}, 0);
    assert_true(f.energy == 5 && f.power == 0 && f.stiffness.x.x == 0);
    spring.rest = 0;
    f = perp_spring_force(&spring, AT_REST, b);
    assert_near(f.force, (PerpVec3){0, 0, 0}, 0);
    assert_true(f.energy == 0 && f.stiffness.x.x == 10 && f.stiffness.z.z == 10);
}

static void test_axis_force(void **state)
{
    (void)state;
    PerpAxisDef axis = {.stiffness = 8, .damping = 3, .rest = 0.5};
    PerpAxisForce f = perp_axis_force(&axis, 1.5, -2);
    assert_true(f.force == -8 + 6 && f.energy == 4 && f.power == 12);
    assert_true(f.stiffness == 8 && f.damping == 3);
}

static void test_force_in_time(void **state)
{
    (void)state;
    PerpForce force = {.point = {0, 0, 1},
                       .force = {1, 0, 0},
                       .torque = {0, 0, 7},
                       .wave = {0, 2, 0},
                       .frequency = 0.25,
                       .start = 1,
                       .end = 3};
    // a quarter turn about x: the point is at -y, the torque about z is about the body's y
    PerpPose pose = {{5, 6, 7}, perp_quat_exp((PerpVec3){acos(0), 0, 0})};
    PerpWrench w = perp_force_at(&force, 1, pose);
    assert_near(w.force, (PerpVec3){1, 2, 0}, 1e-15);
    PerpVec3 arm = {0, 0, 1}, in_body = perp_quat_rotate_back(pose.rotation, w.force);
    PerpVec3 torque = perp_vec3_add(perp_vec3_cross(arm, in_body), (PerpVec3){0, 7, 0});
    assert_near(w.torque, torque, 1e-15);
    assert_near(perp_force_at(&force, 2, pose).force, (PerpVec3){1, 0, 0}, 1e-15);
    assert_true(perp_vec3_norm(perp_force_at(&force, 0.99, pose).torque) == 0);
    assert_true(perp_vec3_norm(perp_force_at(&force, 3, pose).force) == 0);
    force.wave = (PerpVec3){0, 0, 0};
    force.point = force.torque = (PerpVec3){0, 0, 0};
    assert_true(perp_vec3_norm(perp_force_at(&force, 1, pose).torque) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_power_balance), cmocka_unit_test(test_matrices_against_differences),
        cmocka_unit_test(test_closed_forms),  cmocka_unit_test(test_coincident_anchors),
        cmocka_unit_test(test_axis_force),    cmocka_unit_test(test_force_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

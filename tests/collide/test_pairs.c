// Closed forms: every pair that has one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "shapes.h"

#include <float.h>

static const PerpVec3 Z = {0, 0, 1};

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static void assert_along(PerpVec3 a, PerpVec3 b)
{
    assert_near(perp_vec3_norm(perp_vec3_sub(a, b)), 0, 1e-12);
}

// One point, with the gap and the normal given; both ways round, moved about the world.
static void check(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                  double gap, PerpVec3 normal)
{
    PerpRandom r = perp_random(1);
    for (int n = 0; n < 20; n++) {
        PerpPose world = n == 0 ? perp_identity : perp_random_pose(&r, 10);
        PerpPose at_a = perp_pose_product(world, pose_a), at_b = perp_pose_product(world, pose_b);
        PerpVec3 turned = perp_quat_rotate(world.rotation, normal);
        PerpContactPoint p[PERP_CONTACT_POINTS];
        assert_int_equal(perp_collide(a, at_a, b, at_b, gap + 1e-9, p), 1);
        assert_near(p[0].gap, gap, 1e-14 * 30);
        assert_along(p[0].normal, turned);
        assert_along(perp_vec3_sub(p[0].point_a, p[0].point_b), perp_vec3_scale(gap, turned));
        assert_int_equal(perp_collide(b, at_b, a, at_a, gap + 1e-9, p), 1);
        assert_near(p[0].gap, gap, 1e-14 * 30);
        assert_along(p[0].normal, perp_vec3_scale(-1, turned));
        assert_int_equal(perp_collide(a, at_a, b, at_b, gap - 1e-9, p), 0);
    }
}

static void test_spheres(void **state)
{
    (void)state;
    PerpShape a = perp_test_shape(PERP_SHAPE_SPHERE, 0.3, 1, 1);
    PerpShape b = perp_test_shape(PERP_SHAPE_SPHERE, 0.5, 1, 1);
    PerpShape point = perp_test_shape(PERP_SHAPE_POINT, 1, 1, 1);
    PerpVec3 u = perp_vec3_normalise((PerpVec3){1, 2, 2});
    double distances[] = {2, 0.8, 0.5, 1e-3};
    for (int i = 0; i < 4; i++) {
        double d = distances[i];
        PerpPose at = {perp_vec3_scale(d, u), {1, 0, 0, 0}};
        check(&a, at, &b, perp_identity, d - 0.8, u);
        check(&point, at, &b, perp_identity, d - 0.5, u);
    }
    perp_test_shape_free(&a);
    perp_test_shape_free(&b);
    perp_test_shape_free(&point);
}

static void test_concentric_spheres_have_a_normal(void **state)
{
    (void)state;
    PerpShape a = perp_test_shape(PERP_SHAPE_SPHERE, 0.3, 1, 1);
    PerpContactPoint p;
    assert_int_equal(perp_collide(&a, perp_identity, &a, perp_identity, 0, &p), 1);
    assert_near(p.gap, -0.6, DBL_EPSILON);
    assert_near(perp_vec3_norm(p.normal), 1, DBL_EPSILON);
    perp_test_shape_free(&a);
}

static void test_sphere_and_capsule(void **state)
{
    (void)state;
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 0.3, 1, 1);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.2, 1, 1);
    PerpPose beside = {{3, 4, 0.5}, {1, 0, 0, 0}}, above = {{0, 0, 2}, {1, 0, 0, 0}};
    PerpPose corner = {{3, 0, 5}, {1, 0, 0, 0}};
    check(&ball, beside, &capsule, perp_identity, 4.5, (PerpVec3){0.6, 0.8, 0});
    check(&ball, above, &capsule, perp_identity, 0.5, Z);
    check(&ball, corner, &capsule, perp_identity, 4.5, (PerpVec3){0.6, 0, 0.8});
    perp_test_shape_free(&ball);
    perp_test_shape_free(&capsule);
}

static void test_capsules(void **state)
{
    (void)state;
    PerpShape a = perp_test_shape(PERP_SHAPE_CAPSULE, 0.2, 1, 1);
    PerpShape b = perp_test_shape(PERP_SHAPE_CAPSULE, 0.3, 2, 1);
    // crossed, one end beside the other's middle, end to end
    check(&a, perp_pose_turned(0, 0, 1, (PerpVec3){0, 1.2, 0}), &b,
          perp_pose_turned(0, 0, 0, (PerpVec3){1.5707963267948966, 0, 0}), sin(1.2) - 0.5,
          (PerpVec3){-cos(1.2), 0, sin(1.2)});
    check(&a, perp_pose_turned(0, 3, 0.1, (PerpVec3){1.5707963267948966, 0, 0}), &b, perp_identity,
          1.5, (PerpVec3){0, 1, 0});
    check(&a, perp_pose_turned(0, 0, 4, (PerpVec3){0, 0, 1}), &b, perp_identity, 0.5, Z);
    perp_test_shape_free(&a);
    perp_test_shape_free(&b);
}

// Two that lean towards each other by less than 1e-3 rad, their lower ends beyond each other: the
// deepest point is there with any margin.
static void test_leaning_capsules(void **state)
{
    (void)state;
    PerpContactPoint p[PERP_CONTACT_POINTS];
    PerpShape a = perp_test_shape(PERP_SHAPE_CAPSULE, 0.04, 0.14, 1);
    for (double margin = 0; margin < 1e-2; margin += 1e-4) {
        PerpPose left = perp_identity, right = perp_identity;
        double deepest = INFINITY;
        left.rotation = (PerpQuat){1, 0, 1.8e-4, 0};
        right.rotation = (PerpQuat){1, 0, -1.7e-4, 0};
        right.position = (PerpVec3){0.08 + 9e-5, 0, 1.5e-5};
        int n = perp_collide(&a, left, &a, right, margin, p);
        for (int k = 0; k < n; k++)
            deepest = fmin(deepest, p[k].gap);
        assert_true(deepest < -5e-6);
    }
    perp_test_shape_free(&a);
}

static void test_crossing_capsules(void **state)
{
    (void)state;
    PerpShape a = perp_test_shape(PERP_SHAPE_CAPSULE, 0.2, 1, 1);
    PerpPose across = perp_pose_turned(0, 0, 0, (PerpVec3){1, 0, 0});
    PerpContactPoint p[PERP_CONTACT_POINTS];
    assert_int_equal(perp_collide(&a, across, &a, perp_identity, 0, p), 1);
    assert_near(p[0].gap, -0.4, 1e-15);
    assert_near(fabs(p[0].normal.x), 1, 1e-15);
    int n = perp_collide(&a, perp_identity, &a, perp_identity, 0, p);
    assert_true(n >= 1 && n <= 2);
    for (int i = 0; i < n; i++) {
        assert_near(p[i].gap, -0.4, 1e-15);
        assert_near(p[i].normal.z, 0, 1e-15);
    }
    perp_test_shape_free(&a);
}

static void test_sphere_and_box(void **state)
{
    (void)state;
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 0.3, 1, 1);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 1, 2, 3);
    PerpPose over = {{0.5, 0.4, 4}, {1, 0, 0, 0}}, edge = {{4, 1, 7}, {1, 0, 0, 0}};
    PerpPose corner = {{2, 4, 5}, {1, 0, 0, 0}}, inside = {{0.9, 0.4, 2}, {1, 0, 0, 0}};
    PerpPose surface = {{0.1, 0.2, 3}, {1, 0, 0, 0}};
    check(&ball, over, &box, perp_identity, 0.7, Z);
    check(&ball, edge, &box, perp_identity, 4.7, (PerpVec3){0.6, 0, 0.8});
    check(&ball, corner, &box, perp_identity, 2.7, (PerpVec3){1 / 3.0, 2 / 3.0, 2 / 3.0});
    check(&ball, inside, &box, perp_identity, -0.4, (PerpVec3){1, 0, 0});
    check(&ball, surface, &box, perp_identity, -0.3, Z);
    perp_test_shape_free(&ball);
    perp_test_shape_free(&box);
}

static void test_sphere_and_cylinder(void **state)
{
    (void)state;
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 0.3, 1, 1);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 1, 2, 1);
    PerpPose over = {{0.5, 0.4, 4}, {1, 0, 0, 0}}, rim = {{4, 0, 6}, {1, 0, 0, 0}};
    PerpPose beside = {{3, 4, 1}, {1, 0, 0, 0}}, inside = {{0, 0.9, 1}, {1, 0, 0, 0}};
    check(&ball, over, &cylinder, perp_identity, 1.7, Z);
    check(&ball, rim, &cylinder, perp_identity, 4.7, (PerpVec3){0.6, 0, 0.8});
    check(&ball, beside, &cylinder, perp_identity, 3.7, (PerpVec3){0.6, 0.8, 0});
    check(&ball, inside, &cylinder, perp_identity, -0.4, (PerpVec3){0, 1, 0});
    perp_test_shape_free(&ball);
}

// the support function tells the height over a plane
static void test_planes(void **state)
{
    (void)state;
    PerpShape plane = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 0.3, 1, 1);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 1, 2, 3);
    PerpShape ellipsoid = perp_test_shape(PERP_SHAPE_ELLIPSOID, 1, 2, 3);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 1, 2, 3);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.5, 2, 3);
    PerpPose pose = perp_pose_turned(1, 2, 5, (PerpVec3){0.3, 0.5, 0.7});
    PerpVec3 d = perp_quat_rotate_back(pose.rotation, Z);
    check(&ball, pose, &plane, perp_identity, 4.7, Z);
    check(&box, pose, &plane, perp_identity, 5 - fabs(d.x) - 2 * fabs(d.y) - 3 * fabs(d.z), Z);
    check(&ellipsoid, pose, &plane, perp_identity,
          5 - perp_vec3_norm((PerpVec3){d.x, 2 * d.y, 3 * d.z}), Z);
    check(&cylinder, pose, &plane, perp_identity, 5 - hypot(d.x, d.y) - 2 * fabs(d.z), Z);
    check(&capsule, pose, &plane, perp_identity, 5 - 0.5 - 2 * fabs(d.z), Z);
    perp_test_shape_free(&ball);
    perp_test_shape_free(&box);
    perp_test_shape_free(&capsule);
}

// ellipsoids along a common axis, and a sphere written as an ellipsoid
static void test_ellipsoids(void **state)
{
    (void)state;
    PerpShape a = perp_test_shape(PERP_SHAPE_ELLIPSOID, 1, 2, 0.5);
    PerpShape b = perp_test_shape(PERP_SHAPE_ELLIPSOID, 0.7, 0.4, 0.25);
    PerpShape ball = perp_test_shape(PERP_SHAPE_ELLIPSOID, 0.6, 0.6, 0.6);
    PerpShape sphere = perp_test_shape(PERP_SHAPE_SPHERE, 0.6, 1, 1);
    double gaps[] = {1, 1e-3, 1e-9, 0, -1e-9, -1e-3};
    PerpVec3 u = perp_vec3_normalise((PerpVec3){1, 2, 2});
    for (int i = 0; i < 6; i++) {
        PerpPose above = {{0, 0, 0.75 + gaps[i]}, {1, 0, 0, 0}};
        check(&a, above, &b, perp_identity, gaps[i], Z);
        PerpPose away = {perp_vec3_scale(1.2 + gaps[i], u), {1, 0, 0, 0}};
        check(&ball, away, &ball, perp_identity, gaps[i], u);
        check(&sphere, away, &ball, perp_identity, gaps[i], u);
    }
    perp_test_shape_free(&sphere);
}

static void test_points_do_not_touch_each_other(void **state)
{
    (void)state;
    PerpShape point = perp_test_shape(PERP_SHAPE_POINT, 1, 1, 1);
    PerpShape plane = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    PerpContactPoint p[PERP_CONTACT_POINTS];
    assert_int_equal(perp_collide(&point, perp_identity, &point, perp_identity, 1, p), 0);
    assert_int_equal(perp_collide(&plane, perp_identity, &plane, perp_identity, 1, p), 0);
    perp_test_shape_free(&point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_concentric_spheres_have_a_normal),
        cmocka_unit_test(test_sphere_and_capsule),
        cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_leaning_capsules),
        cmocka_unit_test(test_crossing_capsules),
        cmocka_unit_test(test_sphere_and_box),
        cmocka_unit_test(test_sphere_and_cylinder),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_ellipsoids),
        cmocka_unit_test(test_points_do_not_touch_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Contacts of several points: how many, where, how their ids stay, and that the gap of each changes
// as the motion of its points says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "shapes.h"

static const double HALF_PI = 1.57079632679489661923;
static const PerpVec3 NO_TURN = {0, 0, 0};

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

// a above b with the normal z: the number of points, all with the gap.
static void check_flat(const PerpShape *a, PerpPose pose_a, const PerpShape *b, int count,
                       double gap)
{
    PerpContactPoint p[PERP_CONTACT_POINTS], q[PERP_CONTACT_POINTS];
    int n = perp_collide(a, pose_a, b, perp_identity, 1e-3, p);
    assert_int_equal(n, count);
    for (int i = 0; i < n; i++) {
        assert_near(p[i].gap, gap, 1e-15);
        assert_near(p[i].normal.z, 1, 1e-15);
        for (int j = 0; j < i; j++)
            assert_true(p[i].feature != p[j].feature);
    }
    assert_int_equal(perp_collide(b, perp_identity, a, pose_a, 1e-3, q), count);
}

static void test_on_a_plane(void **state)
{
    (void)state;
    PerpShape plane = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.5, 0.5, 0.5);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 0.5, 0.5, 1);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.5, 0.5, 1);
    PerpVec3 lying = {0, HALF_PI, 0};
    check_flat(&box, perp_pose_turned(0, 0, 0.5, NO_TURN), &plane, 4, 0);
    check_flat(&cylinder, perp_pose_turned(0, 0, 0.5, NO_TURN), &plane, 4, 0);
    check_flat(&cylinder, perp_pose_turned(0, 0, 0.5, lying), &plane, 2, 0);
    check_flat(&capsule, perp_pose_turned(0, 0, 0.5, lying), &plane, 2, 0);
    check_flat(&capsule, perp_pose_turned(0, 0, 1, NO_TURN), &plane, 1, 0);
    check_flat(&box, perp_pose_turned(0, 0, 0.4375, NO_TURN), &plane, 4, -0.0625);
    perp_test_shape_free(&box);
    perp_test_shape_free(&capsule);
}

static void test_on_a_box(void **state)
{
    (void)state;
    PerpShape floor = perp_test_shape(PERP_SHAPE_BOX, 1, 1, 0.5);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.5, 0.5, 0.5);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 0.5, 0.5, 1);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.5, 0.5, 1);
    PerpVec3 yaw = {0, 0, 0.3}, lying = {0, HALF_PI, 0};
    check_flat(&box, perp_pose_turned(0, 0, 1, NO_TURN), &floor, 4, 0);
    check_flat(&box, perp_pose_turned(0, 0, 1, NO_TURN), &box, 4, 0);
    check_flat(&box, perp_pose_turned(0, 0, 1, yaw), &box, 8, 0);
    check_flat(&floor, perp_pose_turned(0, 0, 1, yaw), &box, 4, 0);
    check_flat(&box, perp_pose_turned(0.25, 0.125, 1, NO_TURN), &box, 4, 0);
    check_flat(&cylinder, perp_pose_turned(0, 0, 1, yaw), &floor, 4, 0);
    check_flat(&cylinder, perp_pose_turned(0, 0, 1, lying), &floor, 2, 0);
    check_flat(&capsule, perp_pose_turned(0, 0, 1, lying), &floor, 2, 0);
    check_flat(&capsule, perp_pose_turned(1, 0, 1, lying), &floor, 2, 0);
    check_flat(&cylinder, perp_pose_turned(0, 0, 1, yaw), &cylinder, 8, 0);
    perp_test_shape_free(&floor);
    perp_test_shape_free(&box);
    perp_test_shape_free(&capsule);
}

// Along z, both ways: the points within the margin, the deepest as deep as the shapes, the others
// less by `rise`.
static void check_leaning(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                          double margin, int count, double rise)
{
    PerpContactPoint p[PERP_CONTACT_POINTS], nearest;
    double least = INFINITY, most = -INFINITY;
    perp_distance(a, pose_a, b, pose_b, &nearest);
    int n = perp_collide(a, pose_a, b, pose_b, margin, p);
    assert_int_equal(n, count);
    for (int i = 0; i < n; i++) {
        least = fmin(least, p[i].gap);
        most = fmax(most, p[i].gap);
        assert_near(fabs(p[i].normal.z), 1, 1e-3);
    }
    assert_near(least, nearest.gap, 1e-12);
    assert_near(most, least + rise, 2e-4);
}

// What reaches over the edges of a box and leans a little touches at one of them, and may come to
// touch at the other before the next search; so with capsules that cross at a small angle.
static void test_leaning(void **state)
{
    (void)state;
    double lean = 0.02, sine = sin(lean);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.5, 0.5, 0.5);
    PerpShape beam = perp_test_shape(PERP_SHAPE_BOX, 1, 0.25, 0.5);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.25, 1, 1);
    PerpPose below = perp_identity, lying = perp_pose_turned(0, 0, 0, (PerpVec3){0, HALF_PI, 0});
    PerpPose capsule_above = perp_pose_turned(0, 0, 0.77, (PerpVec3){0, HALF_PI + lean, 0});
    PerpPose beam_above = perp_pose_turned(0, 0, 1.02, (PerpVec3){0, lean, 0});
    check_leaning(&capsule, capsule_above, &box, below, 0.1, 2, sine);
    check_leaning(&capsule, capsule_above, &box, below, 0.015, 1, 0);
    check_leaning(&beam, beam_above, &box, below, 0.1, 4, sine);
    check_leaning(&beam, beam_above, &box, below, 0.015, 2, 0);
    check_leaning(&capsule, perp_pose_turned(0.5, 0, 0.52, (PerpVec3){0, HALF_PI + lean, 0}),
                  &capsule, lying, 0.1, 2, 1.5 * sine);
    perp_test_shape_free(&box);
    perp_test_shape_free(&beam);
    perp_test_shape_free(&capsule);
}

// parallel edges, and capsules along each other
static void test_along_edges(void **state)
{
    (void)state;
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.5, 0.5, 0.5);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.25, 0.5, 1);
    PerpVec3 on_edge = {0.78539816339744831, 0, 0}, lying = {0, HALF_PI, 0};
    PerpPose below = perp_pose_turned(0, 0, 0, on_edge);
    PerpPose above = perp_pose_turned(0.25, 0, 2 * sqrt(0.5) + 1e-4, on_edge);
    PerpContactPoint p[PERP_CONTACT_POINTS];
    assert_int_equal(perp_collide(&box, above, &box, below, 1e-3, p), 2);
    assert_near(p[0].gap, 1e-4, 1e-14);
    assert_near(fabs(p[0].point_a.x - p[1].point_a.x), 0.75, 1e-14);
    PerpPose capsule_above = perp_pose_turned(0.25, 0, sqrt(0.5) + 0.25, lying);
    assert_int_equal(perp_collide(&capsule, capsule_above, &box, below, 1e-3, p), 2);
    assert_near(p[0].gap, 0, 1e-14);
    assert_int_equal(perp_collide(&capsule, perp_pose_turned(0.25, 0, 0.5, lying), &capsule,
                                  perp_pose_turned(0, 0, 0, lying), 1e-3, p),
                     2);
    perp_test_shape_free(&box);
    perp_test_shape_free(&capsule);
}

// a hull with a round bottom of many sides keeps eight points on a floor
static void test_many_corners(void **state)
{
    (void)state;
    double points[120];
    for (int i = 0; i < 40; i++) {
        perp_circle_point(i % 20 / 20.0, &points[3 * i], &points[3 * i + 1]);
        points[3 * i + 2] = i < 20 ? -0.5 : 0.5;
    }
    PerpShape drum = perp_test_hull(40, points);
    PerpShape floor = perp_test_shape(PERP_SHAPE_BOX, 3, 3, 0.5);
    PerpShape plane = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    check_flat(&drum, perp_pose_turned(0, 0, 1, NO_TURN), &floor, 8, 0);
    check_flat(&drum, perp_pose_turned(0, 0, 0.5, NO_TURN), &plane, 20, 0);
    perp_test_shape_free(&drum);
    perp_test_shape_free(&floor);
}

static int find_feature(const PerpContactPoint *p, int n, uint32_t feature)
{
    for (int i = 0; i < n; i++)
        if (p[i].feature == feature)
            return i;
    return -1;
}

// a little motion of a stack, as rounding makes it, leaves the ids alone
static void test_ids_do_not_flicker(void **state)
{
    (void)state;
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.5, 0.5, 0.5);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 0.5, 0.5, 1);
    PerpShape floor = perp_test_shape(PERP_SHAPE_BOX, 2, 2, 0.5);
    const PerpShape *pairs[4][2] = {
        {&box, &box}, {&box, &floor}, {&cylinder, &floor}, {&box, &cylinder}};
    PerpRandom r = perp_random(1);
    for (int k = 0; k < 4; k++) {
        PerpContactPoint p[PERP_CONTACT_POINTS], q[PERP_CONTACT_POINTS];
        PerpPose pose = perp_pose_turned(0, 0, 1, NO_TURN);
        int n = perp_collide(pairs[k][0], pose, pairs[k][1], perp_identity, 1e-3, p);
        for (int i = 0; i < 200; i++) {
            PerpVec3 shift = perp_vec3_scale(1e-9, perp_random_unit(&r));
            PerpPose moved = {perp_vec3_add(pose.position, shift),
                              perp_quat_exp(perp_vec3_scale(1e-9, perp_random_unit(&r)))};
            assert_int_equal(perp_collide(pairs[k][0], moved, pairs[k][1], perp_identity, 1e-3, q),
                             n);
            for (int j = 0; j < n; j++)
                assert_true(find_feature(q, n, p[j].feature) >= 0);
        }
    }
    perp_test_shape_free(&box);
    perp_test_shape_free(&floor);
}

typedef struct Motion {
    PerpVec3 v, w; // m/s of the position, rad/s, world axes
} Motion;

static Motion random_motion(PerpRandom *r)
{
    return (Motion){perp_random_unit(r), perp_random_unit(r)};
}

static PerpPose after(PerpPose pose, Motion m, double time)
{
    PerpQuat turn = perp_quat_exp(perp_vec3_scale(time, m.w));
    return (PerpPose){perp_vec3_add_scaled(pose.position, time, m.v),
                      perp_quat_normalise(perp_quat_product(turn, pose.rotation))};
}

static PerpVec3 velocity(PerpPose pose, Motion m, PerpVec3 x)
{
    return perp_vec3_add(m.v, perp_vec3_cross(m.w, perp_vec3_sub(x, pose.position)));
}

typedef struct Pair {
    PerpShape a, b;
    PerpPose pose_a, pose_b;
} Pair;

static const double MARGIN = 0.02;

// (gap(t + h) - gap(t - h)) / 2 h = n'(v_a - v_b) at the points, for every point whose feature is
// there before and after. Returns how many were.
static int check_gradients(PerpRandom *r, const Pair *k)
{
    static const double h = 1e-7;
    Motion a = random_motion(r), b = random_motion(r);
    PerpContactPoint p[PERP_CONTACT_POINTS], before[PERP_CONTACT_POINTS];
    PerpContactPoint later[PERP_CONTACT_POINTS];
    int n = perp_collide(&k->a, k->pose_a, &k->b, k->pose_b, MARGIN, p), found = 0;
    int n_before = perp_collide(&k->a, after(k->pose_a, a, -h), &k->b, after(k->pose_b, b, -h),
                                2 * MARGIN, before);
    int n_later = perp_collide(&k->a, after(k->pose_a, a, h), &k->b, after(k->pose_b, b, h),
                               2 * MARGIN, later);
    for (int i = 0; i < n; i++) {
        int one = find_feature(before, n_before, p[i].feature);
        int two = find_feature(later, n_later, p[i].feature);
        if (one < 0 || two < 0)
            continue;
        PerpVec3 relative = perp_vec3_sub(velocity(k->pose_a, a, p[i].point_a),
                                          velocity(k->pose_b, b, p[i].point_b));
        double difference = (later[two].gap - before[one].gap) / (2 * h);
        assert_near(difference, perp_vec3_dot(p[i].normal, relative), 1e-6);
        found++;
    }
    return found;
}

static double deepest(const Pair *k)
{
    PerpContactPoint p[PERP_CONTACT_POINTS];
    int n = perp_collide(&k->a, k->pose_a, &k->b, k->pose_b, 20, p);
    double gap = INFINITY;
    for (int i = 0; i < n; i++)
        gap = fmin(gap, p[i].gap);
    return gap;
}

// Moves a along the direction until the deepest gap is the one given.
static void bring_together(Pair *k, PerpVec3 direction, double gap)
{
    double low = k->b.kind == PERP_SHAPE_PLANE ? -4 : 0, high = 6;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        k->pose_a.position = perp_vec3_scale(middle, direction);
        if (deepest(k) > gap)
            high = middle;
        else
            low = middle;
    }
}

static const PerpShapeKind KINDS[] = {
    PERP_SHAPE_POINT,    PERP_SHAPE_SPHERE,    PERP_SHAPE_CAPSULE, PERP_SHAPE_BOX,
    PERP_SHAPE_CYLINDER, PERP_SHAPE_ELLIPSOID, PERP_SHAPE_HULL,    PERP_SHAPE_PLANE,
};

// How a is turned against b: anyhow; standing, leaning a little; lying, leaning a little.
typedef enum Attitude { ANYHOW, STANDING, LYING } Attitude;

static Pair random_pair(PerpRandom *r, PerpShapeKind kind_a, PerpShapeKind kind_b,
                        Attitude attitude)
{
    Pair k = {perp_random_shape(r, kind_a), perp_random_shape(r, kind_b), perp_identity,
              perp_identity};
    PerpVec3 direction = {0, 0, 1};
    double angle = perp_random_log_uniform(r, 1e-3, 0.3);
    PerpQuat lean = perp_quat_exp(perp_vec3_scale(angle, perp_random_unit(r)));
    PerpQuat yaw = perp_quat_exp((PerpVec3){0, 0, perp_random_uniform(r, 0, 3)});
    PerpQuat down = perp_quat_exp((PerpVec3){attitude == LYING ? HALF_PI : 0, 0, 0});
    k.pose_a.rotation = perp_quat_product(lean, perp_quat_product(yaw, down));
    if (attitude == ANYHOW)
        k.pose_a.rotation = perp_random_rotation(r);
    if (kind_b != PERP_SHAPE_PLANE && attitude == ANYHOW) {
        k.pose_b.rotation = perp_random_rotation(r);
        direction = perp_random_unit(r);
    } else if (kind_b != PERP_SHAPE_PLANE) {
        direction.x = perp_random_uniform(r, -0.5, 0.5);
        direction.y = perp_random_uniform(r, -0.5, 0.5);
    }
    bring_together(&k, direction, perp_random_uniform(r, -0.01, 0.01));
    return k;
}

static void test_gradients(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int attitude = ANYHOW; attitude <= LYING; attitude++)
        for (int i = 0; i < 7; i++)
            for (int j = i == 0 ? 1 : i; j < 8; j++) {
                int found = 0;
                for (int n = 0; n < 12; n++) {
                    Pair k = random_pair(&r, KINDS[i], KINDS[j], (Attitude)attitude);
                    found += check_gradients(&r, &k);
                    perp_test_shape_free(&k.a);
                    perp_test_shape_free(&k.b);
                }
                assert_true(found >= 10);
            }
}

// exchanged, the same gaps with the normals turned round
static void test_exchange(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    for (int i = 0; i < 7; i++)
        for (int j = i == 0 ? 1 : 0; j < 7; j++)
            for (int n = 0; n < 8; n++) {
                Pair k = random_pair(&r, KINDS[i], KINDS[j], n % 2 ? STANDING : ANYHOW);
                PerpContactPoint p[PERP_CONTACT_POINTS], q[PERP_CONTACT_POINTS];
                int count = perp_collide(&k.a, k.pose_a, &k.b, k.pose_b, MARGIN, p);
                assert_int_equal(perp_collide(&k.b, k.pose_b, &k.a, k.pose_a, MARGIN, q), count);
                for (int s = 0; s < count; s++) {
                    double nearest = INFINITY;
                    for (int t = 0; t < count; t++)
                        nearest = fmin(nearest,
                                       perp_vec3_norm(perp_vec3_sub(p[s].point_a, q[t].point_b)) +
                                           perp_vec3_norm(perp_vec3_add(p[s].normal, q[t].normal)));
                    assert_true(nearest < 1e-6);
                }
                perp_test_shape_free(&k.a);
                perp_test_shape_free(&k.b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_a_plane),         cmocka_unit_test(test_on_a_box),
        cmocka_unit_test(test_along_edges),        cmocka_unit_test(test_many_corners),
        cmocka_unit_test(test_ids_do_not_flicker), cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_exchange),           cmocka_unit_test(test_leaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

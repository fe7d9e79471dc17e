// Signed distances of random pairs: against brute force over all normals, against libccd, and
// against themselves, moved and exchanged.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "collide/distance/distance.h"
#include "shapes.h"

#include <ccd/ccd.h>

static const PerpShapeKind CONVEX[] = {PERP_SHAPE_POINT, PERP_SHAPE_SPHERE,   PERP_SHAPE_CAPSULE,
                                       PERP_SHAPE_BOX,   PERP_SHAPE_CYLINDER, PERP_SHAPE_ELLIPSOID,
                                       PERP_SHAPE_HULL};
enum { KINDS = 7 };

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

// A shape where it is, with its farthest point along a direction written anew for the test.
typedef struct Placed {
    PerpShape shape;
    PerpPose pose;
} Placed;

static PerpVec3 farthest_local(const PerpShape *shape, PerpVec3 d)
{
    const double *s = shape->size;
    double across = hypot(d.x, d.y);
    PerpVec3 e = {s[0] * s[0] * d.x, s[1] * s[1] * d.y, s[2] * s[2] * d.z};
    double h = perp_vec3_norm((PerpVec3){s[0] * d.x, s[1] * d.y, s[2] * d.z});
    switch (shape->kind) {
    case PERP_SHAPE_SPHERE:
        return perp_vec3_scale(s[0], perp_vec3_normalise(d));
    case PERP_SHAPE_CAPSULE:
        return perp_vec3_add((PerpVec3){0, 0, copysign(s[1], d.z)},
                             perp_vec3_scale(s[0], perp_vec3_normalise(d)));
    case PERP_SHAPE_BOX:
        return (PerpVec3){copysign(s[0], d.x), copysign(s[1], d.y), copysign(s[2], d.z)};
    case PERP_SHAPE_CYLINDER:
        return (PerpVec3){across > 0 ? s[0] * d.x / across : 0,
                          across > 0 ? s[0] * d.y / across : 0, copysign(s[1], d.z)};
    case PERP_SHAPE_ELLIPSOID:
        return perp_vec3_scale(1 / h, e);
    default:
        return (PerpVec3){0, 0, 0};
    }
}

static PerpVec3 farthest(const Placed *p, PerpVec3 direction)
{
    PerpVec3 d = perp_quat_rotate_back(p->pose.rotation, direction);
    PerpVec3 best = farthest_local(&p->shape, d);
    if (p->shape.kind == PERP_SHAPE_HULL) {
        const PerpPolyhedron *hull = p->shape.polyhedron;
        best = hull->vertex[0];
        for (int i = 1; i < hull->n_vertices; i++)
            if (perp_vec3_dot(d, hull->vertex[i]) > perp_vec3_dot(d, best))
                best = hull->vertex[i];
    }
    return perp_pose_point(p->pose, best);
}

static double separation(const Placed *a, const Placed *b, PerpVec3 n)
{
    return perp_vec3_dot(n, perp_vec3_sub(farthest(a, perp_vec3_scale(-1, n)), farthest(b, n)));
}

// The largest separation over many directions, refined by smaller and smaller random steps.
static double brute_force(PerpRandom *r, const Placed *a, const Placed *b, int samples)
{
    PerpVec3 best = {0, 0, 1};
    double most = separation(a, b, best);
    for (int k = 0; k < samples; k++) {
        PerpVec3 n = perp_random_unit(r);
        double s = separation(a, b, n);
        if (s > most) {
            most = s;
            best = n;
        }
    }
    for (double step = 0.1; step > 1e-10; step *= 0.7)
        for (int k = 0; k < 12; k++) {
            PerpVec3 n = perp_vec3_normalise(perp_vec3_add_scaled(best, step, perp_random_unit(r)));
            double s = separation(a, b, n);
            if (s > most) {
                most = s;
                best = n;
            }
        }
    return most;
}

static Placed random_placed(PerpRandom *r, PerpShapeKind kind)
{
    return (Placed){perp_random_shape(r, kind), perp_random_pose(r, 1)};
}

static void free_two(Placed *a, Placed *b)
{
    perp_test_shape_free(&a->shape);
    perp_test_shape_free(&b->shape);
}

// Any direction gives a lower bound of the signed distance. What is found is one itself, no sample
// is better, and apart from each other the witnesses give an upper bound.
static void check_distance(PerpRandom *r, const Placed *a, const Placed *b)
{
    PerpContactPoint p;
    perp_distance(&a->shape, a->pose, &b->shape, b->pose, &p);
    assert_near(separation(a, b, p.normal), p.gap, 1e-13);
    assert_true(brute_force(r, a, b, 1000) <= p.gap + 1e-12);
    PerpVec3 v = perp_vec3_sub(p.point_a, p.point_b);
    assert_near(perp_vec3_norm(perp_vec3_sub(v, perp_vec3_scale(p.gap, p.normal))), 0, 1e-12);
    if (p.gap > 0)
        assert_near(perp_vec3_norm(v), p.gap, 1e-12);
    // the witnesses are on the surfaces
    assert_true(perp_vec3_dot(p.normal, p.point_a) >=
                perp_vec3_dot(p.normal, farthest(a, perp_vec3_scale(-1, p.normal))) - 1e-12);
    assert_true(perp_vec3_dot(p.normal, p.point_b) <=
                perp_vec3_dot(p.normal, farthest(b, p.normal)) + 1e-12);
}

static void test_random_pairs_against_brute_force(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int i = 0; i < KINDS; i++)
        for (int j = i; j < KINDS; j++)
            for (int n = 0; n < 40; n++) {
                Placed a = random_placed(&r, CONVEX[i]), b = random_placed(&r, CONVEX[j]);
                check_distance(&r, &a, &b);
                free_two(&a, &b);
            }
}

// The nearest point of a core to one outside is as far as GJK finds a point to be.
static void test_nearest_points_of_cores(void **state)
{
    (void)state;
    PerpRandom r = perp_random(11);
    PerpShape point = perp_test_shape(PERP_SHAPE_POINT, 0, 0, 0);
    for (int n = 0; n < 600; n++) {
        Placed b = random_placed(&r, CONVEX[n % 5]);
        PerpPose pose = perp_random_pose(&r, 2);
        PerpCore x = perp_core(&point, pose), core = perp_core(&b.shape, b.pose);
        PerpVec3 nearest;
        double gap = perp_core_distance(&x, &core, perp_random_unit(&r), INFINITY).gap;
        assert_true(perp_core_nearest(&core, pose.position, &nearest));
        if (gap > 0)
            assert_near(perp_vec3_norm(perp_vec3_sub(pose.position, nearest)), gap, 1e-12);
        perp_test_shape_free(&b.shape);
    }
    perp_test_shape_free(&point);
}

// Of curved cores that are apart the distance is proven by two points, by few looks at them.
static void test_curved_cores_apart(void **state)
{
    (void)state;
    PerpRandom r = perp_random(12);
    int apart = 0, proven = 0;
    for (int n = 0; n < 4000; n++) {
        Placed a = random_placed(&r, CONVEX[n % KINDS]);
        Placed b = random_placed(&r, n % 2 ? PERP_SHAPE_CYLINDER : PERP_SHAPE_ELLIPSOID);
        PerpCore core_a = perp_core(&a.shape, a.pose), core_b = perp_core(&b.shape, b.pose);
        PerpSeparation s =
            perp_core_distance(&core_a, &core_b, perp_core_apart(&core_a, &core_b), INFINITY);
        apart += s.gap > 0;
        proven += s.is_final;
        if (s.is_final)
            assert_near(perp_vec3_norm(perp_vec3_sub(s.point_a, s.point_b)), s.gap, 1e-12);
        free_two(&a, &b);
    }
    assert_true(apart > 1000 && proven > 0.9 * apart);
}

// A pair with a function of its own has its nearest or deepest point at this distance.
static void check_points(const Placed *a, const Placed *b)
{
    PerpContactPoint nearest, points[PERP_CONTACT_POINTS];
    perp_distance(&a->shape, a->pose, &b->shape, b->pose, &nearest);
    int n = perp_collide(&a->shape, a->pose, &b->shape, b->pose, nearest.gap + 1e-6, points);
    double least = INFINITY;
    for (int k = 0; k < n; k++)
        least = fmin(least, points[k].gap);
    assert_near(least, nearest.gap, 1e-12);
}

static void test_pairs_with_functions_of_their_own(void **state)
{
    (void)state;
    PerpRandom r = perp_random(8);
    for (int i = 0; i < KINDS; i++)
        for (int j = CONVEX[i] == PERP_SHAPE_POINT; j < KINDS; j++)
            for (int n = 0; n < 100; n++) {
                Placed a = random_placed(&r, CONVEX[i]), b = random_placed(&r, CONVEX[j]);
                if (!perp_collide_is_searched(&a.shape, &b.shape))
                    check_points(&a, &b);
                free_two(&a, &b);
            }
}

// Nothing within the margin is missed where few axes tell how far apart shapes are.
static void test_boxes_and_capsules(void **state)
{
    (void)state;
    PerpRandom r = perp_random(12);
    for (int n = 0; n < 1000; n++) {
        Placed a = random_placed(&r, PERP_SHAPE_BOX), b = random_placed(&r, PERP_SHAPE_CAPSULE);
        check_points(&a, &b);
        check_points(&b, &a);
        free_two(&a, &b);
    }
}

// moved together, or exchanged, two shapes keep their distance to rounding
static void test_invariance(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS; j++)
            for (int n = 0; n < 20; n++) {
                Placed a = random_placed(&r, CONVEX[i]), b = random_placed(&r, CONVEX[j]);
                PerpPose world = perp_random_pose(&r, 1);
                PerpContactPoint p, moved, exchanged;
                perp_distance(&a.shape, a.pose, &b.shape, b.pose, &p);
                perp_distance(&a.shape, perp_pose_product(world, a.pose), &b.shape,
                              perp_pose_product(world, b.pose), &moved);
                perp_distance(&b.shape, b.pose, &a.shape, a.pose, &exchanged);
                assert_near(moved.gap, p.gap, 1e-12);
                assert_near(exchanged.gap, p.gap, 1e-12);
                free_two(&a, &b);
            }
}

static void ccd_support(const void *user, const ccd_vec3_t *direction, ccd_vec3_t *result)
{
    PerpVec3 d = perp_vec3_load(direction->v), x = farthest(user, d);
    ccdVec3Set(result, x.x, x.y, x.z);
}

static ccd_t ccd_settings(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = 1e-6;
    return ccd;
}

// Drawn apart until they do not overlap, and together until they do, libccd agrees.
static void check_with_libccd(const ccd_t *ccd, const Placed *a, const Placed *b)
{
    PerpContactPoint p;
    perp_distance(&a->shape, a->pose, &b->shape, b->pose, &p);
    Placed moved = *a;
    moved.pose.position = perp_vec3_add_scaled(a->pose.position, -p.gap + 1e-3, p.normal);
    assert_false(ccdGJKIntersect(&moved, b, ccd));
    moved.pose.position = perp_vec3_add_scaled(a->pose.position, -p.gap - 1e-2, p.normal);
    assert_true(ccdGJKIntersect(&moved, b, ccd));
}

static void test_random_pairs_against_libccd(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    ccd_t ccd = ccd_settings();
    for (int i = 1; i < KINDS; i++)
        for (int j = i; j < KINDS; j++)
            for (int n = 0; n < 50; n++) {
                Placed a = random_placed(&r, CONVEX[i]), b = random_placed(&r, CONVEX[j]);
                check_with_libccd(&ccd, &a, &b);
                free_two(&a, &b);
            }
}

// Along libccd's direction the overlap is never smaller than ours. Of boxes and hulls it finds the
// least depth mostly, of others roughly.
static void test_depths_against_libccd(void **state)
{
    (void)state;
    PerpRandom r = perp_random(6);
    ccd_t ccd = ccd_settings();
    int agreed = 0, total = 0;
    while (total < 300) {
        Placed a = random_placed(&r, PERP_SHAPE_BOX), b = random_placed(&r, PERP_SHAPE_HULL);
        PerpContactPoint p;
        ccd_real_t depth;
        ccd_vec3_t direction, place;
        perp_distance(&a.shape, a.pose, &b.shape, b.pose, &p);
        if (p.gap < -1e-3 && !ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &place)) {
            PerpVec3 d = perp_vec3_load(direction.v);
            double along = fmax(separation(&a, &b, d), separation(&a, &b, perp_vec3_scale(-1, d)));
            assert_true(along <= p.gap + 1e-12);
            agreed += fabs(depth + p.gap) < 1e-6;
            total++;
        }
        free_two(&a, &b);
    }
    assert_true(agreed > 0.9 * total);
}

// From touching exactly to rounding errors apart or inside; the normal stays.
static void test_touching(void **state)
{
    (void)state;
    double gaps[] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0, -1e-15, -1e-12, -1e-9, -1e-6, -1e-3};
    PerpShapeKind kinds[] = {PERP_SHAPE_BOX, PERP_SHAPE_CYLINDER, PERP_SHAPE_ELLIPSOID};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 11; k++) {
                PerpShape a = perp_test_shape(kinds[i], 0.5, 0.25, 0.25);
                PerpShape b = perp_test_shape(kinds[j], 0.75, 0.5, 0.5);
                PerpPose above = {{0.03125, 0.0625, 0.75 + gaps[k]}, {1, 0, 0, 0}};
                if (kinds[i] == PERP_SHAPE_ELLIPSOID || kinds[j] == PERP_SHAPE_ELLIPSOID)
                    above.position.x = above.position.y = 0;
                PerpContactPoint p;
                perp_distance(&a, above, &b, perp_identity, &p);
                assert_near(p.gap, gaps[k], 1e-15);
                assert_near(p.normal.z, 1, 1e-9);
                perp_test_shape_free(&a);
                perp_test_shape_free(&b);
            }
}

// the same place, the same shape: some normal, and the depth to get out along it
static void test_coincident(void **state)
{
    (void)state;
    PerpRandom r = perp_random(4);
    for (int i = 1; i < KINDS; i++)
        for (int n = 0; n < 10; n++) {
            Placed a = random_placed(&r, CONVEX[i]);
            a.pose = perp_identity;
            PerpContactPoint p;
            perp_distance(&a.shape, a.pose, &a.shape, a.pose, &p);
            assert_near(perp_vec3_norm(p.normal), 1, 1e-14);
            assert_near(p.gap, separation(&a, &a, p.normal), 1e-13);
            assert_true(p.gap >= brute_force(&r, &a, &a, 300) - 1e-12);
            perp_test_shape_free(&a.shape);
        }
}

// plates, needles and coins a thousand times thinner than wide
static void test_thin_shapes(void **state)
{
    (void)state;
    PerpRandom r = perp_random(5);
    PerpShapeKind kinds[] = {PERP_SHAPE_BOX, PERP_SHAPE_CYLINDER, PERP_SHAPE_ELLIPSOID};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int n = 0; n < 30; n++) {
                Placed a = {perp_test_shape(kinds[i], 1, 1e-3, 1e-3), perp_random_pose(&r, 0.5)};
                Placed b = {perp_test_shape(kinds[j], 1, 1e-3, 1), perp_random_pose(&r, 0.5)};
                PerpContactPoint p;
                perp_distance(&a.shape, a.pose, &b.shape, b.pose, &p);
                assert_near(separation(&a, &b, p.normal), p.gap, 1e-13);
                assert_true(brute_force(&r, &a, &b, 1000) <= p.gap + 1e-10);
                free_two(&a, &b);
            }
}

// a box, whose axes are tried by themselves, is as far away as the hull of its corners, whose faces
// and edges are; turned anyhow, by quarter turns and by next to nothing, apart, touching and inside
static void test_boxes_are_hulls(void **state)
{
    (void)state;
    PerpRandom r = perp_random(6);
    PerpContactPoint p, q;
    for (int k = 0; k < 3000; k++) {
        double h[6];
        for (int i = 0; i < 6; i++)
            h[i] = perp_random_uniform(&r, 0.1, 1);
        Placed a = {perp_test_shape(PERP_SHAPE_BOX, h[0], h[1], h[2]), perp_random_pose(&r, 1)};
        Placed b = {perp_test_shape(PERP_SHAPE_BOX, h[3], h[4], h[5]), perp_random_pose(&r, 1)};
        if (k % 3 > 0) {
            a.pose.rotation =
                (PerpQuat){1, 0, 0, k % 3 == 1 ? 0 : 1e-11 * perp_random_uniform(&r, 0, 1)};
            b.pose =
                (PerpPose){{0, 0, 0}, {sqrt(0.5), k % 2 ? sqrt(0.5) : 0, 0, k % 2 ? 0 : sqrt(0.5)}};
            a.pose.position.z = h[2] + (k % 2 ? h[4] : h[5]); // face on face
        }
        PerpShape hull_a = a.shape, hull_b = b.shape;
        hull_a.kind = hull_b.kind = PERP_SHAPE_HULL;
        perp_distance(&a.shape, a.pose, &b.shape, b.pose, &p);
        perp_distance(&hull_a, a.pose, &hull_b, b.pose, &q);
        assert_near(p.gap, q.gap, 1e-13);
        assert_near(separation(&a, &b, p.normal), p.gap, 1e-13);
        free_two(&a, &b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs_against_brute_force),
        cmocka_unit_test(test_nearest_points_of_cores),
        cmocka_unit_test(test_curved_cores_apart),
        cmocka_unit_test(test_pairs_with_functions_of_their_own),
        cmocka_unit_test(test_boxes_and_capsules),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_random_pairs_against_libccd),
        cmocka_unit_test(test_depths_against_libccd),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_coincident),
        cmocka_unit_test(test_thin_shapes),
        cmocka_unit_test(test_boxes_are_hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Meshes and height fields: flat ones behave like planes, without bumps at inner edges; ridges,
// valleys and borders like what they are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "geom/triangles.h"
#include "shapes.h"

static const double HALF_PI = 1.57079632679489661923;
enum { SIDE = 11 };

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

// height(x, y) on a grid of 11 x 11 points, 0.3 m apart
static PerpShape field(double (*height)(double x, double y))
{
    double heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = height(0.3 * (i % SIDE - SIDE / 2), 0.3 * (i / SIDE - SIDE / 2));
    return perp_test_field(SIDE, SIDE, 0.3, heights);
}

static double flat(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

static double slope(double x, double y)
{
    return 0.25 * x - 0.5 * y;
}

static double ridge(double x, double y)
{
    (void)y;
    return -fabs(x);
}

static double valley(double x, double y)
{
    (void)y;
    return fabs(x);
}

static double trough(double x, double y)
{
    (void)y;
    return 0.25 * fabs(x);
}

static double pit(double x, double y)
{
    return 0.25 * fabs(x) + 0.25 * fabs(y);
}

static const PerpShapeKind KINDS[] = {PERP_SHAPE_POINT, PERP_SHAPE_SPHERE,   PERP_SHAPE_CAPSULE,
                                      PERP_SHAPE_BOX,   PERP_SHAPE_CYLINDER, PERP_SHAPE_ELLIPSOID,
                                      PERP_SHAPE_HULL};

static double deepest(const PerpContactPoint *p, int n)
{
    double gap = INFINITY;
    for (int i = 0; i < n; i++)
        gap = fmin(gap, p[i].gap);
    return gap;
}

// The same points as with the plane, whatever triangles are below.
static void check_like_plane(const PerpShape *shape, PerpPose pose, const PerpShape *ground,
                             PerpPose ground_pose, PerpPose plane_pose)
{
    PerpShape plane = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    PerpContactPoint p[PERP_CONTACT_POINTS], q[PERP_CONTACT_POINTS];
    int n = perp_collide(shape, pose, ground, ground_pose, 0.01, p);
    int count = perp_collide(shape, pose, &plane, plane_pose, 0.01, q);
    assert_near(deepest(p, n), deepest(q, count), 1e-12);
    for (int i = 0; i < n; i++) {
        double nearest = INFINITY;
        for (int j = 0; j < count; j++)
            nearest = fmin(nearest, perp_vec3_norm(perp_vec3_sub(p[i].point_a, q[j].point_a)));
        assert_near(nearest, 0, 1e-6);
        assert_near(perp_vec3_norm(perp_vec3_sub(p[i].normal, q[0].normal)), 0, 1e-9);
    }
}

static PerpPose plane_of_slope(void)
{
    PerpVec3 n = perp_vec3_normalise((PerpVec3){-0.25, 0.5, 1}), t1, t2;
    perp_vec3_tangents(n, &t1, &t2);
    return (PerpPose){{0, 0, 0}, perp_quat_from_matrix((PerpMat3){t1, t2, n})};
}

static void check_random_above(PerpRandom *r, PerpShapeKind kind, const PerpShape *ground,
                               PerpPose plane)
{
    PerpShape shape = perp_random_shape(r, kind),
              floor = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    PerpPose pose = perp_random_pose(r, 0.2), world = perp_random_pose(r, 2);
    PerpContactPoint p[PERP_CONTACT_POINTS];
    int n = perp_collide(&shape, pose, &floor, plane, 10, p);
    PerpVec3 up = perp_quat_to_matrix(plane.rotation).z;
    double lift = perp_random_uniform(r, -0.005, 0.008) - deepest(p, n);
    pose.position = perp_vec3_add_scaled(pose.position, lift, up);
    check_like_plane(&shape, perp_pose_product(world, pose), ground, world,
                     perp_pose_product(world, plane));
    perp_test_shape_free(&shape);
}

static void test_flat_ground_is_a_plane(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    PerpShape level = field(flat), sloping = field(slope);
    for (int k = 0; k < 7; k++)
        for (int n = 0; n < 60; n++) {
            check_random_above(&r, KINDS[k], &level, perp_identity);
            check_random_above(&r, KINDS[k], &sloping, plane_of_slope());
        }
    perp_test_shape_free(&level);
    perp_test_shape_free(&sloping);
}

// sliding over inner edges the normal stays up and the number of points stays
static void test_no_bumps(void **state)
{
    (void)state;
    PerpShape ground = field(flat);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.25, 0.25, 0.25);
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 0.25, 1, 1);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.25, 0.4, 1);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 0.25, 0.25, 1);
    const PerpShape *shapes[] = {&box, &ball, &capsule, &cylinder};
    int counts[] = {4, 1, 2, 4};
    for (int k = 0; k < 4; k++)
        for (double x = -0.6; x < 0.6; x += 0.0125) {
            PerpVec3 turn = {k == 2 ? HALF_PI : 0, 0, 0};
            PerpPose pose = perp_pose_turned(x, 0.5 * x, 0.2499, turn);
            PerpContactPoint p[PERP_CONTACT_POINTS];
            assert_int_equal(perp_collide(shapes[k], pose, &ground, perp_identity, 1e-3, p),
                             counts[k]);
            for (int i = 0; i < counts[k]; i++) {
                assert_near(p[i].normal.z, 1, 1e-12);
                assert_near(p[i].gap, -1e-4, 1e-12);
            }
        }
    perp_test_shape_free(&ground);
    perp_test_shape_free(&box);
    perp_test_shape_free(&ball);
    perp_test_shape_free(&capsule);
}

static void test_sphere_on_ridge_and_in_valley(void **state)
{
    (void)state;
    PerpShape up = field(ridge), down = field(valley);
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 0.25, 1, 1);
    PerpContactPoint p[PERP_CONTACT_POINTS];
    assert_int_equal(perp_collide(&ball, perp_pose_turned(0, 0.05, 0.25, (PerpVec3){0, 0, 0}), &up,
                                  perp_identity, 1e-3, p),
                     1);
    assert_near(p[0].gap, 0, 1e-15);
    assert_near(p[0].normal.z, 1, 1e-12);
    // 20 degrees from the top the normal still is that of the ridge
    PerpPose aside =
        perp_pose_turned(0.25 * sin(0.35), 0.05, 0.25 * cos(0.35), (PerpVec3){0, 0, 0});
    assert_int_equal(perp_collide(&ball, aside, &up, perp_identity, 1e-3, p), 1);
    assert_near(p[0].gap, 0, 1e-15);
    assert_near(p[0].normal.x, sin(0.35), 1e-12);
    PerpPose bottom = perp_pose_turned(0, 0.05, 0.25 * sqrt(2), (PerpVec3){0, 0, 0});
    assert_int_equal(perp_collide(&ball, bottom, &down, perp_identity, 1e-3, p), 2);
    assert_near(p[0].gap, 0, 1e-15);
    assert_near(p[1].gap, 0, 1e-15);
    assert_near(p[0].normal.x + p[1].normal.x, 0, 1e-12);
    perp_test_shape_free(&up);
    perp_test_shape_free(&down);
    perp_test_shape_free(&ball);
}

// Below the edge of a valley a corner is beyond both of its sides as seen along their normals.
static void check_sunk_corner(PerpRandom *r, const PerpShape *ground, double y, double slope)
{
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.1, 0.12, 0.15);
    PerpVec3 corner = {0.1, 0.12, -0.15}, axis = perp_vec3_cross(corner, (PerpVec3){0, 0, -1});
    double angle = acos(-corner.z / perp_vec3_norm(corner)) / perp_vec3_norm(axis);
    PerpPose pose = perp_pose_turned(0, 0, 0, perp_vec3_scale(angle, axis));
    double depth = perp_random_log_uniform(r, 1e-9, 1e-2);
    PerpVec3 x = {depth * perp_random_uniform(r, -1, 1), y + depth * perp_random_uniform(r, -1, 1),
                  0};
    x.z = (y == 0 ? pit(x.x, x.y) : trough(x.x, 0)) - depth;
    pose.position = perp_vec3_sub(x, perp_quat_rotate(pose.rotation, corner));
    PerpContactPoint p[PERP_CONTACT_POINTS];
    int n = perp_collide(&box, pose, ground, perp_identity, 1e-3, p);
    assert_near(deepest(p, n), -depth / slope, 1e-12);
    perp_test_shape_free(&box);
}

// A point without size, too, whatever the margin.
static void check_sunk_point(PerpRandom *r, const PerpShape *ground, double y, double slope)
{
    PerpShape point = perp_test_shape(PERP_SHAPE_POINT, 1, 1, 1);
    double depth = perp_random_log_uniform(r, 1e-9, 1e-2);
    PerpPose pose =
        perp_pose_turned(depth * perp_random_uniform(r, -1, 1),
                         y + depth * perp_random_uniform(r, -1, 1), 0, (PerpVec3){0, 0, 0});
    PerpVec3 *x = &pose.position;
    x->z = (y == 0 ? pit(x->x, x->y) : trough(x->x, 0)) - depth;
    PerpContactPoint p[PERP_CONTACT_POINTS];
    int n = perp_collide(&point, pose, ground, perp_identity, perp_random_coin(r) ? 0 : 1e-3, p);
    assert_near(deepest(p, n), -depth / slope, 1e-12);
    perp_test_shape_free(&point);
}

static void test_corners_sunk_in_valleys(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    PerpShape long_one = field(trough), round_one = field(pit);
    for (int n = 0; n < 300; n++) {
        check_sunk_corner(&r, &long_one, 0.13, sqrt(1.0625));
        check_sunk_corner(&r, &round_one, 0, sqrt(1.125));
        check_sunk_point(&r, &long_one, 0.13, sqrt(1.0625));
        check_sunk_point(&r, &round_one, 0, sqrt(1.125));
    }
    perp_test_shape_free(&long_one);
    perp_test_shape_free(&round_one);
}

// a box over the border of a table stands on the border's crossings, the table's side adds nothing
static PerpShape table(void)
{
    // a closed box of 2 x 2 x 1 m: top and bottom, and four sides
    static const double corners[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                       -1, -1, 0,  1, -1, 0,  -1, 1, 0,  1, 1, 0};
    static const int triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    PerpContext context = perp_default_context();
    PerpShapeDef def = perp_default_shape();
    def.kind = PERP_SHAPE_MESH;
    def.n_vertices = 8;
    def.vertices = corners;
    def.n_triangles = 12;
    def.triangles = triangles;
    PerpShape shape;
    assert_int_equal(perp_shape_create(&context.allocator, &def, &shape, NULL), PERP_OK);
    return shape;
}

static void test_over_the_border_of_a_table(void **state)
{
    (void)state;
    PerpShape mesh = table();
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 0.5, 0.25, 0.25);
    double depths[] = {1e-4, 0, -1e-4};
    for (int k = 0; k < 3; k++) {
        PerpPose pose = perp_pose_turned(0.9, 0.1, 0.25 + depths[k], (PerpVec3){0, 0, 0.2});
        PerpContactPoint p[PERP_CONTACT_POINTS];
        int n = perp_collide(&box, pose, &mesh, perp_identity, 1e-3, p);
        assert_int_equal(n, 4);
        for (int i = 0; i < n; i++) {
            assert_near(p[i].gap, depths[k], 1e-12);
            assert_near(p[i].normal.z, 1, 1e-12);
            assert_true(p[i].point_a.x < 1 + 1e-9);
        }
    }
    perp_test_shape_free(&mesh);
    perp_test_shape_free(&box);
}

// A thin column that has sunk into a table beside its border leaves it over the border if that is
// nearer than the top, else upwards.
static void test_sunk_beside_the_border(void **state)
{
    (void)state;
    PerpShape table = field(flat), column = perp_test_shape(PERP_SHAPE_BOX, 0.005, 0.005, 0.2);
    PerpVec3 lean = {1e-3, -2e-3, 0};
    PerpContactPoint p[PERP_CONTACT_POINTS];
    for (int k = 0; k < 20; k++) {
        double x = 1.5 - 0.003, y = -1 + 0.1 * k + 0.007, depth = 0.05;
        int n = perp_collide(&column, perp_pose_turned(x, y, 0.2 - depth, lean), &table,
                             perp_identity, 1e-3, p);
        assert_true(n > 0);
        assert_near(deepest(p, n), -0.008, 1e-3);
        for (int i = 0; i < n; i++)
            assert_near(p[i].normal.x, 1, 1e-5);
        n = perp_collide(&column, perp_pose_turned(x - 0.2, y, 0.2 - depth, lean), &table,
                         perp_identity, 1e-3, p);
        assert_true(n > 0);
        assert_near(deepest(p, n), -depth, 1e-3);
        assert_near(p[0].normal.z, 1, 1e-12);
    }
    perp_test_shape_free(&table);
    perp_test_shape_free(&column);
}

// the mesh of a box and the box itself agree in the deepest gap from outside
static void test_mesh_and_box_agree(void **state)
{
    (void)state;
    PerpShape mesh = table(), solid = perp_test_shape(PERP_SHAPE_BOX, 1, 1, 0.5);
    PerpPose below = {{0, 0, -0.5}, {1, 0, 0, 0}};
    PerpRandom r = perp_random(2);
    for (int k = 0; k < 7; k++)
        for (int n = 0; n < 100; n++) {
            PerpShape shape = perp_random_shape(&r, KINDS[k]);
            PerpPose pose = perp_random_pose(&r, 2);
            PerpContactPoint p[PERP_CONTACT_POINTS], q;
            perp_distance(&shape, pose, &solid, below, &q);
            int count = perp_collide(&shape, pose, &mesh, perp_identity, 0.5, p);
            if (q.gap > 1e-3 && q.gap < 0.5)
                assert_near(deepest(p, count), q.gap, 1e-10);
            perp_test_shape_free(&shape);
        }
    perp_test_shape_free(&mesh);
    perp_test_shape_free(&solid);
}

static void test_neighbours_and_patches(void **state)
{
    (void)state;
    PerpShape mesh = table();
    const PerpTriangles *t = mesh.triangles;
    for (int i = 0; i < t->n_triangles; i++) {
        assert_int_equal(t->triangle[i].patch, i - i % 2);
        for (int k = 0; k < 3; k++) {
            int neighbour = t->triangle[i].neighbour[k], back = 0;
            for (int l = 0; l < 3; l++)
                back += t->triangle[neighbour].neighbour[l] == i;
            assert_int_equal(back, 1);
        }
    }
    perp_test_shape_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_ground_is_a_plane),
        cmocka_unit_test(test_no_bumps),
        cmocka_unit_test(test_sphere_on_ridge_and_in_valley),
        cmocka_unit_test(test_corners_sunk_in_valleys),
        cmocka_unit_test(test_over_the_border_of_a_table),
        cmocka_unit_test(test_sunk_beside_the_border),
        cmocka_unit_test(test_mesh_and_box_agree),
        cmocka_unit_test(test_neighbours_and_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Convex hulls: faces, edges, points that are inside or coplanar, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shapes.h"

#include <float.h>

static int times_incident(const PerpPolyhedron *p, int vertex, int face)
{
    int times = 0;
    for (int k = p->incident_start[vertex]; k < p->incident_start[vertex + 1]; k++)
        times += p->incident[k] == face;
    return times;
}

// Every side of every face is the side of one other face, the other way round; V - E + F = 2. Each
// face is once about each of its vertices.
static void assert_closed(const PerpPolyhedron *p)
{
    assert_int_equal(p->n_vertices - p->n_edges + p->n_faces, 2);
    assert_int_equal(2 * p->n_edges, p->n_loop);
    for (int e = 0; e < p->n_edges; e++)
        for (int side = 0; side < 2; side++) {
            int face = p->edge[e].face[side], found = 0;
            int start = p->face_start[face], n = p->face_start[face + 1] - start;
            for (int k = 0; k < n; k++)
                found += p->loop[start + k] == p->edge[e].vertex[side] &&
                         p->loop[start + (k + 1) % n] == p->edge[e].vertex[1 - side];
            assert_int_equal(found, 1);
        }
    for (int f = 0; f < p->n_faces; f++)
        for (int k = p->face_start[f]; k < p->face_start[f + 1]; k++)
            assert_int_equal(times_incident(p, p->loop[k], f), 1);
    assert_int_equal(p->incident_start[p->n_vertices], p->n_loop);
}

static void assert_contains(const PerpPolyhedron *p, int n, const double *points, double tolerance)
{
    for (int f = 0; f < p->n_faces; f++) {
        assert_true(fabs(perp_vec3_norm(p->normal[f]) - 1) < 4 * DBL_EPSILON);
        for (int i = 0; i < n; i++)
            assert_true(perp_vec3_dot(p->normal[f], perp_vec3_load(points + 3 * i)) <=
                        p->offset[f] + tolerance);
    }
}

static void test_random_points(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int n = 4; n < 200; n += 3) {
        double points[600], size = perp_random_log_uniform(&r, 1e-3, 1e3);
        for (int i = 0; i < 3 * n; i++)
            points[i] = size * perp_random_normal(&r);
        PerpShape hull = perp_test_hull(n, points);
        assert_closed(hull.polyhedron);
        assert_contains(hull.polyhedron, n, points, 1e-6 * size);
        perp_test_shape_free(&hull);
    }
}

// a grid of points fills a cube: eight corners, six faces of four sides
static void test_cube_from_a_grid(void **state)
{
    (void)state;
    double points[3 * 64];
    for (int i = 0; i < 64; i++) {
        points[3 * i] = i % 4;
        points[3 * i + 1] = i / 4 % 4;
        points[3 * i + 2] = i / 16;
    }
    PerpShape hull = perp_test_hull(64, points);
    assert_int_equal(hull.polyhedron->n_vertices, 8);
    assert_int_equal(hull.polyhedron->n_faces, 6);
    assert_int_equal(hull.polyhedron->n_edges, 12);
    assert_closed(hull.polyhedron);
    assert_contains(hull.polyhedron, 64, points, 1e-14);
    perp_test_shape_free(&hull);
}

// turned and rounded to single precision the cube still has six faces
static void test_cube_in_single_precision(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int n = 0; n < 100; n++) {
        PerpPose pose = perp_random_pose(&r, 1);
        double points[24];
        for (int i = 0; i < 8; i++) {
            PerpVec3 corner = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
            PerpVec3 x = perp_pose_point(pose, corner);
            points[3 * i] = (float)x.x;
            points[3 * i + 1] = (float)x.y;
            points[3 * i + 2] = (float)x.z;
        }
        PerpShape hull = perp_test_hull(8, points);
        assert_int_equal(hull.polyhedron->n_faces, 6);
        assert_closed(hull.polyhedron);
        perp_test_shape_free(&hull);
    }
}

static void test_box_and_small_polyhedra(void **state)
{
    (void)state;
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 1, 2, 3);
    assert_closed(box.polyhedron);
    double offsets[6] = {1, 1, 2, 2, 3, 3};
    for (int f = 0; f < 6; f++)
        assert_true(box.polyhedron->offset[f] == offsets[f]);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, 0.5, 2, 1);
    assert_int_equal(capsule.polyhedron->n_vertices, 2);
    assert_true(capsule.rounding == 0.5 && capsule.radius == 2.5);
    perp_test_shape_free(&box);
    perp_test_shape_free(&capsule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_points),
        cmocka_unit_test(test_cube_from_a_grid),
        cmocka_unit_test(test_cube_in_single_precision),
        cmocka_unit_test(test_box_and_small_polyhedra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

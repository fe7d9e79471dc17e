// Shapes: bounds, checks of definitions, and memory that runs short.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "geom/bounds.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

static const double TETRAHEDRON[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int FACES[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static PerpShapeDef definition(PerpShapeKind kind)
{
    static const double heights[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    PerpShapeDef def = perp_default_shape();
    def.kind = kind;
    def.n_vertices = 4;
    def.vertices = TETRAHEDRON;
    def.n_triangles = 4;
    def.triangles = FACES;
    def.rows = def.columns = 3;
    def.heights = heights;
    return def;
}

static PerpStatus create(const PerpShapeDef *def, PerpError *error)
{
    PerpContext context = perp_default_context();
    PerpShape shape;
    PerpStatus status = perp_shape_create(&context.allocator, def, &shape, error);
    perp_shape_free(&context.allocator, &shape);
    return status;
}

static void assert_refused(const PerpShapeDef *def, PerpStatus status, const char *part)
{
    PerpError error = {0};
    assert_int_equal(create(def, &error), status);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.message, part));
    assert_int_equal(create(def, NULL), status);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(perp_shape_kind_name(PERP_SHAPE_POINT), "point");
    assert_string_equal(perp_shape_kind_name(PERP_SHAPE_HEIGHT_FIELD), "height-field");
    assert_string_equal(perp_shape_kind_name(PERP_SHAPE_KIND_COUNT), "?");
    assert_string_equal(perp_shape_kind_name((PerpShapeKind)-1), "?");
}

static void test_default_shape(void **state)
{
    (void)state;
    PerpShapeDef def = perp_default_shape();
    assert_string_equal(def.name, "");
    assert_int_equal(def.kind, PERP_SHAPE_SPHERE);
    assert_true(def.size[0] == 0.5 && def.size[1] == 0.5 && def.size[2] == 0.5);
    assert_int_equal(def.body, -1);
    assert_true(def.rotation[0] == 1 && def.density == 1000);
    assert_true(def.group == 1 && def.mask == ~0u);
}

static void test_every_kind_can_be_made(void **state)
{
    (void)state;
    for (int kind = 0; kind < PERP_SHAPE_KIND_COUNT; kind++) {
        PerpShapeDef def = definition((PerpShapeKind)kind);
        assert_int_equal(create(&def, NULL), PERP_OK);
    }
}

static void test_bad_sizes_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        PerpShapeDef def = definition(PERP_SHAPE_BOX);
        def.size[2] = bad[i];
        assert_refused(&def, PERP_BAD_VALUE, "size[2] of the box");
        def.kind = PERP_SHAPE_CAPSULE; // uses two sizes only
        assert_int_equal(create(&def, NULL), PERP_OK);
        def.size[0] = bad[i];
        assert_refused(&def, PERP_BAD_VALUE, "size[0] of the capsule");
    }
    PerpShapeDef def = definition(PERP_SHAPE_KIND_COUNT);
    assert_refused(&def, PERP_BAD_VALUE, "no kind 10");
}

static void test_bad_hulls_are_refused(void **state)
{
    (void)state;
    PerpShapeDef def = definition(PERP_SHAPE_HULL);
    def.n_vertices = 3;
    assert_refused(&def, PERP_BAD_SIZE, "at least 4 vertices");
    double flat[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 0};
    def.n_vertices = 5;
    def.vertices = flat;
    assert_refused(&def, PERP_BAD_VALUE, "plane");
    double same[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    def.n_vertices = 4;
    def.vertices = same;
    assert_refused(&def, PERP_BAD_VALUE, "plane");
    flat[4] = NAN;
    def.vertices = flat;
    assert_refused(&def, PERP_BAD_VALUE, "vertex coordinate 4");
}

static void test_bad_meshes_are_refused(void **state)
{
    (void)state;
    PerpShapeDef def = definition(PERP_SHAPE_MESH);
    int indices[3] = {0, 1, 4};
    def.n_triangles = 1;
    def.triangles = indices;
    assert_refused(&def, PERP_BAD_VALUE, "triangle 0 has the vertex 4");
    indices[2] = -1;
    assert_refused(&def, PERP_BAD_VALUE, "vertex -1");
    indices[2] = 1;
    assert_refused(&def, PERP_BAD_VALUE, "has an area");
    def.n_triangles = 0;
    assert_refused(&def, PERP_BAD_SIZE, "at least one triangle");
}

static void test_bad_height_fields_are_refused(void **state)
{
    (void)state;
    PerpShapeDef def = definition(PERP_SHAPE_HEIGHT_FIELD);
    def.rows = 1;
    assert_refused(&def, PERP_BAD_SIZE, "2 rows");
    def = definition(PERP_SHAPE_HEIGHT_FIELD);
    double heights[9] = {0, 0, 0, 0, 0, 0, 0, NAN, 0};
    def.heights = heights;
    assert_refused(&def, PERP_BAD_VALUE, "height 7");
    def.heights = NULL;
    assert_refused(&def, PERP_BAD_VALUE, "needs heights");
    def = definition(PERP_SHAPE_HEIGHT_FIELD);
    def.size[1] = 0;
    assert_refused(&def, PERP_BAD_VALUE, "size[1]");
}

static void test_memory_failures(void **state)
{
    (void)state;
    for (int kind = 0; kind < PERP_SHAPE_KIND_COUNT; kind++) {
        PerpShapeDef def = definition((PerpShapeKind)kind);
        PerpStatus status = PERP_NO_MEMORY;
        for (int fail_at = 1; status; fail_at++) {
            PerpFailingAllocator memory = {.fail_at = fail_at};
            PerpContext context = perp_failing_context(&memory);
            PerpShape shape;
            PerpError error = {0};
            status = perp_shape_create(&context.allocator, &def, &shape, &error);
            assert_true(status == PERP_OK || status == PERP_NO_MEMORY);
            assert_int_equal(error.status, status);
            perp_shape_free(&context.allocator, &shape);
            assert_int_equal(memory.live, 0);
        }
    }
}

// the farthest point of a shape along a direction, by brute force
static double reach(const PerpShape *shape, PerpVec3 d)
{
    const double *s = shape->size;
    double most = -INFINITY;
    if (shape->kind == PERP_SHAPE_CYLINDER)
        return s[0] * hypot(d.x, d.y) + s[1] * fabs(d.z);
    if (shape->kind == PERP_SHAPE_ELLIPSOID)
        return perp_vec3_norm((PerpVec3){s[0] * d.x, s[1] * d.y, s[2] * d.z});
    for (int i = 0; i < shape->polyhedron->n_vertices; i++)
        most = fmax(most, perp_vec3_dot(d, shape->polyhedron->vertex[i]) + shape->rounding);
    return most;
}

static void test_bounds_are_tight(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int n = 0; n < 200; n++)
        for (int kind = 0; kind <= PERP_SHAPE_HULL; kind++) {
            if (kind == PERP_SHAPE_PLANE)
                continue;
            PerpShape shape = perp_random_shape(&r, (PerpShapeKind)kind);
            PerpPose pose = perp_random_pose(&r, 3);
            PerpBounds box = perp_shape_bounds(&shape, pose);
            PerpVec3 x = {1, 0, 0}, back = {-1, 0, 0}, z = {0, 0, 1};
            PerpQuat q = pose.rotation;
            double right = pose.position.x + reach(&shape, perp_quat_rotate_back(q, x));
            double left = pose.position.x - reach(&shape, perp_quat_rotate_back(q, back));
            double top = pose.position.z + reach(&shape, perp_quat_rotate_back(q, z));
            assert_true(fabs(box.upper.x - right) < 1e-14 && fabs(box.lower.x - left) < 1e-14);
            assert_true(fabs(box.upper.z - top) < 1e-14);
            double farthest = perp_vec3_norm(perp_vec3_sub(box.upper, pose.position));
            assert_true(shape.radius <= farthest + 1e-14 || kind == PERP_SHAPE_HULL);
            perp_test_shape_free(&shape);
        }
}

static void test_bounds_of_planes(void **state)
{
    (void)state;
    PerpShape plane = perp_test_shape(PERP_SHAPE_PLANE, 1, 1, 1);
    PerpPose pose = {{1, 2, 3}, {1, 0, 0, 0}};
    PerpBounds box = perp_shape_bounds(&plane, pose);
    assert_true(box.upper.z == 3 && box.lower.z == -INFINITY && box.upper.x == INFINITY);
    pose.rotation = perp_quat_exp((PerpVec3){0.1, 0, 0});
    box = perp_shape_bounds(&plane, pose);
    assert_true(box.upper.z == INFINITY && box.lower.y == -INFINITY);
    assert_true(plane.radius == INFINITY);
}

static void test_bounds_of_height_field(void **state)
{
    (void)state;
    double heights[6] = {0, 1, 2, 3, 4, 5};
    PerpShape field = perp_test_field(2, 3, 2, heights);
    PerpBounds box = perp_shape_bounds(&field, perp_identity);
    assert_true(box.lower.x == -2 && box.upper.x == 2 && box.lower.y == -1 && box.upper.y == 1);
    // what has sunk below the lowest cell is still in the ground
    assert_true(fabs(box.lower.z + perp_shape_sunk(&field)) < 1e-15);
    assert_true(fabs(box.upper.z - 5) < 1e-15);
    perp_test_shape_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_default_shape),
        cmocka_unit_test(test_every_kind_can_be_made),
        cmocka_unit_test(test_bad_sizes_are_refused),
        cmocka_unit_test(test_bad_hulls_are_refused),
        cmocka_unit_test(test_bad_meshes_are_refused),
        cmocka_unit_test(test_bad_height_fields_are_refused),
        cmocka_unit_test(test_memory_failures),
        cmocka_unit_test(test_bounds_are_tight),
        cmocka_unit_test(test_bounds_of_planes),
        cmocka_unit_test(test_bounds_of_height_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

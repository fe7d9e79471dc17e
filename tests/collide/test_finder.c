// Contacts of a model: pairs, ids, cached contacts, the deepest overlap.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "failing_allocator.h"
#include "shapes.h"

#include <string.h>

// A plane, a fixed box on it, a box on that box, and balls: 0 and 1 on the plane, 2 in the air.
enum { BODIES = 5, SHAPES = 6 };

static PerpModel *create_model(const PerpContext *context)
{
    PerpBodyDef bodies[BODIES];
    PerpShapeDef shapes[SHAPES];
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = perp_default_body();
        shapes[i] = perp_default_shape();
        shapes[i].body = i;
        shapes[i].kind = i < 2 ? PERP_SHAPE_BOX : PERP_SHAPE_SPHERE;
        bodies[i].position[0] = i < 2 ? 0 : 3 * i;
        bodies[i].position[2] = i == 1 ? 1.5 : i == 4 ? 3 : 0.5;
    }
    bodies[0].freedom = 0;
    shapes[5] = perp_default_shape();
    shapes[5].kind = PERP_SHAPE_PLANE;
    PerpModelDef def = perp_default_model_def();
    def.n_bodies = BODIES;
    def.bodies = bodies;
    def.n_shapes = SHAPES;
    def.shapes = shapes;
    PerpModel *model = NULL;
    assert_int_equal(perp_model_create(context, &def, &model, NULL), PERP_OK);
    return model;
}

static void start_poses(const PerpModel *model, PerpPose *poses)
{
    for (int i = 0; i < BODIES; i++)
        poses[i] = model->bodies[i].pose;
}

static void test_contacts_of_a_model(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    PerpModel *model = create_model(&context);
    PerpPose poses[BODIES];
    start_poses(model, poses);
    PerpContactFinder *finder;
    const PerpContact *c;
    int n;
    assert_int_equal(perp_contact_finder_create(&context, model, &finder), PERP_OK);
    assert_int_equal(perp_contact_finder_find(finder, poses, 1e-3, &c, &n), PERP_OK);
    // four between the boxes, one of each of two balls with the plane; the fixed box has none
    assert_int_equal(n, 6);
    for (int i = 0; i < n; i++) {
        assert_true(c[i].shape_a < c[i].shape_b);
        assert_int_equal(c[i].body_a, model->shapes[c[i].shape_a].body);
        assert_int_equal(c[i].body_b, model->shapes[c[i].shape_b].body);
        assert_non_null(c[i].surface);
        assert_true(fabs(c[i].point.gap) < 1e-12);
        if (i > 0)
            assert_true(c[i].id > c[i - 1].id);
    }
    assert_true(c[0].shape_a == 0 && c[0].shape_b == 1 && c[4].shape_a == 2 && c[5].shape_a == 3);
    assert_int_equal(c[5].body_b, -1);
    perp_contact_finder_destroy(finder);
    perp_contact_finder_destroy(NULL);
    perp_model_destroy(model);
}

// the margin decides; what is found again has the same bits and ids
static void test_margin_and_repetition(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpModel *model = create_model(&context);
    PerpPose poses[BODIES];
    start_poses(model, poses);
    PerpContactFinder *finder;
    const PerpContact *c;
    PerpContact first[64];
    int n, calls;
    assert_int_equal(perp_contact_finder_create(&context, model, &finder), PERP_OK);
    assert_int_equal(perp_contact_finder_find(finder, poses, 3, &c, &n), PERP_OK);
    assert_true(n > 6 && n <= 64);
    memcpy(first, c, (size_t)n * sizeof *c);
    calls = memory.calls;
    int again;
    assert_int_equal(perp_contact_finder_find(finder, poses, 3, &c, &again), PERP_OK);
    assert_int_equal(again, n);
    assert_int_equal(memory.calls, calls);
    for (int i = 0; i < n; i++) {
        assert_true(first[i].id == c[i].id);
        assert_memory_equal(&first[i].point.gap, &c[i].point.gap, sizeof(double));
        assert_true(c[i].point.gap <= 3);
    }
    perp_contact_finder_destroy(finder);
    perp_model_destroy(model);
    assert_int_equal(memory.live, 0);
}

// Fresh finders have nothing cached.
static void expect_as_fresh(const PerpContext *context, const PerpModel *model,
                            PerpContactFinder *finder, const PerpPose *poses, double margin)
{
    PerpContactFinder *fresh;
    const PerpContact *c, *expected;
    int n, wanted;
    assert_int_equal(perp_contact_finder_create(context, model, &fresh), PERP_OK);
    assert_int_equal(perp_contact_finder_find(finder, poses, margin, &c, &n), PERP_OK);
    assert_int_equal(perp_contact_finder_find(fresh, poses, margin, &expected, &wanted), PERP_OK);
    assert_int_equal(n, wanted);
    for (int i = 0; i < n; i++) {
        assert_true(c[i].id == expected[i].id && c[i].body_a == expected[i].body_a);
        assert_memory_equal(&c[i].point.gap, &expected[i].point.gap, sizeof(double));
        assert_memory_equal(&c[i].point.normal, &expected[i].point.normal, sizeof(PerpVec3));
        assert_true(c[i].point.gap <= margin);
    }
    perp_contact_finder_destroy(fresh);
}

// what is cached of pairs at rest, while others move and the margin changes, is what would be found
static void test_cached_contacts(void **state)
{
    (void)state;
    static const double margins[] = {1e-3, 0, 1.5e-3, 0.3, 0, 0, 3e-3, 1e-9, 1};
    PerpContext context = perp_default_context();
    PerpModel *model = create_model(&context);
    PerpPose poses[BODIES];
    start_poses(model, poses);
    PerpContactFinder *finder;
    assert_int_equal(perp_contact_finder_create(&context, model, &finder), PERP_OK);
    for (int k = 0; k < 90; k++) {
        if (k % 3 == 0) // one body at a time falls, or rises
            poses[k / 3 % BODIES].position.z += k % 2 ? 0.01 : -0.02;
        expect_as_fresh(&context, model, finder, poses, margins[k % 9]);
    }
    perp_contact_finder_destroy(finder);
    perp_model_destroy(model);
}

static double largest_overlap(PerpContactFinder *finder, const PerpPose *poses, bool deepest)
{
    const PerpContact *c;
    int n;
    double most = 0;
    PerpReach reach = {.margin = 0, .deepest = deepest};
    assert_int_equal(perp_contact_finder_find_near(finder, poses, &reach, &c, &n), PERP_OK);
    for (int i = 0; i < n; i++)
        most = fmax(most, -c[i].point.gap);
    return most;
}

// A pile of convex shapes of all kinds in a ball of radius 1, and rough ground through its middle.
enum { PILE = 40, SIDE = 9 };
static PerpModel *create_pile(const PerpContext *context, PerpRandom *r, bool has_ground)
{
    static const PerpShapeKind kinds[] = {PERP_SHAPE_BOX, PERP_SHAPE_CAPSULE, PERP_SHAPE_CYLINDER,
                                          PERP_SHAPE_BOX, PERP_SHAPE_SPHERE,  PERP_SHAPE_ELLIPSOID};
    PerpBodyDef bodies[PILE];
    PerpShapeDef shapes[PILE + 1];
    double heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = perp_random_uniform(r, -0.1, 0.1);
    shapes[PILE] = perp_default_shape();
    shapes[PILE].kind = PERP_SHAPE_HEIGHT_FIELD;
    shapes[PILE].rows = shapes[PILE].columns = SIDE;
    shapes[PILE].size[0] = shapes[PILE].size[1] = 0.3;
    shapes[PILE].heights = heights;
    for (int i = 0; i < PILE; i++) {
        bodies[i] = perp_default_body();
        shapes[i] = perp_default_shape();
        shapes[i].body = i;
        shapes[i].kind = kinds[i % 6];
        for (int k = 0; k < 3; k++)
            shapes[i].size[k] = perp_random_uniform(r, 0.1, 0.3);
    }
    PerpModelDef def = perp_default_model_def();
    def.n_bodies = PILE;
    def.n_shapes = PILE + has_ground;
    def.bodies = bodies;
    def.shapes = shapes;
    PerpModel *model = NULL;
    assert_int_equal(perp_model_create(context, &def, &model, NULL), PERP_OK);
    return model;
}

static void move_a_little(PerpRandom *r, double by, PerpPose *pose)
{
    PerpPose step = perp_random_pose(r, by);
    pose->position = perp_vec3_add(pose->position, step.position);
    pose->rotation.x += by * step.rotation.x;
    pose->rotation.y += by * step.rotation.y;
    pose->rotation = perp_quat_normalise(pose->rotation);
}

// the deepest overlap is found whatever an earlier search for what is near says of others, some of
// it a hair's breadth ago and some of it long ago; of shapes that barely touch, and of deep ones
static void test_deepest_overlap(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    PerpRandom r = perp_random(7);
    for (int k = 0; k < 60; k++) {
        PerpModel *model = create_pile(&context, &r, k % 2);
        PerpContactFinder *finder, *fresh;
        const PerpContact *c;
        PerpPose poses[PILE];
        int n;
        for (int i = 0; i < PILE; i++)
            poses[i] = perp_random_pose(&r, k % 3 ? 1 : 1.5);
        assert_int_equal(perp_contact_finder_create(&context, model, &finder), PERP_OK);
        for (int step = 0; step < 8; step++) {
            if (step % 4 == 0)
                perp_contact_finder_find(finder, poses, k % 2 ? 0.02 : 0.2, &c, &n);
            for (int i = 0; i < PILE; i++)
                move_a_little(&r, k % 5 ? 1e-4 : 0.03, &poses[i]);
            assert_int_equal(perp_contact_finder_create(&context, model, &fresh), PERP_OK);
            double expected = largest_overlap(fresh, poses, false);
            double found = largest_overlap(finder, poses, true);
            assert_memory_equal(&found, &expected, sizeof found);
            perp_contact_finder_destroy(fresh);
        }
        perp_contact_finder_destroy(finder);
        perp_model_destroy(model);
    }
}

static void test_memory_failures(void **state)
{
    (void)state;
    PerpContext plain = perp_default_context();
    PerpModel *model = create_model(&plain);
    PerpPose poses[BODIES];
    start_poses(model, poses);
    PerpStatus status = PERP_NO_MEMORY;
    for (int fail_at = 1; status; fail_at++) {
        PerpFailingAllocator memory = {.fail_at = fail_at};
        PerpContext context = perp_failing_context(&memory);
        PerpContactFinder *finder = NULL;
        const PerpContact *c;
        int n = 0;
        status = perp_contact_finder_create(&context, model, &finder);
        if (!status)
            status = perp_contact_finder_find(finder, poses, 1e-3, &c, &n);
        assert_int_equal(n, status ? 0 : 6);
        perp_contact_finder_destroy(finder);
        assert_int_equal(memory.live, 0);
    }
    perp_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_of_a_model), cmocka_unit_test(test_margin_and_repetition),
        cmocka_unit_test(test_cached_contacts),     cmocka_unit_test(test_deepest_overlap),
        cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Models: what compiles from definitions, and which shapes may touch.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "model/model.h"
#include "random.h"

#include <float.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

// A definition made by an initialiser, with the sizes that perp_default_model_def() sets; no
// gravity.
static PerpModelDef sized(PerpModelDef def)
{
    PerpModelDef with = perp_default_model_def();
    def.size = with.size;
    def.body_size = with.body_size;
    def.shape_size = with.shape_size;
    def.joint_size = with.joint_size;
    def.spring_size = with.spring_size;
    def.force_size = with.force_size;
    def.material_size = with.material_size;
    def.pair_size = with.pair_size;
    def.keyframe = with.keyframe;
    return def;
}

static PerpModel *create(const PerpModelDef *def)
{
    PerpContext context = perp_default_context();
    PerpModel *model;
    PerpError error = {0};
    PerpStatus status = perp_model_create(&context, def, &model, &error);
    if (status)
        fail_msg("%s", error.message);
    return model;
}

static void set(double *target, double x, double y, double z)
{
    perp_vec3_store((PerpVec3){x, y, z}, target);
}

static void assert_near(PerpVec3 a, PerpVec3 b, double tolerance)
{
    if (!(perp_vec3_norm(perp_vec3_sub(a, b)) <= tolerance))
        fail_msg("(%g %g %g) is not (%g %g %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

static PerpBodyDef solid(double mass, double moment)
{
    PerpBodyDef body = perp_default_body();
    body.mass = mass;
    set(body.inertia, moment, moment, moment);
    return body;
}

static void test_empty_model(void **state)
{
    (void)state;
    PerpModelDef def = perp_default_model_def();
    PerpModel *model = create(&def);
    assert_int_equal(perp_model_body_count(model), 0);
    assert_int_equal(perp_model_joint_count(model), 0);
    assert_int_equal(perp_model_shape_count(model), 0);
    assert_int_equal(perp_model_find_body(model, "world"), -1);
    assert_string_equal(perp_model_body_name(model, -1), "world");
    assert_near(model->gravity, (PerpVec3){0, 0, -9.81}, 0);
    assert_true(perp_model_surface(model, 0, 0)->mu == 0.5);
    perp_model_destroy(model);
    perp_model_destroy(NULL);
}

static void test_names(void **state)
{
    (void)state;
    PerpBodyDef bodies[] = {solid(1, 1), solid(2, 1), solid(3, 1)};
    char name[] = "arm";
    bodies[1].name = name;
    bodies[2].name = NULL;
    PerpJointDef joints[] = {perp_default_joint(), perp_default_joint()};
    joints[1].name = "elbow";
    joints[1].body_b = 1;
    PerpModelDef def =
        sized((PerpModelDef){.n_bodies = 3, .bodies = bodies, .n_joints = 2, .joints = joints});
    PerpModel *model = create(&def);
    name[0] = 'x'; // names are copied
    assert_string_equal(perp_model_body_name(model, 0), "body-0");
    assert_string_equal(perp_model_body_name(model, 1), "arm");
    assert_string_equal(perp_model_body_name(model, 2), "body-2");
    assert_string_equal(perp_model_joint_name(model, 0), "joint-0");
    assert_int_equal(perp_model_find_body(model, "arm"), 1);
    assert_int_equal(perp_model_find_body(model, "elbow"), -1);
    assert_int_equal(perp_model_find_joint(model, "elbow"), 1);
    assert_int_equal(perp_model_find_joint(model, "joint-0"), 0);
    assert_int_equal(perp_model_joint_count(model), 2);
    assert_true(perp_model_body_mass(model, 2) == 3);
    perp_model_destroy(model);
}

// many names: every one is found, whatever slots they share
static void test_name_index(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static char names[COUNT][16];
    PerpContext context = perp_default_context();
    PerpNameIndex index;
    assert_true(perp_name_index_create(&context.allocator, COUNT, &index));
    for (int k = 0; k < COUNT; k++) {
        snprintf(names[k], sizeof names[k], "name%d", 7 * k);
        assert_int_equal(perp_name_index_add(&index, names[k], k), k);
    }
    assert_int_equal(perp_name_index_add(&index, "name14", 9), 2);
    for (int k = 0; k < COUNT; k++)
        assert_int_equal(perp_name_index_find(&index, names[k]), k);
    assert_int_equal(perp_name_index_find(&index, "name1"), -1);
    perp_name_index_free(&context.allocator, &index);
}

// the motion of the centre of mass is that of the same rigid motion
static void test_motion_of_the_centre(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int n = 0; n < 100; n++) {
        PerpBodyDef body = solid(2, 1);
        for (int k = 0; k < 3; k++) {
            body.position[k] = perp_random_normal(&r);
            body.velocity[k] = perp_random_normal(&r);
            body.spin[k] = perp_random_normal(&r);
            body.centre[k] = perp_random_normal(&r);
        }
        for (int k = 0; k < 4; k++)
            body.rotation[k] = 5 * perp_random_normal(&r);
        PerpModelDef def = sized((PerpModelDef){.n_bodies = 1, .bodies = &body});
        PerpModel *model = create(&def);
        const PerpBody *b = &model->bodies[0];
        PerpVec3 spin = perp_quat_rotate(b->pose.rotation, b->spin);
        assert_near(spin, perp_vec3_load(body.spin), 1e-14);
        PerpVec3 back = perp_vec3_scale(-1, b->centre);
        assert_near(perp_pose_point(b->pose, back), perp_vec3_load(body.position), 1e-14);
        PerpVec3 arm = perp_quat_rotate(b->pose.rotation, back);
        assert_near(perp_vec3_add(b->velocity, perp_vec3_cross(spin, arm)),
                    perp_vec3_load(body.velocity), 1e-14);
        assert_int_equal(b->n_velocities, 6);
        perp_model_destroy(model);
    }
}

// a dumbbell of unequal balls on a rod, against closed forms
static void test_mass_from_shapes(void **state)
{
    (void)state;
    PerpShapeDef shapes[4];
    for (int k = 0; k < 4; k++) {
        shapes[k] = perp_default_shape();
        shapes[k].body = 0;
    }
    double radius[2] = {0.1, 0.2}, density[2] = {8000, 500}, z[2] = {0.5, -0.7}, ball[2];
    for (int k = 0; k < 2; k++) {
        shapes[k].size[0] = radius[k];
        shapes[k].density = density[k];
        set(shapes[k].position, 1, 2, z[k]);
        ball[k] = 4.0 / 3 * PI * pow(radius[k], 3) * density[k];
    }
    shapes[2].kind = PERP_SHAPE_CYLINDER;
    set(shapes[2].size, 0.05, 0.6, 0);
    set(shapes[2].position, 1, 2, -0.1);
    shapes[3].density = 0;
    double rod = PI * 0.05 * 0.05 * 1.2 * 1000, mass = ball[0] + ball[1] + rod;
    double centre = (ball[0] * z[0] + ball[1] * z[1] - rod * 0.1) / mass;
    double across = rod * (0.05 * 0.05 / 4 + 0.36 / 3 + pow(-0.1 - centre, 2));
    double along = rod * 0.05 * 0.05 / 2;
    for (int k = 0; k < 2; k++) {
        across += ball[k] * (0.4 * radius[k] * radius[k] + pow(z[k] - centre, 2));
        along += ball[k] * 0.4 * radius[k] * radius[k];
    }
    PerpBodyDef body = perp_default_body();
    PerpModelDef def =
        sized((PerpModelDef){.n_bodies = 1, .bodies = &body, .n_shapes = 4, .shapes = shapes});
    PerpModel *model = create(&def);
    const PerpBody *b = &model->bodies[0];
    assert_true(fabs(perp_model_body_mass(model, 0) - mass) <= 1e-13 * mass);
    assert_near(b->centre, (PerpVec3){1, 2, centre}, 1e-14);
    assert_near(b->inertia.x, (PerpVec3){across, 0, 0}, 1e-12);
    assert_near(b->inertia.y, (PerpVec3){0, across, 0}, 1e-12);
    assert_near(b->inertia.z, (PerpVec3){0, 0, along}, 1e-12);
    assert_near(b->pose.position, b->centre, 1e-15);
    assert_near(model->shapes[0].pose.position, (PerpVec3){0, 0, z[0] - centre}, 1e-14);
    perp_model_destroy(model);
}

// a given mass wins over densities; the world's and fixed bodies' shapes need none
static void test_given_mass_wins(void **state)
{
    (void)state;
    PerpShapeDef shapes[] = {perp_default_shape(), perp_default_shape(), perp_default_shape()};
    shapes[0].body = 0;
    shapes[1].kind = PERP_SHAPE_PLANE;
    set(shapes[1].position, 1, 2, 3);
    shapes[2].kind = PERP_SHAPE_PLANE;
    shapes[2].body = 1;
    PerpBodyDef bodies[] = {solid(3, 2), perp_default_body()};
    bodies[1].freedom = 0;
    PerpModelDef def =
        sized((PerpModelDef){.n_bodies = 2, .bodies = bodies, .n_shapes = 3, .shapes = shapes});
    PerpModel *model = create(&def);
    assert_true(perp_model_body_mass(model, 0) == 3);
    assert_true(model->bodies[0].inertia.y.y == 2);
    assert_true(perp_model_body_mass(model, 1) == 0);
    assert_near(model->shapes[1].pose.position, (PerpVec3){1, 2, 3}, 0);
    perp_model_destroy(model);
}

// planar bodies need one moment of inertia, point masses none; nearly planar becomes planar
static void test_partial_freedom(void **state)
{
    (void)state;
    PerpBodyDef bodies[4];
    for (int k = 0; k < 4; k++) {
        bodies[k] = perp_default_body();
        bodies[k].mass = 1;
    }
    bodies[0].freedom = PERP_FREE_POINT;
    bodies[1].freedom = PERP_FREE_PLANAR_XZ;
    bodies[1].inertia[1] = 2;
    set(bodies[1].rotation + 1, 1e-9, 1, -1e-9);
    bodies[2].freedom = PERP_FREE_PLANAR_XY;
    bodies[2].inertia[2] = 2;
    bodies[2].rotation[3] = 1;
    set(bodies[2].spin, 1e-12, 0, 3);
    set(bodies[2].velocity, 1, 2, 1e-12);
    set(bodies[2].centre, 0.5, 0, 0);
    bodies[3].freedom = PERP_FREE_ROTATION_X | PERP_FREE_ROTATION_Y;
    bodies[3].inertia[0] = bodies[3].inertia[1] = 1;
    bodies[3].inertia[3] = 0.5;
    PerpModelDef def = sized((PerpModelDef){.n_bodies = 4, .bodies = bodies});
    PerpModel *model = create(&def);
    assert_int_equal(model->bodies[0].n_velocities, 3);
    PerpQuat q = model->bodies[1].pose.rotation;
    assert_true(q.x == 0 && q.z == 0 && fabs(q.y - sqrt(0.5)) <= DBL_EPSILON);
    assert_true(model->bodies[2].spin.x == 0 && model->bodies[2].velocity.z == 0);
    assert_near(model->bodies[2].velocity, (PerpVec3){1 - 1.5, 2, 0}, 1e-11);
    assert_int_equal(model->bodies[3].n_velocities, 2);
    perp_model_destroy(model);
}

static void test_materials(void **state)
{
    (void)state;
    PerpMaterialDef materials[3] = {perp_default_material(), perp_default_material(),
                                    perp_default_material()};
    materials[0] = (PerpMaterialDef){.name = "ice", .mu = 0.1, .mu_second = -1, .rolling = 0.01};
    materials[1] = (PerpMaterialDef){.mu = 0.9,
                                     .mu_second = 0.4,
                                     .axis = {0, 2, 0},
                                     .torsion = 0.02,
                                     .rolling = 0.04,
                                     .restitution = 0.7};
    PerpPairDef pairs[] = {perp_default_pair(), perp_default_pair(), perp_default_pair()};
    pairs[0].material_a = pairs[0].material_b = 2;
    pairs[0].mu = 0.33;
    pairs[1] = (PerpPairDef){.material_a = 2, .material_b = 1, .mu = 0.5, .mu_second = 0.6};
    pairs[2].material_a = pairs[2].material_b = 1;
    PerpModelDef def = sized(
        (PerpModelDef){.n_materials = 3, .materials = materials, .n_pairs = 3, .pairs = pairs});
    PerpModel *model = create(&def);
    const PerpSurface *s = perp_model_surface(model, 0, 1);
    assert_true(fabs(s->mu - 0.3) <= DBL_EPSILON && fabs(s->mu_second - 0.2) <= DBL_EPSILON);
    assert_true(s->torsion == 0 && fabs(s->rolling - 0.02) <= DBL_EPSILON);
    assert_true(s->restitution == 0.7 && s->axis_is_of_b && !s->is_override);
    assert_near(s->axis, (PerpVec3){0, 1, 0}, 0);
    assert_false(perp_model_surface(model, 1, 0)->axis_is_of_b);
    assert_true(perp_model_surface(model, 0, 0)->mu_second == -1);
    assert_true(perp_model_surface(model, 2, 2)->mu == 0.33);
    s = perp_model_surface(model, 1, 2);
    assert_true(s->mu == 0.5 && s->mu_second == 0.6 && s->is_override && !s->axis_is_of_b);
    assert_true(perp_model_surface(model, 2, 1)->axis_is_of_b);
    assert_near(perp_model_surface(model, 1, 1)->axis, (PerpVec3){0, 0, 0}, 0);
    perp_model_destroy(model);
}

static void link_bodies(PerpJointDef joints[4])
{
    for (int k = 0; k < 4; k++)
        joints[k] = perp_default_joint();
    joints[0].body_a = 1; // 1 and 0
    joints[1].body_a = 2; // 2 and 0, which may touch
    joints[1].collide = true;
    joints[2].kind = PERP_JOINT_COUPLING; // its bodies (-1 and 0) mean nothing
    joints[2].joint_a = 3;
    joints[2].joint_b = 3;
    joints[2].coordinate_b = 1;
    joints[3].kind = PERP_JOINT_CYLINDRICAL;
    joints[3].body_b = 1;
}

// Bodies 0 .. 3 with a sphere each, 3 and 4 fixed, one sphere and a ground in the world.
static void test_may_touch(void **state)
{
    (void)state;
    PerpBodyDef bodies[5];
    PerpShapeDef shapes[7];
    for (int k = 0; k < 7; k++) {
        shapes[k] = perp_default_shape();
        shapes[k].body = k < 5 ? k : -1;
    }
    for (int k = 0; k < 5; k++)
        bodies[k] = perp_default_body();
    bodies[3].freedom = bodies[4].freedom = 0;
    shapes[6].group = 2;
    shapes[6].mask = 2;
    PerpJointDef joints[4];
    link_bodies(joints);
    PerpExclusionDef exclusions[] = {{3, 1}, {0, 4}};
    PerpModelDef def = sized((PerpModelDef){.n_bodies = 5,
                                            .bodies = bodies,
                                            .n_shapes = 7,
                                            .shapes = shapes,
                                            .n_joints = 4,
                                            .joints = joints,
                                            .n_exclusions = 2,
                                            .exclusions = exclusions});
    PerpModel *model = create(&def);
    static const char *const expected[7] = {
        "0011010", // 0: not 1 (joint), not 4 (listed), not the other group
        "0010110", // 1: not 0, not 3 (listed); a joint to the world leaves its shapes
        "1101110", // 2: all but itself
        "1010000", // 3: fixed
        "0110000", // 4: fixed
        "1110000", // the world
        "0000000", // the world, other group
    };
    for (int s = 0; s < 7; s++)
        for (int t = 0; t < 7; t++)
            assert_int_equal(perp_model_may_touch(model, s, t), expected[s][t] == '1');
    perp_model_destroy(model);
}

// One joint of each kind between two moving bodies, and all loads.
typedef struct Everything {
    PerpBodyDef bodies[2];
    PerpShapeDef shapes[3];
    PerpJointDef joints[PERP_JOINT_KIND_COUNT];
    PerpSpringDef spring;
    PerpForceDef force;
    PerpMaterialDef material;
    PerpModelDef def;
} Everything;

static void place_bodies(Everything *e)
{
    for (int k = 0; k < 2; k++) {
        e->bodies[k] = perp_default_body();
        set(e->bodies[k].position, 1 - k, 2 * k, 0.5);
        set(e->bodies[k].rotation + 1, 0.3, -0.2 * k, 0.7);
    }
    e->bodies[1].mass = 3;
    set(e->bodies[1].centre, 0.1, 0.2, 0.3);
    set(e->bodies[1].inertia, 1, 1.2, 1.4);
    for (int k = 0; k < 3; k++)
        e->shapes[k] = perp_default_shape();
    e->shapes[0].kind = PERP_SHAPE_BOX;
    e->shapes[0].body = 0;
    set(e->shapes[0].position, 0.4, 0.1, 0);
    e->shapes[1].body = 1;
    e->shapes[2].kind = PERP_SHAPE_PLANE;
}

static void place_joints(Everything *e)
{
    for (int k = 0; k < PERP_JOINT_KIND_COUNT; k++) {
        PerpJointDef *joint = &e->joints[k];
        *joint = perp_default_joint();
        joint->kind = (PerpJointKind)k;
        joint->body_a = k % 3 == 2 ? -1 : 0;
        joint->body_b = 1;
        set(joint->anchor, 0.2, 0.3, 0.4);
        set(joint->anchor_b, 0.2, 0.3, 2.4);
        set(joint->axis, 3, 4, 12);
        set(joint->axis_b, 4, -3, 1e-7);
    }
    PerpJointDef *gear = &e->joints[PERP_JOINT_COUPLING];
    gear->joint_a = PERP_JOINT_UNIVERSAL;
    gear->coordinate_a = 1;
    gear->joint_b = PERP_JOINT_SLIDER;
    gear->ratio_b = 0.1;
    e->joints[PERP_JOINT_ROPE].length = 2.5;
    e->joints[PERP_JOINT_ROPE].restitution = 0.25;
    e->joints[PERP_JOINT_HINGE].axis_def[0].motor_force = INFINITY;
}

static void make_everything(Everything *e)
{
    place_bodies(e);
    place_joints(e);
    e->spring = perp_default_spring();
    set(e->spring.anchor_a, 1, 2, 3);
    set(e->spring.anchor_b, 4, 5, 6);
    e->spring.body_b = 1;
    e->force = perp_default_force();
    e->force.body = 1;
    set(e->force.point, 1, 0, 0);
    e->material = perp_default_material();
    e->def = sized((PerpModelDef){.n_bodies = 2,
                                  .bodies = e->bodies,
                                  .n_shapes = 3,
                                  .shapes = e->shapes,
                                  .n_joints = PERP_JOINT_KIND_COUNT,
                                  .joints = e->joints,
                                  .n_springs = 1,
                                  .springs = &e->spring,
                                  .n_forces = 1,
                                  .forces = &e->force,
                                  .n_materials = 1,
                                  .materials = &e->material});
}

static PerpPose start_pose(const PerpModel *model, int body)
{
    return body < 0 ? (PerpPose){.rotation = {1, 0, 0, 0}} : model->bodies[body].pose;
}

static void check_joint_start(const PerpModel *model, const PerpJoint *joint)
{
    const PerpJointTable *table = perp_joint_table(joint->kind);
    PerpJointPlace place = {start_pose(model, joint->body_a), start_pose(model, joint->body_b)};
    double value[PERP_JOINT_EQUATIONS];
    PerpJointRow row[PERP_JOINT_EQUATIONS];
    if (table->equation)
        table->equation(joint, place, value, row);
    for (int k = 0; table->equation && k < table->equations; k++)
        assert_true(fabs(value[k]) <= 1e-14);
    for (int k = 0; k < table->coordinates; k++)
        assert_true(fabs(table->coordinate(joint, place, k, row)) <= 1e-14);
}

static int rows_left(const PerpModel *model, const PerpJoint *joint, unsigned freedom)
{
    const PerpJointTable *table = perp_joint_table(joint->kind);
    PerpJointPlace place = {start_pose(model, joint->body_a), start_pose(model, joint->body_b)};
    double value[PERP_JOINT_EQUATIONS];
    PerpJointRow row[PERP_JOINT_EQUATIONS];
    table->equation(joint, place, value, row);
    int left = 0;
    for (int k = 0; k < table->equations; k++)
        left += perp_joint_row_restrict(&row[k], freedom, freedom);
    return left;
}

// at the start every joint holds, its coordinates are 0, and its axes are those given
static void test_joints_at_the_start(void **state)
{
    (void)state;
    Everything e;
    make_everything(&e);
    PerpModel *model = create(&e.def);
    for (int k = 0; k < model->n_joints; k++)
        check_joint_start(model, &model->joints[k]);
    for (int k = 0; k < PERP_JOINT_KIND_COUNT; k++) {
        const PerpJoint *joint = &model->joints[k];
        if (joint->kind == PERP_JOINT_COUPLING)
            continue;
        PerpPose frame = perp_pose_product(start_pose(model, joint->body_a), joint->frame_a);
        assert_near(frame.position, (PerpVec3){0.2, 0.3, 0.4}, 1e-14);
        PerpVec3 z = perp_quat_rotate(frame.rotation, (PerpVec3){0, 0, 1});
        if (perp_joint_table(joint->kind)->axes > 0)
            assert_near(z, (PerpVec3){3.0 / 13, 4.0 / 13, 12.0 / 13}, 1e-14);
        PerpVec3 x = perp_quat_rotate(frame.rotation, (PerpVec3){1, 0, 0});
        if (k == PERP_JOINT_UNIVERSAL)
            assert_near(x, (PerpVec3){0.8, -0.6, 0}, 1e-7);
    }
    assert_true(fabs(model->joints[PERP_JOINT_DISTANCE].length - 2) <= 1e-15);
    assert_true(model->joints[PERP_JOINT_ROPE].length == 2.5);
    assert_true(model->joints[PERP_JOINT_ROPE].restitution == 0.25);
    assert_true(fabs(model->joints[PERP_JOINT_COUPLING].constant) <= 1e-14);
    assert_int_equal(model->joints[PERP_JOINT_COUPLING].body_b, -1);
    assert_true(model->joints[PERP_JOINT_HINGE].axis[0].motor_force == INFINITY);
    perp_model_destroy(model);
}

// A planar joint has no more rows than its plane has room for, wherever in the plane its axis is.
static void test_planar_joints(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int n = 0; n < 200; n++) {
        PerpBodyDef bodies[2] = {solid(1, 1), solid(1, 1)};
        for (int k = 0; k < 2; k++) {
            bodies[k].freedom = PERP_FREE_PLANAR_XZ;
            set(bodies[k].position, perp_random_normal(&r), 0, perp_random_normal(&r));
            bodies[k].rotation[2] = perp_random_normal(&r);
        }
        PerpJointDef joints[2] = {perp_default_joint(), perp_default_joint()};
        joints[0].kind = PERP_JOINT_HINGE;
        set(joints[0].axis, 0, 1, 0);
        joints[1].kind = PERP_JOINT_SLIDER;
        set(joints[1].axis, perp_random_normal(&r), 0, perp_random_normal(&r));
        joints[0].body_a = joints[1].body_a = 1;
        PerpModelDef def =
            sized((PerpModelDef){.n_bodies = 2, .bodies = bodies, .n_joints = 2, .joints = joints});
        PerpModel *model = create(&def);
        for (int k = 0; k < 2; k++)
            assert_int_equal(rows_left(model, &model->joints[k], PERP_FREE_PLANAR_XZ), 2);
        perp_model_destroy(model);
    }
}

static void test_loads_in_the_frame_of_the_centre(void **state)
{
    (void)state;
    Everything e;
    make_everything(&e);
    PerpModel *model = create(&e.def);
    const PerpSpring *spring = &model->springs[0];
    assert_near(spring->anchor_a, (PerpVec3){1, 2, 3}, 0);
    assert_near(perp_pose_point(model->bodies[1].pose, spring->anchor_b), (PerpVec3){4, 5, 6},
                1e-14);
    assert_string_equal(spring->name, "spring-0");
    assert_near(model->forces[0].point, (PerpVec3){0.9, -0.2, -0.3}, 1e-15);
    assert_true(model->forces[0].end == INFINITY);
    perp_model_destroy(model);
}

// every allocation may fail: no leak, no model, the right status
static void test_memory_runs_out(void **state)
{
    (void)state;
    Everything e;
    make_everything(&e);
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpStatus status = PERP_NO_MEMORY;
    for (int fail_at = 1; status; fail_at++) {
        memory = (PerpFailingAllocator){.fail_at = fail_at};
        PerpModel *model;
        PerpError error;
        status = perp_model_create(&context, &e.def, &model, &error);
        if (status) {
            assert_int_equal(status, PERP_NO_MEMORY);
            assert_int_equal(error.status, PERP_NO_MEMORY);
            assert_null(model);
        }
        perp_model_destroy(model);
        assert_int_equal(memory.live, 0);
    }
    assert_true(memory.calls > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_model),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_name_index),
        cmocka_unit_test(test_motion_of_the_centre),
        cmocka_unit_test(test_mass_from_shapes),
        cmocka_unit_test(test_given_mass_wins),
        cmocka_unit_test(test_partial_freedom),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_may_touch),
        cmocka_unit_test(test_joints_at_the_start),
        cmocka_unit_test(test_planar_joints),
        cmocka_unit_test(test_loads_in_the_frame_of_the_centre),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

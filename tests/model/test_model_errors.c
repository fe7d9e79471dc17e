// Every check of a model's definition, with its message.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/model.h"

#include <math.h>
#include <string.h>

// A valid model to spoil: a body b and a plane, a hinge h, a cylindrical joint, a rod, a gear.
typedef struct Scene {
    PerpBodyDef body[3];
    PerpShapeDef shape[2];
    PerpJointDef joint[5];
    PerpSpringDef spring;
    PerpForceDef force;
    PerpMaterialDef material[2];
    PerpPairDef pair;
    PerpExclusionDef exclusion;
    PerpModelDef def;
} Scene;

enum { HINGE, UNIVERSAL, ROD, ROPE, GEAR };

static void make_bodies(Scene *s)
{
    for (int k = 0; k < 3; k++) {
        s->body[k] = perp_default_body();
        s->body[k].mass = 1;
        for (int i = 0; i < 3; i++)
            s->body[k].inertia[i] = 1;
    }
    s->body[0].name = "b";
    s->body[2].freedom = 0;
    s->shape[0] = s->shape[1] = perp_default_shape();
    s->shape[0].name = "ground";
    s->shape[0].kind = PERP_SHAPE_PLANE;
    s->shape[1].body = 0;
}

static void make_joints(Scene *s)
{
    static const PerpJointKind kinds[] = {PERP_JOINT_HINGE, PERP_JOINT_UNIVERSAL,
                                          PERP_JOINT_DISTANCE, PERP_JOINT_ROPE,
                                          PERP_JOINT_COUPLING};
    for (int k = 0; k < 5; k++) {
        s->joint[k] = perp_default_joint();
        s->joint[k].kind = kinds[k];
        s->joint[k].anchor_b[0] = 2;
    }
    s->joint[HINGE].name = "h";
    s->joint[GEAR].joint_a = HINGE;
    s->joint[GEAR].joint_b = UNIVERSAL;
    s->joint[GEAR].coordinate_b = 1;
}

static void make_scene(Scene *s)
{
    make_bodies(s);
    make_joints(s);
    s->spring = perp_default_spring();
    s->force = perp_default_force();
    s->material[0] = s->material[1] = perp_default_material();
    s->material[1].name = "ice";
    s->pair = perp_default_pair();
    s->exclusion = (PerpExclusionDef){0, 1};
    s->def = perp_default_model_def();
    s->def.n_bodies = 3;
    s->def.bodies = s->body;
    s->def.n_shapes = 2;
    s->def.shapes = s->shape;
    s->def.n_joints = 5;
    s->def.joints = s->joint;
    s->def.n_springs = s->def.n_forces = s->def.n_pairs = s->def.n_exclusions = 1;
    s->def.springs = &s->spring;
    s->def.forces = &s->force;
    s->def.n_materials = 2;
    s->def.materials = s->material;
    s->def.pairs = &s->pair;
    s->def.exclusions = &s->exclusion;
}

static void expect(const Scene *s, PerpStatus status, const char *message)
{
    PerpContext context = perp_default_context();
    PerpModel *model;
    PerpError error = {0};
    assert_int_equal(perp_model_create(&context, &s->def, &model, &error), status);
    perp_model_destroy(model);
    assert_string_equal(error.message, message);
    assert_int_equal(error.status, status);
    assert_int_equal(perp_model_create(&context, &s->def, &model, NULL), status);
    perp_model_destroy(model);
}

// The scene with one change fails with this message.
#define REFUSED(status, message, change)                                                           \
    do {                                                                                           \
        Scene s;                                                                                   \
        make_scene(&s);                                                                            \
        change;                                                                                    \
        expect(&s, status, message);                                                               \
    } while (0)
#define BAD_VALUE(message, change) REFUSED(PERP_BAD_VALUE, message, change)
#define BAD_MASS(message, change) REFUSED(PERP_BAD_MASS, message, change)

static void test_the_scene_is_valid(void **state)
{
    (void)state;
    REFUSED(PERP_OK, "", (void)0);
}

static void test_model(void **state)
{
    (void)state;
    BAD_VALUE("the model: gravity[1] is inf; it must be finite", s.def.gravity[1] = INFINITY);
    REFUSED(PERP_BAD_SIZE, "the model: the number of joints is -1; it must be at least 0",
            s.def.n_joints = -1);
}

static void test_body_values(void **state)
{
    (void)state;
    BAD_VALUE("body \"b\": position[2] is inf; it must be finite",
              s.body[0].position[2] = INFINITY);
    BAD_VALUE("body \"body-1\": velocity[0] is -inf; it must be finite",
              s.body[1].velocity[0] = -INFINITY);
    BAD_VALUE("body \"b\": spin[0] is inf; it must be finite", s.body[0].spin[0] = INFINITY);
    BAD_VALUE("body \"b\": rotation[3] is inf; it must be finite",
              s.body[0].rotation[3] = INFINITY);
    BAD_VALUE("body \"b\": rotation has the length 0; it gives no direction",
              s.body[0].rotation[0] = 0);
    BAD_VALUE("body \"b\": freedom is 64; it has six bits, 0 to 63", s.body[0].freedom = 64);
    BAD_VALUE("body \"b\": numbers 0 and 1 have this name; it must be unique",
              s.body[1].name = "b");
    BAD_VALUE("body \"body-1\": numbers 0 and 1 have this name; it must be unique",
              s.body[0].name = "body-1");
    BAD_VALUE("body \"world\": this name is that of the world, body -1", s.body[0].name = "world");
}

static void test_body_mass(void **state)
{
    (void)state;
    BAD_VALUE("body \"b\": mass is -1; it must be at least 0", s.body[0].mass = -1);
    BAD_VALUE("body \"b\": mass is inf; it must be finite", s.body[0].mass = INFINITY);
    BAD_VALUE("body \"b\": inertia[5] is inf; it must be finite", s.body[0].inertia[5] = INFINITY);
    BAD_VALUE("body \"b\": centre[1] is inf; it must be finite", s.body[0].centre[1] = INFINITY);
    const char *no_mass = "body \"b\": centre and inertia are given, but no mass; without a mass, "
                          "all three come from the shapes";
    BAD_VALUE(no_mass, s.body[0].mass = 0);
    BAD_VALUE(no_mass, s.body[0] = perp_default_body(); s.body[0].name = "b";
              s.body[0].centre[0] = 1);
    BAD_MASS("body \"body-1\": it can move but has no mass; give it one, or a shape with a density",
             s.body[1] = perp_default_body());
    // a shape so large that its mass overflows
    BAD_VALUE("body \"b\": mass is inf; it must be finite", s.body[0] = perp_default_body();
              s.body[0].name = "b"; s.shape[1].size[0] = 1e200);
}

static void test_body_inertia(void **state)
{
    (void)state;
    BAD_MASS("body \"b\": its inertia about the free axes is not positive definite (principal "
             "moments 1, 1, 0 kg m^2)",
             s.body[0].inertia[2] = 0);
    BAD_MASS("body \"b\": its inertia about the free axes is not positive definite (principal "
             "moments -1, 3, 1 kg m^2)",
             s.body[0].inertia[3] = 2);
    BAD_MASS("body \"b\": the principal moments of its inertia are 1, 1, 2.1 kg m^2; none may "
             "exceed the sum of the two others",
             s.body[0].inertia[2] = 2.1);
    BAD_MASS("body \"b\": its inertia about the free axes is not positive definite (principal "
             "moments 0, 0, 0 kg m^2)",
             s.body[0].freedom = PERP_FREE_PLANAR_XY;
             s.body[0].inertia[2] = 0);
    REFUSED(PERP_OK, "", s.body[0].inertia[2] = 2 + 1e-7);
}

static void test_body_motion(void **state)
{
    (void)state;
    BAD_VALUE("body \"b\": it is planar, but its z axis is not along the world's; turn it about z "
              "only",
              s.body[0].freedom = PERP_FREE_PLANAR_XY;
              s.body[0].rotation[1] = 1e-4);
    BAD_VALUE("body \"b\": it is planar, but its y axis is not along the world's; turn it about y "
              "only",
              s.body[0].freedom = PERP_FREE_PLANAR_XZ;
              s.body[0].rotation[3] = 0.5);
    BAD_VALUE("body \"b\": it is planar, but its x axis is not along the world's; turn it about x "
              "only",
              s.body[0].freedom = 14;
              s.body[0].rotation[2] = 0.5);
    BAD_VALUE("body \"b\": its centre of mass starts with 2 m/s along the world's z, which its "
              "freedom blocks",
              s.body[0].freedom = PERP_FREE_PLANAR_XY;
              s.body[0].velocity[2] = 2);
    BAD_VALUE("body \"b\": its centre of mass starts with 3 m/s along the world's y, which its "
              "freedom blocks",
              s.body[0].freedom = PERP_FREE_ROTATION_Z;
              s.body[0].centre[0] = 1; s.body[0].spin[2] = 3);
    BAD_VALUE("body \"body-2\": it starts with -3 rad/s about its own y, which its freedom blocks",
              s.body[2].spin[1] = -3);
    BAD_VALUE("body \"b\": velocity of the centre of mass[2] is inf; it must be finite",
              s.body[0].spin[0] = 1e200;
              s.body[0].centre[1] = 1e200);
    BAD_VALUE("body \"b\": position of the centre of mass[0] is inf; it must be finite",
              s.body[0].position[0] = 1.7e308;
              s.body[0].centre[0] = 1.7e308);
}

static void test_shapes(void **state)
{
    (void)state;
    BAD_VALUE("shape \"ground\": body is 3; it must be from -1 to 2", s.shape[0].body = 3);
    BAD_VALUE("shape \"shape-1\": material is 2; it must be from 0 to 1", s.shape[1].material = 2);
    BAD_VALUE("shape \"shape-1\": kind is 10; it must be from 0 to 9",
              s.shape[1].kind = PERP_SHAPE_KIND_COUNT);
    BAD_VALUE("shape \"ground\": position[0] is inf; it must be finite",
              s.shape[0].position[0] = INFINITY);
    BAD_VALUE("shape \"ground\": rotation has the length 0; it gives no direction",
              s.shape[0].rotation[0] = 0);
    BAD_VALUE("shape \"shape-1\": density is -1; it must be at least 0", s.shape[1].density = -1);
    BAD_VALUE("shape \"ground\": a plane belongs to the world or to a fixed body; body \"b\" can "
              "move",
              s.shape[0].body = 0);
    BAD_VALUE("shape \"shape-1\": a mesh belongs to the world or to a fixed body; body \"b\" can "
              "move",
              s.shape[1].kind = PERP_SHAPE_MESH);
    BAD_VALUE("shape \"shape-1\": a height-field belongs to the world or to a fixed body; body "
              "\"b\" can move",
              s.shape[1].kind = PERP_SHAPE_HEIGHT_FIELD);
    REFUSED(PERP_OK, "", s.shape[0].body = 2);
}

// what the geometry refuses comes with the shape's name
static void test_shape_geometry(void **state)
{
    (void)state;
    Scene s;
    make_scene(&s);
    s.shape[1].size[0] = -1;
    PerpContext context = perp_default_context();
    PerpModel *model;
    PerpError error;
    assert_int_equal(perp_model_create(&context, &s.def, &model, &error), PERP_BAD_VALUE);
    assert_memory_equal(error.message, "shape \"shape-1\": size[0]", 24);
}

static void test_joint_values(void **state)
{
    (void)state;
    BAD_VALUE("joint \"h\": kind is 10; it must be from 0 to 9",
              s.joint[HINGE].kind = PERP_JOINT_KIND_COUNT);
    BAD_VALUE("joint \"h\": body_a is -2; it must be from -1 to 2", s.joint[HINGE].body_a = -2);
    BAD_VALUE("joint \"h\": body_b is 3; it must be from -1 to 2", s.joint[HINGE].body_b = 3);
    BAD_VALUE("joint \"h\": body_a and body_b are both 0", s.joint[HINGE].body_a = 0);
    BAD_VALUE("joint \"h\": anchor[2] is inf; it must be finite",
              s.joint[HINGE].anchor[2] = INFINITY);
    BAD_VALUE("joint \"h\": axis has the length 0; it gives no direction",
              s.joint[HINGE].axis[2] = 0);
    BAD_VALUE("joint \"h\": axis[0] is inf; it must be finite", s.joint[HINGE].axis[0] = INFINITY);
    BAD_VALUE("joint \"h\": numbers 0 and 3 have this name; it must be unique",
              s.joint[ROPE].name = "h");
    BAD_VALUE("joint \"joint-1\": axis_b has the length 0; it gives no direction",
              s.joint[UNIVERSAL].axis_b[0] = 0);
    BAD_VALUE("joint \"joint-1\": axis and axis_b must be perpendicular; the cosine of their angle "
              "is 1",
              s.joint[UNIVERSAL].axis[2] = 0;
              s.joint[UNIVERSAL].axis[0] = 2);
}

static void test_joint_axes(void **state)
{
    (void)state;
    BAD_VALUE("joint \"h\": the limits are 1 and 0.5; the lower one must not exceed the upper",
              s.joint[HINGE].axis_def[0].lower = 1;
              s.joint[HINGE].axis_def[0].upper = 0.5);
    BAD_VALUE("joint \"h\": the limits are inf and inf; the lower one must not exceed the upper",
              s.joint[HINGE].axis_def[0].lower = INFINITY);
    BAD_VALUE("joint \"h\": the limits are -inf and -inf; the lower one must not exceed the upper",
              s.joint[HINGE].axis_def[0].upper = -INFINITY);
    BAD_VALUE("joint \"joint-1\": restitution is 1.5; it must be between 0 and 1",
              s.joint[UNIVERSAL].axis_def[1].restitution = 1.5);
    BAD_VALUE("joint \"h\": motor_speed is inf; it must be finite",
              s.joint[HINGE].axis_def[0].motor_speed = INFINITY);
    BAD_VALUE("joint \"h\": motor_force is -1; it must be at least 0",
              s.joint[HINGE].axis_def[0].motor_force = -1);
    BAD_VALUE("joint \"h\": friction is -1; it must be at least 0",
              s.joint[HINGE].axis_def[0].friction = -1);
    BAD_VALUE("joint \"h\": stiffness is -1; it must be at least 0",
              s.joint[HINGE].axis_def[0].stiffness = -1);
    BAD_VALUE("joint \"h\": damping is -1; it must be at least 0",
              s.joint[HINGE].axis_def[0].damping = -1);
    BAD_VALUE("joint \"h\": rest is inf; it must be finite",
              s.joint[HINGE].axis_def[0].rest = INFINITY);
    BAD_VALUE("joint \"h\": axis_def[1] is set, but a hinge has no coordinate 1",
              s.joint[HINGE].axis_def[1].damping = 1);
}

static void test_lengths(void **state)
{
    (void)state;
    BAD_VALUE("joint \"joint-2\": anchor_b[1] is inf; it must be finite",
              s.joint[ROD].anchor_b[1] = INFINITY);
    BAD_VALUE("joint \"joint-2\": length is -1; it must be at least 0", s.joint[ROD].length = -1);
    BAD_VALUE("joint \"joint-3\": restitution is -1; it must be between 0 and 1",
              s.joint[ROPE].restitution = -1);
    BAD_VALUE("joint \"joint-2\": its length is 2.5 m, but its anchors are 2 m apart at the start",
              s.joint[ROD].length = 2.5);
    BAD_VALUE("joint \"joint-3\": its length is 1.5 m, but its anchors are 2 m apart at the start",
              s.joint[ROPE].length = 1.5);
    BAD_VALUE("joint \"joint-2\": its anchors are 0 m apart; it has no length",
              s.joint[ROD].anchor_b[0] = 0);
    REFUSED(PERP_OK, "", s.joint[ROD].length = 2 + 1e-7; s.joint[ROPE].length = 3);
}

static void test_couplings(void **state)
{
    (void)state;
    BAD_VALUE("joint \"joint-4\": joint_a is 5; it must be from 0 to 4", s.joint[GEAR].joint_a = 5);
    BAD_VALUE("joint \"joint-4\": joint_b is -1; it must be from 0 to 4",
              s.joint[GEAR].joint_b = -1);
    BAD_VALUE("joint \"joint-4\": joint_a, number 0, is a hinge, which has no coordinate 1",
              s.joint[GEAR].coordinate_a = 1);
    BAD_VALUE("joint \"joint-4\": joint_b, number 1, is a universal, which has no coordinate -1",
              s.joint[GEAR].coordinate_b = -1);
    BAD_VALUE("joint \"joint-4\": joint_a, number 4, is a coupling, which has no coordinate 0",
              s.joint[GEAR].joint_a = GEAR);
    BAD_VALUE("joint \"joint-4\": it couples a coordinate to itself",
              s.joint[GEAR].joint_a = UNIVERSAL;
              s.joint[GEAR].coordinate_a = 1);
    BAD_VALUE("joint \"joint-4\": ratio_a is inf; it must be finite",
              s.joint[GEAR].ratio_a = INFINITY);
    BAD_VALUE("joint \"joint-4\": ratio_b is inf; it must be finite",
              s.joint[GEAR].ratio_b = INFINITY);
    BAD_VALUE("joint \"joint-4\": ratio_a and ratio_b are both 0",
              s.joint[GEAR].ratio_a = s.joint[GEAR].ratio_b = 0);
    // the coupling comes first, so the other joint's kind is not yet checked
    BAD_VALUE("joint \"h\": the kind of a coupled joint is 10; it must be from 0 to 9",
              s.joint[HINGE].kind = PERP_JOINT_COUPLING;
              s.joint[HINGE].joint_a = UNIVERSAL; s.joint[UNIVERSAL].kind = PERP_JOINT_KIND_COUNT);
}

static void test_springs(void **state)
{
    (void)state;
    BAD_VALUE("spring \"spring-0\": body_a is 3; it must be from -1 to 2", s.spring.body_a = 3);
    BAD_VALUE("spring \"spring-0\": body_b is -2; it must be from -1 to 2", s.spring.body_b = -2);
    BAD_VALUE("spring \"s\": body_a and body_b are both -1", s.spring.body_b = -1;
              s.spring.name = "s");
    BAD_VALUE("spring \"spring-0\": anchor_a[0] is inf; it must be finite",
              s.spring.anchor_a[0] = INFINITY);
    BAD_VALUE("spring \"spring-0\": anchor_b[0] is inf; it must be finite",
              s.spring.anchor_b[0] = INFINITY);
    BAD_VALUE("spring \"spring-0\": stiffness is -1; it must be at least 0",
              s.spring.stiffness = -1);
    BAD_VALUE("spring \"spring-0\": damping is -1; it must be at least 0", s.spring.damping = -1);
    BAD_VALUE("spring \"spring-0\": rest is inf; it must be finite", s.spring.rest = INFINITY);
}

static void test_forces(void **state)
{
    (void)state;
    BAD_VALUE("force \"force-0\": body is -1; it must be from 0 to 2", s.force.body = -1);
    BAD_VALUE("force \"f\": point[0] is inf; it must be finite", s.force.point[0] = INFINITY;
              s.force.name = "f");
    BAD_VALUE("force \"force-0\": force[1] is inf; it must be finite", s.force.force[1] = INFINITY);
    BAD_VALUE("force \"force-0\": torque[2] is inf; it must be finite",
              s.force.torque[2] = INFINITY);
    BAD_VALUE("force \"force-0\": wave[0] is inf; it must be finite", s.force.wave[0] = INFINITY);
    BAD_VALUE("force \"force-0\": frequency is -1; it must be at least 0", s.force.frequency = -1);
    BAD_VALUE("force \"force-0\": phase is inf; it must be finite", s.force.phase = INFINITY);
    BAD_VALUE("force \"force-0\": it starts at 2 s and ends at 1 s; the start must not be after "
              "the end",
              s.force.start = 2;
              s.force.end = 1);
}

static void test_materials(void **state)
{
    (void)state;
    BAD_VALUE("material 0: mu is -1; it must be at least 0", s.material[0].mu = -1);
    BAD_VALUE("material \"ice\": mu_second is inf; it must be finite",
              s.material[1].mu_second = INFINITY);
    BAD_VALUE("material \"ice\": torsion is -1; it must be at least 0", s.material[1].torsion = -1);
    BAD_VALUE("material \"ice\": rolling is -1; it must be at least 0", s.material[1].rolling = -1);
    BAD_VALUE("material \"ice\": restitution is 2; it must be between 0 and 1",
              s.material[1].restitution = 2);
    BAD_VALUE("material \"ice\": axis[0] is inf; it must be finite",
              s.material[1].axis[0] = INFINITY);
    BAD_VALUE("material \"ice\": axis has the length 0; it gives no direction",
              s.material[1].mu_second = 0.5);
}

static void test_pairs(void **state)
{
    (void)state;
    BAD_VALUE("pair 0: material_a is 2; it must be from 0 to 1", s.pair.material_a = 2);
    BAD_VALUE("pair 0: material_b is -1; it must be from 0 to 1", s.pair.material_b = -1);
    BAD_VALUE("pair 0: mu is -1; it must be at least 0", s.pair.mu = -1);
    BAD_VALUE("pair 0: mu_second is 0.5, but neither material has an axis for it; give one of them "
              "mu_second and axis",
              s.pair.mu_second = 0.5);
    PerpPairDef pairs[2] = {perp_default_pair(), perp_default_pair()};
    pairs[0].material_a = pairs[1].material_b = 1;
    BAD_VALUE("pair 1: materials 0 and 1 are paired already", s.def.n_pairs = 2;
              s.def.pairs = pairs);
}

static void test_exclusions(void **state)
{
    (void)state;
    BAD_VALUE("exclusion 0: body_a is 3; it must be from -1 to 2", s.exclusion.body_a = 3);
    BAD_VALUE("exclusion 0: body_b is -2; it must be from -1 to 2", s.exclusion.body_b = -2);
    BAD_VALUE("exclusion 0: both bodies are 1", s.exclusion.body_a = 1);
}

// every number of a definition
static Scene poisoned;
static double *const places[] = {&poisoned.def.gravity[0],
                                 &poisoned.body[0].position[0],
                                 &poisoned.body[0].rotation[0],
                                 &poisoned.body[0].velocity[0],
                                 &poisoned.body[0].spin[0],
                                 &poisoned.body[0].mass,
                                 &poisoned.body[0].centre[0],
                                 &poisoned.body[0].inertia[0],
                                 &poisoned.shape[0].position[0],
                                 &poisoned.shape[0].rotation[0],
                                 &poisoned.shape[0].density,
                                 &poisoned.shape[1].size[0],
                                 &poisoned.joint[0].anchor[0],
                                 &poisoned.joint[0].axis[0],
                                 &poisoned.joint[1].axis_b[0],
                                 &poisoned.joint[2].anchor_b[0],
                                 &poisoned.joint[2].length,
                                 &poisoned.joint[2].restitution,
                                 &poisoned.joint[4].ratio_a,
                                 &poisoned.joint[4].ratio_b,
                                 &poisoned.joint[0].axis_def[0].lower,
                                 &poisoned.joint[0].axis_def[0].upper,
                                 &poisoned.joint[0].axis_def[0].restitution,
                                 &poisoned.joint[0].axis_def[0].motor_speed,
                                 &poisoned.joint[0].axis_def[0].motor_force,
                                 &poisoned.joint[0].axis_def[0].friction,
                                 &poisoned.joint[0].axis_def[0].stiffness,
                                 &poisoned.joint[0].axis_def[0].damping,
                                 &poisoned.joint[0].axis_def[0].rest,
                                 &poisoned.joint[0].axis_def[1].lower,
                                 &poisoned.joint[0].axis_def[1].rest,
                                 &poisoned.spring.anchor_a[0],
                                 &poisoned.spring.anchor_b[0],
                                 &poisoned.spring.stiffness,
                                 &poisoned.spring.damping,
                                 &poisoned.spring.rest,
                                 &poisoned.force.point[0],
                                 &poisoned.force.force[0],
                                 &poisoned.force.torque[0],
                                 &poisoned.force.wave[0],
                                 &poisoned.force.frequency,
                                 &poisoned.force.phase,
                                 &poisoned.force.start,
                                 &poisoned.force.end,
                                 &poisoned.material[0].mu,
                                 &poisoned.material[0].mu_second,
                                 &poisoned.material[0].axis[0],
                                 &poisoned.material[0].torsion,
                                 &poisoned.material[0].rolling,
                                 &poisoned.material[0].restitution,
                                 &poisoned.pair.mu,
                                 &poisoned.pair.mu_second,
                                 &poisoned.pair.torsion,
                                 &poisoned.pair.rolling,
                                 &poisoned.pair.restitution};

// NaN is refused wherever it is; how its sign prints is the system's business
static void test_nan(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        make_scene(&poisoned);
        *places[k] = NAN;
        PerpModel *model;
        assert_int_equal(perp_model_create(&context, &poisoned.def, &model, NULL), PERP_BAD_VALUE);
        assert_null(model);
    }
}

// a name of any length fits into the message, cut
static void test_long_name(void **state)
{
    (void)state;
    char name[2000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    Scene s;
    make_scene(&s);
    s.body[0].name = name;
    s.body[0].mass = -1;
    PerpContext context = perp_default_context();
    PerpModel *model;
    PerpError error;
    assert_int_equal(perp_model_create(&context, &s.def, &model, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "nnn\": mass is -1; it must be at least 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_scene_is_valid),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_body_values),
        cmocka_unit_test(test_body_mass),
        cmocka_unit_test(test_body_inertia),
        cmocka_unit_test(test_body_motion),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_shape_geometry),
        cmocka_unit_test(test_joint_values),
        cmocka_unit_test(test_joint_axes),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_couplings),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_exclusions),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_long_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Shapes as they stand on a body, in a list of shapes, or in the world.
#include "io/scene_shape.h"

#include <stddef.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

enum { GROUPS = 32 };

const char *const perp_shape_words[PERP_SHAPE_KIND_COUNT] = {
#define SHAPE_WORD(name, word, text) word,
    PERP_SHAPE_LIST(SHAPE_WORD)
#undef SHAPE_WORD
};

PerpShapeDraft perp_shape_draft(void)
{
    return (PerpShapeDraft){.def = perp_default_shape(), .inner = {.rotation = {.w = 1}}};
}

typedef struct Turn {
    double axis[3], angle;
} Turn;

static const PerpField turn_field_list[] = {
    {"axis", PERP_FIELD_DIRECTION, offsetof(Turn, axis), NULL, 0},
    {"angle", PERP_FIELD_NUMBER, offsetof(Turn, angle), NULL, 0},
};
static const PerpFields turn_fields = {"turn", turn_field_list, PERP_COUNT(turn_field_list)};

static void store_rotation(PerpQuat q, double *rotation)
{
    rotation[0] = q.w;
    rotation[1] = q.x;
    rotation[2] = q.y;
    rotation[3] = q.z;
}

PerpStatus perp_read_turn(PerpSceneReader *reader, const PerpNode *value, void *rotation)
{
    Turn turn;
    const PerpNode *required;
    PerpStatus status = perp_fields_read(reader, value, &turn_fields, 0, "", &turn);
    if (!status)
        status = perp_node_require(reader->document, value, "axis", &required);
    if (!status)
        status = perp_node_require(reader->document, value, "angle", &required);
    if (status)
        return status;
    PerpVec3 axis = perp_vec3_normalise(perp_vec3_load(turn.axis));
    store_rotation(perp_quat_exp(perp_vec3_scale(turn.angle, axis)), rotation);
    return PERP_OK;
}

PerpStatus perp_read_quaternion(PerpSceneReader *reader, const PerpNode *value, void *rotation)
{
    double q[4];
    PerpStatus status = perp_scene_numbers(reader, value, 4, "quaternion", q);
    double square = status ? 1 : q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!status && !(square > 1e-200 && square < 1e200))
        return perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                              "quaternion: expected w, x, y, z of length 1");
    if (!status)
        store_rotation(perp_quat_normalise((PerpQuat){q[0], q[1], q[2], q[3]}), rotation);
    return status;
}

PerpStatus perp_read_shape_material(PerpSceneReader *reader, const PerpNode *value, void *index)
{
    return perp_scene_find(reader, value, "material", &reader->material_names, index);
}

PerpStatus perp_read_group(PerpSceneReader *reader, const PerpNode *value, void *bits)
{
    double group = 1;
    PerpStatus status = perp_scene_integer(reader, value, 1, GROUPS, "group", &group);
    *(unsigned *)bits = 1u << ((int)group - 1);
    return status;
}

PerpStatus perp_read_touches(PerpSceneReader *reader, const PerpNode *value, void *bits)
{
    unsigned *mask = bits, group;
    PerpStatus status = perp_node_sequence(reader->document, value, "touches");
    *mask = 0;
    for (const PerpNode *node = value->child; !status && node; node = node->next) {
        status = perp_read_group(reader, node, &group);
        *mask |= status ? 0 : group;
    }
    return status;
}

#define DEF(member) (offsetof(PerpShapeDraft, def) + offsetof(PerpShapeDef, member))
static const PerpField shape_field_list[] = {
    PERP_SHAPE_KIND_FIELDS(0),
    {"name", PERP_FIELD_TEXT, DEF(name), NULL, 0},
    {"at", PERP_FIELD_VECTOR, DEF(position), NULL, 0},
    {"turn", PERP_FIELD_OWN, DEF(rotation), perp_read_turn, 0},
    {"quaternion", PERP_FIELD_OWN, DEF(rotation), perp_read_quaternion, 0},
    {"density", PERP_FIELD_NON_NEGATIVE, DEF(density), NULL, 0},
    {"material", PERP_FIELD_OWN, DEF(material), perp_read_shape_material, 0},
    {"group", PERP_FIELD_OWN, DEF(group), perp_read_group, 0},
    {"touches", PERP_FIELD_OWN, DEF(mask), perp_read_touches, 0},
};
#undef DEF
static const PerpFields shape_fields = {"a shape", shape_field_list, PERP_COUNT(shape_field_list)};

PerpStatus perp_add_shape(PerpSceneReader *reader, const PerpNode *node, PerpShapeDraft *draft)
{
    PerpShapeDef *def = &draft->def;
    const double *r = def->rotation;
    PerpPose outer = {perp_vec3_load(def->position), {r[0], r[1], r[2], r[3]}};
    PerpPose pose = perp_pose_product(outer, draft->inner);
    perp_vec3_store(pose.position, def->position);
    store_rotation(perp_quat_normalise(pose.rotation), def->rotation);
    return perp_scene_add(reader, node, &reader->scene->shapes, def);
}

PerpStatus perp_read_shape(PerpSceneReader *reader, const PerpNode *item, PerpShapeDraft draft)
{
    int kind = -1;
    PerpStatus status = perp_fields_check(reader, item, &shape_fields);
    if (!status)
        status = perp_fields_choose(reader, item, perp_shape_words, PERP_SHAPE_KIND_COUNT, &kind);
    if (!status && kind < 0)
        status = perp_node_fail(reader->document, item, PERP_BAD_SYNTAX,
                                "a shape: expected one of the keys point, sphere, capsule, box, "
                                "cylinder, ellipsoid, plane, hull, mesh, height-field");
    if (!status)
        status = perp_fields_refuse_both(reader, item, "turn", "quaternion");
    if (status)
        return status;
    draft.def.kind = (PerpShapeKind)kind;
    status = perp_fields_read(reader, item, &shape_fields, 0, "", &draft);
    return status ? status : perp_add_shape(reader, item, &draft);
}

PerpStatus perp_read_world(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    (void)name;
    return perp_read_shape(reader, item, perp_shape_draft());
}

// m^3; 0 for what has no volume, -1 for hulls, whose volume is not known before the model is made
static double volume(const PerpShapeDef *shape)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case PERP_SHAPE_SPHERE:
        return 4 * PI / 3 * s[0] * s[0] * s[0];
    case PERP_SHAPE_CAPSULE:
        return PI * s[0] * s[0] * (2 * s[1] + 4 * s[0] / 3);
    case PERP_SHAPE_BOX:
        return 8 * s[0] * s[1] * s[2];
    case PERP_SHAPE_CYLINDER:
        return 2 * PI * s[0] * s[0] * s[1];
    case PERP_SHAPE_ELLIPSOID:
        return 4 * PI / 3 * s[0] * s[1] * s[2];
    case PERP_SHAPE_HULL:
        return -1;
    default:
        return 0;
    }
}

PerpStatus perp_share_mass(PerpSceneReader *reader, const PerpNode *node, int first, double mass)
{
    PerpShapeDef *shapes = reader->scene->shapes.items;
    double sum = 0;
    for (int k = first; k < reader->scene->shapes.count; k++) {
        if (volume(&shapes[k]) < 0)
            return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                  "mass: a body with a hull needs \"inertia\" too, or \"density\" "
                                  "instead of mass");
        sum += shapes[k].density * volume(&shapes[k]);
    }
    if (!(sum > 0))
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "mass: the body has no shape with a volume, so it needs \"inertia\" "
                              "too, or \"free: point\"");
    for (int k = first; k < reader->scene->shapes.count; k++)
        shapes[k].density *= mass / sum;
    return PERP_OK;
}

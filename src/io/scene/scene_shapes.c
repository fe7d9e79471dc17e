// Shapes of a scene: on a body, in a list of shapes, or in the world.
#include "io/scene/scene_shape.h"

#include <stddef.h>
#include <string.h>

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
static const PerpFields turn_fields = PERP_FIELDS("turn", turn_field_list);

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
    double group;
    PerpStatus status = perp_scene_integer(reader, value, 1, GROUPS, "group", &group);
    if (!status)
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
    {"surface-velocity", PERP_FIELD_VECTOR, DEF(surface_velocity), NULL, 0},
    {"colour", PERP_FIELD_OWN, DEF(colour), perp_read_colour, 0},
};
#undef DEF
static const PerpFields shape_fields =
    PERP_FIELDS_OF_KINDS("a shape", shape_field_list, perp_shape_words);

PerpStatus perp_add_shape(PerpSceneReader *reader, const PerpNode *node, PerpShapeDraft *draft)
{
    PerpShapeDef *def = &draft->def;
    const double *r = def->rotation;
    PerpPose outer = {perp_vec3_load(def->position), {r[0], r[1], r[2], r[3]}};
    PerpPose pose = perp_pose_product(outer, draft->inner);
    perp_vec3_store(pose.position, def->position);
    store_rotation(perp_quat_normalise(pose.rotation), def->rotation);
    const PerpNode *key = perp_fields_key(node, perp_shape_words[def->kind]);
    PerpPlace place = perp_scene_place(reader, key ? key : node);
    PerpStatus status = perp_scene_append(reader, node, &reader->scene->shape_places, &place);
    return status ? status : perp_scene_add(reader, node, &reader->scene->shapes, def);
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

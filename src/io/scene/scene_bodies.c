// The section bodies of a scene.
#include "io/scene/scene_shape.h"

#include <stddef.h>
#include <string.h>

typedef struct BodyDraft {
    PerpBodyDef def;
    PerpShapeDraft shape; // the inline shape, and the defaults of the shapes in a list
} BodyDraft;

static const unsigned ROTATIONS =
    PERP_FREE_ROTATION_X | PERP_FREE_ROTATION_Y | PERP_FREE_ROTATION_Z;

static PerpStatus read_directions(PerpSceneReader *reader, const PerpNode *list, unsigned *freedom)
{
    static const char *const words[] = {"x", "y", "z", "rotation-x", "rotation-y", "rotation-z"};
    PerpStatus status = PERP_OK;
    *freedom = 0;
    for (const PerpNode *node = list->child; !status && node; node = node->next) {
        int bit = 0;
        status = perp_scene_word(reader, node, "free", words, PERP_COUNT(words), &bit);
        if (!status && (*freedom & 1u << bit))
            return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                                  "free: \"%s\" was already given", node->text);
        *freedom |= 1u << bit;
    }
    return status;
}

static PerpStatus read_freedom(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    static const char *const words[] = {"all", "fixed", "point", "planar-xy", "planar-xz"};
    static const unsigned bits[] = {PERP_FREE_ALL, 0, PERP_FREE_POINT, PERP_FREE_PLANAR_XY,
                                    PERP_FREE_PLANAR_XZ};
    unsigned *freedom = target;
    if (value->kind == PERP_NODE_SEQUENCE)
        return read_directions(reader, value, freedom);
    int index = 0;
    PerpStatus status = perp_scene_word(reader, value, "free", words, PERP_COUNT(words), &index);
    if (!status)
        *freedom = bits[index];
    return status;
}

// Three moments, or six: xx yy zz xy xz yz.
static PerpStatus read_inertia(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    double *inertia = target;
    int count = value->kind == PERP_NODE_SEQUENCE && value->count == 6 ? 6 : 3;
    PerpStatus status = perp_scene_numbers(reader, value, count, "inertia", inertia);
    if (!status && !(inertia[0] > 0 && inertia[1] > 0 && inertia[2] > 0))
        status = perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                                "inertia: expected moments above 0");
    return status;
}

// Shapes in a list wait until the whole body is known.
static PerpStatus pass_over(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    (void)target;
    return perp_node_sequence(reader->document, value, "shapes");
}

#define DEF(member) offsetof(BodyDraft, def.member)
#define SHAPE(member) offsetof(BodyDraft, shape.def.member)
static const PerpField body_field_list[] = {
    PERP_SHAPE_KIND_FIELDS(offsetof(BodyDraft, shape)),
    {"shapes", PERP_FIELD_OWN, 0, pass_over, 0},
    {"at", PERP_FIELD_VECTOR, DEF(position), NULL, 0},
    {"turn", PERP_FIELD_OWN, DEF(rotation), perp_read_turn, 0},
    {"quaternion", PERP_FIELD_OWN, DEF(rotation), perp_read_quaternion, 0},
    {"velocity", PERP_FIELD_VECTOR, DEF(velocity), NULL, 0},
    {"spin", PERP_FIELD_VECTOR, DEF(spin), NULL, 0},
    {"mass", PERP_FIELD_POSITIVE, DEF(mass), NULL, 0},
    {"centre", PERP_FIELD_VECTOR, DEF(centre), NULL, 0},
    {"inertia", PERP_FIELD_OWN, DEF(inertia), read_inertia, 0},
    {"free", PERP_FIELD_OWN, DEF(freedom), read_freedom, 0},
    {"density", PERP_FIELD_NON_NEGATIVE, SHAPE(density), NULL, 0},
    {"material", PERP_FIELD_OWN, SHAPE(material), perp_read_shape_material, 0},
    {"group", PERP_FIELD_OWN, SHAPE(group), perp_read_group, 0},
    {"touches", PERP_FIELD_OWN, SHAPE(mask), perp_read_touches, 0},
    {"surface-velocity", PERP_FIELD_VECTOR, SHAPE(surface_velocity), NULL, 0},
    {"colour", PERP_FIELD_OWN, SHAPE(colour), perp_read_colour, 0},
};
#undef DEF
#undef SHAPE
static const PerpFields body_fields =
    PERP_FIELDS_OF_KINDS("a body", body_field_list, perp_shape_words);

static PerpStatus enter_body(PerpSceneReader *reader, const PerpNode *name, BodyDraft *draft)
{
    PerpStatus status = perp_scene_name(reader, name, "body", &draft->def.name);
    if (!status && strcmp(draft->def.name, "world") == 0)
        status = perp_node_fail(reader->document, name, PERP_BAD_VALUE,
                                "a body cannot have the name \"world\"; shapes of the world go "
                                "into the top-level key world");
    return status ? status
                  : perp_scene_enter(reader, name, "body", draft->def.name,
                                     &reader->scene->body_names);
}

static PerpStatus check_body(PerpSceneReader *reader, const PerpNode *item, int *kind)
{
    static const char *const pairs[][2] = {{"turn", "quaternion"}, {"mass", "density"}};
    PerpStatus status = perp_fields_check(reader, item, &body_fields);
    if (!status)
        status = perp_fields_choose(reader, item, perp_shape_words, PERP_SHAPE_KIND_COUNT, kind);
    for (int k = 0; !status && k < PERP_COUNT(pairs); k++)
        status = perp_fields_refuse_both(reader, item, pairs[k][0], pairs[k][1]);
    if (!status && *kind >= 0)
        status = perp_fields_refuse_both(reader, item, perp_shape_words[*kind], "shapes");
    return status;
}

static PerpStatus add_shapes(PerpSceneReader *reader, const PerpNode *item, BodyDraft *draft,
                             bool inline_shape)
{
    const PerpNode *shapes = perp_node_find(item, "shapes");
    PerpStatus status = PERP_OK;
    draft->shape.def.body = reader->scene->bodies.count - 1;
    if (inline_shape)
        return perp_add_shape(reader, item, &draft->shape);
    for (const PerpNode *node = shapes ? shapes->child : NULL; !status && node; node = node->next)
        status = perp_read_shape(reader, node, draft->shape);
    return status;
}

static PerpStatus check_static_shapes(PerpSceneReader *reader, const PerpNode *item, int first)
{
    const PerpShapeDef *shapes = reader->scene->shapes.items;
    for (int k = first; k < reader->scene->shapes.count; k++) {
        PerpShapeKind kind = shapes[k].kind;
        if (kind == PERP_SHAPE_PLANE || kind == PERP_SHAPE_MESH || kind == PERP_SHAPE_HEIGHT_FIELD)
            return perp_node_fail(reader->document, item, PERP_BAD_VALUE,
                                  "a %s only goes into the world or on a body with \"free: fixed\"",
                                  perp_shape_words[kind]);
    }
    return PERP_OK;
}

static PerpStatus check_companion(PerpSceneReader *reader, const PerpNode *item, const char *key,
                                  const char *companion)
{
    const PerpNode *node = perp_node_find(item, key);
    if (!node || perp_node_find(item, companion))
        return PERP_OK;
    return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX, "%s: expected also \"%s\"", key,
                          companion);
}

// A mass without inertia is spread over the shapes, unless the body cannot turn.
static PerpStatus set_mass(PerpSceneReader *reader, const PerpNode *item, int first_shape)
{
    PerpSceneList *bodies = &reader->scene->bodies;
    PerpBodyDef *def = (PerpBodyDef *)bodies->items + bodies->count - 1;
    const PerpNode *mass = perp_node_find(item, "mass");
    PerpStatus status = check_companion(reader, item, "inertia", "mass");
    if (!status)
        status = check_companion(reader, item, "centre", "mass");
    if (status || !mass || perp_node_find(item, "inertia") || !(def->freedom & ROTATIONS))
        return status;
    status = check_companion(reader, item, "centre", "inertia");
    if (!status)
        status = perp_share_mass(reader, mass, first_shape, def->mass);
    def->mass = 0;
    return status;
}

PerpStatus perp_read_body(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    BodyDraft draft = {.def = perp_default_body(), .shape = perp_shape_draft()};
    int kind = -1, first_shape = reader->scene->shapes.count;
    PerpStatus status = check_body(reader, item, &kind);
    if (!status)
        status = enter_body(reader, name, &draft);
    if (status)
        return status;
    draft.shape.def.kind = kind >= 0 ? (PerpShapeKind)kind : draft.shape.def.kind;
    status = perp_fields_read(reader, item, &body_fields, 0, "", &draft);
    if (!status)
        status = perp_scene_add(reader, item, &reader->scene->bodies, &draft.def);
    if (!status)
        status = add_shapes(reader, item, &draft, kind >= 0);
    if (!status && draft.def.freedom)
        status = check_static_shapes(reader, item, first_shape);
    return status ? status : set_mass(reader, item, first_shape);
}

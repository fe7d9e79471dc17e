// The sections springs, forces and exclude of a scene.
#include "io/scene/scene_reader.h"

#include <stddef.h>

static PerpStatus read_spring_bodies(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpSpringDef *def = target;
    return perp_scene_find_two_bodies(reader, value, "between", &def->body_a, &def->body_b);
}

static const PerpField spring_field_list[] = {
    {"between", PERP_FIELD_OWN, 0, read_spring_bodies, 0},
    {"from", PERP_FIELD_VECTOR, offsetof(PerpSpringDef, anchor_a), NULL, 0},
    {"to", PERP_FIELD_VECTOR, offsetof(PerpSpringDef, anchor_b), NULL, 0},
    {"stiffness", PERP_FIELD_NON_NEGATIVE, offsetof(PerpSpringDef, stiffness), NULL, 0},
    {"damping", PERP_FIELD_NON_NEGATIVE, offsetof(PerpSpringDef, damping), NULL, 0},
    {"rest", PERP_FIELD_NON_NEGATIVE, offsetof(PerpSpringDef, rest), NULL, 0},
    {"enabled", PERP_FIELD_OWN, offsetof(PerpSpringDef, start), perp_read_enabled, 0},
};
static const PerpFields spring_fields = PERP_FIELDS("a spring", spring_field_list);

PerpStatus perp_read_spring(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    static const char *const required[] = {"between", "from", "to"};
    const PerpNode *value;
    PerpSpringDef def = perp_default_spring();
    PerpStatus status = perp_fields_check(reader, item, &spring_fields);
    for (int k = 0; !status && k < PERP_COUNT(required); k++)
        status = perp_node_require(reader->document, item, required[k], &value);
    if (!status)
        status = perp_scene_name(reader, name, "spring", &def.name);
    if (!status)
        status = perp_scene_enter(reader, name, "spring", def.name, &reader->scene->spring_names);
    if (!status)
        status = perp_fields_read(reader, item, &spring_fields, 0, "", &def);
    return status ? status : perp_scene_add(reader, item, &reader->scene->springs, &def);
}

static const PerpField wave_field_list[] = {
    {"force", PERP_FIELD_VECTOR, offsetof(PerpForceDef, wave), NULL, 0},
    {"frequency", PERP_FIELD_NON_NEGATIVE, offsetof(PerpForceDef, frequency), NULL, 0},
    {"phase", PERP_FIELD_NUMBER, offsetof(PerpForceDef, phase), NULL, 0},
};
static const PerpFields wave_fields = PERP_FIELDS("wave", wave_field_list);

static PerpStatus read_wave(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    return perp_fields_read(reader, value, &wave_fields, 0, "", target);
}

static PerpStatus read_force_body(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpForceDef *def = target;
    return perp_scene_find(reader, value, "body", &reader->scene->body_names, &def->body);
}

// Three numbers or signals: target is the vector, and its signals stand elsewhere.
static PerpStatus read_changing(PerpSceneReader *reader, const PerpNode *value, const char *what,
                                double vector[3], int signal[3])
{
    PerpStatus status = perp_node_sequence_of(reader->document, value, 3, what);
    const PerpNode *node = value->child;
    for (int k = 0; k < 3 && !status; k++, node = node->next) {
        vector[k] = 0;
        status = perp_scene_number_or_signal(reader, node, &vector[k], &signal[k]);
    }
    return status;
}

static PerpStatus read_force_vector(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpForceDef *def = target;
    return read_changing(reader, value, "force", def->force, def->force_signal);
}

static PerpStatus read_torque_vector(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpForceDef *def = target;
    return read_changing(reader, value, "torque", def->torque, def->torque_signal);
}

static const PerpField force_field_list[] = {
    {"body", PERP_FIELD_OWN, 0, read_force_body, 0},
    {"at", PERP_FIELD_VECTOR, offsetof(PerpForceDef, point), NULL, 0},
    {"force", PERP_FIELD_OWN, 0, read_force_vector, 0},
    {"torque", PERP_FIELD_OWN, 0, read_torque_vector, 0},
    {"wave", PERP_FIELD_OWN, 0, read_wave, 0},
    {"start", PERP_FIELD_NUMBER, offsetof(PerpForceDef, start), NULL, 0},
    {"end", PERP_FIELD_BOUND, offsetof(PerpForceDef, end), NULL, 0},
};
static const PerpFields force_fields = PERP_FIELDS("a force", force_field_list);

PerpStatus perp_read_force(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    const PerpNode *body;
    PerpForceDef def = perp_default_force();
    PerpStatus status = perp_fields_check(reader, item, &force_fields);
    if (!status)
        status = perp_node_require(reader->document, item, "body", &body);
    if (!status)
        status = perp_scene_name(reader, name, "force", &def.name);
    if (!status)
        status = perp_scene_enter(reader, name, "force", def.name, &reader->scene->force_names);
    if (!status)
        status = perp_fields_read(reader, item, &force_fields, 0, "", &def);
    if (!status && !(def.start < def.end))
        status = perp_node_fail(reader->document, item, PERP_BAD_VALUE,
                                "a force: expected \"start\" before \"end\"");
    return status ? status : perp_scene_add(reader, item, &reader->scene->forces, &def);
}

PerpStatus perp_read_exclusion(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    (void)name;
    PerpExclusionDef def;
    PerpStatus status =
        perp_scene_find_two_bodies(reader, item, "exclude", &def.body_a, &def.body_b);
    return status ? status : perp_scene_add(reader, item, &reader->scene->exclusions, &def);
}

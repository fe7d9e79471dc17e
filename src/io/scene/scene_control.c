// The sections sites, actuators, motions and sensors of a scene.
#include "io/scene/scene_shape.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// --- sites --------------------------------------------------------------------------------------

static PerpStatus read_body(PerpSceneReader *reader, const PerpNode *value, void *body)
{
    return perp_scene_find_body(reader, value, body);
}

static const PerpField site_field_list[] = {
    {"body", PERP_FIELD_OWN, offsetof(PerpSiteDef, body), read_body, 0},
    {"at", PERP_FIELD_VECTOR, offsetof(PerpSiteDef, position), NULL, 0},
    {"turn", PERP_FIELD_OWN, offsetof(PerpSiteDef, rotation), perp_read_turn, 0},
    {"quaternion", PERP_FIELD_OWN, offsetof(PerpSiteDef, rotation), perp_read_quaternion, 0},
};
static const PerpFields site_fields = PERP_FIELDS("a site", site_field_list);

PerpStatus perp_read_site(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    PerpSiteDef def = perp_default_site();
    PerpStatus status = perp_scene_name(reader, name, "site", &def.name);
    if (!status)
        status = perp_scene_enter(reader, name, "site", def.name, &reader->scene->site_names);
    if (!status)
        status = perp_fields_read(reader, item, &site_fields, 0, "", &def);
    if (!status)
        status = perp_fields_refuse_both(reader, item, "turn", "quaternion");
    return status ? status : perp_scene_add(reader, item, &reader->scene->sites, &def);
}

// --- actuators ----------------------------------------------------------------------------------

static const char *const actuator_words[PERP_ACTUATOR_KIND_COUNT] = {
#define ACTUATOR_WORD(name, word, text) word,
    PERP_ACTUATOR_LIST(ACTUATOR_WORD)
#undef ACTUATOR_WORD
};

enum {
    FORCE = 1 << PERP_ACTUATOR_FORCE,
    VELOCITY = 1 << PERP_ACTUATOR_VELOCITY,
    POSITION = 1 << PERP_ACTUATOR_POSITION,
    MOTION = 1 << PERP_ACTUATOR_MOTION,
};

// The control: a signal, or the word input: what a program sets.
static PerpStatus read_control(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpActuatorDef *def = target;
    if (value->kind == PERP_NODE_SCALAR && strcmp(value->text, "input") == 0)
        return PERP_OK;
    return perp_scene_signal(reader, value, &def->control);
}

static PerpStatus read_joint(PerpSceneReader *reader, const PerpNode *value, void *joint)
{
    return perp_scene_find(reader, value, "joint", &reader->scene->joint_names, joint);
}

static PerpStatus read_coordinate(PerpSceneReader *reader, const PerpNode *value, void *coordinate)
{
    static const char *const words[] = {"first", "second"};
    return perp_scene_word(reader, value, "coordinate", words, 2, coordinate);
}

static PerpStatus read_site(PerpSceneReader *reader, const PerpNode *value, void *site)
{
    return perp_scene_find(reader, value, "site", &reader->scene->site_names, site);
}

static PerpStatus read_sites(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpActuatorDef *def = target;
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "sites");
    if (!status)
        status = read_site(reader, value->child, &def->site_a);
    return status ? status : read_site(reader, value->child->next, &def->site_b);
}

// One term of a tendon: {joint: a, ratio: 1, coordinate: first}
static const PerpField term_field_list[] = {
    {"joint", PERP_FIELD_OWN, offsetof(PerpTendonTerm, joint), read_joint, 0},
    {"coordinate", PERP_FIELD_OWN, offsetof(PerpTendonTerm, coordinate), read_coordinate, 0},
    {"ratio", PERP_FIELD_NUMBER, offsetof(PerpTendonTerm, ratio), NULL, 0},
};
static const PerpFields term_fields = PERP_FIELDS("a term of a tendon", term_field_list);

static PerpStatus read_tendon(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpActuatorDef *def = target;
    PerpStatus status = perp_node_sequence(reader->document, value, "tendon");
    if (!status && (value->count < 1 || value->count > PERP_TENDON_TERMS))
        status = perp_node_fail(reader->document, value, PERP_BAD_SIZE,
                                "tendon: expected 1 to %d terms", PERP_TENDON_TERMS);
    PerpTendonTerm *terms =
        status ? NULL : PERP_TAKE(&reader->scene->arena, PerpTendonTerm, value->count);
    if (!status && !terms)
        status = perp_scene_fail_for_memory(reader, value);
    for (const PerpNode *node = value->child; !status && node; node = node->next) {
        const PerpNode *required;
        PerpTendonTerm *term = &terms[def->n_terms++];
        *term = (PerpTendonTerm){.ratio = 1};
        status = perp_fields_read(reader, node, &term_fields, 0, "", term);
        if (!status)
            status = perp_node_require(reader->document, node, "joint", &required);
    }
    def->terms = terms;
    return status;
}

static PerpStatus read_range(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    double *range = target; // lower, upper
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "a range");
    if (!status)
        status = perp_scene_bound(reader, value->child, "a range", &range[0]);
    if (!status)
        status = perp_scene_bound(reader, value->child->next, "a range", &range[1]);
    if (!status && !(range[0] <= range[1]))
        status = perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                                "a range: expected the lower one first");
    return status;
}

#define DEF(member) offsetof(PerpActuatorDef, member)
static const PerpField actuator_field_list[] = {
    {"force", PERP_FIELD_OWN, 0, read_control, 0},
    {"velocity", PERP_FIELD_OWN, 0, read_control, 0},
    {"position", PERP_FIELD_OWN, 0, read_control, 0},
    {"motion", PERP_FIELD_OWN, 0, read_control, 0},
    {"joint", PERP_FIELD_OWN, DEF(joint), read_joint, 0},
    {"coordinate", PERP_FIELD_OWN, DEF(coordinate), read_coordinate, 0},
    {"tendon", PERP_FIELD_OWN, 0, read_tendon, 0},
    {"sites", PERP_FIELD_OWN, 0, read_sites, 0},
    {"site", PERP_FIELD_OWN, DEF(site_a), read_site, FORCE},
    {"push", PERP_FIELD_VECTOR, DEF(wrench), NULL, FORCE},
    {"twist", PERP_FIELD_VECTOR, DEF(wrench) + 3 * sizeof(double), NULL, FORCE},
    {"gear", PERP_FIELD_NUMBER, DEF(gear), NULL, 0},
    {"force-range", PERP_FIELD_OWN, DEF(force_lower), read_range, ~MOTION},
    {"control-range", PERP_FIELD_OWN, DEF(control_lower), read_range, ~MOTION},
    {"kp", PERP_FIELD_NON_NEGATIVE, DEF(kp), NULL, POSITION},
    {"kd", PERP_FIELD_NON_NEGATIVE, DEF(kd), NULL, POSITION | VELOCITY},
    {"time-constant", PERP_FIELD_NON_NEGATIVE, DEF(time_constant), NULL, ~MOTION},
    {"enabled", PERP_FIELD_OWN, DEF(start), perp_read_enabled, 0},
};
#undef DEF
static const PerpFields actuator_fields =
    PERP_FIELDS_OF_KINDS("an actuator", actuator_field_list, actuator_words);

PerpStatus perp_scene_add_actuator(PerpSceneReader *reader, const PerpNode *node,
                                   const PerpActuatorDef *def)
{
    PerpStatus status =
        perp_scene_enter(reader, node, "actuator", def->name, &reader->scene->actuator_names);
    return status ? status : perp_scene_add(reader, node, &reader->scene->actuators, def);
}

PerpStatus perp_read_actuator(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    static const char *const places[] = {"joint", "tendon", "sites", "site"};
    PerpActuatorDef def = perp_default_actuator();
    int kind = -1, place = -1;
    PerpStatus status = perp_fields_check(reader, item, &actuator_fields);
    if (!status)
        status = perp_fields_choose(reader, item, actuator_words, PERP_ACTUATOR_KIND_COUNT, &kind);
    if (!status && kind < 0)
        status = perp_node_fail(reader->document, item, PERP_BAD_SYNTAX,
                                "an actuator: expected one of the keys force, velocity, position, "
                                "motion, with its control");
    if (!status)
        status = perp_fields_choose(reader, item, places, 4, &place);
    if (!status && place < 0)
        status = perp_node_fail(reader->document, item, PERP_BAD_SYNTAX,
                                "an actuator: expected one of the keys joint, tendon, sites, site, "
                                "on which it acts");
    if (!status)
        status = perp_scene_name(reader, name, "actuator", &def.name);
    if (status)
        return status;
    def.kind = (PerpActuatorKind)kind;
    status =
        perp_fields_read(reader, item, &actuator_fields, 1u << kind, actuator_words[kind], &def);
    return status ? status : perp_scene_add_actuator(reader, name, &def);
}

// --- motions ------------------------------------------------------------------------------------

static PerpStatus read_signals(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    int *signal = target;
    PerpStatus status = perp_node_sequence_of(reader->document, value, 3, "a motion");
    const PerpNode *node = value->child;
    for (int k = 0; k < 3 && !status; k++, node = node->next)
        status = perp_scene_signal(reader, node, &signal[k]);
    return status;
}

static PerpStatus read_angle(PerpSceneReader *reader, const PerpNode *value, void *signal)
{
    return perp_scene_signal(reader, value, signal);
}

enum { BY_POSITION = 1, BY_VELOCITY = 2 };
static const PerpField motion_field_list[] = {
    {"position", PERP_FIELD_OWN, offsetof(PerpMotionDef, position), read_signals, BY_POSITION},
    {"angle", PERP_FIELD_OWN, offsetof(PerpMotionDef, angle), read_angle, BY_POSITION},
    {"velocity", PERP_FIELD_OWN, offsetof(PerpMotionDef, position), read_signals, BY_VELOCITY},
    {"spin", PERP_FIELD_OWN, offsetof(PerpMotionDef, angle), read_angle, BY_VELOCITY},
    {"axis", PERP_FIELD_DIRECTION, offsetof(PerpMotionDef, axis), NULL, 0},
};
static const PerpFields motion_fields = PERP_FIELDS("a motion", motion_field_list);

// By the name of a body: {position: [x, y, z], axis: [x, y, z], angle: a}, or velocity and spin.
PerpStatus perp_read_motion(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    PerpMotionDef def = perp_default_motion();
    PerpStatus status =
        perp_scene_find(reader, name, "body", &reader->scene->body_names, &def.body);
    if (!status)
        status = perp_fields_check(reader, item, &motion_fields);
    if (status)
        return status;
    def.is_velocity = perp_node_find(item, "velocity") || perp_node_find(item, "spin");
    status =
        perp_fields_read(reader, item, &motion_fields, def.is_velocity ? BY_VELOCITY : BY_POSITION,
                         def.is_velocity ? "velocity" : "position", &def);
    return status ? status : perp_scene_add(reader, item, &reader->scene->motions, &def);
}

// --- sensors ------------------------------------------------------------------------------------

static const char *const sensor_words[PERP_SENSOR_KIND_COUNT] = {
#define SENSOR_WORD(name, word, numbers, object, unit, text) word,
    PERP_SENSOR_LIST(SENSOR_WORD)
#undef SENSOR_WORD
};

// How many shapes have a name, and the last of them.
static int count_shapes(const PerpScene *scene, const char *name, int *shape)
{
    const PerpShapeDef *shapes = scene->shapes.items;
    int count = 0;
    for (int k = 0; k < scene->shapes.count; k++)
        if (strcmp(shapes[k].name, name) == 0) {
            *shape = k;
            count++;
        }
    return count;
}

// A body, the world if it is allowed, or a shape by its name, which stands for its body.
static PerpStatus read_body_or_shape(PerpSceneReader *reader, const PerpNode *value, bool world,
                                     int *body, int *shape)
{
    const char *name;
    PerpStatus status = perp_scene_name(reader, value, "body", &name);
    int found = -1, count = status ? 0 : count_shapes(reader->scene, name, &found);
    if (status || perp_names_find(&reader->scene->body_names, name) >= 0 || count == 0)
        return status  ? status
               : world ? perp_scene_find_body(reader, value, body)
                       : perp_scene_find(reader, value, "body", &reader->scene->body_names, body);
    *shape = found;
    *body = ((const PerpShapeDef *)reader->scene->shapes.items)[found].body;
    if (count > 1)
        return perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                              "%d shapes have the name \"%s\"", count, name);
    if (*body < 0 && !world)
        return perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                              "the shape \"%s\" is of the world; name a body first", name);
    return PERP_OK;
}

static PerpStatus read_two_bodies(PerpSceneReader *reader, const PerpNode *value,
                                  PerpSensorDef *def)
{
    if (value->kind != PERP_NODE_SEQUENCE)
        return read_body_or_shape(reader, value, false, &def->index, &def->shape);
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "the bodies of a sensor");
    if (!status)
        status = read_body_or_shape(reader, value->child, false, &def->index, &def->shape);
    return status ? status
                  : read_body_or_shape(reader, value->child->next, true, &def->other,
                                       &def->other_shape);
}

// [a, b, ...], or all
static PerpStatus read_set(PerpSceneReader *reader, const PerpNode *value, PerpSensorDef *def)
{
    if (value->kind == PERP_NODE_SCALAR && strcmp(value->text, "all") == 0)
        return PERP_OK;
    PerpStatus status = perp_node_sequence(reader->document, value, "the bodies of a sensor");
    if (!status && value->count == 0)
        status = perp_node_fail(reader->document, value, PERP_BAD_SIZE,
                                "the bodies of a sensor: expected some, or all");
    int *bodies = status ? NULL : PERP_TAKE(&reader->scene->arena, int, value->count);
    if (!status && !bodies)
        status = perp_scene_fail_for_memory(reader, value);
    for (const PerpNode *node = value->child; !status && node; node = node->next)
        status = perp_scene_find(reader, node, "body", &reader->scene->body_names,
                                 &bodies[def->n_bodies++]);
    def->bodies = bodies;
    return status;
}

static PerpStatus read_object(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpSensorDef *def = target;
    switch (perp_sensor_kind_object(def->kind)) {
    case PERP_SENSES_JOINT:
        return read_joint(reader, value, &def->index);
    case PERP_SENSES_ACTUATOR:
        return perp_scene_find(reader, value, "actuator", &reader->scene->actuator_names,
                               &def->index);
    case PERP_SENSES_BODY:
        return read_two_bodies(reader, value, def);
    case PERP_SENSES_BODIES:
        return read_set(reader, value, def);
    case PERP_SENSES_SITE:
        return read_site(reader, value, &def->index);
    default:
        return perp_scene_signal(reader, value, &def->index);
    }
}

enum {
    ON_COORDINATE = 1 << PERP_SENSOR_JOINT_POSITION | 1 << PERP_SENSOR_JOINT_SPEED |
                    1 << PERP_SENSOR_MOTOR_FORCE,
    IN_A_FRAME = 1 << PERP_SENSOR_JOINT_FORCE | 1 << PERP_SENSOR_JOINT_MOMENT |
                 1 << PERP_SENSOR_CONTACT_FORCE | 1 << PERP_SENSOR_CONTACT_MOMENT,
};

#define DEF(member) offsetof(PerpSensorDef, member)
static const PerpField sensor_field_list[] = {
#define SENSOR_FIELD(name, word, numbers, object, unit, text)                                      \
    {word, PERP_FIELD_OWN, 0, read_object, 0},
    PERP_SENSOR_LIST(SENSOR_FIELD)
#undef SENSOR_FIELD
        {"coordinate", PERP_FIELD_OWN, DEF(coordinate), read_coordinate, ON_COORDINATE},
    {"frame", PERP_FIELD_OWN, DEF(frame), read_site, IN_A_FRAME},
    {"noise", PERP_FIELD_NON_NEGATIVE, DEF(noise), NULL, 0},
    {"limit", PERP_FIELD_POSITIVE, DEF(limit), NULL, 1 << PERP_SENSOR_RANGE},
};
#undef DEF
static const PerpFields sensor_fields =
    PERP_FIELDS_OF_KINDS("a sensor", sensor_field_list, sensor_words);

PerpStatus perp_read_sensor(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    PerpSensorDef def = perp_default_sensor();
    int kind = -1;
    PerpStatus status = perp_fields_check(reader, item, &sensor_fields);
    if (!status)
        status = perp_fields_choose(reader, item, sensor_words, PERP_SENSOR_KIND_COUNT, &kind);
    if (!status && kind < 0)
        status = perp_node_fail(reader->document, item, PERP_BAD_SYNTAX,
                                "a sensor: expected one of the keys joint-position, joint-force, "
                                "contact-force, accelerometer, ... of docs/control.md");
    if (!status)
        status = perp_scene_name(reader, name, "sensor", &def.name);
    if (!status)
        status = perp_scene_enter(reader, name, "sensor", def.name, &reader->scene->sensor_names);
    if (status)
        return status;
    def.kind = (PerpSensorKind)kind;
    status = perp_fields_read(reader, item, &sensor_fields, 1u << kind, sensor_words[kind], &def);
    return status ? status : perp_scene_add(reader, item, &reader->scene->sensors, &def);
}

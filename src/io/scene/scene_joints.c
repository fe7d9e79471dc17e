// The section joints of a scene: {hinge: [a, b], at: [x, y, z], axis: [x, y, z], ...}
#include "io/scene/scene_reader.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const joint_words[PERP_JOINT_KIND_COUNT] = {
#define JOINT_WORD(name, word, equations, coordinates, text) word,
    PERP_JOINT_LIST(JOINT_WORD)
#undef JOINT_WORD
};

static const int joint_coordinates[PERP_JOINT_KIND_COUNT] = {
#define JOINT_COORDINATES(name, word, equations, coordinates, text) coordinates,
    PERP_JOINT_LIST(JOINT_COORDINATES)
#undef JOINT_COORDINATES
};

enum {
#define JOINT_BIT(name, word, equations, coordinates, text) name = 1 << PERP_JOINT_##name,
    PERP_JOINT_LIST(JOINT_BIT)
#undef JOINT_BIT
#define WITH_ONE(name, word, equations, coordinates, text) | ((coordinates) == 1 ? name : 0)
#define WITH_TWO(name, word, equations, coordinates, text) | ((coordinates) == 2 ? name : 0)
        ONE_COORDINATE = 0 PERP_JOINT_LIST(WITH_ONE),
    TWO_COORDINATES = 0 PERP_JOINT_LIST(WITH_TWO),
#undef WITH_ONE
#undef WITH_TWO
    WITH_AXIS = HINGE | SLIDER | UNIVERSAL | CYLINDRICAL | POINT_ON_PLANE,
    WITH_ANCHOR = BALL | WELD | WITH_AXIS,
    WITH_TWO_ANCHORS = DISTANCE | ROPE,
};

static PerpStatus read_limits(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpAxisDef *axis = target;
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "limits");
    if (!status)
        status = perp_scene_bound(reader, value->child, "limits", &axis->lower);
    if (!status)
        status = perp_scene_bound(reader, value->child->next, "limits", &axis->upper);
    if (!status &&
        !(axis->lower <= axis->upper && axis->lower < INFINITY && axis->upper > -INFINITY))
        status = perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                                "limits: expected the lower one first");
    return status;
}

// A motor whose speed is a number is part of the joint; others are actuators of the joint's name.
typedef struct Motor {
    double speed, force, kp, kd;
    int signal; // -1: none
    bool has_target;
} Motor;

static PerpStatus read_speed(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    Motor *motor = target;
    return perp_scene_number_or_signal(reader, value, &motor->speed, &motor->signal);
}

static PerpStatus read_target(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    Motor *motor = target;
    motor->has_target = true;
    return perp_scene_signal(reader, value, &motor->signal);
}

static const PerpField motor_field_list[] = {
    {"speed", PERP_FIELD_OWN, 0, read_speed, 0},
    {"target", PERP_FIELD_OWN, 0, read_target, 0},
    {"kp", PERP_FIELD_NON_NEGATIVE, offsetof(Motor, kp), NULL, 0},
    {"kd", PERP_FIELD_NON_NEGATIVE, offsetof(Motor, kd), NULL, 0},
    {"force", PERP_FIELD_POSITIVE, offsetof(Motor, force), NULL, 0},
};
static const PerpFields motor_fields = PERP_FIELDS("motor", motor_field_list);

static PerpStatus add_motor(PerpSceneReader *reader, const PerpNode *value, const Motor *motor)
{
    PerpActuatorDef def = perp_default_actuator();
    int joint = reader->scene->joints.count; // the one that is being read
    def.name = reader->scene->joint_names.names[joint].text;
    def.kind = motor->has_target ? PERP_ACTUATOR_POSITION : PERP_ACTUATOR_VELOCITY;
    def.control = motor->signal;
    def.joint = joint;
    def.coordinate = reader->coordinate;
    def.kp = motor->kp;
    def.kd = motor->kd;
    def.force_lower = -motor->force;
    def.force_upper = motor->force;
    return perp_scene_add_actuator(reader, value, &def);
}

static PerpStatus read_motor(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpAxisDef *axis = target;
    const PerpNode *required;
    Motor motor = {.signal = -1};
    PerpStatus status = perp_fields_read(reader, value, &motor_fields, 0, "", &motor);
    if (!status)
        status = perp_node_require(reader->document, value, "force", &required);
    if (!status)
        status = perp_fields_refuse_both(reader, value, "speed", "target");
    if (!status && motor.has_target)
        status = perp_node_require(reader->document, value, "kp", &required);
    if (status || motor.signal >= 0)
        return status ? status : add_motor(reader, value, &motor);
    axis->motor_speed = motor.speed;
    axis->motor_force = motor.force;
    return PERP_OK;
}

static const PerpField spring_field_list[] = {
    {"stiffness", PERP_FIELD_NON_NEGATIVE, offsetof(PerpAxisDef, stiffness), NULL, 0},
    {"damping", PERP_FIELD_NON_NEGATIVE, offsetof(PerpAxisDef, damping), NULL, 0},
    {"rest", PERP_FIELD_NUMBER, offsetof(PerpAxisDef, rest), NULL, 0},
};
static const PerpFields spring_fields = PERP_FIELDS("spring", spring_field_list);

static PerpStatus read_axis_spring(PerpSceneReader *reader, const PerpNode *value, void *axis)
{
    return perp_fields_read(reader, value, &spring_fields, 0, "", axis);
}

static const PerpField soft_field_list[] = {
    {"stiffness", PERP_FIELD_POSITIVE, offsetof(PerpAxisSoftDef, limit_stiffness), NULL, 0},
    {"damping", PERP_FIELD_NON_NEGATIVE, offsetof(PerpAxisSoftDef, limit_damping), NULL, 0},
};
static const PerpFields soft_fields = PERP_FIELDS("soft-limits", soft_field_list);

static PerpStatus read_soft_limits(PerpSceneReader *reader, const PerpNode *value, void *soft)
{
    const PerpNode *required;
    PerpStatus status = perp_fields_read(reader, value, &soft_fields, 0, "", soft);
    return status ? status : perp_node_require(reader->document, value, "stiffness", &required);
}

#define AXIS(k) (offsetof(PerpJointDef, axis_def) + (k) * sizeof(PerpAxisDef))
#define SOFT(k) (offsetof(PerpJointDef, axis_soft) + (k) * sizeof(PerpAxisSoftDef))
// What acts on coordinate k: of the only one directly, of two under `first` and `second`.
#define AXIS_FIELDS(k, only)                                                                       \
    {"limits", PERP_FIELD_OWN, AXIS(k), read_limits, only},                                        \
        {"soft-limits", PERP_FIELD_OWN, SOFT(k), read_soft_limits, only},                          \
        {"armature", PERP_FIELD_NON_NEGATIVE, SOFT(k) + offsetof(PerpAxisSoftDef, armature), NULL, \
         only},                                                                                    \
        {"motor", PERP_FIELD_OWN, AXIS(k), read_motor, only},                                      \
        {"friction", PERP_FIELD_NON_NEGATIVE, AXIS(k) + offsetof(PerpAxisDef, friction), NULL,     \
         only},                                                                                    \
    {                                                                                              \
        "spring", PERP_FIELD_OWN, AXIS(k), read_axis_spring, only                                  \
    }
#define RESTITUTION(k)                                                                             \
    {                                                                                              \
        "restitution", PERP_FIELD_FRACTION, AXIS(k) + offsetof(PerpAxisDef, restitution), NULL, 0  \
    }

static const PerpField first_field_list[] = {AXIS_FIELDS(0, 0), RESTITUTION(0)};
static const PerpField second_field_list[] = {AXIS_FIELDS(1, 0), RESTITUTION(1)};
static const PerpFields first_fields = PERP_FIELDS("a coordinate", first_field_list);
static const PerpFields second_fields = PERP_FIELDS("a coordinate", second_field_list);

static PerpStatus read_first(PerpSceneReader *reader, const PerpNode *value, void *joint)
{
    reader->coordinate = 0;
    return perp_fields_read(reader, value, &first_fields, 0, "", joint);
}

static PerpStatus read_second(PerpSceneReader *reader, const PerpNode *value, void *joint)
{
    reader->coordinate = 1;
    return perp_fields_read(reader, value, &second_fields, 0, "", joint);
}

// Of a rope when it goes taut, of a hinge or slider at its limits.
static PerpStatus read_restitution(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    static const PerpField field = {"restitution", PERP_FIELD_FRACTION, 0, NULL, 0};
    PerpJointDef *def = target;
    double *restitution =
        def->kind == PERP_JOINT_ROPE ? &def->restitution : &def->axis_def[0].restitution;
    return perp_field_value(reader, value, &field, restitution);
}

// The two joints of a coupling, which may stand further down.
static PerpStatus read_coupling(PerpSceneReader *reader, const PerpNode *value)
{
    PerpPendingCoupling coupling = {.joint = reader->scene->joints.count,
                                    .document = reader->document};
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "coupling");
    const PerpNode *node = value->child;
    for (int k = 0; !status && k < 2; k++, node = node->next) {
        coupling.node[k] = node;
        status = perp_scene_name(reader, node, "joint", &coupling.name[k]);
    }
    return status ? status : perp_scene_add(reader, value, &reader->couplings, &coupling);
}

// The two that a joint is between: bodies but for couplings.
static PerpStatus read_members(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpJointDef *def = target;
    if (def->kind == PERP_JOINT_COUPLING)
        return read_coupling(reader, value);
    return perp_scene_find_two_bodies(reader, value, joint_words[def->kind], &def->body_a,
                                      &def->body_b);
}

static PerpStatus read_ratio(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpJointDef *def = target;
    double ratio[2] = {1, 1};
    PerpStatus status = perp_scene_numbers(reader, value, 2, "ratio", ratio);
    if (!status && (ratio[0] == 0 || ratio[1] == 0))
        status = perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                                "ratio: expected two numbers other than 0");
    def->ratio_a = ratio[0];
    def->ratio_b = ratio[1];
    return status;
}

static PerpStatus read_coordinates(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    static const char *const words[] = {"first", "second"};
    PerpJointDef *def = target;
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "coordinates");
    if (!status)
        status = perp_scene_word(reader, value->child, "coordinates", words, 2, &def->coordinate_a);
    if (!status)
        status = perp_scene_word(reader, value->child->next, "coordinates", words, 2,
                                 &def->coordinate_b);
    return status;
}

#define DEF(member) offsetof(PerpJointDef, member)
static const PerpField joint_field_list[] = {
#define JOINT_FIELD(name, word, equations, coordinates, text)                                      \
    {word, PERP_FIELD_OWN, 0, read_members, 0},
    PERP_JOINT_LIST(JOINT_FIELD)
#undef JOINT_FIELD
        {"at", PERP_FIELD_VECTOR, DEF(anchor), NULL, WITH_ANCHOR},
    {"from", PERP_FIELD_VECTOR, DEF(anchor), NULL, WITH_TWO_ANCHORS},
    {"to", PERP_FIELD_VECTOR, DEF(anchor_b), NULL, WITH_TWO_ANCHORS},
    {"axis", PERP_FIELD_DIRECTION, DEF(axis), NULL, WITH_AXIS},
    {"second-axis", PERP_FIELD_DIRECTION, DEF(axis_b), NULL, UNIVERSAL},
    {"length", PERP_FIELD_POSITIVE, DEF(length), NULL, WITH_TWO_ANCHORS},
    {"restitution", PERP_FIELD_OWN, 0, read_restitution, ROPE | ONE_COORDINATE},
    {"ratchet", PERP_FIELD_FLAG, DEF(ratchet), NULL, ONE_COORDINATE},
    AXIS_FIELDS(0, ONE_COORDINATE),
    {"first", PERP_FIELD_OWN, 0, read_first, TWO_COORDINATES},
    {"second", PERP_FIELD_OWN, 0, read_second, TWO_COORDINATES},
    {"ratio", PERP_FIELD_OWN, 0, read_ratio, COUPLING},
    {"coordinates", PERP_FIELD_OWN, 0, read_coordinates, COUPLING},
    {"collide", PERP_FIELD_FLAG, DEF(collide), NULL, ~COUPLING},
    {"enabled", PERP_FIELD_OWN, DEF(start), perp_read_enabled, 0},
};
#undef DEF
static const PerpFields joint_fields =
    PERP_FIELDS_OF_KINDS("a joint", joint_field_list, joint_words);

static PerpStatus require_keys(PerpSceneReader *reader, const PerpNode *item, PerpJointKind kind)
{
    const PerpNode *required;
    PerpStatus status = PERP_OK;
    if (1 << kind & (WITH_ANCHOR & ~WELD))
        status = perp_node_require(reader->document, item, "at", &required);
    if (!status && 1 << kind & WITH_TWO_ANCHORS)
        status = perp_node_require(reader->document, item, "from", &required);
    if (!status && 1 << kind & WITH_TWO_ANCHORS)
        status = perp_node_require(reader->document, item, "to", &required);
    if (!status && 1 << kind & WITH_AXIS)
        status = perp_node_require(reader->document, item, "axis", &required);
    if (!status && 1 << kind & UNIVERSAL)
        status = perp_node_require(reader->document, item, "second-axis", &required);
    return status;
}

#define JOINT_KEY(name, word, equations, coordinates, text) word ", "
static PerpStatus check_joint(PerpSceneReader *reader, const PerpNode *item, int *kind)
{
    PerpStatus status = perp_fields_check(reader, item, &joint_fields);
    if (!status)
        status = perp_fields_choose(reader, item, joint_words, PERP_JOINT_KIND_COUNT, kind);
    if (!status && *kind < 0)
        status =
            perp_node_fail(reader->document, item, PERP_BAD_SYNTAX,
                           "a joint: expected " PERP_JOINT_LIST(JOINT_KEY) "as one of its keys");
    return status ? status : require_keys(reader, item, (PerpJointKind)*kind);
}

PerpStatus perp_read_joint(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    PerpScene *scene = reader->scene;
    PerpJointDef def = perp_default_joint();
    int kind = -1;
    PerpStatus status = check_joint(reader, item, &kind);
    if (!status)
        status = perp_scene_name(reader, name, "joint", &def.name);
    if (!status)
        status = perp_scene_enter(reader, name, "joint", def.name, &scene->joint_names);
    if (status)
        return status;
    def.kind = (PerpJointKind)kind;
    reader->coordinate = 0;
    status = perp_fields_read(reader, item, &joint_fields, 1u << kind, joint_words[kind], &def);
    return status ? status : perp_scene_add(reader, item, &scene->joints, &def);
}

static PerpStatus resolve(PerpSceneReader *reader, const PerpNode *node, const char *name,
                          int coordinate, int *joint)
{
    const PerpNames *names = &reader->scene->joint_names;
    *joint = perp_names_find(names, name);
    if (*joint < 0)
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "there is no joint \"%s\"; the nearest is \"%s\"", name,
                              perp_names_nearest(names, name, NULL));
    const PerpJointDef *def = (const PerpJointDef *)reader->scene->joints.items + *joint;
    if (coordinate >= joint_coordinates[def->kind])
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "the joint \"%s\" is a %s, which has %d coordinates to couple", name,
                              joint_words[def->kind], joint_coordinates[def->kind]);
    return PERP_OK;
}

PerpStatus perp_resolve_couplings(PerpSceneReader *reader)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < reader->couplings.count; k++) {
        const PerpPendingCoupling *c = (const PerpPendingCoupling *)reader->couplings.items + k;
        PerpJointDef *def = (PerpJointDef *)reader->scene->joints.items + c->joint;
        reader->document = c->document;
        status = resolve(reader, c->node[0], c->name[0], def->coordinate_a, &def->joint_a);
        if (!status)
            status = resolve(reader, c->node[1], c->name[1], def->coordinate_b, &def->joint_b);
    }
    return status;
}

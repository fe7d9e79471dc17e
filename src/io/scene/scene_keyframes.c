// The section keyframes of a scene: named states of bodies, joints, controls and inputs.
#include "io/scene/scene_shape.h"

#include <stddef.h>
#include <string.h>

// --- bodies -------------------------------------------------------------------------------------

static const PerpField pose_field_list[] = {
    {"at", PERP_FIELD_VECTOR, offsetof(PerpKeyframePose, position), NULL, 0},
    {"turn", PERP_FIELD_OWN, offsetof(PerpKeyframePose, rotation), perp_read_turn, 0},
    {"quaternion", PERP_FIELD_OWN, offsetof(PerpKeyframePose, rotation), perp_read_quaternion, 0},
    {"velocity", PERP_FIELD_VECTOR, offsetof(PerpKeyframePose, velocity), NULL, 0},
    {"spin", PERP_FIELD_VECTOR, offsetof(PerpKeyframePose, spin), NULL, 0},
};
static const PerpFields pose_fields = PERP_FIELDS("a body of a keyframe", pose_field_list);

// What is not said is as the body's own definition has it.
static PerpStatus read_pose(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item,
                            void *target)
{
    PerpKeyframePose *pose = target;
    PerpStatus status =
        perp_scene_find(reader, name, "body", &reader->scene->body_names, &pose->body);
    if (status)
        return status;
    const PerpBodyDef *body = (const PerpBodyDef *)reader->scene->bodies.items + pose->body;
    memcpy(pose->position, body->position, sizeof pose->position);
    memcpy(pose->rotation, body->rotation, sizeof pose->rotation);
    memcpy(pose->velocity, body->velocity, sizeof pose->velocity);
    memcpy(pose->spin, body->spin, sizeof pose->spin);
    status = perp_fields_refuse_both(reader, item, "turn", "quaternion");
    return status ? status : perp_fields_read(reader, item, &pose_fields, 0, "", pose);
}

// --- joints -------------------------------------------------------------------------------------

static PerpStatus read_coordinate(PerpSceneReader *reader, const PerpNode *value, void *coordinate)
{
    static const char *const words[] = {"first", "second"};
    return perp_scene_word(reader, value, "coordinate", words, 2, coordinate);
}

static const PerpField joint_field_list[] = {
    {"coordinate", PERP_FIELD_OWN, offsetof(PerpKeyframeJoint, coordinate), read_coordinate, 0},
    {"position", PERP_FIELD_NUMBER, offsetof(PerpKeyframeJoint, position), NULL, 0},
    {"speed", PERP_FIELD_NUMBER, offsetof(PerpKeyframeJoint, speed), NULL, 0},
};
static const PerpFields joint_fields = PERP_FIELDS("a joint of a keyframe", joint_field_list);

// A position, or {position: 0.3, speed: 1, coordinate: second}.
static PerpStatus read_joint(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item,
                             void *target)
{
    PerpKeyframeJoint *joint = target;
    PerpStatus status =
        perp_scene_find(reader, name, "joint", &reader->scene->joint_names, &joint->joint);
    if (status)
        return status;
    return item->kind == PERP_NODE_MAPPING
               ? perp_fields_read(reader, item, &joint_fields, 0, "", joint)
               : perp_scene_number(reader, item, "position", &joint->position);
}

// --- controls and inputs ------------------------------------------------------------------------

static PerpStatus read_control(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item,
                               void *target)
{
    PerpKeyframeValue *value = target;
    PerpStatus status =
        perp_scene_find(reader, name, "actuator", &reader->scene->actuator_names, &value->index);
    return status ? status : perp_scene_number(reader, item, "control", &value->value);
}

static PerpStatus read_input(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item,
                             void *target)
{
    PerpKeyframeValue *value = target;
    PerpStatus status =
        perp_scene_find(reader, name, "signal", &reader->scene->signal_names, &value->index);
    return status ? status : perp_scene_number(reader, item, "input", &value->value);
}

// --- all of it ----------------------------------------------------------------------------------

typedef PerpStatus (*ReadItem)(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item,
                               void *target);

// The items of a mapping, in memory of the scene.
static PerpStatus read_list(PerpSceneReader *reader, const PerpNode *mapping, const char *what,
                            ReadItem read, size_t size, const void **items, int *count)
{
    PerpStatus status = perp_node_mapping(reader->document, mapping, what);
    char *made = NULL;
    for (const PerpNode *key = status ? NULL : mapping->child; key; key = key->next->next)
        ++*count;
    if (!status) {
        made = perp_arena_take(&reader->scene->arena, (size_t)*count + 1, size);
        status = made ? PERP_OK : perp_scene_fail_for_memory(reader, mapping);
    }
    *items = made;
    for (const PerpNode *key = mapping->child; !status && key; key = key->next->next) {
        memset(made, 0, size);
        status = read(reader, key, key->next, made);
        made += size;
    }
    return status;
}

static PerpStatus read_bodies(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpKeyframeDef *def = target;
    return read_list(reader, value, "bodies", read_pose, sizeof *def->poses,
                     (const void **)&def->poses, &def->n_poses);
}

static PerpStatus read_joints(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpKeyframeDef *def = target;
    return read_list(reader, value, "joints", read_joint, sizeof *def->joints,
                     (const void **)&def->joints, &def->n_joints);
}

static PerpStatus read_controls(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpKeyframeDef *def = target;
    return read_list(reader, value, "controls", read_control, sizeof *def->controls,
                     (const void **)&def->controls, &def->n_controls);
}

static PerpStatus read_inputs(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpKeyframeDef *def = target;
    return read_list(reader, value, "inputs", read_input, sizeof *def->inputs,
                     (const void **)&def->inputs, &def->n_inputs);
}

static const PerpField keyframe_field_list[] = {
    {"bodies", PERP_FIELD_OWN, 0, read_bodies, 0},
    {"joints", PERP_FIELD_OWN, 0, read_joints, 0},
    {"controls", PERP_FIELD_OWN, 0, read_controls, 0},
    {"inputs", PERP_FIELD_OWN, 0, read_inputs, 0},
};
static const PerpFields keyframe_fields = PERP_FIELDS("a keyframe", keyframe_field_list);

PerpStatus perp_read_keyframe(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    PerpKeyframeDef def = perp_default_keyframe();
    PerpStatus status = perp_scene_name(reader, name, "keyframe", &def.name);
    if (!status)
        status =
            perp_scene_enter(reader, name, "keyframe", def.name, &reader->scene->keyframe_names);
    if (!status)
        status = perp_fields_read(reader, item, &keyframe_fields, 0, "", &def);
    return status ? status : perp_scene_add(reader, item, &reader->scene->keyframes, &def);
}

// run: {keyframe: name}, once keyframes are known.
PerpStatus perp_read_start_keyframe(PerpSceneReader *reader)
{
    PerpStatus status = PERP_OK;
    for (PerpSceneFile *file = reader->first_file; !status && file; file = file->next) {
        const PerpNode *run = perp_node_find(file->document.root, "run");
        const PerpNode *key = run ? perp_node_find(run, "keyframe") : NULL;
        reader->document = &file->document;
        if (key)
            status = perp_scene_find(reader, key, "keyframe", &reader->scene->keyframe_names,
                                     &reader->scene->def.keyframe);
    }
    return status;
}

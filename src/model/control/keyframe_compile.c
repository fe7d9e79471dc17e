// Keyframes: named states, checked and copied.
#include "model/compile.h"

#include <string.h>

static void check_poses(PerpCheck *check, const PerpModel *model, const PerpKeyframeDef *def)
{
    for (int k = 0; k < def->n_poses && !check->status; k++) {
        const PerpKeyframePose *pose = &def->poses[k];
        perp_check_index(check, "body", pose->body, 0, model->n_bodies);
        perp_check_finite(check, "position", pose->position, 3);
        perp_check_rotation(check, "rotation", pose->rotation);
        perp_check_finite(check, "velocity", pose->velocity, 3);
        perp_check_finite(check, "spin", pose->spin, 3);
    }
}

static void check_joints(PerpCheck *check, const PerpModel *model, const PerpKeyframeDef *def)
{
    for (int k = 0; k < def->n_joints && !check->status; k++) {
        const PerpKeyframeJoint *joint = &def->joints[k];
        perp_check_index(check, "joint", joint->joint, 0, model->n_joints);
        if (!check->status)
            perp_check_index(check, "coordinate", joint->coordinate, 0,
                             perp_joint_table(model->joints[joint->joint].kind)->coordinates);
        perp_check_number(check, "position", joint->position);
        perp_check_number(check, "speed", joint->speed);
    }
}

static void check_values(PerpCheck *check, const PerpModel *model, const PerpKeyframeDef *def)
{
    const PerpControlModel *c = &model->control;
    for (int k = 0; k < def->n_controls && !check->status; k++) {
        int actuator = def->controls[k].index;
        perp_check_index(check, "actuator", actuator, 0, c->n_actuators);
        perp_check_number(check, "control", def->controls[k].value);
        if (!check->status && c->actuators[actuator].control >= 0)
            perp_check_fail(check, PERP_BAD_VALUE, "actuator \"%.100s\" follows a signal",
                            c->actuators[actuator].name);
    }
    for (int k = 0; k < def->n_inputs && !check->status; k++) {
        int signal = def->inputs[k].index;
        perp_check_index(check, "signal", signal, 0, c->n_signals);
        perp_check_number(check, "input", def->inputs[k].value);
        if (!check->status && c->signals[signal].kind != PERP_SIGNAL_INPUT)
            perp_check_fail(check, PERP_BAD_VALUE, "signal \"%.100s\" is no input",
                            c->signals[signal].name);
    }
}

static void *copy(const PerpModel *model, const void *from, int count, size_t size)
{
    void *to = perp_allocate(&model->context.allocator, (size_t)count, size);
    if (to && count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

static PerpStatus compile_keyframe(PerpModel *model, const PerpKeyframeDef *def, int index,
                                   PerpError *error)
{
    PerpKeyframe *key = &model->control.keyframes[index];
    key->name = perp_compile_name(model, def->name, "keyframe", index);
    if (!key->name)
        return perp_compile_no_memory(error);
    PerpCheck check = {.kind = "keyframe", .name = key->name, .error = error};
    check.status =
        perp_compile_unique(&model->control.keyframe_names, "keyframe", key->name, index, error);
    if (def->n_poses < 0 || def->n_joints < 0 || def->n_controls < 0 || def->n_inputs < 0)
        perp_check_fail(&check, PERP_BAD_SIZE, "a number of items is negative");
    check_poses(&check, model, def);
    check_joints(&check, model, def);
    check_values(&check, model, def);
    if (check.status)
        return check.status;
    key->poses = copy(model, def->poses, def->n_poses, sizeof *key->poses);
    key->joints = copy(model, def->joints, def->n_joints, sizeof *key->joints);
    key->controls = copy(model, def->controls, def->n_controls, sizeof *key->controls);
    key->inputs = copy(model, def->inputs, def->n_inputs, sizeof *key->inputs);
    key->n_poses = def->n_poses;
    key->n_joints = def->n_joints;
    key->n_controls = def->n_controls;
    key->n_inputs = def->n_inputs;
    bool enough = key->poses && key->joints && key->controls && key->inputs;
    return enough ? PERP_OK : perp_compile_no_memory(error);
}

PerpStatus perp_compile_keyframes(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    PerpCheck check = {.kind = "the model", .name = "", .error = error};
    perp_check_index(&check, "keyframe", def->keyframe, -1, def->n_keyframes);
    model->control.keyframe = def->keyframe;
    for (int k = 0; k < def->n_keyframes && !check.status; k++)
        check.status = compile_keyframe(model, &def->keyframes[k], k, error);
    return check.status;
}

void perp_keyframes_free(const PerpAllocator *allocator, PerpControlModel *c)
{
    for (int k = 0; k < c->n_keyframes; k++) {
        PerpKeyframe *key = &c->keyframes[k];
        void *const owned[] = {key->name, key->poses, key->joints, key->controls, key->inputs};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
            perp_free(allocator, owned[i]);
    }
    perp_free(allocator, c->keyframes);
    perp_name_index_free(allocator, &c->keyframe_names);
}

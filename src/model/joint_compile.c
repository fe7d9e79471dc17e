// Joints: from anchors and axes in the world at the start to frames in both bodies.
#include "model/compile.h"

// How exactly a length must fit the anchors: files print six digits.
static const double AGREEMENT = 1e-6;

// The world axis that is most nearly perpendicular to z. For planar bodies, with z in the plane,
// this is the normal, so that the joint's rows lie in the plane or across it.
static PerpVec3 across(PerpVec3 z)
{
    double x_part = fabs(z.x), y_part = fabs(z.y), z_part = fabs(z.z);
    if (x_part <= y_part && x_part <= z_part)
        return (PerpVec3){1, 0, 0};
    return y_part <= z_part ? (PerpVec3){0, 1, 0} : (PerpVec3){0, 0, 1};
}

// z along the axis, x along axis_b or across z; axis_b is perpendicular only to six digits
static PerpQuat joint_rotation(const PerpJointDef *def, int axes)
{
    if (axes == 0)
        return (PerpQuat){1, 0, 0, 0};
    PerpVec3 z = perp_vec3_normalise(perp_vec3_load(def->axis));
    PerpVec3 x = axes == 2 ? perp_vec3_load(def->axis_b) : across(z);
    PerpVec3 y = perp_vec3_normalise(perp_vec3_cross(z, perp_vec3_normalise(x)));
    return perp_quat_from_matrix((PerpMat3){perp_vec3_cross(y, z), y, z});
}

static void place_joint(const PerpModel *model, const PerpJointDef *def,
                        const PerpJointTable *table, PerpJoint *joint)
{
    PerpPose frame = {perp_vec3_load(def->anchor), joint_rotation(def, table->axes)};
    joint->body_a = def->body_a;
    joint->body_b = def->body_b;
    joint->frame_a = perp_compile_pose(model, def->body_a, frame);
    if (table->anchors == 2)
        frame.position = perp_vec3_load(def->anchor_b);
    joint->frame_b = perp_compile_pose(model, def->body_b, frame);
}

// The length is that between the anchors, or given: then a rod fits them, and a rope reaches.
static PerpStatus measure_length(const PerpJointDef *def, PerpJoint *joint, PerpError *error)
{
    PerpCheck check = {.kind = "joint", .name = joint->name, .error = error};
    double apart =
        perp_vec3_norm(perp_vec3_sub(perp_vec3_load(def->anchor_b), perp_vec3_load(def->anchor)));
    joint->length = def->length > 0 ? def->length : apart;
    joint->restitution = def->restitution;
    double excess = apart - joint->length;
    bool fits = excess <= AGREEMENT * joint->length &&
                (def->kind == PERP_JOINT_ROPE || excess >= -AGREEMENT * joint->length);
    if (!fits)
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "its length is %g m, but its anchors are %g m apart at the start",
                        joint->length, apart);
    if (!(joint->length > 0 && joint->length < INFINITY))
        perp_check_fail(&check, PERP_BAD_VALUE, "its anchors are %g m apart; it has no length",
                        apart);
    return check.status;
}

static PerpStatus compile_joint(PerpModel *model, const PerpModelDef *def, int index,
                                PerpError *error)
{
    const PerpJointDef *joint_def = &def->joints[index];
    PerpJoint *joint = &model->joints[index];
    *joint = (PerpJoint){.kind = joint_def->kind, .body_a = -1, .body_b = -1};
    joint->name = perp_compile_name(model, joint_def->name, "joint", index);
    if (!joint->name)
        return perp_compile_no_memory(error);
    PerpStatus status =
        perp_compile_unique(&model->joint_names, "joint", joint->name, index, error);
    if (!status)
        status = perp_check_joint(model, def, index, error);
    if (status)
        return status;
    const PerpJointTable *table = perp_joint_table(joint->kind);
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++) {
        joint->axis[k] = joint_def->axis_def[k];
        joint->soft[k] = joint_def->axis_soft[k];
        if (!(joint->soft[k].limit_stiffness > 0))
            joint->soft[k].limit_stiffness = INFINITY;
    }
    joint->ratchet = joint_def->ratchet;
    joint->start = joint_def->start;
    joint->end = joint_def->end;
    if (table->anchors > 0)
        place_joint(model, joint_def, table, joint);
    return table->anchors == 2 ? measure_length(joint_def, joint, error) : PERP_OK;
}

static PerpPose start_pose(const PerpModel *model, int body)
{
    return body < 0 ? (PerpPose){.rotation = {1, 0, 0, 0}} : model->bodies[body].pose;
}

static double start_coordinate(const PerpModel *model, int index, int k)
{
    const PerpJoint *joint = &model->joints[index];
    PerpJointPlace place = {start_pose(model, joint->body_a), start_pose(model, joint->body_b)};
    PerpJointRow row;
    return perp_joint_table(joint->kind)->coordinate(joint, place, k, &row);
}

// constant = ratio_a x_a + ratio_b x_b at the start
static void compile_coupling(const PerpModel *model, const PerpJointDef *def, PerpJoint *coupling)
{
    coupling->joint_a = def->joint_a;
    coupling->joint_b = def->joint_b;
    coupling->coordinate_a = def->coordinate_a;
    coupling->coordinate_b = def->coordinate_b;
    coupling->ratio_a = def->ratio_a;
    coupling->ratio_b = def->ratio_b;
    coupling->start = fmax(
        def->start, fmax(model->joints[def->joint_a].start, model->joints[def->joint_b].start));
    coupling->end =
        fmin(def->end, fmin(model->joints[def->joint_a].end, model->joints[def->joint_b].end));
    double x_a = start_coordinate(model, def->joint_a, def->coordinate_a);
    double x_b = start_coordinate(model, def->joint_b, def->coordinate_b);
    coupling->constant = perp_joint_coupling_value(coupling, x_a, x_b);
}

PerpStatus perp_compile_joints(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    model->joints = perp_allocate(allocator, (size_t)def->n_joints, sizeof *model->joints);
    if (!model->joints || !perp_name_index_create(allocator, def->n_joints, &model->joint_names))
        return perp_compile_no_memory(error);
    model->n_joints = def->n_joints;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < def->n_joints && !status; k++)
        status = compile_joint(model, def, k, error);
    for (int k = 0; k < def->n_joints && !status; k++)
        if (def->joints[k].kind == PERP_JOINT_COUPLING)
            compile_coupling(model, &def->joints[k], &model->joints[k]);
    return status;
}

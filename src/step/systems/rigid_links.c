// The springs and dampers of a model as links [PAGT06 (9.1)]: a spring with a rest length is one
// psi = |d| - rest, one without is three, the components of d; a joint coordinate's is x - rest.

#include "step/rows/joint_rows.h"
#include "step/systems/rigid_system.h"

#include "base/error.h"

static int count_links(const PerpModel *model)
{
    return 3 * model->n_springs + PERP_JOINT_COORDINATES * model->n_joints;
}

// Rows without right-hand sides: the arrays of an assembly that gradients need.
static bool take_rows(PerpArena *arena, const PerpRigid *rigid, int rows, PerpAssembly *a)
{
    *a = (PerpAssembly){.arena = arena, .rigid = rigid};
    a->d = PERP_TAKE(arena, double, rows + 1);
    a->row_start = PERP_TAKE(arena, int, rows + 1);
    a->row_values = PERP_TAKE(arena, int, rows + 1);
    a->entry_body = PERP_TAKE(arena, int, PERP_ROW_ENTRIES *rows);
    a->J = PERP_TAKE(arena, double, PERP_ROW_VALUES *rows);
    return a->d && a->row_start && a->row_values && a->entry_body && a->J;
}

// of: a joint, or -1 - spring
static void set_link(PerpLinks *links, int of, double psi, double stiffness, double damping)
{
    links->joint[links->count] = of;
    links->psi[links->count] = psi;
    links->stiffness[links->count] = stiffness;
    links->damping[links->count++] = damping;
}

// The gradient of u'd with u held: the velocity of b's anchor along u minus that of a's.
static void add_gradient(PerpAssembly *a, const PerpPose *pose, const PerpSpring *spring,
                         PerpVec3 u)
{
    const int body[2] = {spring->body_a, spring->body_b};
    const PerpVec3 anchor[2] = {spring->anchor_a, spring->anchor_b};
    perp_row_begin(a, 0);
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1;
        if (body[side] < 0)
            continue;
        PerpVec3 along = perp_quat_rotate_back(pose[body[side]].rotation, u);
        perp_row_add(a, body[side], perp_vec3_scale(sign, u),
                     perp_vec3_scale(sign, perp_vec3_cross(anchor[side], along)));
    }
    perp_row_end(a);
}

static void add_spring(PerpAssembly *a, const PerpPose *pose, int index, PerpLinks *links)
{
    const PerpSpring *spring = &a->rigid->model->springs[index];
    PerpVec3 from =
        perp_pose_point(perp_rigid_pose(a->rigid, pose, spring->body_a), spring->anchor_a);
    PerpVec3 to =
        perp_pose_point(perp_rigid_pose(a->rigid, pose, spring->body_b), spring->anchor_b);
    PerpVec3 d = perp_vec3_sub(to, from);
    const PerpVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (spring->rest >= 0) {
        add_gradient(a, pose, spring, perp_vec3_normalise(d));
        set_link(links, -1 - index, perp_vec3_norm(d) - spring->rest, spring->stiffness,
                 spring->damping);
        return;
    }
    for (int i = 0; i < 3; i++) {
        add_gradient(a, pose, spring, axes[i]);
        set_link(links, -1 - index, perp_vec3_dot(d, axes[i]), spring->stiffness, spring->damping);
    }
}

static void add_axis_spring(PerpAssembly *a, const PerpPose *pose, const double *turn, int joint,
                            int k, PerpLinks *links)
{
    const PerpModel *model = a->rigid->model;
    const PerpJoint *j = &model->joints[joint];
    PerpJointRow row;
    double x =
        perp_joint_value(model, pose, joint, k, &row) + turn[PERP_JOINT_COORDINATES * joint + k];
    perp_row_begin(a, 0);
    perp_row_add(a, j->body_a, row.a_linear, row.a_angular);
    perp_row_add(a, j->body_b, row.b_linear, row.b_angular);
    perp_row_end(a);
    links->inertia[links->count] = j->soft[k].armature;
    set_link(links, joint, x - j->axis[k].rest, j->axis[k].stiffness, j->axis[k].damping);
}

static void add_all(PerpAssembly *a, const PerpPose *pose, const double *turn, PerpLinks *links)
{
    const PerpModel *model = a->rigid->model;
    for (int i = 0; i < model->n_springs; i++)
        add_spring(a, pose, i, links);
    for (int i = 0; i < model->n_joints; i++)
        for (int k = 0; k < perp_joint_table(model->joints[i].kind)->coordinates; k++)
            if (model->joints[i].axis[k].stiffness > 0 || model->joints[i].axis[k].damping > 0 ||
                model->joints[i].soft[k].armature > 0)
                add_axis_spring(a, pose, turn, i, k, links);
}

PerpStatus perp_rigid_links(PerpSimulation *sim, const double *q, PerpLinks *links,
                            PerpError *error)
{
    PerpAssembly a;
    PerpArena *arena = &sim->arena;
    const PerpPose *pose = perp_rigid_poses(q);
    int most = count_links(sim->bodies.model);
    *links = (PerpLinks){.psi = PERP_TAKE(arena, double, most),
                         .stiffness = PERP_TAKE(arena, double, most),
                         .damping = PERP_TAKE(arena, double, most),
                         .inertia = PERP_TAKE(arena, double, most),
                         .joint = PERP_TAKE(arena, int, most)};
    int *value_start = PERP_TAKE(arena, int, PERP_ROW_ENTRIES *most + 1);
    if (!links->psi || !links->stiffness || !links->damping || !links->joint || !links->inertia ||
        !value_start || !take_rows(arena, &sim->bodies.rigid, most, &a))
        return perp_fail_memory(error);
    add_all(&a, pose, perp_rigid_turns_at(sim, pose), links);
    perp_block_rows_value_start(links->count, sim->bodies.rigid.body_start, a.row_start,
                                a.entry_body, value_start);
    links->gradient = (PerpBlockRows){
        links->count, sim->bodies.rigid.body_start, a.row_start, a.entry_body, value_start, a.J};
    return PERP_OK;
}

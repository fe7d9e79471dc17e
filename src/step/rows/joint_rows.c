// The rows of joints: equations, motors and dry friction, limits and ropes.

#include "step/rows/joint_rows.h"

#include <math.h>

static unsigned freedom_of(const PerpModel *model, int body)
{
    return body < 0 ? 0 : model->bodies[body].freedom;
}

static void add_joint_row(PerpAssembly *a, const PerpJoint *joint, const PerpJointRow *row,
                          double scale)
{
    perp_row_add(a, joint->body_a, perp_vec3_scale(scale, row->a_linear),
                 perp_vec3_scale(scale, row->a_angular));
    perp_row_add(a, joint->body_b, perp_vec3_scale(scale, row->b_linear),
                 perp_vec3_scale(scale, row->b_angular));
}

// --- joints -------------------------------------------------------------------------------------

static PerpJointPlace joint_place(const PerpModel *model, const PerpPose *pose, int joint)
{
    const PerpPose world = {{0, 0, 0}, {1, 0, 0, 0}};
    int a = model->joints[joint].body_a, b = model->joints[joint].body_b;
    return (PerpJointPlace){a < 0 ? world : pose[a], b < 0 ? world : pose[b]};
}

double perp_joint_value(const PerpModel *model, const PerpPose *pose, int joint, int coordinate,
                        PerpJointRow *row)
{
    const PerpJoint *j = &model->joints[joint];
    return perp_joint_table(j->kind)->coordinate(j, joint_place(model, pose, joint), coordinate,
                                                 row);
}

// An angle, counted over whole turns.
static double full_value(const PerpModel *model, const PerpPose *pose, const double *turn,
                         int joint, int coordinate, PerpJointRow *row)
{
    return perp_joint_value(model, pose, joint, coordinate, row) +
           turn[joint * PERP_JOINT_COORDINATES + coordinate];
}

// ratio_a x_a + ratio_b x_b = constant
static void add_coupling(PerpAssembly *a, const PerpPose *pose, const double *turn, int joint)
{
    const PerpModel *model = a->rigid->model;
    const PerpJoint *j = &model->joints[joint];
    PerpJointRow row_a, row_b;
    double x_a = full_value(model, pose, turn, j->joint_a, j->coordinate_a, &row_a);
    double x_b = full_value(model, pose, turn, j->joint_b, j->coordinate_b, &row_b);
    PerpCouplingRow row = perp_joint_coupling_row(j, &model->joints[j->joint_a], row_a,
                                                  &model->joints[j->joint_b], row_b);
    a->theta[a->rows] = perp_joint_coupling_value(j, x_a, x_b);
    a->row_joint[a->rows] = joint;
    perp_row_begin(a, 0);
    for (int i = 0; i < row.n_bodies; i++)
        perp_row_add(a, row.body[i], row.linear[i], row.angular[i]);
    perp_row_end(a);
}

// A row between bodies that are free in all directions, or the world: its numbers as they are.
static inline void add_whole_row(PerpAssembly *a, int block_a, int block_b, const PerpJointRow *row)
{
    double *J = a->J + a->values;
    int *body = a->entry_body + a->entries, entries = 0;
    if (block_a >= 0) {
        perp_vec3_store(row->a_linear, J);
        perp_vec3_store(row->a_angular, J + 3);
        body[entries++] = block_a;
    }
    if (block_b >= 0) {
        perp_vec3_store(row->b_linear, J + 6 * entries);
        perp_vec3_store(row->b_angular, J + 6 * entries + 3);
        body[entries++] = block_b;
    }
    a->entries += entries;
    a->values += 6 * entries;
}

static bool is_whole(const PerpModel *model, int body)
{
    return body < 0 || model->bodies[body].freedom == PERP_FREE_ALL;
}

static int block_of(const PerpAssembly *a, int body)
{
    return body < 0 ? -1 : a->rigid->block_of[body];
}

void perp_joint_rows_add_equations(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                   int joint)
{
    const PerpModel *model = a->rigid->model;
    const PerpJoint *j = &model->joints[joint];
    const PerpJointTable *table = perp_joint_table(j->kind);
    double value[PERP_JOINT_EQUATIONS];
    PerpJointRow row[PERP_JOINT_EQUATIONS];
    if (j->kind == PERP_JOINT_COUPLING) {
        add_coupling(a, pose, turn, joint);
        return;
    }
    if (table->equations > 0)
        table->equation(j, joint_place(model, pose, joint), value, row);
    unsigned freedom_a = freedom_of(model, j->body_a), freedom_b = freedom_of(model, j->body_b);
    bool whole = is_whole(model, j->body_a) && is_whole(model, j->body_b);
    int block_a = block_of(a, j->body_a), block_b = block_of(a, j->body_b);
    for (int i = 0; i < table->equations; i++) {
        if (!perp_joint_row_restrict(&row[i], freedom_a, freedom_b))
            continue; // no free direction is left in it: a planar hinge out of its plane
        a->theta[a->rows] = value[i];
        a->row_joint[a->rows] = joint;
        perp_row_begin(a, 0);
        if (whole)
            add_whole_row(a, block_a, block_b, &row[i]);
        else
            add_joint_row(a, j, &row[i], 1);
        perp_row_end(a);
    }
}

// A box row: |c| <= h force, velocity wanted.
static void add_box(PerpAssembly *a, int joint, int axis, const PerpJointRow *row, double speed,
                    double impulse)
{
    int i = a->problem.n_boxes++;
    a->lo[i] = -impulse;
    a->hi[i] = impulse;
    a->box_joint[i] = joint;
    a->box_axis[i] = axis;
    perp_row_begin(a, -speed);
    add_joint_row(a, &a->rigid->model->joints[joint], row, 1);
    perp_row_end(a);
}

void perp_joint_rows_add_boxes(PerpAssembly *a, const PerpPose *pose, double h, int joint)
{
    const PerpJoint *j = &a->rigid->model->joints[joint];
    for (int k = 0; k < perp_joint_table(j->kind)->coordinates; k++) {
        const PerpAxisDef *axis = &j->axis[k];
        PerpJointRow row;
        if (axis->motor_force <= 0 && axis->friction <= 0)
            continue;
        perp_joint_value(a->rigid->model, pose, joint, k, &row);
        if (axis->motor_force > 0)
            add_box(a, joint, k, &row, axis->motor_speed, h * axis->motor_force);
        if (axis->friction > 0)
            add_box(a, joint, -1, &row, 0, h * axis->friction);
    }
}

// --- limits and ropes ---------------------------------------------------------------------------

// Ids of limits and ropes are apart from those of contacts, whose upper bit is never set.
static uint64_t joint_id(int joint, int coordinate, int side)
{
    return UINT64_C(1) << 63 | (uint64_t)joint << 8 | (uint64_t)(coordinate << 1 | side);
}

// x - lower >= 0 and upper - x >= 0
void perp_joint_rows_add_limits(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                double reach, int joint)
{
    const PerpJoint *j = &a->rigid->model->joints[joint];
    for (int k = 0; k < perp_joint_table(j->kind)->coordinates; k++) {
        PerpJointRow row;
        if (!isfinite(j->axis[k].lower) && !isfinite(j->axis[k].upper))
            continue;
        double x = full_value(a->rigid->model, pose, turn, joint, k, &row);
        const double gap[2] = {x - j->axis[k].lower, j->axis[k].upper - x};
        for (int side = 0; side < 2; side++) {
            if (!(gap[side] <= reach))
                continue;
            perp_assembly_note(a, (PerpUnilateral){.kind = PERP_UNILATERAL_LIMIT,
                                                   .index = joint,
                                                   .id = joint_id(joint, k, side),
                                                   .gap = gap[side],
                                                   .restitution = j->axis[k].restitution,
                                                   .stiffness = j->soft[k].limit_stiffness,
                                                   .damping = j->soft[k].limit_damping});
            perp_row_begin(a, 0);
            add_joint_row(a, j, &row, side == 0 ? 1 : -1);
            perp_row_end(a);
        }
    }
}

// dx/dt >= 0                                                                    [L82 (2.1c)]
void perp_joint_rows_add_ratchet(PerpAssembly *a, const PerpPose *pose, int joint)
{
    PerpJointRow row;
    perp_joint_value(a->rigid->model, pose, joint, 0, &row);
    perp_assembly_note(a, (PerpUnilateral){.kind = PERP_UNILATERAL_RATE,
                                           .index = joint,
                                           .id = joint_id(joint, PERP_JOINT_COORDINATES, 0),
                                           .stiffness = INFINITY});
    perp_row_begin(a, 0);
    add_joint_row(a, &a->rigid->model->joints[joint], &row, 1);
    perp_row_end(a);
}

void perp_joint_rows_add_rope(PerpAssembly *a, const PerpPose *pose, double reach, int joint)
{
    const PerpJoint *j = &a->rigid->model->joints[joint];
    PerpJointRow row;
    double gap = perp_joint_rope_gap(j, joint_place(a->rigid->model, pose, joint), &row);
    if (gap > reach)
        return;
    perp_assembly_note(a, (PerpUnilateral){.kind = PERP_UNILATERAL_ROPE,
                                           .index = joint,
                                           .id = joint_id(joint, 0, 0),
                                           .gap = gap,
                                           .restitution = j->restitution,
                                           .stiffness = INFINITY});
    perp_row_begin(a, 0);
    add_joint_row(a, j, &row, 1);
    perp_row_end(a);
}

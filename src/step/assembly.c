#include "step/assembly.h"

#include "step/ball_rows.h"
#include "step/contact_rows.h"
#include "step/joint_rows.h"

#include <math.h>
#include <string.h>

// --- rows ---------------------------------------------------------------------------------------

void perp_row_add_some(PerpAssembly *a, int body, PerpVec3 linear, PerpVec3 angular)
{
    const double full[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    unsigned freedom = a->rigid->model->bodies[body].freedom;
    if (freedom != 0)
        a->entry_body[a->entries++] = a->rigid->block_of[body];
    for (int i = 0; i < 6; i++)
        if (freedom >> i & 1)
            a->J[a->values++] = full[i];
}

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

static void add_joint(PerpAssembly *a, const PerpPose *pose, const double *turn, int joint)
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
    for (int i = 0; i < table->equations; i++) {
        if (!perp_joint_row_restrict(&row[i], freedom_a, freedom_b))
            continue; // no free direction is left in it: a planar hinge out of its plane
        a->theta[a->rows] = value[i];
        a->row_joint[a->rows] = joint;
        perp_row_begin(a, 0);
        perp_row_add(a, j->body_a, row[i].a_linear, row[i].a_angular);
        perp_row_add(a, j->body_b, row[i].b_linear, row[i].b_angular);
        perp_row_end(a);
    }
}

static void add_joints(PerpAssembly *a, const PerpPose *pose, const PerpAssemblyOptions *options)
{
    const PerpJoint *joint = a->rigid->model->joints;
    int n = a->rigid->model->n_joints;
    if (n == 0 || (options->kept && perp_joint_rows_recall(options->kept, pose, options->turn, a)))
        return;
    for (int j = 0; j < n; j++)
        if (joint[j].kind != PERP_JOINT_BALL || !perp_ball_rows_add(a, pose, j))
            add_joint(a, pose, options->turn, j);
    if (options->kept)
        perp_joint_rows_keep(options->kept, pose, options->turn, a);
}

// A box row: |c| <= h force, velocity wanted.
static void add_box(PerpAssembly *a, int joint, const PerpJointRow *row, double speed,
                    double impulse)
{
    int i = a->problem.n_boxes++;
    a->lo[i] = -impulse;
    a->hi[i] = impulse;
    a->box_joint[i] = joint;
    perp_row_begin(a, -speed);
    add_joint_row(a, &a->rigid->model->joints[joint], row, 1);
    perp_row_end(a);
}

static void add_boxes(PerpAssembly *a, const PerpPose *pose, double h, int joint)
{
    const PerpJoint *j = &a->rigid->model->joints[joint];
    for (int k = 0; k < perp_joint_table(j->kind)->coordinates; k++) {
        const PerpAxisDef *axis = &j->axis[k];
        PerpJointRow row;
        if (axis->motor_force <= 0 && axis->friction <= 0)
            continue;
        perp_joint_value(a->rigid->model, pose, joint, k, &row);
        if (axis->motor_force > 0)
            add_box(a, joint, &row, axis->motor_speed, h * axis->motor_force);
        if (axis->friction > 0)
            add_box(a, joint, &row, 0, h * axis->friction);
    }
}

// --- unilateral rows ----------------------------------------------------------------------------

static void note_unilateral(PerpAssembly *a, PerpUnilateral what)
{
    a->unilateral[a->problem.n_contacts++] = what;
}

// Ids of limits and ropes are apart from those of contacts, whose upper bit is never set.
static uint64_t joint_id(int joint, int coordinate, int side)
{
    return UINT64_C(1) << 63 | (uint64_t)joint << 8 | (uint64_t)(coordinate << 1 | side);
}

// x - lower >= 0 and upper - x >= 0
static void add_limits(PerpAssembly *a, const PerpPose *pose, const PerpAssemblyOptions *options,
                       int joint)
{
    const PerpJoint *j = &a->rigid->model->joints[joint];
    for (int k = 0; k < perp_joint_table(j->kind)->coordinates; k++) {
        PerpJointRow row;
        if (!isfinite(j->axis[k].lower) && !isfinite(j->axis[k].upper))
            continue;
        double x = full_value(a->rigid->model, pose, options->turn, joint, k, &row);
        const double gap[2] = {x - j->axis[k].lower, j->axis[k].upper - x};
        for (int side = 0; side < 2; side++) {
            if (!(gap[side] <= options->reach))
                continue;
            note_unilateral(a,
                            (PerpUnilateral){PERP_UNILATERAL_LIMIT, joint, joint_id(joint, k, side),
                                             gap[side], j->axis[k].restitution});
            perp_row_begin(a, 0);
            add_joint_row(a, j, &row, side == 0 ? 1 : -1);
            perp_row_end(a);
        }
    }
}

static void add_rope(PerpAssembly *a, const PerpPose *pose, const PerpAssemblyOptions *options,
                     int joint)
{
    const PerpJoint *j = &a->rigid->model->joints[joint];
    PerpJointRow row;
    double gap = perp_joint_rope_gap(j, joint_place(a->rigid->model, pose, joint), &row);
    if (gap > options->reach)
        return;
    note_unilateral(a, (PerpUnilateral){PERP_UNILATERAL_ROPE, joint, joint_id(joint, 0, 0), gap,
                                        j->restitution});
    perp_row_begin(a, 0);
    add_joint_row(a, j, &row, 1);
    perp_row_end(a);
}

static void add_contact(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                        int index, bool gaps)
{
    note_unilateral(a, (PerpUnilateral){PERP_UNILATERAL_CONTACT, index, contact->id,
                                        contact->point.gap, contact->surface->restitution});
    if (!gaps)
        perp_contact_rows_add_normal(a, pose, contact);
}

// --- all together -------------------------------------------------------------------------------

// Room that the rows take at most.
typedef struct Room {
    int equations, boxes, unilateral, groups, rows, entries, values;
} Room;

static Room room_of(const PerpRigid *rigid, const PerpContact *contacts, int n_contacts,
                    const PerpAssemblyOptions *options)
{
    PerpJointRoom joints = rigid->joint_room;
    int of_joints = joints.equations + joints.boxes + joints.unilateral;
    int rows = options->gaps ? 0 : n_contacts;
    for (int i = 0; i < n_contacts && options->friction; i++)
        rows += perp_contact_directions(contacts[i].surface, options->facets);
    return (Room){.equations = joints.equations,
                  .boxes = joints.boxes,
                  .unilateral = joints.unilateral + n_contacts,
                  .groups = options->friction ? 3 * n_contacts : 0,
                  .rows = of_joints + rows,
                  .entries = PERP_ROW_ENTRIES * of_joints + 2 * rows,
                  .values = PERP_ROW_VALUES * of_joints + 2 * 6 * rows};
}

static bool take_rows(PerpArena *arena, const Room *room, PerpAssembly *a)
{
    a->theta = PERP_TAKE_RAW(arena, double, room->equations);
    a->row_joint = PERP_TAKE_RAW(arena, int, room->equations);
    a->row_start = PERP_TAKE_RAW(arena, int, room->rows + 1);
    a->row_values = PERP_TAKE_RAW(arena, int, room->rows + 1);
    a->along = PERP_TAKE(arena, PerpVec3, room->rows + 1); // 0, unless a row says so
    a->entry_body = PERP_TAKE_RAW(arena, int, room->entries);
    a->J = PERP_TAKE_RAW(arena, double, room->values);
    if (!(a->theta && a->row_joint && a->row_start && a->row_values && a->along && a->entry_body &&
          a->J))
        return false;
    a->row_start[0] = a->row_values[0] = 0;
    return true;
}

static bool take_arrays(PerpArena *arena, int n_v, const Room *room, PerpAssembly *a)
{
    a->b = PERP_TAKE(arena, double, n_v);
    a->d = PERP_TAKE_RAW(arena, double, room->rows + 1);
    a->lo = PERP_TAKE_RAW(arena, double, room->boxes);
    a->hi = PERP_TAKE_RAW(arena, double, room->boxes);
    a->box_joint = PERP_TAKE_RAW(arena, int, room->boxes);
    a->unilateral = PERP_TAKE_RAW(arena, PerpUnilateral, room->unilateral);
    a->group_contact = PERP_TAKE_RAW(arena, int, room->groups);
    a->group_start = PERP_TAKE_RAW(arena, int, room->groups + 1);
    a->mu = PERP_TAKE_RAW(arena, double, room->groups);
    a->cohesion = PERP_TAKE_RAW(arena, double, room->groups);
    a->group_circular = PERP_TAKE(arena, int, room->groups);
    if (!(a->b && a->d && a->lo && a->hi && a->box_joint && a->unilateral && a->group_contact &&
          a->group_start && a->mu && a->cohesion && a->group_circular))
        return false;
    a->group_start[0] = 0;
    return true;
}

static void add_unilateral_rows(PerpAssembly *a, const PerpPose *pose, const PerpContact *contacts,
                                int n_contacts, bool limits, const PerpAssemblyOptions *options)
{
    const PerpModel *model = a->rigid->model;
    for (int i = 0; i < n_contacts; i++)
        add_contact(a, pose, &contacts[i], i, options->gaps);
    for (int j = 0; j < model->n_joints && limits; j++) {
        add_limits(a, pose, options, j);
        if (model->joints[j].kind == PERP_JOINT_ROPE)
            add_rope(a, pose, options, j);
    }
}

static void add_friction_rows(PerpAssembly *a, const PerpPose *pose, const PerpContact *contacts,
                              int n_contacts, int facets)
{
    int first = a->rows;
    for (int i = 0; i < n_contacts; i++)
        perp_contact_rows_add_friction(a, pose, &contacts[i], i, facets);
    a->problem.n_directions = a->rows - first;
}

void perp_assembly_show(PerpAssembly *a)
{
    PerpProblem *p = &a->problem;
    p->b = a->b;
    p->row_start = a->row_start;
    p->entry_body = a->entry_body;
    p->J = a->J;
    p->d = a->d;
    p->lo = a->lo;
    p->hi = a->hi;
    p->group_contact = a->group_contact;
    p->group_start = a->group_start;
    p->mu = a->mu;
    p->cohesion = a->cohesion;
    p->group_circular = a->group_circular;
}

bool perp_assemble(PerpArena *arena, const PerpRigid *rigid, const PerpPose *pose,
                   const PerpContact *contacts, int n_contacts, const PerpAssemblyOptions *options,
                   PerpAssembly *a)
{
    const PerpModel *model = rigid->model;
    Room room = room_of(rigid, contacts, n_contacts, options);
    *a = (PerpAssembly){.arena = arena, .rigid = rigid, .contact = contacts};
    bool lent = options->kept && options->brief && room.rows == room.equations;
    if (!take_arrays(arena, rigid->n_v, &room, a) || (!lent && !take_rows(arena, &room, a)))
        return false;
    if (lent)
        perp_joint_rows_lend(options->kept, a);
    add_joints(a, pose, options);
    a->problem.n_joints = a->rows;
    for (int j = 0; j < model->n_joints && options->boxes && room.boxes > 0; j++)
        add_boxes(a, pose, options->h, j);
    add_unilateral_rows(a, pose, contacts, n_contacts, room.unilateral > n_contacts, options);
    if (options->friction)
        add_friction_rows(a, pose, contacts, n_contacts, options->facets);
    a->problem.n_bodies = rigid->n_bodies;
    a->problem.body_start = rigid->body_start;
    a->problem.Mt = rigid->Mt;
    a->mass_start = rigid->block_start;
    perp_assembly_show(a);
    return true;
}

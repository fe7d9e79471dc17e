#include "step/assembly.h"

#include "step/ball_rows.h"
#include "step/joint_rows.h"

#include <math.h>
#include <string.h>

// --- rows ---------------------------------------------------------------------------------------

void perp_row_begin(PerpAssembly *a, double d)
{
    a->row_start[a->rows] = a->entries;
    a->d[a->rows] = d;
}

void perp_row_end(PerpAssembly *a)
{
    a->row_start[++a->rows] = a->entries;
    a->row_values[a->rows] = a->values;
}

static unsigned freedom_of(const PerpModel *model, int body)
{
    return body < 0 ? 0 : model->bodies[body].freedom;
}

static inline void add_entry(PerpAssembly *a, int body, unsigned freedom, PerpVec3 linear,
                             PerpVec3 angular)
{
    double *to = a->J + a->values;
    if (freedom == 0)
        return;
    a->entry_body[a->entries++] = a->rigid->block_of[body];
    if (freedom == PERP_FREE_ALL) {
        perp_vec3_store(linear, to);
        perp_vec3_store(angular, to + 3);
        a->values += 6;
        return;
    }
    const double full[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int i = 0; i < 6; i++)
        if (freedom >> i & 1)
            a->J[a->values++] = full[i];
}

void perp_row_add(PerpAssembly *a, int body, PerpVec3 linear, PerpVec3 angular)
{
    add_entry(a, body, freedom_of(a->rigid->model, body), linear, angular);
}

static void add_joint_row(PerpAssembly *a, const PerpJoint *joint, const PerpJointRow *row,
                          double scale)
{
    perp_row_add(a, joint->body_a, perp_vec3_scale(scale, row->a_linear),
                 perp_vec3_scale(scale, row->a_angular));
    perp_row_add(a, joint->body_b, perp_vec3_scale(scale, row->b_linear),
                 perp_vec3_scale(scale, row->b_angular));
}

// The relative velocity of the two points of a contact along u: a's minus b's, and for w the
// relative spin about u.
static void add_contact_row(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                            PerpVec3 along, PerpVec3 about)
{
    const int body[2] = {contact->body_a, contact->body_b};
    const PerpVec3 point[2] = {contact->point.point_a, contact->point.point_b};
    perp_row_begin(a, 0);
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0)
            continue;
        PerpPose at = pose[body[side]];
        double sign = side == 0 ? 1 : -1;
        PerpVec3 arm = perp_vec3_sub(point[side], at.position);
        PerpVec3 torque = perp_vec3_add(perp_vec3_cross(arm, along), about);
        perp_row_add(a, body[side], perp_vec3_scale(sign, along),
                     perp_vec3_scale(sign, perp_quat_rotate_back(at.rotation, torque)));
    }
    a->along[a->rows] = along;
    perp_row_end(a);
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
        add_entry(a, j->body_a, freedom_a, row[i].a_linear, row[i].a_angular);
        add_entry(a, j->body_b, freedom_b, row[i].b_linear, row[i].b_angular);
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
                        int index)
{
    note_unilateral(a, (PerpUnilateral){PERP_UNILATERAL_CONTACT, index, contact->id,
                                        contact->point.gap, contact->surface->restitution});
    add_contact_row(a, pose, contact, contact->point.normal, (PerpVec3){0, 0, 0});
}

// --- friction -----------------------------------------------------------------------------------

// Two unit tangents; the first along the axis of anisotropic friction, if there is one.
static void find_tangents(const PerpPose *pose, const PerpContact *contact, PerpVec3 tangent[2])
{
    PerpVec3 n = contact->point.normal, axis = contact->surface->axis;
    int body = contact->surface->axis_is_of_b ? contact->body_b : contact->body_a;
    perp_vec3_tangents(n, &tangent[0], &tangent[1]);
    if (contact->surface->mu_second < 0)
        return;
    if (body >= 0)
        axis = perp_quat_rotate(pose[body].rotation, axis);
    axis = perp_vec3_add_scaled(axis, -perp_vec3_dot(axis, n), n);
    if (perp_vec3_norm(axis) > 1e-6) {
        tangent[0] = perp_vec3_normalise(axis);
        tangent[1] = perp_vec3_cross(n, tangent[0]);
    }
}

static void add_group(PerpAssembly *a, int contact, double mu, bool round)
{
    int g = a->problem.n_groups++;
    a->group_contact[g] = contact;
    a->group_start[g + 1] = a->group_start[g];
    a->mu[g] = mu;
    a->cohesion[g] = 0;
    a->group_round[g] = round;
}

static void add_direction(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                          PerpVec3 along, PerpVec3 about)
{
    add_contact_row(a, pose, contact, along, about);
    a->group_start[a->problem.n_groups]++;
}

// cos and sin of 2 pi k / n, exact at the quarter turns, so that opposite directions are opposite
static PerpVec3 polygon_direction(int k, int n, const PerpVec3 tangent[2], double second)
{
    if (2 * k >= n)
        return perp_vec3_scale(-1, polygon_direction(k - n / 2, n, tangent, second));
    const double pi = 3.14159265358979323846;
    double c = 4 * k == n ? 0 : cos(2 * pi * k / n), s = k == 0 ? 0 : sin(2 * pi * k / n);
    return perp_vec3_add_scaled(perp_vec3_scale(c, tangent[0]), s * second, tangent[1]);
}

// Is the contact's relative motion confined to a plane, and which direction lies in it?
static bool is_planar(const PerpModel *model, const PerpContact *contact, PerpVec3 *direction)
{
    unsigned freedom = 0;
    const int body[2] = {contact->body_a, contact->body_b};
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0)
            freedom |= model->bodies[body[side]].freedom;
    PerpVec3 across;
    if (!(freedom & ~(unsigned)PERP_FREE_PLANAR_XY))
        across = (PerpVec3){0, 0, 1};
    else if (!(freedom & ~(unsigned)PERP_FREE_PLANAR_XZ))
        across = (PerpVec3){0, 1, 0};
    else
        return false;
    *direction = perp_vec3_normalise(perp_vec3_cross(across, contact->point.normal));
    return true;
}

static void add_sliding(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                        int index, int facets)
{
    bool round = facets == 0;
    const PerpVec3 none = {0, 0, 0};
    const PerpSurface *surface = contact->surface;
    PerpVec3 tangent[2];
    if (surface->mu <= 0)
        return;
    add_group(a, index, surface->mu, round);
    if (is_planar(a->rigid->model, contact, &tangent[0])) {
        add_direction(a, pose, contact, tangent[0], none);
        if (!round)
            add_direction(a, pose, contact, perp_vec3_scale(-1, tangent[0]), none);
        return;
    }
    find_tangents(pose, contact, tangent);
    double second = surface->mu_second < 0 ? 1 : surface->mu_second / surface->mu;
    if (round) {
        add_direction(a, pose, contact, tangent[0], none);
        add_direction(a, pose, contact, perp_vec3_scale(second, tangent[1]), none);
        return;
    }
    for (int k = 0; k < facets; k++)
        add_direction(a, pose, contact, polygon_direction(k, facets, tangent, second), none);
}

// Torsion about the normal and rolling about the tangents, soft fingers          [ST97 section 3.1]
static void add_spinning(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                         int index, int facets)
{
    const PerpVec3 none = {0, 0, 0};
    PerpVec3 n = contact->point.normal, tangent[2];
    bool round = facets == 0;
    if (contact->surface->torsion > 0) {
        add_group(a, index, contact->surface->torsion, round);
        add_direction(a, pose, contact, none, n);
        if (!round)
            add_direction(a, pose, contact, none, perp_vec3_scale(-1, n));
    }
    if (contact->surface->rolling > 0) {
        perp_vec3_tangents(n, &tangent[0], &tangent[1]);
        add_group(a, index, contact->surface->rolling, round);
        for (int k = 0; k < (round ? 2 : facets); k++)
            add_direction(a, pose, contact, none,
                          round ? tangent[k] : polygon_direction(k, facets, tangent, 1));
    }
}

// --- all together -------------------------------------------------------------------------------

// Room that the rows take at most.
typedef struct Room {
    int equations, boxes, unilateral, groups, rows, entries, values;
} Room;

static int directions_of(const PerpSurface *surface, int facets)
{
    int plane = facets > 0 ? facets : 2, line = facets > 0 ? 2 : 1;
    return (surface->mu > 0 ? plane : 0) + (surface->torsion > 0 ? line : 0) +
           (surface->rolling > 0 ? plane : 0);
}

static Room room_of(const PerpRigid *rigid, const PerpContact *contacts, int n_contacts,
                    const PerpAssemblyOptions *options)
{
    PerpJointRoom joints = rigid->joint_room;
    int of_joints = joints.equations + joints.boxes + joints.unilateral, rows = n_contacts;
    for (int i = 0; i < n_contacts && options->friction; i++)
        rows += directions_of(contacts[i].surface, options->facets);
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
    a->group_round = PERP_TAKE(arena, int, room->groups);
    if (!(a->b && a->d && a->lo && a->hi && a->box_joint && a->unilateral && a->group_contact &&
          a->group_start && a->mu && a->cohesion && a->group_round))
        return false;
    a->group_start[0] = 0;
    return true;
}

static void add_unilateral_rows(PerpAssembly *a, const PerpPose *pose, const PerpContact *contacts,
                                int n_contacts, bool limits, const PerpAssemblyOptions *options)
{
    const PerpModel *model = a->rigid->model;
    for (int i = 0; i < n_contacts; i++)
        add_contact(a, pose, &contacts[i], i);
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
    for (int i = 0; i < n_contacts; i++) {
        add_sliding(a, pose, &contacts[i], i, facets);
        add_spinning(a, pose, &contacts[i], i, facets);
    }
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
    p->group_round = a->group_round;
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

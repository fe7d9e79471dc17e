// The step problem's rows at a configuration, class by class: joints, boxes, contacts, friction.

#include "step/rows/assemble.h"

#include "step/control/control_rows.h"
#include "step/rows/ball_rows.h"
#include "step/rows/contact_rows.h"
#include "step/rows/joint_rows.h"

// --- memory -------------------------------------------------------------------------------------

// Room that the rows take at most.
typedef struct Room {
    int equations, boxes, unilateral, groups, rows, entries, values;
    bool has_control;
} Room;

static Room room_of(const PerpRigid *rigid, const PerpContact *contacts, int n_contacts,
                    const PerpAssemblyOptions *options)
{
    PerpJointRoom joints = rigid->joint_room;
    PerpControlRoom control = {0};
    if (!options->boxes)
        joints.boxes = 0;
    if (options->sim)
        control = perp_control_room(rigid->model);
    int of_joints = joints.equations + joints.boxes + joints.unilateral;
    int rows = options->gaps ? 0 : n_contacts;
    for (int i = 0; i < n_contacts && options->friction; i++)
        rows += perp_contact_directions(contacts[i].surface, options->facets);
    return (Room){.equations = joints.equations + control.equations,
                  .boxes = joints.boxes + control.boxes,
                  .has_control = options->sim,
                  .unilateral = joints.unilateral + n_contacts,
                  .groups = options->friction ? 3 * n_contacts : 0,
                  .rows = of_joints + control.equations + control.boxes + rows,
                  .entries = PERP_ROW_ENTRIES * of_joints + control.entries + 2 * rows,
                  .values = PERP_ROW_VALUES * of_joints + control.values + 2 * 6 * rows};
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
    a->box_axis = PERP_TAKE_RAW(arena, int, room->boxes);
    a->compliance = room->has_control ? PERP_TAKE(arena, double, room->rows + 1) : NULL;
    a->unilateral = PERP_TAKE_RAW(arena, PerpUnilateral, room->unilateral);
    a->group_contact = PERP_TAKE_RAW(arena, int, room->groups);
    a->group_start = PERP_TAKE_RAW(arena, int, room->groups + 1);
    a->mu = PERP_TAKE_RAW(arena, double, room->groups);
    a->cohesion = PERP_TAKE_RAW(arena, double, room->groups);
    a->group_circular = PERP_TAKE(arena, int, room->groups);
    if (!(a->b && a->d && a->lo && a->hi && a->box_joint && a->box_axis && a->unilateral &&
          a->group_contact && a->group_start && a->mu && a->cohesion && a->group_circular) ||
        (room->has_control && !a->compliance))
        return false;
    a->group_start[0] = 0;
    return true;
}

// --- rows ---------------------------------------------------------------------------------------

static void add_joints(PerpAssembly *a, const PerpPose *pose, const PerpAssemblyOptions *options)
{
    const PerpJoint *joint = a->rigid->model->joints;
    int n = a->rigid->model->n_joints;
    if (n == 0 ||
        (options->cache && perp_joint_row_cache_recall(options->cache, pose, options->turn, a)))
        return;
    for (int j = 0; j < n; j++)
        if (!joint[j].absent &&
            (joint[j].kind != PERP_JOINT_BALL || !perp_ball_rows_add(a, pose, j)))
            perp_joint_rows_add_equations(a, pose, options->turn, j);
    if (options->cache)
        perp_joint_row_cache_store(options->cache, pose, options->turn, a);
}

static void add_contact(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                        int index, bool gaps)
{
    const PerpSurface *surface = contact->surface;
    perp_assembly_note(a, (PerpUnilateral){.kind = PERP_UNILATERAL_CONTACT,
                                           .index = index,
                                           .id = contact->id,
                                           .gap = contact->point.gap,
                                           .restitution = surface->restitution,
                                           .stiffness = surface->stiffness,
                                           .damping = surface->damping});
    if (!gaps)
        perp_contact_rows_add_normal(a, pose, contact);
}

static void add_unilateral_rows(PerpAssembly *a, const PerpPose *pose, const PerpContact *contacts,
                                int n_contacts, bool limits, const PerpAssemblyOptions *options)
{
    const PerpModel *model = a->rigid->model;
    for (int i = 0; i < n_contacts; i++)
        add_contact(a, pose, &contacts[i], i, options->gaps);
    for (int j = 0; j < model->n_joints && limits; j++) {
        perp_joint_rows_add_limits(a, pose, options->turn, options->reach, j);
        if (model->joints[j].ratchet && options->boxes && options->reach >= 0)
            perp_joint_rows_add_ratchet(a, pose, j);
        if (model->joints[j].kind == PERP_JOINT_ROPE && !model->joints[j].absent)
            perp_joint_rows_add_rope(a, pose, options->reach, j);
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

bool perp_assemble(PerpArena *arena, const PerpRigid *rigid, const PerpPose *pose,
                   const PerpContact *contacts, int n_contacts, const PerpAssemblyOptions *options,
                   PerpAssembly *a)
{
    const PerpModel *model = rigid->model;
    Room room = room_of(rigid, contacts, n_contacts, options);
    *a = (PerpAssembly){.arena = arena, .rigid = rigid, .contact = contacts};
    bool shared =
        options->cache && options->transient && room.rows == room.equations && !room.has_control;
    if (!take_arrays(arena, rigid->n_v, &room, a) || (!shared && !take_rows(arena, &room, a)))
        return false;
    if (shared)
        perp_joint_row_cache_share(options->cache, a);
    if (!options->unilateral)
        add_joints(a, pose, options);
    if (options->sim)
        perp_control_rows_add_motions(a, pose, options->turn, options->sim, options->h);
    a->problem.n_joints = a->rows;
    for (int j = 0; j < model->n_joints && options->boxes && room.boxes > 0; j++)
        perp_joint_rows_add_boxes(a, pose, options->h, j);
    if (options->sim && options->boxes &&
        !perp_control_rows_add_servos(a, pose, options->turn, options->sim, options->h))
        return false;
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

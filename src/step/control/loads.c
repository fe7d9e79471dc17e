// Loads: what joints, motors, actuators and prescribed motions do to the bodies, from the impulses
// of solved problems.
//
// The reaction of a joint is the force and moment that it exerts on its second body, about the
// anchor there, in world axes: the sum of J'c over its equations, limits and ropes. Directions that
// a body's freedom blocks have none.

#include "step/control/controls.h"
#include "step/rows/link_rows.h"
#include "step/systems/rigid_system.h"

#include <string.h>

void perp_loads_begin(PerpSimulation *sim)
{
    PerpControls *c = &sim->controls;
    const PerpModel *model = sim->bodies.model;
    if (!model)
        return;
    memset(c->reaction, 0, 6 * (size_t)model->n_joints * sizeof(double));
    memset(c->motor, 0, PERP_JOINT_COORDINATES * (size_t)model->n_joints * sizeof(double));
    memset(c->motion, 0, 6 * (size_t)model->control.n_motions * sizeof(double));
    memset(c->actuator_force, 0, (size_t)model->control.n_actuators * sizeof(double));
    memset(c->actuator_power, 0, (size_t)model->control.n_actuators * sizeof(double));
}

// A body's share of J'c: impulse and angular impulse, world axes and body axes.
typedef struct Share {
    double impulse[6];
    bool is_any;
} Share;

// Where a row's values for a body begin; -1: the row does not act on it.
static int find_values(const PerpStage *stage, int row, int body)
{
    const PerpProblem *p = &stage->rows.problem;
    int block = body < 0 ? -1 : stage->rows.rigid->block_of[body], at = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int entry = p->entry_body[e];
        if (entry == block)
            return at;
        at += p->body_start[entry + 1] - p->body_start[entry];
    }
    return -1;
}

// The share of a body in rows that all act on the same bodies.
static Share share_of(const PerpStage *stage, int first, int end, int body)
{
    Share share = {.is_any = false};
    int at = find_values(stage, first, body);
    if (at < 0)
        return share;
    unsigned freedom = stage->rows.rigid->model->bodies[body].freedom;
    for (int row = first; row < end; row++) {
        const double *J = stage->rows.problem.J + stage->rows.row_values[row] + at;
        for (int i = 0; i < 6 && freedom == PERP_FREE_ALL; i++)
            share.impulse[i] += stage->c[row] * J[i];
        for (int i = 0; i < 6 && freedom != PERP_FREE_ALL; i++)
            if (freedom >> i & 1)
                share.impulse[i] += stage->c[row] * *J++;
    }
    share.is_any = true;
    return share;
}

// Adds sign times the share of a body, about an anchor in its frame, to a force and moment.
static void add_wrench(const PerpStage *stage, int body, PerpVec3 anchor, const Share *share,
                       double sign, double *wrench)
{
    if (!share->is_any)
        return;
    PerpQuat turn = perp_rigid_poses(stage->q)[body].rotation;
    PerpVec3 force = perp_vec3_load(share->impulse);
    PerpVec3 moment = perp_vec3_sub(perp_vec3_load(share->impulse + 3),
                                    perp_vec3_cross(anchor, perp_quat_rotate_back(turn, force)));
    moment = perp_quat_rotate(turn, moment);
    perp_vec3_store(perp_vec3_add_scaled(perp_vec3_load(wrench), sign, force), wrench);
    perp_vec3_store(perp_vec3_add_scaled(perp_vec3_load(wrench + 3), sign, moment), wrench + 3);
}

// Adds the impulses of a joint's rows on its second body, or minus that on the first if the second
// cannot move; about the anchor.
static void add_reaction(PerpSimulation *sim, const PerpStage *stage, int first, int end, int joint)
{
    const PerpJoint *j = &sim->bodies.model->joints[joint];
    double *reaction = sim->controls.reaction + 6 * joint;
    Share on = share_of(stage, first, end, j->body_b);
    if (on.is_any) {
        add_wrench(stage, j->body_b, j->frame_b.position, &on, 1, reaction);
        return;
    }
    on = share_of(stage, first, end, j->body_a);
    add_wrench(stage, j->body_a, j->frame_a.position, &on, -1, reaction);
}

static double mean_speed(const PerpStage *stage, int row)
{
    return (perp_stage_row_speed(stage, row, stage->before) +
            perp_stage_row_speed(stage, row, stage->v)) /
           2;
}

static void add_actuator(PerpControls *c, const PerpStage *stage, int row, int actuator)
{
    c->actuator_force[actuator] += stage->c[row];
    c->actuator_power[actuator] += stage->c[row] * mean_speed(stage, row);
}

// Rows of a motion come as three linear ones, three angular ones in body axes.
static void add_motion(PerpSimulation *sim, const PerpStage *stage, int row, int motion)
{
    int body = sim->bodies.model->control.motions[motion].body;
    Share on = share_of(stage, row, row + 1, body);
    add_wrench(stage, body, (PerpVec3){0, 0, 0}, &on, 1, sim->controls.motion + 6 * motion);
}

static void add_control(PerpSimulation *sim, const PerpStage *stage, int row)
{
    int source = stage->rows.row_joint[row];
    if (perp_source_is_actuator(source))
        add_actuator(&sim->controls, stage, row, perp_source_index(source));
    else
        add_motion(sim, stage, row, perp_source_index(source));
}

// All rows of equations; those of a joint follow each other. A coupling, which acts on up to four
// bodies, has no reaction.
static void add_equations(PerpSimulation *sim, const PerpStage *stage, int rows)
{
    const int *source = stage->rows.row_joint;
    for (int row = 0, end; row < rows; row = end) {
        end = row + 1;
        if (perp_source_is_control(source[row])) {
            add_control(sim, stage, row);
            continue;
        }
        while (end < rows && source[end] == source[row])
            end++;
        if (source[row] >= 0 && sim->bodies.model->joints[source[row]].kind != PERP_JOINT_COUPLING)
            add_reaction(sim, stage, row, end, source[row]);
    }
}

static void add_box(PerpSimulation *sim, const PerpStage *stage, int box)
{
    int source = stage->rows.box_joint[box], row = stage->rows.problem.n_joints + box;
    int axis = stage->rows.box_axis[box];
    if (perp_source_is_control(source))
        add_actuator(&sim->controls, stage, row, perp_source_index(source));
    else if (axis >= 0)
        sim->controls.motor[PERP_JOINT_COORDINATES * source + axis] += stage->c[row];
}

void perp_loads_add_stage(PerpSimulation *sim, const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    int links = stage->links ? stage->links->count : 0; // behind the equations: springs, dampers
    if (!sim->bodies.model)
        return;
    add_equations(sim, stage, p->n_joints - links);
    for (int i = 0; i < p->n_boxes; i++)
        add_box(sim, stage, i);
    for (int i = 0; i < p->n_contacts && sim->bodies.rigid.joint_room.unilateral > 0; i++) {
        const PerpUnilateral *u = &stage->rows.unilateral[i];
        if (u->kind == PERP_UNILATERAL_CONTACT)
            continue;
        int row = perp_stage_contact_row(stage, i);
        add_reaction(sim, stage, row, row + 1, u->index);
    }
}

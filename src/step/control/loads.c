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

// J'c of a row on a body: impulse and angular impulse, world axes and body axes.
static bool row_impulse(const PerpStage *stage, int row, int body, PerpTwist *on)
{
    const PerpProblem *p = &stage->rows.problem;
    const PerpRigid *rigid = stage->rows.rigid;
    const double *J = p->J + stage->rows.row_values[row];
    int block = body < 0 ? -1 : rigid->block_of[body];
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int n = p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
        if (p->entry_body[e] == block) {
            double full[6] = {0};
            for (int i = 0; i < 6; i++)
                if (rigid->model->bodies[body].freedom >> i & 1)
                    full[i] = stage->c[row] * *J++;
            *on = (PerpTwist){perp_vec3_load(full), perp_vec3_load(full + 3)};
            return true;
        }
        J += n;
    }
    return false;
}

// Adds a row's impulse on the joint's second body, or minus that on the first if the second cannot
// move; about the anchor.
static void add_reaction(const PerpStage *stage, int row, int joint, double *reaction)
{
    const PerpJoint *j = &stage->rows.rigid->model->joints[joint];
    const PerpPose *pose = perp_rigid_poses(stage->q);
    PerpTwist on;
    bool second = row_impulse(stage, row, j->body_b, &on);
    if (!second && !row_impulse(stage, row, j->body_a, &on))
        return;
    PerpPose body = pose[second ? j->body_b : j->body_a];
    PerpVec3 arm =
        perp_quat_rotate(body.rotation, second ? j->frame_b.position : j->frame_a.position);
    PerpVec3 moment =
        perp_vec3_sub(perp_quat_rotate(body.rotation, on.angular), perp_vec3_cross(arm, on.linear));
    double sign = second ? 1 : -1;
    perp_vec3_store(perp_vec3_add_scaled(perp_vec3_load(reaction), sign, on.linear), reaction);
    perp_vec3_store(perp_vec3_add_scaled(perp_vec3_load(reaction + 3), sign, moment), reaction + 3);
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
    double *to = sim->controls.motion + 6 * motion;
    PerpTwist on = {{0, 0, 0}, {0, 0, 0}};
    row_impulse(stage, row, body, &on);
    PerpVec3 moment = perp_quat_rotate(perp_rigid_poses(stage->q)[body].rotation, on.angular);
    perp_vec3_store(perp_vec3_add(perp_vec3_load(to), on.linear), to);
    perp_vec3_store(perp_vec3_add(perp_vec3_load(to + 3), moment), to + 3);
}

static void add_equation(PerpSimulation *sim, const PerpStage *stage, int row)
{
    int source = stage->rows.row_joint[row];
    if (source >= 0 && sim->bodies.model->joints[source].kind != PERP_JOINT_COUPLING)
        add_reaction(stage, row, source, sim->controls.reaction + 6 * source);
    else if (!perp_source_is_control(source))
        return; // a coupling acts on up to four bodies
    else if (perp_source_is_actuator(source))
        add_actuator(&sim->controls, stage, row, perp_source_index(source));
    else
        add_motion(sim, stage, row, perp_source_index(source));
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
    for (int row = 0; row < p->n_joints - links; row++)
        add_equation(sim, stage, row);
    for (int i = 0; i < p->n_boxes; i++)
        add_box(sim, stage, i);
    for (int i = 0; i < p->n_contacts && sim->bodies.rigid.joint_room.unilateral > 0; i++) {
        const PerpUnilateral *u = &stage->rows.unilateral[i];
        if (u->kind == PERP_UNILATERAL_CONTACT)
            continue;
        add_reaction(stage, perp_stage_contact_row(stage, i), u->index,
                     sim->controls.reaction + 6 * u->index);
    }
}

// The angular momentum of isolated systems. Impulses of rows at the middle of the step keep it to
// rounding: with x_m = x + h v/2 and v_new = v + p/m,
//
//     x_new x m v_new - x x m v = x_m x p
//
// and spins are carried along with it. What changes it is the projection, which moves bodies and
// leaves their velocities alone: sum dx x m v + dR I w. It is small where steps are short.

#include "step/report/verdict.h"
#include "step/systems/rigid_system.h"

#include <math.h>

static bool is_free(const PerpModel *model, int body)
{
    return body >= 0 && model->bodies[body].freedom == PERP_FREE_ALL;
}

// Whether an actuator pulls at the world. Wrenches are given forces, which are seen as such.
static bool pulls_at_world(const PerpControlModel *m, const PerpActuator *actuator)
{
    return actuator->n_terms == 0 && actuator->site_b >= 0 &&
           (m->sites[actuator->site_a].body < 0 || m->sites[actuator->site_b].body < 0);
}

bool perp_verdict_is_isolated(const PerpSimulation *sim)
{
    const PerpModel *model = sim->bodies.model;
    bool isolated = perp_vec3_norm(model->gravity) == 0 && model->n_forces == 0 &&
                    !sim->settings.force && model->control.n_motions == 0 && model->n_bodies > 0;
    for (int b = 0; b < model->n_bodies && isolated; b++)
        isolated = is_free(model, b);
    for (int s = 0; s < model->n_shapes && isolated; s++)
        isolated = model->shapes[s].body >= 0;
    for (int j = 0; j < model->n_joints && isolated; j++)
        isolated = model->joints[j].kind == PERP_JOINT_COUPLING ||
                   (model->joints[j].body_a >= 0 && model->joints[j].body_b >= 0);
    for (int k = 0; k < model->n_springs && isolated; k++)
        isolated = model->springs[k].body_a >= 0 && model->springs[k].body_b >= 0;
    for (int k = 0; k < model->control.n_actuators && isolated; k++)
        isolated = !pulls_at_world(&model->control, &model->control.actuators[k]);
    return isolated;
}

// About the origin, and the sum of the sizes of its parts.
static PerpVec3 angular_momentum(const PerpSimulation *sim, const double *q, const double *v,
                                 double *size)
{
    PerpVec3 sum = {0, 0, 0};
    *size = 0;
    for (int b = 0; b < sim->bodies.model->n_bodies; b++) {
        const PerpBody *body = &sim->bodies.model->bodies[b];
        PerpPose pose = perp_rigid_poses(q)[b];
        PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, v, b);
        PerpVec3 spin =
            perp_quat_rotate(pose.rotation, perp_mat3_times(body->inertia, twist.angular));
        PerpVec3 orbit = perp_vec3_cross(pose.position, perp_vec3_scale(body->mass, twist.linear));
        sum = perp_vec3_add(sum, perp_vec3_add(spin, orbit));
        *size += perp_vec3_norm(spin) + perp_vec3_norm(orbit);
    }
    return sum;
}

// Gravity and forces that a caller gives are from outside.
static bool is_pushed(const PerpSimulation *sim)
{
    if (perp_vec3_norm(sim->bodies.rigid.gravity) > 0)
        return true;
    for (int i = 0; i < sim->n_v; i++)
        if (sim->ledger.external[i] != 0)
            return true;
    return false;
}

// Step by step, so that what callers change between steps does not count.
void perp_verdict_add_momentum(PerpSimulation *sim)
{
    double before, after;
    PerpVec3 from = angular_momentum(sim, sim->before.q, sim->before.v, &before);
    PerpVec3 to = angular_momentum(sim, sim->state.q, sim->state.v, &after);
    sim->run.momentum = fmax(sim->run.momentum, fmax(before, after));
    if (is_pushed(sim))
        return;
    sim->run.turned[0] += to.x - from.x;
    sim->run.turned[1] += to.y - from.y;
    sim->run.turned[2] += to.z - from.z;
}

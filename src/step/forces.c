// Forces: gravity, springs and dampers, given forces, the caller's own, and what keeps the angular
// momentum of a free body.

#include "step/step.h"

#include <string.h>

// Adds the impulse of a force and torque (world axes) on a model body.
static void add_impulse(const PerpSimulation *sim, int body, PerpVec3 force, PerpVec3 torque,
                        double h, double *b)
{
    if (body < 0)
        return;
    PerpVec3 turned = perp_quat_rotate_back(sim->state.pose[body].rotation, torque);
    perp_rigid_add_twist(&sim->rigid, body,
                         (PerpTwist){perp_vec3_scale(h, force), perp_vec3_scale(h, turned)}, b);
}

// The momentum that inertia alone leaves after h.
static void add_inertia(const PerpSimulation *sim, double h, double *b)
{
    double *v = b; // n_v numbers: first the velocities, then their momentum
    memcpy(v, sim->state.v, (size_t)sim->rigid.n_v * sizeof(double));
    for (int k = 0; k < sim->rigid.n_bodies; k++) {
        int body = sim->rigid.body_of[k];
        PerpTwist twist = perp_rigid_twist(&sim->rigid, sim->state.v, body);
        twist.angular = perp_rigid_free_spin(&sim->model->bodies[body], twist.angular, h);
        perp_rigid_set_twist(&sim->rigid, body, twist, v);
    }
}

static void add_own_forces(const PerpSimulation *sim, double h, double *b)
{
    for (int k = 0; k < sim->rigid.n_bodies && sim->settings.force; k++) {
        int body = sim->rigid.body_of[k];
        double position[3], rotation[4], force[3] = {0}, torque[3] = {0};
        perp_simulation_pose(sim, body, position, rotation);
        sim->settings.force(sim->settings.force_user, sim->state.t, body, position, rotation, force,
                            torque);
        add_impulse(sim, body, perp_vec3_load(force), perp_vec3_load(torque), h, b);
    }
}

static void add_gravity(const PerpSimulation *sim, double h, double *b)
{
    for (int k = 0; k < sim->rigid.n_bodies; k++) {
        int body = sim->rigid.body_of[k];
        PerpVec3 weight = perp_vec3_scale(sim->model->bodies[body].mass, sim->model->gravity);
        add_impulse(sim, body, weight, (PerpVec3){0, 0, 0}, h, b);
    }
}

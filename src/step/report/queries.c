// Queries between steps: state, poses, velocities, contacts, energies.

#include "step/control/controls.h"
#include "step/rows/joint_rows.h"
#include "step/scheme_tools.h"
#include "step/systems/rigid_system.h"

#include "math/dense.h"

#include "perp/system.h"

#include <math.h>
#include <string.h>

double perp_simulation_time(const PerpSimulation *sim)
{
    return sim->state.t;
}

const double *perp_simulation_q(const PerpSimulation *sim, int *count)
{
    *count = sim->n_q;
    return sim->state.q;
}

const double *perp_simulation_v(const PerpSimulation *sim, int *count)
{
    *count = sim->n_v;
    return sim->state.v;
}

const PerpStepReport *perp_simulation_report(const PerpSimulation *sim)
{
    return &sim->report;
}

static bool is_body(const PerpSimulation *sim, int body)
{
    return sim->bodies.model && body >= 0 && body < sim->bodies.model->n_bodies;
}

static void fill_nan(double *numbers, int count)
{
    for (int k = 0; k < count; k++)
        numbers[k] = NAN;
}

void perp_simulation_pose(const PerpSimulation *sim, int body, double position[3],
                          double rotation[4])
{
    if (!is_body(sim, body)) {
        fill_nan(position, 3);
        fill_nan(rotation, 4);
        return;
    }
    perp_rigid_user_pose(&sim->bodies.rigid, perp_rigid_poses(sim->state.q), body, position,
                         rotation);
}

// v_origin = v_centre - w x R centre
void perp_simulation_velocity(const PerpSimulation *sim, int body, double velocity[3],
                              double spin[3])
{
    if (!is_body(sim, body)) {
        fill_nan(velocity, 3);
        fill_nan(spin, 3);
        return;
    }
    PerpPose pose = perp_rigid_poses(sim->state.q)[body];
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
    PerpVec3 w = perp_quat_rotate(pose.rotation, twist.angular);
    PerpVec3 arm = perp_quat_rotate(pose.rotation, sim->bodies.model->bodies[body].centre);
    perp_vec3_store(perp_vec3_sub(twist.linear, perp_vec3_cross(w, arm)), velocity);
    perp_vec3_store(w, spin);
}

void perp_simulation_set_velocity(PerpSimulation *sim, int body, const double velocity[3],
                                  const double spin[3])
{
    if (!is_body(sim, body) || !perp_all_finite(3, velocity) || !perp_all_finite(3, spin))
        return;
    PerpPose pose = perp_rigid_poses(sim->state.q)[body];
    PerpVec3 w = perp_vec3_load(spin);
    PerpVec3 arm = perp_quat_rotate(pose.rotation, sim->bodies.model->bodies[body].centre);
    PerpTwist twist = {perp_vec3_add(perp_vec3_load(velocity), perp_vec3_cross(w, arm)),
                       perp_quat_rotate_back(pose.rotation, w)};
    sim->run.given = 1;
    sim->ledger.start -= perp_rigid_kinetic(&sim->bodies.rigid, sim->state.v);
    perp_rigid_set_twist(&sim->bodies.rigid, body, twist, sim->state.v);
    sim->ledger.start +=
        perp_rigid_kinetic(&sim->bodies.rigid, sim->state.v); // neither work nor loss
    perp_journal_note_state(sim);
}

void perp_simulation_momentum(const PerpSimulation *sim, int body, double linear[3],
                              double angular[3])
{
    if (!is_body(sim, body)) {
        fill_nan(linear, 3);
        fill_nan(angular, 3);
        return;
    }
    const PerpBody *b = &sim->bodies.model->bodies[body];
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
    PerpVec3 L = perp_mat3_times(b->inertia, twist.angular);
    perp_vec3_store(perp_vec3_scale(b->mass, twist.linear), linear);
    perp_vec3_store(perp_quat_rotate(perp_rigid_poses(sim->state.q)[body].rotation, L), angular);
}

bool perp_is_coordinate(const PerpSimulation *sim, int joint, int coordinate)
{
    const PerpModel *model = sim->bodies.model;
    return model && joint >= 0 && joint < model->n_joints && coordinate >= 0 &&
           coordinate < perp_joint_table(model->joints[joint].kind)->coordinates;
}

double perp_simulation_coordinate(const PerpSimulation *sim, int joint, int coordinate)
{
    if (!perp_is_coordinate(sim, joint, coordinate))
        return NAN;
    PerpJointRow row;
    return perp_joint_value(sim->bodies.model, perp_rigid_poses(sim->state.q), joint, coordinate,
                            &row) +
           sim->state.turn[PERP_JOINT_COORDINATES * joint + coordinate];
}

int perp_simulation_contact_count(const PerpSimulation *sim)
{
    return sim->contacts.last.n_contacts;
}

PerpContactReport perp_simulation_contact(const PerpSimulation *sim, int contact)
{
    if (contact < 0 || contact >= sim->contacts.last.n_contacts) {
        PerpContactReport none = {.body_a = -1, .body_b = -1, .shape_a = -1, .shape_b = -1};
        double *const numbers[] = {none.point, none.normal, none.impulse, none.velocity};
        for (int k = 0; k < 4; k++)
            fill_nan(numbers[k], 3);
        none.gap = none.mu = none.residual = NAN;
        return none;
    }
    return sim->contacts.last.contacts[contact];
}

const PerpContactReport *perp_simulation_contacts(const PerpSimulation *sim, int *count)
{
    *count = sim->contacts.last.n_contacts;
    return sim->contacts.last.contacts;
}

int perp_simulation_limit_count(const PerpSimulation *sim)
{
    return sim->contacts.last.n_limits;
}

PerpLimitReport perp_simulation_limit(const PerpSimulation *sim, int limit)
{
    bool is_limit = limit >= 0 && limit < sim->contacts.last.n_limits;
    return is_limit ? sim->contacts.last.limits[limit] : (PerpLimitReport){0, -1, NAN};
}

const char *perp_contact_status_name(PerpContactStatus status)
{
    static const char *const names[] = {"open", "stick", "slip", "impact"};
    return (int)status >= 0 && status < PERP_CONTACT_STATUS_COUNT ? names[status] : "?";
}

void perp_simulation_energy_at(PerpSimulation *sim, const double *q, const double *v,
                               PerpEnergy *energy)
{
    PerpState now = sim->state;
    sim->state.q = sim->scratch.q;
    sim->state.v = sim->scratch.v;
    memcpy(sim->scratch.q, q, (size_t)sim->n_q * sizeof *q);
    memcpy(sim->scratch.v, v, (size_t)sim->n_v * sizeof *v);
    *energy = (PerpEnergy){0};
    sim->system->store(sim, energy);
    sim->state = now;
}

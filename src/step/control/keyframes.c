// Resets: to the start, or to a named state.

#include "base/error.h"
#include "step/control/controls.h"
#include "step/report/verdict.h"
#include "step/systems/rigid_system.h"

#include <string.h>

static PerpStatus set_joint(PerpSimulation *sim, const PerpKeyframeJoint *j, PerpError *error)
{
    PerpStatus status =
        perp_simulation_set_coordinate(sim, j->joint, j->coordinate, j->position, error);
    if (!status)
        status = perp_simulation_set_joint_speed(sim, j->joint, j->coordinate, j->speed, error);
    return status;
}

PerpStatus perp_keyframe_apply(PerpSimulation *sim, int keyframe, PerpError *error)
{
    PerpStatus status = PERP_OK;
    if (keyframe < 0)
        return PERP_OK;
    const PerpKeyframe *key = &sim->bodies.model->control.keyframes[keyframe];
    for (int k = 0; k < key->n_poses && !status; k++) {
        const PerpKeyframePose *p = &key->poses[k];
        status = perp_simulation_set_pose(sim, p->body, p->position, p->rotation, error);
        if (!status)
            perp_simulation_set_velocity(sim, p->body, p->velocity, p->spin);
    }
    for (int k = 0; k < key->n_joints && !status; k++)
        status = set_joint(sim, &key->joints[k], error);
    for (int k = 0; k < key->n_controls && !status; k++)
        status =
            perp_simulation_set_control(sim, key->controls[k].index, key->controls[k].value, error);
    for (int k = 0; k < key->n_inputs && !status; k++)
        status = perp_simulation_set_input(sim, key->inputs[k].index, key->inputs[k].value, error);
    perp_sensors_read(sim, 0);
    return status;
}

// As at the beginning, without any state of the model.
static void forget(PerpSimulation *sim)
{
    const PerpModel *given = sim->bodies.given;
    sim->state.t = sim->state.h = 0;
    sim->state.held = sim->state.halvings = 0;
    sim->state.cached = sim->state.longest = 0;
    memset(sim->state.turn, 0, (size_t)sim->n_turn * sizeof(double));
    sim->caches.of_step = sim->caches.in_use = 0;
    for (int k = 0; k < PERP_ISLAND_CACHES; k++)
        perp_island_cache_clear(&sim->caches.cache[k]);
    sim->contacts.last.n_contacts = sim->contacts.last.n_limits = 0;
    sim->sleep.ready = sim->errors.known = sim->bodies.inertial.known = false;
    sim->bodies.joint_rows.known = sim->bodies.angles.known = false;
    sim->report = (PerpStepReport){.substeps = 1};
    sim->ledger.largest = 0;
    memcpy(sim->bodies.own.surfaces, given->surfaces,
           (size_t)(given->n_materials * given->n_materials) * sizeof *given->surfaces);
    sim->controls.has_friction = false;
}

PerpStatus perp_simulation_reset_to(PerpSimulation *sim, int keyframe, PerpError *error)
{
    if (!sim->bodies.model)
        return perp_fail(error, PERP_NOT_SUPPORTED, "a custom system is created anew instead");
    int count = sim->bodies.model->control.n_keyframes;
    if (keyframe < -1 || keyframe >= count)
        return perp_fail(error, PERP_BAD_VALUE, "keyframe %d: there are %d, counted from 0",
                         keyframe, count);
    bool keep = sim->journal.keep;
    perp_journal_note(sim, PERP_JOURNAL_RESET, 1, &keyframe, 0, NULL);
    sim->journal.keep = false; // of what follows from it
    forget(sim);
    perp_rigid_start(sim);
    PerpStatus status = perp_keyframe_apply(sim, keyframe, error);
    if (status) {
        forget(sim);
        perp_rigid_start(sim);
    }
    sim->journal.keep = keep;
    sim->ledger.start = perp_energy_stored(sim);
    return status ? status : perp_verdict_begin(sim, error);
}

PerpStatus perp_simulation_reset(PerpSimulation *sim, PerpError *error)
{
    int keyframe = sim->bodies.model ? sim->bodies.model->control.keyframe : -1;
    return perp_simulation_reset_to(sim, keyframe, error);
}

// A start with overlapping bodies has energy that no one put in: the first step parts them and
// lifts what lies above.

#include "step/start.h"
#include "step/scheme_tools.h"
#include "step/systems/rigid_system.h"

#include "base/error.h"
#include "geom/thickness.h"

#include <math.h>
#include <string.h>

static const double THICK = 0.1;  // m: shapes without an inside count as so thick
static const double LEAST = 1e-6; // m: so much is allowed of the thinnest shapes, too
enum { ROUNDS = 64 };             // of projections that move bodies apart

// m: the overlap that nobody minds
static double allowed(const PerpModel *model, const PerpContact *contact)
{
    double a = perp_shape_thickness(&model->shapes[contact->shape_a].shape);
    double b = perp_shape_thickness(&model->shapes[contact->shape_b].shape);
    double thinner = fmin(a, b);
    return fmax(PERP_START_OVERLAP * (thinner < INFINITY ? thinner : THICK), LEAST);
}

// The first look is at the start as it was given.
static void note_overlap(PerpSimulation *sim, const PerpContact *contact)
{
    PerpVerdictScales *scales = &sim->scales;
    if (scales->start_moved > 0 || -contact->point.gap <= scales->start_overlap)
        return;
    scales->start_overlap = -contact->point.gap;
    scales->overlap_a = contact->body_a;
    scales->overlap_b = contact->body_b;
}

// The deepest overlap by what is allowed of it.
static PerpStatus find_deepest(PerpSimulation *sim, PerpContact *deepest, bool *found,
                               PerpError *error)
{
    const PerpContact *contacts;
    const PerpModel *model = sim->bodies.model;
    int count;
    double worst = 1;
    PerpStatus status = perp_contact_finder_find(sim->bodies.finder, perp_rigid_poses(sim->state.q),
                                                 0, &contacts, &count);
    *found = false;
    if (status)
        return perp_fail(error, status, "%s", perp_status_text(status));
    for (int i = 0; i < count; i++) {
        note_overlap(sim, &contacts[i]);
        double depth = -contacts[i].point.gap / allowed(model, &contacts[i]);
        if (depth > worst) {
            worst = depth;
            *deepest = contacts[i];
            *found = true;
        }
    }
    return PERP_OK;
}

static PerpStatus refuse(const PerpSimulation *sim, const PerpContact *contact, const char *remedy,
                         PerpError *error)
{
    const PerpModel *model = sim->bodies.model;
    return perp_fail(error, PERP_BAD_VALUE, "\"%s\" and \"%s\" overlap by %.3g m at the start; %s",
                     perp_model_body_name(model, contact->body_a),
                     perp_model_body_name(model, contact->body_b), -contact->point.gap, remedy);
}

static void measure_motion(PerpSimulation *sim)
{
    const PerpPose *now = perp_rigid_poses(sim->state.q), *was = perp_rigid_poses(sim->before.q);
    for (int b = 0; b < sim->bodies.model->n_bodies; b++)
        sim->scales.start_moved =
            fmax(sim->scales.start_moved,
                 perp_vec3_norm(perp_vec3_sub(now[b].position, was[b].position)));
}

// The shortest motion in the metric of M, as after a step, until nothing overlaps any more.
static PerpStatus separate(PerpSimulation *sim, PerpError *error)
{
    PerpContact deepest;
    PerpStepReport report = sim->report;
    bool again = true;
    PerpStatus status = PERP_OK;
    memcpy(sim->before.q, sim->state.q, (size_t)sim->n_q * sizeof(double));
    for (int round = 0; round < ROUNDS && again && !status; round++) {
        status = perp_project(sim, error);
        if (!status)
            status = find_deepest(sim, &deepest, &again, error);
    }
    sim->report = report;
    measure_motion(sim);
    if (!status && again)
        return refuse(sim, &deepest, "they could not be moved apart", error);
    return status;
}

static PerpStatus check_overlaps(PerpSimulation *sim, PerpError *error)
{
    PerpContact deepest;
    bool found;
    if (!sim->bodies.model || sim->has_soft)
        return PERP_OK;
    PerpStatus status = find_deepest(sim, &deepest, &found, error);
    if (status || !found || sim->settings.overlap == PERP_OVERLAP_ALLOW)
        return status;
    if (sim->settings.overlap == PERP_OVERLAP_SEPARATE)
        return separate(sim, error);
    return refuse(sim, &deepest, "move them apart, or let overlap: separate do it", error);
}

PerpStatus perp_start_check(PerpSimulation *sim, PerpError *error)
{
    if (perp_step_check_range(sim, NULL))
        return perp_fail(error, PERP_BAD_VALUE,
                         "positions or velocities at the start are beyond 1e100");
    PerpStatus status = check_overlaps(sim, error);
    perp_arena_rewind(&sim->arena);
    return status;
}

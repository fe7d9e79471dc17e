// The algorithm of AP97 section 4: explicit Euler steps between collisions, which are located, and
// resolved in two phases.

#include "step/step.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // m: a contact with a smaller gap is established
enum { EVENTS = 1000 };            // collisions in one step beyond which it fails

// The least gap of contacts that are not established yet, at pose (+) tau v, and below -CLOSED.
static PerpStatus deepest_new_gap(PerpSimulation *sim, double tau, double *gap, PerpError *error)
{
    PerpStage stage;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    sim->system->advance(sim, sim->state.q, sim->state.v, tau, sim->trial);
    PerpStatus status = perp_stage_assemble(sim, sim->trial, 0, 0, &stage, error);
    *gap = 0;
    for (int i = 0; !status && i < stage.rows.problem.n_contacts; i++) {
        double speed =
            perp_stage_row_speed(&stage, perp_stage_contact_row(&stage, i), sim->state.v);
        if (speed < -sim->settings.restitution_threshold)
            *gap = fmin(*gap, stage.rows.unilateral[i].gap);
    }
    perp_arena_release(&sim->arena, mark);
    return status;
}

// The time at which the first new contact closes along q (+) tau v, by bisection to rounding.
static PerpStatus locate_collision(PerpSimulation *sim, double h, double *tau, PerpError *error)
{
    double open = 0, closed = h;
    PerpStatus status = PERP_OK;
    while (!status && closed - open > 1e-14 * (1 + sim->state.t)) {
        double middle = (open + closed) / 2, gap;
        status = deepest_new_gap(sim, middle, &gap, error);
        if (gap < 0)
            closed = middle;
        else
            open = middle;
    }
    *tau = open;
    return status;
}

static void move_by(PerpSimulation *sim, double h)
{
    sim->system->advance(sim, sim->state.q, sim->state.v, h, sim->trial);
    perp_step_go(sim, sim->trial, sim->state.t + h);
}

// A contact that is being hit is not established: what happens there is the impact's.
static void leave_out_collisions(const PerpSimulation *sim, PerpStage *stage)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        double speed = perp_stage_row_speed(stage, row, sim->state.v);
        if (speed < -sim->settings.restitution_threshold)
            stage->rows.d[row] = -1e3 * speed;
    }
}

// q_new = q + h v;  (v_new, ...) in L(v, h k), nu, n, D at q_new
static PerpStatus euler_step(PerpSimulation *sim, double h, PerpError *error)
{
    PerpStage stage;
    double *k = PERP_TAKE(&sim->arena, double, 2 * sim->n_v);
    if (!k)
        return perp_fail_memory(error);
    PerpStatus status =
        sim->system->free_motion(sim, h, sim->state.t, sim->state.q, k, k + sim->n_v, error);
    if (status)
        return status;
    move_by(sim, h);
    status = perp_stage_assemble(sim, sim->state.q, CLOSED, h, &stage, error);
    if (status)
        return status;
    perp_stage_momentum(&stage, k + sim->n_v, stage.rows.b);
    leave_out_collisions(sim, &stage);
    status = perp_stage_solve(sim, sim->state.v, &stage, error);
    if (status)
        return status;
    perp_energy_add_stage(sim, &stage);
    memcpy(sim->state.v, stage.v, (size_t)sim->n_v * sizeof(double));
    return perp_stage_report_contacts(sim, &stage, error);
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    double rest = h, gap, tau;
    PerpStatus status = PERP_OK;
    sim->bounce_speed = sim->settings.restitution_threshold;
    for (int events = 0; rest > 0 && !status; events++) {
        if (events == EVENTS)
            return perp_fail(error, PERP_NOT_SOLVED,
                             "t = %.9g s: more than %d collisions in a step; a shorter step or a "
                             "larger restitution threshold may help",
                             sim->state.t, EVENTS);
        status = deepest_new_gap(sim, rest, &gap, error);
        if (!status && gap >= -CLOSED) { // no collision
            status = euler_step(sim, rest, error);
            break;
        }
        if (!status)
            status = locate_collision(sim, rest, &tau, error);
        if (!status)
            status = euler_step(sim, tau, error);
        if (!status)
            status = perp_impact(sim, sim->state.q, CLOSED, sim->state.v, error);
        rest -= tau;
    }
    return status ? status : perp_step_measure(sim, error);
}

const PerpScheme perp_scheme_anitescu_potra = {
    .name = "anitescu-potra",
    .text = "AP97: explicit Euler, collisions located, impacts in two phases",
    .explicit_turn = true,
    .step = step,
};

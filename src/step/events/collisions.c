// Collisions along the interpolant of a step, located by regula falsi [PAGT06 sections 6 and 7].

#include "step/events/collisions.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double SLOW = 1e-3;     // of the restitution threshold: neither collision nor parting
static const double TOUCH = 1e-14;   // m: as well as a collision is located
static const double NOTHING = 1e-13; // of a step: not worth another
enum { EVENTS = 100, ROUNDS = 60 };

// --- which contacts are closed ------------------------------------------------------------------

static bool separates(const PerpSimulation *sim, const PerpStage *stage, const bool *loose,
                      int contact)
{
    const PerpProblem *p = &stage->rows.problem;
    int row = perp_stage_contact_row(stage, contact);
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        if (!loose[p->entry_body[e]])
            return false;
    return stage->rows.unilateral[contact].kind != PERP_UNILATERAL_RATE &&
           perp_stage_row_speed(stage, row, sim->state.v) >
               SLOW * sim->settings.restitution_threshold;
}

PerpStatus perp_attempt_keep_closed(PerpSimulation *sim, const PerpAttempt *attempt,
                                    PerpStage *stage, PerpError *error)
{
    bool *keep = PERP_TAKE(&sim->arena, bool, stage->rows.problem.n_contacts);
    if (!keep)
        return perp_fail_memory(error);
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        keep[i] = perp_attempt_has(attempt, stage->rows.unilateral[i].id) ||
                  perp_unilateral_is_soft(&stage->rows.unilateral[i]);
    perp_assembly_select(&stage->rows, keep);
    return PERP_OK;
}

PerpStatus perp_attempt_note_closed(PerpSimulation *sim, const PerpStage *stage, const bool *loose,
                                    PerpAttempt *attempt, PerpError *error)
{
    int count = stage->rows.problem.n_contacts;
    uint64_t *ids = PERP_TAKE(&sim->arena, uint64_t, count);
    if (!ids)
        return perp_fail_memory(error);
    attempt->n_closed = 0;
    for (int i = 0; i < count; i++)
        if (stage->rows.unilateral[i].gap <= PERP_CLOSED &&
            !perp_unilateral_is_soft(&stage->rows.unilateral[i]) &&
            !(loose && separates(sim, stage, loose, i)))
            ids[attempt->n_closed++] = stage->rows.unilateral[i].id;
    attempt->closed = ids;
    return PERP_OK;
}

bool perp_attempt_has(const PerpAttempt *attempt, uint64_t id)
{
    for (int i = 0; i < attempt->n_closed; i++)
        if (attempt->closed[i] == id)
            return true;
    return false;
}

// --- the interpolant ----------------------------------------------------------------------------

// The cubic of (6.2) is the parabola  q(tau) = q (+) tau (v + tau/(2h) (v_new - v)),
// v(tau) = v + tau/h (v_new - v).
static void interpolate(const PerpSimulation *sim, const PerpAttempt *attempt, double tau,
                        double *mean, double *v, double *q)
{
    const PerpStage *stage = &attempt->stage;
    double part = tau / stage->h;
    for (int i = 0; i < sim->n_v; i++) {
        double lead = attempt->lead ? attempt->lead[i] : 0.5;
        double end = attempt->v_new ? attempt->v_new[i] : stage->v[i];
        mean[i] = stage->before[i] + part * lead * (stage->v[i] - stage->before[i]);
        v[i] = stage->before[i] + part * (end - stage->before[i]);
    }
    sim->system->advance(sim, sim->state.q, mean, tau, q);
}

// The least gap at tau of contacts that were not closed and are approaching; INFINITY: there is
// none within reach.
static PerpStatus least_gap(PerpSimulation *sim, const PerpAttempt *attempt, double tau,
                            double reach, double *gap, PerpError *error)
{
    PerpStage there;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *mean = PERP_TAKE(&sim->arena, double, 2 * sim->n_v), *v = mean + sim->n_v;
    *gap = INFINITY;
    if (!mean)
        return perp_fail_memory(error);
    interpolate(sim, attempt, tau, mean, v, sim->scratch.q);
    PerpStatus status = perp_stage_assemble(sim, sim->scratch.q, reach, 0, &there, error);
    for (int i = 0; !status && i < there.rows.problem.n_contacts; i++) {
        const PerpUnilateral *u = &there.rows.unilateral[i];
        double speed = perp_stage_row_speed(&there, perp_stage_contact_row(&there, i), v);
        if (u->kind != PERP_UNILATERAL_RATE && !perp_unilateral_is_soft(u) &&
            !perp_attempt_has(attempt, u->id) &&
            speed < -SLOW * sim->settings.restitution_threshold)
            *gap = fmin(*gap, u->gap);
    }
    perp_arena_release(&sim->arena, mark);
    return status;
}

// Where the least gap passes zero, between 0, where it does not overlap, and *tau, where it does
// by -gap: regula falsi (Illinois), every third round halves.
static PerpStatus locate(PerpSimulation *sim, const PerpAttempt *attempt, double gap, double *tau,
                         PerpError *error)
{
    double open = 0, closed = *tau, f_open, f_closed = gap;
    double reach = sim->system->reach(sim, attempt->stage.v, *tau) + PERP_CLOSED;
    PerpStatus status = least_gap(sim, attempt, 0, reach, &f_open, error);
    if (!status && f_open <= 0)
        closed = 0;
    for (int round = 1; !status && f_closed < -TOUCH && round < ROUNDS; round++) {
        if (closed - open <= 0x1p-52 * (sim->state.t + *tau))
            break;
        double middle = isfinite(f_open) && round % 3
                            ? closed - f_closed * (closed - open) / (f_closed - f_open)
                            : (open + closed) / 2;
        if (!(middle > open && middle < closed))
            middle = (open + closed) / 2;
        status = least_gap(sim, attempt, middle, reach, &gap, error);
        if (gap <= 0) {
            closed = middle;
            f_closed = gap;
            f_open /= 2;
        } else {
            open = middle;
            f_open = gap;
        }
    }
    *tau = closed;
    return status;
}

// --- motion -------------------------------------------------------------------------------------

// The work of given forces over tau, at the middle of the motion.
static double given_work(PerpSimulation *sim, const double *mean, double tau, double *middle)
{
    sim->system->advance(sim, sim->state.q, mean, tau / 2, middle);
    return tau / 2 *
           (sim->system->power(sim, sim->state.t, middle, mean) +
            sim->system->power(sim, sim->state.t + tau, middle, mean));
}

// What the dampers take of the kinetic energy in that part of the step, as of all impulses: the
// motion itself may follow v_new alone.
static double damper_work(const PerpSimulation *sim, const PerpAttempt *attempt, double part)
{
    const PerpStage *stage = &attempt->stage;
    double work = 0;
    for (int i = 0; i < sim->n_v; i++)
        work -= part * attempt->dampers[i] * (stage->before[i] + stage->v[i]) / 2;
    return work;
}

// Goes along the attempt up to tau: impulses are that part of the whole.
static PerpStatus go(PerpSimulation *sim, PerpAttempt *attempt, double tau,
                     PerpStabilisation of_scheme, PerpError *error)
{
    PerpStage *stage = &attempt->stage;
    double part = tau / stage->h;
    double *mean = PERP_TAKE(&sim->arena, double, 2 * sim->n_v), *v = mean + sim->n_v;
    double *middle = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!mean || !middle)
        return perp_fail_memory(error);
    interpolate(sim, attempt, tau, mean, v, sim->scratch.q);
    sim->ledger.given_work = given_work(sim, mean, tau, middle);
    memset(sim->ledger.external, 0, (size_t)sim->n_v * sizeof(double));
    perp_step_go(sim, sim->scratch.q, sim->state.t + tau);
    for (int r = 0; r < perp_problem_rows(&stage->rows.problem); r++)
        stage->c[r] *= part;
    for (int i = 0; i < sim->n_v; i++)
        stage->v[i] = stage->before[i] + part * (stage->v[i] - stage->before[i]);
    sim->ledger.damper_work = damper_work(sim, attempt, part);
    memcpy(sim->state.v, v, (size_t)sim->n_v * sizeof(double));
    perp_energy_add_stage(sim, stage);
    PerpStatus status = perp_stage_report_contacts(sim, stage, error);
    return status ? status : perp_stabilise(sim, of_scheme, error);
}

// --- collisions ---------------------------------------------------------------------------------

// Is a closed contact being approached right now, at a speed that an impact has to deal with?
// PAGT06 does not print this: its (5.6) would turn the approach round, v_new = -v, whatever e is.
static PerpStatus look_for_hit(PerpSimulation *sim, bool *hit, PerpError *error)
{
    PerpStage now;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, 0, &now, error);
    *hit = false;
    for (int i = 0; !status && i < now.rows.problem.n_contacts; i++)
        *hit = *hit || (!perp_unilateral_is_soft(&now.rows.unilateral[i]) &&
                        perp_stage_row_speed(&now, perp_stage_contact_row(&now, i), sim->state.v) <
                            -sim->threshold.bounce);
    perp_arena_release(&sim->arena, mark);
    return status;
}

static PerpStatus collide(PerpSimulation *sim, PerpError *error)
{
    sim->report.substeps++;
    return perp_impact(sim, sim->state.q, PERP_CLOSED, sim->state.v, error);
}

// Tries the rest of the step; *tau becomes the time of the first collision, if *hit.
static PerpStatus advance(PerpSimulation *sim, PerpAttemptStep try_step, bool locates,
                          PerpAttempt *attempt, double *tau, bool *hit, PerpError *error)
{
    double gap = 0;
    PerpStatus status = try_step(sim, *tau, attempt, error);
    if (!status && locates)
        status = least_gap(sim, attempt, *tau, 0, &gap, error);
    *hit = !status && gap < -PERP_CLOSED;
    return *hit ? locate(sim, attempt, gap, tau, error) : status;
}

PerpStatus perp_step_with_collisions(PerpSimulation *sim, double h, PerpAttemptStep try_step,
                                     PerpStabilisation of_scheme, PerpError *error)
{
    double rest = h, end = sim->state.t + h;
    bool hit;
    sim->threshold.bounce = sim->settings.restitution_threshold;
    hit = !sim->settings.printed_collisions;
    PerpStatus status = hit ? look_for_hit(sim, &hit, error) : PERP_OK;
    if (!status && hit)
        status = collide(sim, error);
    for (int event = 0; !status && rest > NOTHING * h; event++) {
        PerpAttempt attempt = {0};
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        double tau = rest;
        if (event == EVENTS)
            perp_step_warn(sim, "more than %d collisions in a step; the others are not located",
                           EVENTS);
        status = advance(sim, try_step, event < EVENTS, &attempt, &tau, &hit, error);
        if (!status)
            status = go(sim, &attempt, tau, of_scheme, error);
        perp_arena_release(&sim->arena, mark);
        if (!status && hit)
            status = collide(sim, error);
        rest = hit ? rest - tau : 0;
    }
    sim->state.t = end;
    return status;
}

// One step, from the state to a certified state.
//
//     save        the state and the report, should the step fail
//     presence    joints and springs that begin or end                               control/
//     sample      signals, what actuators and motions do in the step                 control/
//     sleep       nothing moves: the last problem again, certified anew              sleep.c
//     scheme      else: the algorithm of the scheme, stages as below                 schemes/
//     commit      contact reports, island cache, energy ledger, loads, sensors       report/
//
// The stages of a scheme, most readable in schemes/default.c:
//
//     forces      v_free = M^-1 (M v + h k)                       systems/rigid_forces.c
//     collide     gaps and normals, of speculative contacts too   rows/speculative.c, collide/
//     assemble    nu, n, D, Theta, Phi at a configuration         rows/assemble.c
//     islands     bodies that rows connect: one problem each      islands/islands.c
//     solve       M (v_new - v) = h k + nu c_nu + n c_n + D beta, complementarity, friction
//     certify     by code of its own: the two are islands/solve_stage.c, solve/, certify/
//     impacts     compression, decompression [AP97 section 3]     events/impact.c
//     integrate   q_new = q (+) h v_mean                          systems/rigid.c
//     report      contacts, energy, the papers' bounds            report/
//     stabilise   projection on the constraints                   stabilisation.c

#include "step/control/controls.h"
#include "step/report/verdict.h"
#include "step/sleep.h"
#include "step/timing.h"

#include "base/error.h"
#include "solve/position_correction.h"

#include <math.h>
#include <string.h>

static void copy_state(const PerpSimulation *sim, const PerpState *from, PerpState *to)
{
    to->t = from->t;
    to->h = from->h;
    to->held = from->held;
    to->halvings = from->halvings;
    to->cached = from->cached;
    to->longest = from->longest;
    memcpy(to->q, from->q, (size_t)sim->n_q * sizeof(double));
    memcpy(to->v, from->v, (size_t)sim->n_v * sizeof(double));
    memcpy(to->turn, from->turn, (size_t)sim->n_turn * sizeof(double));
}

// The step depends on nothing that an earlier one left, but for the state and the island cache.
static void begin(PerpSimulation *sim)
{
    PerpEnergy energy = sim->report.energy;
    sim->report = (PerpStepReport){.outcome = PERP_OUTCOME_SOLVED, .substeps = 1, .energy = energy};
    sim->stiff.count = 0;
    sim->noted = (PerpStepNotes){0};
    perp_island_caches_begin(&sim->caches);
    perp_contact_reports_begin(&sim->contacts);
    perp_correct_joints_anew(sim->workers.solver);
    perp_loads_begin(sim);
}

static PerpStatus sleep(PerpSimulation *sim, bool *rests, PerpError *error)
{
    begin(sim);
    return perp_sleep_step(sim, rests, error);
}

static PerpStatus apply_scheme(PerpSimulation *sim, double h, PerpError *error)
{
    begin(sim);
    sim->sleep.ready = false;
    perp_arena_rewind(&sim->arena);
    if (sim->n_v > 0)
        return sim->scheme->step(sim, h, error);
    sim->state.t += h; // nothing can move
    return PERP_OK;
}

static void undo(PerpSimulation *sim, const PerpStepReport *last)
{
    copy_state(sim, &sim->before, &sim->state);
    perp_controls_undo(sim);
    sim->sleep.ready = false;
    sim->report = *last;
}

// Beyond, squares and products with masses may overflow; NaN is beyond, too.
bool perp_step_is_in_range(int n, const double *x)
{
    static const double MOST = 1e100;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum < MOST;
}

bool perp_step_is_creep(double moving, double at_rest, double free)
{
    return moving <= at_rest * at_rest * free && free < INFINITY;
}

PerpStatus perp_step_check_range(const PerpSimulation *sim, PerpError *error)
{
    if (perp_step_is_in_range(sim->n_q, sim->state.q) &&
        perp_step_is_in_range(sim->n_v, sim->state.v))
        return PERP_OK;
    return perp_fail(error, PERP_NOT_SOLVED,
                     "t = %.9g s: positions or velocities are beyond 1e100: take shorter steps",
                     sim->state.t);
}

// What the verdict of the run needs of a step before it counts.
static PerpStatus judge(PerpSimulation *sim, PerpError *error)
{
    PerpStatus status = perp_step_check_range(sim, error);
    return status ? status : perp_verdict_check_passage(sim, error);
}

static void commit(PerpSimulation *sim, double h)
{
    sim->caches.of_step = sim->caches.in_use;
    sim->report.t = sim->state.t;
    sim->report.h = sim->state.h = h;
    sim->state.held = sim->report.held.residual > 0 ? sim->state.held + 1 : 0;
    perp_energy_close(sim);
    perp_verdict_add_step(sim);
}

static void begin_timing(PerpSimulation *sim)
{
    if (sim->timings.on)
        sim->timings =
            (PerpTimings){.on = true, .now = PERP_TIMING_CONTROL, .since = perp_thread_seconds()};
}

// As the caller says, the journal that is followed, or the settings.
static double length_of(PerpSimulation *sim, double h)
{
    double given = h > 0 ? h : sim->journal.length;
    sim->journal.length = 0;
    if (!(given > 0))
        return sim->settings.step;
    perp_journal_note(sim, PERP_JOURNAL_LENGTH, 0, NULL, 1, &given);
    return given;
}

PerpStatus perp_simulation_step(PerpSimulation *sim, double h, PerpError *error)
{
    const PerpStepReport last = sim->report;
    const double start_energy = sim->ledger.start;
    const int noted = sim->journal.count;
    double length = length_of(sim, h);
    bool rests = false, may_sleep = perp_sleep_applies(sim, length); // compares with the last state
    begin_timing(sim);
    copy_state(sim, &sim->state, &sim->before);
    perp_controls_save(sim);
    PerpStatus status = perp_presence_update(sim, length, error);
    may_sleep = may_sleep && sim->sleep.ready;
    if (!status)
        status = perp_controls_sample(sim, length, error);
    perp_timing_enter(sim, PERP_TIMING_OTHER);
    if (!status && may_sleep)
        status = sleep(sim, &rests, error);
    if (!status && !rests)
        status = apply_scheme(sim, length, error);
    if (!status && !rests)
        status = judge(sim, error);
    if (status) {
        undo(sim, &last);
        sim->ledger.start = start_energy;
        sim->journal.count = noted;
        perp_timing_enter(sim, PERP_TIMING_OTHER);
        return status;
    }
    perp_timing_enter(sim, PERP_TIMING_REPORT);
    if (!rests)
        perp_contact_reports_show(&sim->contacts); // else they are as they were
    commit(sim, length);
    perp_timing_enter(sim, PERP_TIMING_CONTROL);
    perp_controls_commit(sim, length);
    sim->journal.step++;
    perp_timing_enter(sim, PERP_TIMING_OTHER);
    return PERP_OK;
}

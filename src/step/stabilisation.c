// Stabilisation: projection on the constraints, by positions alone. Velocities and hence the
// kinetic energy stay.
//
//     min |dq|_M   with   Theta + nu'dq = 0,   phi + n'dq >= 0
//
// is a frictionless step problem with b = 0 and d = Theta, phi; repeated until phi holds to
// rounding and Theta to 1e-2 of the tolerance.

#include "step/scheme_tools.h"

#include "base/error.h"
#include "linear/joints_solve.h"
#include "math/dense.h"
#include "solve/position_correction.h"
#include "step/rows/soft_rows.h"
#include "step/timing.h"

#include <math.h>
#include <string.h>

static const double ENOUGH = 1e-12; // m or rad: errors that are left alone
// m or rad: joints may also be open by 1e-2 of the tolerance, up to this. The last digits would
// cost as much as the first.
static const double MOST = 1e-10;
static const double OPEN = 1e-6; // m or rad: joints that stay open by more are warned of
// How far contacts may be open, times the largest error, that are guarded. Bodies move by about as
// much as errors are large; in a pile small ones add up.
static const double GUARD = 3, GUARD_SMALL = 30;
static const double SMALL = 1e-3;  // m: so far small errors are guarded more
static const double AIM = 0.1;     // of the errors that are left alone: what a correction may leave
static const double ROUGH = 1e-3;  // of the largest error: what gradients leave at the least
static const double FINEST = 1e-2; // of the overlap that steps with slip held may leave
enum { ROUNDS = 8 };
enum { FIRST_ROUNDS = 2 }; // of corrections of joined bodies that no certificate is asked about

// The largest joint error and overlap at the state, into the report.
static void measure(PerpSimulation *sim, const PerpStage *stage)
{
    const PerpAssembly *rows = &stage->rows;
    sim->report.joint_gap = perp_max_abs(rows->problem.n_joints, rows->theta);
    sim->report.penetration = 0;
    for (int i = 0; i < rows->problem.n_contacts; i++)
        if (-rows->unilateral[i].gap > sim->report.penetration)
            sim->report.penetration = -rows->unilateral[i].gap;
}

// Are errors known at this very configuration? Bodies at rest have the same, bit by bit; those of
// stiff contacts depend on forces.
static bool recall_errors(PerpSimulation *sim)
{
    const PerpConstraintErrors *last = &sim->errors;
    if (!last->known || sim->stiff.count > 0 ||
        memcmp(last->q, sim->state.q, (size_t)sim->n_q * sizeof(double)) != 0 ||
        memcmp(last->turn, sim->state.turn, (size_t)sim->n_turn * sizeof(double)) != 0)
        return false;
    sim->report.joint_gap = last->joint_gap;
    sim->report.penetration = last->penetration;
    return true;
}

static void remember_errors(PerpSimulation *sim)
{
    PerpConstraintErrors *last = &sim->errors;
    memcpy(last->q, sim->state.q, (size_t)sim->n_q * sizeof(double));
    memcpy(last->turn, sim->state.turn, (size_t)sim->n_turn * sizeof(double));
    last->joint_gap = sim->report.joint_gap;
    last->penetration = sim->report.penetration;
    last->known = true;
}

PerpStatus perp_step_measure(PerpSimulation *sim, PerpError *error)
{
    PerpStage stage;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpRowChoice choice = {// the deepest gap alone may be that of a soft contact
                            .reach = 0,
                            .positions = true,
                            .transient = true,
                            .gaps = !sim->has_soft};
    if (recall_errors(sim))
        return PERP_OK;
    PerpStatus status = sim->system->assemble(sim, sim->state.q, &choice, &stage.rows, error);
    if (!status && !perp_soft_rows_stiff_only(sim, &stage.rows))
        status = perp_fail_memory(error);
    if (!status) {
        measure(sim, &stage);
        remember_errors(sim);
    }
    perp_arena_release(&sim->arena, mark);
    return status;
}

// Contacts that do not overlap stay as far apart as they are, or closer by what they have.
static void set_errors(PerpStage *stage)
{
    PerpProblem *p = &stage->rows.problem;
    for (int i = 0; i < p->n_joints; i++)
        stage->rows.d[i] = stage->rows.theta[i];
    for (int i = 0; i < p->n_boxes; i++)
        stage->rows.lo[i] = stage->rows.hi[i] = 0;
    for (int i = 0; i < p->n_contacts; i++)
        stage->rows.d[perp_stage_contact_row(stage, i)] = stage->rows.unilateral[i].gap;
    p->n_directions = p->n_groups = 0;
}

static double guarded(double wrong)
{
    return fmin(GUARD_SMALL * wrong, GUARD * wrong + SMALL);
}

// m or rad: what joints may be left open by
static double joint_error(const PerpSimulation *sim)
{
    return fmax(ENOUGH, fmin(1e-2 * sim->settings.tolerance, MOST)) +
           perp_step_slop(sim->settings.tolerance);
}

// Where slip is held, or a step missed, gaps are off by more than the last digits of overlaps,
// which are worth nothing then. Joints are closed by the same correction to all of theirs: they are
// eliminated.
static bool is_rough(const PerpSimulation *sim)
{
    return sim->report.outcome != PERP_OUTCOME_SOLVED && sim->settings.held_tolerance > 0;
}

// m: what the tolerance leaves of overlaps, 0 if it is tight
static double overlap_slop(const PerpSimulation *sim)
{
    double slop = perp_step_slop(sim->settings.tolerance);
    double held = perp_step_slop(sim->settings.held_tolerance);
    if (sim->report.outcome == PERP_OUTCOME_HELD)
        held = fmax(FINEST * held, fmin(held, AIM * sim->report.gap_error));
    return is_rough(sim) ? fmax(slop, held) : slop;
}

// m: what overlaps may be left
static double overlap_error(const PerpSimulation *sim)
{
    return ENOUGH + overlap_slop(sim);
}

// Corrections whose errors are measured afterwards, and need no certificate: joints alone are a
// linear problem, overlaps need not be gone to the last digit where the tolerance leaves some. NULL
// if it is neither.
static const double *find_simply(PerpSimulation *sim, const PerpProblem *p, double wrong)
{
    double enough = fmin(AIM * overlap_slop(sim) / wrong, AIM);
    bool simple = enough > ROUGH || (is_rough(sim) && sim->settings.held_tolerance >= ROUGH);
    if (perp_joints_alone(p))
        return perp_correct_joints(sim->workers.solver, p, joint_error(sim) / 2);
    return simple ? perp_correct_overlaps(sim->workers.solver, p, fmax(enough, ROUGH)) : NULL;
}

// Rows turn by what bodies move: a correction leaves about the square of the errors by a length of
// some decimetres, and need not be solved better than that, nor than what is left alone.
static PerpProjectionAim aim_of(const PerpSimulation *sim, double wrong, bool is_first)
{
    double overlap = overlap_error(sim);
    return (PerpProjectionAim){.joint_error = joint_error(sim),
                               .overlap = overlap,
                               .tolerance = fmin(fmax(AIM * wrong, AIM * overlap / wrong), ROUGH),
                               .is_first = is_first};
}

// dq of the smallest norm in the metric of M.
static PerpStatus find_correction(PerpSimulation *sim, PerpStage *stage, double wrong,
                                  bool is_first, const double **dq, PerpError *error)
{
    *dq = find_simply(sim, &stage->rows.problem, wrong);
    if (*dq)
        return PERP_OK;
    double *none = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!none)
        return perp_fail_memory(error);
    perp_correct_joints_anew(sim->workers.solver); // or chance decides whether they outlive this
    PerpStepReport saved = sim->report;
    stage->is_aside = true;
    stage->aim = aim_of(sim, wrong, is_first);
    PerpStatus status = perp_stage_solve(sim, none, stage, error);
    sim->report = saved;
    *dq = stage->v;
    return status;
}

// One round: false in `again` if there is nothing to do. Contacts that are open by less than the
// bodies may move are guarded too.
static PerpStatus project_once(PerpSimulation *sim, bool is_first, bool *again, PerpError *error)
{
    PerpStage stage = {0};
    const double *dq = NULL;
    double wrong = fmax(sim->report.joint_gap, sim->report.penetration);
    *again =
        sim->report.penetration > overlap_error(sim) || sim->report.joint_gap > joint_error(sim);
    if (!*again)
        return PERP_OK;
    PerpRowChoice choice = {.reach = guarded(wrong), .positions = true, .transient = true};
    PerpStatus status = sim->system->assemble(sim, sim->state.q, &choice, &stage.rows, error);
    if (!status && !perp_soft_rows_stiff_only(sim, &stage.rows))
        status = perp_fail_memory(error);
    if (status)
        return status;
    set_errors(&stage);
    status = find_correction(sim, &stage, wrong, is_first, &dq, error);
    if (status)
        return status;
    sim->system->advance(sim, sim->state.q, dq, 1, sim->scratch.q);
    perp_step_go(sim, sim->scratch.q, sim->state.t);
    return perp_step_measure(sim, error);
}

PerpStatus perp_project(PerpSimulation *sim, PerpError *error)
{
    bool again = true;
    PerpTiming stage = perp_timing_enter(sim, PERP_TIMING_PROJECT);
    PerpStatus status = perp_step_measure(sim, error);
    for (int round = 0; round < ROUNDS && again && !status; round++) {
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        status = project_once(sim, round < FIRST_ROUNDS, &again, error);
        perp_arena_release(&sim->arena, mark);
    }
    if (!status && sim->report.joint_gap > OPEN + perp_step_slop(sim->settings.tolerance))
        perp_step_warn(sim, "joints are open by %.1e and do not close: take shorter steps",
                       sim->report.joint_gap);
    perp_timing_enter(sim, stage);
    return status;
}

PerpStatus perp_stabilise(PerpSimulation *sim, PerpStabilisation of_scheme, PerpError *error)
{
    PerpStabilisation chosen = sim->settings.stabilise;
    if (chosen == PERP_STABILISE_SCHEME)
        chosen = of_scheme;
    return chosen == PERP_STABILISE_PROJECT ? perp_project(sim, error)
                                            : perp_step_measure(sim, error);
}

void perp_stabilise_rows(const PerpSimulation *sim, double h, PerpStage *stage)
{
    if (sim->settings.stabilise != PERP_STABILISE_ROWS)
        return;
    for (int i = 0; i < stage->rows.problem.n_joints; i++)
        stage->rows.d[i] += stage->rows.theta[i] / h;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (!perp_unilateral_is_soft(&stage->rows.unilateral[i]))
            stage->rows.d[perp_stage_contact_row(stage, i)] +=
                fmin(stage->rows.unilateral[i].gap, 0) / h;
}

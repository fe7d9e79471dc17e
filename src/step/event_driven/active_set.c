// Which constraints are active from now on  [L82 section 5]. The problem (2.5b) decides about those
// whose multiplier or acceleration is positive; where both vanish their derivatives do, which is
// (5.12) with k = 1, taken here as (2.5b) a moment ahead:
//
//     lambda(t0 + tau) = lambda + tau dlambda/dt + O(tau^2),   delta likewise              (2.9)

#include "step/event_driven/acceleration_problem.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double SLOW = 1e-3; // m/s: a slower slip has just begun, or ends

// --- candidates ---------------------------------------------------------------------------------

double perp_at_rest_speed(const PerpSimulation *sim)
{
    return sim->threshold.rest * (1 + perp_max_abs(sim->n_v, sim->state.v));
}

// How much more than rounding counts as rest, after a series of events; 1 otherwise.
static double patience(const PerpSimulation *sim)
{
    return sim->threshold.rest / PERP_AT_REST;
}

static void look_at_grips(const PerpStage *stage, int contact, const double *v, double rest,
                          PerpActiveContact *held)
{
    const PerpProblem *p = &stage->rows.problem;
    for (int g = 0; g < p->n_groups && held->n_slip_modes < PERP_SLIP_MODES; g++) {
        double slip[2];
        if (p->group_contact[g] != contact)
            continue;
        perp_slip_of_group(stage, g, v, slip);
        double speed = hypot(slip[0], slip[1]);
        bool slips = speed > rest;
        held->slip_mode[held->n_slip_modes++] =
            (PerpSlipMode){slips,
                           slips && speed < SLOW,
                           {slips ? slip[0] / speed : 1, slips ? slip[1] / speed : 0}};
    }
}

// J = {i : phi_i = 0 and g_1i'v = 0, or g_2i'v = 0}                          [L82 theorem 5.4]
static void collect(const PerpSimulation *sim, const PerpStage *stage, PerpMode *mode)
{
    const PerpProblem *p = &stage->rows.problem;
    double rest = perp_at_rest_speed(sim);
    for (int i = 0; i < p->n_contacts; i++) {
        const PerpUnilateral *u = &stage->rows.unilateral[i];
        bool closed = u->kind == PERP_UNILATERAL_RATE || u->gap <= PERP_CLOSED;
        if (!closed ||
            perp_stage_row_speed(stage, perp_stage_contact_row(stage, i), sim->state.v) > rest)
            continue;
        PerpActiveContact *held = &mode->held[mode->n_held++];
        *held = (PerpActiveContact){.id = u->id};
        look_at_grips(stage, i, sim->state.v, rest, held);
    }
    for (int i = 0; i < p->n_boxes; i++) {
        double y = perp_stage_row_speed(stage, p->n_joints + i, sim->state.v) +
                   stage->rows.d[p->n_joints + i];
        mode->box[i] = fabs(y) <= rest ? PERP_BOX_HELD
                       : y > 0         ? PERP_BOX_AT_LOWER
                                       : PERP_BOX_AT_UPPER;
    }
}

static PerpStatus find_candidates(PerpSimulation *sim, PerpMode *mode, PerpError *error)
{
    PerpStage stage;
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, 1, &stage, error);
    if (status)
        return status;
    *mode = (PerpMode){.n_boxes = stage.rows.problem.n_boxes};
    mode->held = PERP_TAKE(&sim->arena, PerpActiveContact, stage.rows.problem.n_contacts);
    mode->box = PERP_TAKE(&sim->arena, PerpBoxState, mode->n_boxes);
    if (!mode->held || !mode->box)
        return perp_fail_memory(error);
    collect(sim, &stage, mode);
    return PERP_OK;
}

// --- decisions ----------------------------------------------------------------------------------

typedef enum Decision { UNDECIDED, STAYS, GOES } Decision;

// of a constraint, GOES: dropped; of a slip mode or box, GOES: slips, or at its bound
typedef struct Decisions {
    Decision *held, *slip_mode, *box;
    int open; // undecided
} Decisions;

static bool take_decisions(PerpSimulation *sim, const PerpMode *mode, Decisions *d)
{
    *d = (Decisions){PERP_TAKE(&sim->arena, Decision, mode->n_held),
                     PERP_TAKE(&sim->arena, Decision, PERP_SLIP_MODES * mode->n_held),
                     PERP_TAKE(&sim->arena, Decision, mode->n_boxes), 0};
    return d->held && d->slip_mode && d->box;
}

static void decide(double goes, double stays, double small, Decision *d, int *open)
{
    if (*d == UNDECIDED)
        *d = goes > small ? GOES : stays > small ? STAYS : UNDECIDED;
    *open += *d == UNDECIDED;
}

// J_lambda and J_delta of the verdict
static void read_verdict(const PerpSimulation *sim, const PerpMode *mode, const PerpModeVerdict *w,
                         double small, Decisions *d)
{
    double slow = small * patience(sim);
    d->open = 0;
    for (int k = 0; k < mode->n_held; k++) {
        decide(w->delta[k], w->push[k], small, &d->held[k], &d->open);
        for (int i = 0, at = PERP_SLIP_MODES * k; i < mode->held[k].n_slip_modes; i++, at++)
            if (!mode->held[k].slip_mode[i].slips)
                decide(w->slip[at], w->slack[at], slow, &d->slip_mode[at], &d->open);
    }
    for (int i = 0; i < mode->n_boxes; i++)
        if (mode->box[i] == PERP_BOX_HELD)
            decide(fabs(w->box[i]), w->box_slack[i], small, &d->box[i], &d->open);
}

// The same problem at t + tau, along q + tau v + tau^2 a/2.
static PerpStatus look_ahead(PerpSimulation *sim, double tau, const double *a, PerpMode *mode,
                             PerpModeVerdict *w, PerpError *error)
{
    double *v = PERP_TAKE(&sim->arena, double, 2 * sim->n_v), *mean = v + sim->n_v;
    double *q = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!v || !q)
        return perp_fail_memory(error);
    for (int i = 0; i < sim->n_v; i++) {
        v[i] = sim->state.v[i] + tau * a[i];
        mean[i] = (sim->state.v[i] + v[i]) / 2;
    }
    sim->system->advance(sim, sim->state.q, mean, tau, q);
    return perp_mode_judge(sim, mode, sim->state.t + tau, q, v, true, w, error);
}

// --- the new active set -------------------------------------------------------------------------

// What stays is held; what is not decided is too, until one of the two shows.
static void keep_what_stays(const PerpMode *from, const PerpModeVerdict *w,
                            const PerpModeVerdict *later, const Decisions *d, PerpMode *mode)
{
    for (int k = 0; k < from->n_held; k++) {
        if (d->held[k] == GOES)
            continue;
        PerpActiveContact *held = &mode->held[mode->n_held++];
        *held = from->held[k];
        held->push = fmax(w->push[k], later ? later->push[k] : 0);
        for (int i = 0; i < PERP_SLIP_MODES; i++)
            if (d->slip_mode[PERP_SLIP_MODES * k + i] == GOES)
                held->slip_mode[i].slips = held->slip_mode[i].begins = true;
    }
    for (int i = 0; i < from->n_boxes; i++) {
        const PerpModeVerdict *by = w->box[i] != 0 || !later ? w : later;
        mode->box[i] = d->box[i] != GOES ? from->box[i]
                       : by->box[i] > 0  ? PERP_BOX_AT_LOWER
                                         : PERP_BOX_AT_UPPER;
    }
}

// Passive constraints that are closed: phi counts from where it is.
static PerpStatus note_below(PerpSimulation *sim, PerpMode *mode, PerpError *error)
{
    PerpStage stage;
    double rest = perp_at_rest_speed(sim);
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, 1, &stage, error);
    if (status)
        return status;
    mode->below = PERP_TAKE(&sim->arena, PerpBelow, stage.rows.problem.n_contacts);
    if (!mode->below)
        return perp_fail_memory(error);
    for (int i = 0; i < stage.rows.problem.n_contacts; i++) {
        const PerpUnilateral *u = &stage.rows.unilateral[i];
        if (u->kind == PERP_UNILATERAL_RATE || perp_mode_find(mode, u->id) >= 0)
            continue;
        double y = perp_stage_row_speed(&stage, perp_stage_contact_row(&stage, i), sim->state.v);
        mode->below[mode->n_below++] =
            (PerpBelow){u->id, fmin(u->gap, 0) - (y > rest ? 0 : PERP_LEAVES)};
    }
    return PERP_OK;
}

// A constraint that is neither decided nor a combination of others: section 5 goes on to higher
// derivatives, we go on with it until one of the two shows.
static PerpStatus warn_of_undecided(PerpSimulation *sim, const PerpMode *from, const Decisions *d,
                                    const PerpMode *mode, PerpError *error)
{
    PerpModeRows rows;
    PerpStatus status =
        perp_mode_rows(sim, mode, sim->state.q, sim->state.v, PERP_HELD_REACH, &rows, error);
    for (int k = 0; k < from->n_held && !status && !rows.lost; k++) {
        int held = d->held[k] == UNDECIDED ? perp_mode_find(mode, from->held[k].id) : -1;
        for (int i = 0; i < mode->rank && held >= 0; i++)
            if (mode->row[i] == rows.normal[held])
                perp_step_warn(sim,
                               "t = %.9g s: multiplier and acceleration of an active constraint "
                               "vanish with their first derivatives; it is kept until one of them "
                               "shows [L82 section 5]",
                               sim->state.t);
    }
    return status;
}

// Accelerations are unique though multipliers are not: those of the problem are those of G'.
static PerpStatus check_unique(PerpSimulation *sim, const PerpMode *mode, const PerpModeVerdict *w,
                               PerpError *error)
{
    PerpAcceleration motion;
    PerpStatus status =
        perp_mode_accelerate(sim, mode, sim->state.t, sim->state.q, sim->state.v, &motion, error);
    double off = 0;
    if (status || motion.lost || w->stage.rows.problem.n_groups > 0 || mode->n_boxes > 0)
        return status;
    for (int i = 0; i < sim->n_v; i++)
        off = fmax(off, fabs(motion.a[i] - w->stage.v[i]));
    perp_step_bound(sim, PERP_BOUND_L82_UNIQUE, PERP_DROPS - off / w->scale);
    return PERP_OK;
}

static PerpStatus build(PerpSimulation *sim, const PerpMode *from, const PerpModeVerdict *w,
                        const PerpModeVerdict *later, const Decisions *d, PerpMode *mode,
                        PerpError *error)
{
    *mode = (PerpMode){.n_boxes = from->n_boxes};
    mode->held = PERP_TAKE(&sim->arena, PerpActiveContact, from->n_held);
    mode->box = PERP_TAKE(&sim->arena, PerpBoxState, from->n_boxes);
    if (!mode->held || !mode->box)
        return perp_fail_memory(error);
    keep_what_stays(from, w, later, d, mode);
    PerpStatus status = perp_mode_choose_rows(sim, mode, error);
    if (!status && d->open > 0)
        status = warn_of_undecided(sim, from, d, mode, error);
    if (!status)
        status = check_unique(sim, mode, w, error);
    return status ? status : note_below(sim, mode, error);
}

static PerpStatus fail_without_solution(const PerpSimulation *sim, PerpError *error)
{
    return perp_fail(error, PERP_NOT_SOLVED,
                     "t = %.9g s: Coulomb's law has no accelerations here [Painleve; L82 section "
                     "6]; a time-stepping scheme such as default goes on",
                     sim->state.t);
}

PerpStatus perp_mode_decide(PerpSimulation *sim, double tau, PerpMode *mode, PerpError *error)
{
    PerpMode candidates;
    PerpModeVerdict now, later;
    Decisions d;
    PerpStatus status = find_candidates(sim, &candidates, error);
    if (!status)
        status = perp_mode_project(sim, &candidates, error);
    if (!status)
        status = perp_mode_judge(sim, &candidates, sim->state.t, sim->state.q, sim->state.v, true,
                                 &now, error);
    if (status)
        return status;
    if (now.unsolvable)
        return fail_without_solution(sim, error);
    if (!take_decisions(sim, &candidates, &d))
        return perp_fail_memory(error);
    read_verdict(sim, &candidates, &now, PERP_UNDECIDED * now.scale, &d);
    bool undecided = d.open > 0;
    if (undecided)
        status = look_ahead(sim, tau, now.stage.v, &candidates, &later, error);
    undecided = undecided && !later.lost && !later.unsolvable;
    if (!status && undecided) // what is of second order in tau says nothing of first derivatives
        read_verdict(sim, &candidates, &later, (PERP_UNDECIDED + 10 * tau * tau) * later.scale, &d);
    return status ? status
                  : build(sim, &candidates, &now, undecided ? &later : NULL, &d, mode, error);
}

PerpStatus perp_mode_doubt(PerpSimulation *sim, const PerpMode *mode, double t, const double *q,
                           const double *v, double *doubt, PerpError *error)
{
    PerpModeVerdict w;
    PerpMode copy = *mode;
    *doubt = 0;
    copy.held = PERP_TAKE(&sim->arena, PerpActiveContact, mode->n_held);
    if (!copy.held)
        return perp_fail_memory(error);
    memcpy(copy.held, mode->held, (size_t)mode->n_held * sizeof *copy.held);
    PerpStatus status = perp_mode_judge(sim, &copy, t, q, v, false, &w, error);
    if (status || w.lost)
        return status;
    for (int k = 0; k < mode->n_held; k++)
        *doubt = fmax(*doubt, w.delta[k]);
    *doubt = fmax(*doubt, perp_max_abs(PERP_SLIP_MODES * mode->n_held, w.slip) / patience(sim));
    *doubt = fmax(*doubt, perp_max_abs(mode->n_boxes, w.box)) / w.scale;
    if (w.unsolvable)
        *doubt = INFINITY;
    return PERP_OK;
}

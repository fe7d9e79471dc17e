// The default scheme: fixed step, one problem a step, plus what bouncing impacts need.
//
//     M (v_new - v) = h k + nu c_nu + n c_n + D beta        forces and rows at q + (h/2) v
//     nu'v_new = -(nu - nu(q))'v                            joints, of second order
//     D'v_new + lambda e >= -(D - D(q))'v                   friction, likewise
//     0 <= n'v_new + max(gap, 0)/h   perp   c_n >= 0        contacts close softly, see below
//     q_new = q (+) h (v + v_new)/2                         exact under constant forces
//
// [AP97 (2.13), with the gap of ST97 (3); d >= 0 keeps theorem 2.1]. What is left of joint errors
// and overlaps is projected away, which leaves velocities alone. Where a contact with restitution
// closes, the step is divided at that moment and the impact resolved in two phases [AP97 section
// 3]; in scenes of many bodies such contacts are hit together, at the beginning of the step. A step
// whose problem is not solved is divided too (substeps.h).

#include "step/scheme_tools.h"

#include "base/error.h"
#include "step/events/bounces.h"
#include "step/report/verdict.h"
#include "step/rows/contact_rows.h"
#include "step/rows/link_rows.h"
#include "step/rows/soft_rows.h"
#include "step/rows/speculative.h"
#include "step/schemes/stiffness_limit.h"
#include "step/schemes/substeps.h"
#include "step/sleep.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // m: a contact with a smaller gap can be hit
enum { SPLITS = 32 };              // at most, in one step, to locate bounces
enum { FEW_BODIES = 16 };          // that may split a step; the bounces of more are made together
enum { ROUNDS = 4 };               // of speculative contacts in one problem, and of step limits

// --- one problem --------------------------------------------------------------------------------

// Rows that may close within h: all of a custom system; limits and ropes by the fastest body, and
// contacts by the two bodies themselves.
static PerpStatus assemble(PerpSimulation *sim, const double *q, const double *v_free, double h,
                           double motor_h, const PerpSpeculative *speculative, PerpStage *stage,
                           PerpError *error)
{
    PerpRowChoice choice = {.h = motor_h,
                            .reach = sim->system->reach(sim, v_free, h) + CLOSED,
                            .speculative = speculative ? &speculative->reach : NULL};
    *stage = (PerpStage){.h = motor_h, .q = q};
    return sim->system->assemble(sim, q, &choice, &stage->rows, error);
}

// d of a contact. Half of the gap at the middle of the step, n'v_new = -gap/h, is left at its end,
// and is used up at the middle of the next one: d = 0 then stops the contact, closed to rounding.
// To close it within one step, n'v_new = -2 gap/h, would make it overlap by as much in the next,
// and projections of many such overlaps open as many gaps again: piles would never come to rest.
// Gaps that are rounding, or that the tolerance makes light of, would be speeds, and overlaps are
// for the projection.
static double room_to_land(const PerpSimulation *sim, double gap, double h)
{
    return gap <= CLOSED + perp_step_slop(sim->settings.tolerance) ? 0 : gap / h;
}

// What happens to contacts with restitution in a problem.
typedef enum Closing {
    CLOSE_TO_HIT,    // they close at its end with the speed that they have, to bounce then
    CLOSE_IN_BOUNCE, // it ends where one closes: those that will bounce are not there yet
    CLOSE_TO_LAND    // they have bounced: those that close again land like the others
} Closing;

// What the problem at hand covers.
typedef struct Interval {
    double h; // s
    Closing closing;
    bool is_tentative; // if a large island is missed, shorter substeps take its place
    bool left_to_held; // what is hard to solve exactly
} Interval;

// Is the contact open at the end of the step, if nothing is hit?
static bool stays_open(double gap, double free, double h)
{
    return gap + h / 2 * free >= -1e-3 * CLOSED;
}

// A contact that may bounce has to close with the speed that it has, at the end of the step; what
// free motion does not close, it may do.
static double room_to_hit(double gap, double free, double h)
{
    if (gap <= CLOSED)
        return 0;
    return stays_open(gap, free, h) ? fmax(2 * gap / h, -free) : 2 * gap / h;
}

static double room_of(const PerpSimulation *sim, const PerpStage *stage, int contact,
                      const Interval *interval, const double *v_free)
{
    double h = interval->h;
    const PerpUnilateral *u = &stage->rows.unilateral[contact];
    double room = room_to_land(sim, u->gap, h);
    if (!(u->restitution > 0))
        return room;
    double free = perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v_free);
    if (interval->closing == CLOSE_TO_LAND)
        return stays_open(u->gap, free, h) ? fmax(room, -free) : room;
    bool later = interval->closing == CLOSE_IN_BOUNCE && free < -sim->threshold.bounce;
    return later ? -1e3 * free : room_to_hit(u->gap, free, h);
}

// d of the joints: with rows at the middle of the step and v obeying those at its beginning, v_new
// obeys those at its end, to second order, if  nu_middle'v_new = -(nu_middle - nu)'v.
static PerpStatus follow_joints(PerpSimulation *sim, PerpStage *stage, PerpError *error)
{
    PerpStage start = {.q = sim->state.q};
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpRowChoice choice = {.reach = -INFINITY, .positions = true, .transient = true};
    PerpStatus status = sim->system->assemble(sim, sim->state.q, &choice, &start.rows, error);
    if (status)
        return status;
    perp_stage_follow_joints(stage, &start, sim->state.v);
    perp_arena_release(&sim->arena, mark);
    return PERP_OK;
}

// collide, assemble, islands, solve, certify: the problem with the speculative contacts.
static PerpStatus solve_once(PerpSimulation *sim, const Interval *interval, const double *v_free,
                             const double *b, const double *middle, const PerpLinkRows *links,
                             const PerpSpeculative *speculative, PerpStage *stage, PerpError *error)
{
    double h = interval->h;
    PerpStatus status = assemble(sim, middle, v_free, h, h, speculative, stage, error);
    if (status)
        return status;
    if (speculative && !perp_speculative_select(sim, v_free, h, speculative, stage))
        return perp_fail_memory(error);
    memcpy(stage->rows.b, b, (size_t)sim->n_v * sizeof(double));
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        stage->rows.d[perp_stage_contact_row(stage, i)] = room_of(sim, stage, i, interval, v_free);
    stage->is_tentative = interval->is_tentative;
    stage->left_to_held = interval->left_to_held;
    if (sim->bodies.model)
        perp_contact_rows_follow(&stage->rows, perp_rigid_poses(middle), sim->state.v, h / 2);
    if (!perp_soft_rows_set(sim, h, v_free, stage) || !perp_link_rows_insert(links, &stage->rows))
        return perp_fail_memory(error);
    stage->links = links;
    status = follow_joints(sim, stage, error);
    perp_stabilise_rows(sim, sim->settings.step, stage);
    perp_sleep_store(sim, h, v_free, stage, perp_arena_mark(&sim->arena));
    return status ? status : perp_stage_solve(sim, sim->state.v, stage, error);
}

// b = M v + h k, forces at q + (h/2) v, but for springs and dampers, which are rows; v_free, which
// looks ahead, has them, too
static PerpStatus free_motion(PerpSimulation *sim, double h, double *middle, double *b,
                              double *v_free, PerpLinkRows *links, PerpError *error)
{
    sim->system->advance(sim, sim->state.q, sim->state.v, h / 2, middle);
    PerpStatus status =
        sim->system->free_motion(sim, h, sim->state.t + h / 2, middle, b, v_free, error);
    return status ? status : perp_link_rows_find(sim, h, middle, v_free, links, error);
}

// Again, with a larger reach, where the solution closes contacts that no free motion would have
// closed; in the end with all that the fastest body could reach.
static PerpStatus solve(PerpSimulation *sim, const Interval *interval, double *v_free,
                        PerpStage *stage, PerpError *error)
{
    double *b = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *middle = PERP_TAKE(&sim->arena, double, sim->n_q);
    PerpLinkRows *links = PERP_TAKE(&sim->arena, PerpLinkRows, 1);
    PerpSpeculative speculative;
    bool applies = perp_speculative_applies(sim), again = true;
    if (!b || !middle || !links)
        return perp_fail_memory(error);
    PerpStatus status = free_motion(sim, interval->h, middle, b, v_free, links, error);
    if (!status && applies &&
        !perp_speculative_begin(sim, v_free, interval->h, CLOSED, &speculative))
        status = perp_fail_memory(error);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    for (int round = 0; !status && again; round++) {
        perp_arena_release(&sim->arena, mark);
        bool used = applies && round < ROUNDS;
        status = solve_once(sim, interval, v_free, b, middle, links, used ? &speculative : NULL,
                            stage, error);
        again = false;
        if (!status && used && !(interval->is_tentative && stage->missed_large))
            status = perp_speculative_check(sim, v_free, interval->h, stage, &speculative, &again,
                                            error);
        if (!status && again)
            status = perp_stage_report_round(sim, stage, error);
    }
    sim->contacts.in_round = false;
    return status;
}

// --- motion -------------------------------------------------------------------------------------

// (v + v_new)/2
static void mean_velocity(const PerpSimulation *sim, const PerpStage *stage, double *mean)
{
    for (int i = 0; i < sim->n_v; i++)
        mean[i] = (stage->before[i] + stage->v[i]) / 2;
}

// q_new = q (+) h (v + v_new)/2; spins keep the angular momentum over the turn
static PerpStatus integrate(PerpSimulation *sim, const PerpStage *stage, double h, PerpError *error)
{
    double *mean = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!mean)
        return perp_fail_memory(error);
    mean_velocity(sim, stage, mean);
    sim->system->advance(sim, sim->state.q, mean, h, sim->scratch.q);
    perp_step_go(sim, sim->scratch.q, sim->state.t + h);
    memcpy(sim->state.v, stage->v, (size_t)sim->n_v * sizeof(double));
    if (sim->system->transport)
        sim->system->transport(sim, h, stage->before, mean, sim->state.v);
    return PERP_OK;
}

static PerpStatus report(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    perp_energy_add_stage(sim, stage);
    return perp_stage_report_contacts(sim, stage, error);
}

// --- bounces ------------------------------------------------------------------------------------

// Locates the first bounce: one that is due makes an impact (`hit`), one within the step shortens
// it to tau, with the problem solved anew up to there.
static PerpStatus locate_bounce(PerpSimulation *sim, const double *v_free, double *v_free_to_tau,
                                double *tau, bool *hit, PerpStage *stage, PerpError *error)
{
    PerpStage now;
    PerpSpeculative speculative;
    double h = *tau;
    bool applies = perp_speculative_applies(sim);
    if (applies && !perp_speculative_begin(sim, v_free, h, CLOSED, &speculative))
        return perp_fail_memory(error);
    PerpStatus status =
        assemble(sim, sim->state.q, v_free, h, 0, applies ? &speculative : NULL, &now, error);
    if (status)
        return status;
    *hit = perp_bounce_is_due(sim, &now, CLOSED);
    if (*hit)
        return perp_impact(sim, sim->state.q, CLOSED, sim->state.v, error);
    *tau = perp_bounce_time(sim, &now, stage, v_free, h);
    Interval shorter = {.h = *tau, .closing = CLOSE_IN_BOUNCE, .left_to_held = stage->left_to_held};
    return *tau < h ? solve(sim, &shorter, v_free_to_tau, stage, error) : PERP_OK;
}

// How often a step may be split: each time costs a problem of the whole scene, or two.
static int most_splits(const PerpSimulation *sim)
{
    return !sim->bodies.model || sim->bodies.rigid.n_bodies <= FEW_BODIES ? SPLITS : 0;
}

// What gravity gives to a speed in h. Slower impacts that are not located would never end.
static double speed_of_gravity(const PerpSimulation *sim, double h)
{
    return sim->bodies.model ? h * perp_vec3_norm(sim->bodies.rigid.gravity) : 0;
}

// All bounces of the next h are made now.
static PerpStatus bounce_together(PerpSimulation *sim, double h, double *v_free, int *bounces,
                                  PerpError *error)
{
    bool hit = false;
    sim->threshold.bounce = fmax(sim->settings.restitution_threshold, speed_of_gravity(sim, h));
    double *b = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *middle = PERP_TAKE(&sim->arena, double, sim->n_q);
    PerpLinkRows links;
    if (!b || !middle)
        return perp_fail_memory(error);
    PerpStatus status = free_motion(sim, h, middle, b, v_free, &links, error);
    if (!status)
        status = perp_bounce_together(
            sim, v_free, h, CLOSED + perp_step_slop(sim->settings.tolerance), &hit, error);
    *bounces += hit;
    return status;
}

// --- one step -----------------------------------------------------------------------------------

// s: the length by the step limit of geometric stiffness. A substep that has to be longer than the
// limit wants is told to the verdict of the run.
static double limit_substep(PerpSimulation *sim, PerpSubsteps *substeps, const PerpStage *stage,
                            double length)
{
    bool has_ropes = sim->bodies.rigid.joint_room.unilateral > 0; // or limits
    if (!sim->bodies.finder || (stage->rows.problem.n_joints == 0 && !has_ropes))
        return length;
    double longest = perp_stiffness_step_limit(sim, stage, length);
    if (isnan(longest))
        return NAN;
    double shorter = perp_substeps_shorten(substeps, length, longest);
    if (longest < length && shorter == length)
        perp_verdict_note(sim, PERP_CHECK_FASTEST_MODE, PERP_MODE_LIMIT * length / longest);
    return shorter;
}

// The problem of a substep, halved where a large island is missed and shortened to the step limit
// of geometric stiffness.
static PerpStatus solve_substep(PerpSimulation *sim, PerpSubsteps *substeps, double *length,
                                Closing closing, double *v_free, PerpStage *stage, PerpError *error)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    for (int round = 0;; round++) {
        Interval interval = {*length, closing, perp_substeps_attempt(sim, substeps, *length),
                             perp_substeps_leave_to_held(substeps)};
        PerpStatus status = solve(sim, &interval, v_free, stage, error);
        if (status)
            return status;
        double shorter = *length;
        if (perp_substeps_halve(substeps, stage, *length))
            shorter /= 2;
        else if (round < ROUNDS)
            shorter = limit_substep(sim, substeps, stage, *length);
        if (isnan(shorter))
            return perp_fail_memory(error);
        if (shorter == *length)
            return PERP_OK;
        perp_substeps_retry(sim, substeps);
        perp_arena_release(&sim->arena, mark);
        *length = shorter;
    }
}

typedef struct Progress {
    PerpSubsteps substeps;
    double *v_free, *v_free_to_tau; // n_v: of a substep, and of one that ends in a bounce
    int bounces, most_splits;
} Progress;

// The stages in order, over a substep or up to the next bounce.
static PerpStatus advance(PerpSimulation *sim, Progress *p, PerpError *error)
{
    PerpStage stage;
    PerpStatus status = PERP_OK;
    bool located = p->bounces < p->most_splits && perp_substeps_may_divide(&p->substeps);
    bool together = sim->has_restitution && !located, hit = false;
    double length = perp_substeps_next(&p->substeps);

    // impacts that are not located: all of this substep at once
    if (together)
        status = bounce_together(sim, length, p->v_free, &p->bounces, error);

    // forces, collide, assemble, islands, solve, certify
    if (!status)
        status = solve_substep(sim, &p->substeps, &length, together ? CLOSE_TO_LAND : CLOSE_TO_HIT,
                               p->v_free, &stage, error);

    // impacts that are located: one due now leaves the rest for the next substep
    double tau = length;
    if (!status && sim->has_restitution && !together)
        status = locate_bounce(sim, p->v_free, p->v_free_to_tau, &tau, &hit, &stage, error);
    p->bounces += hit || tau < length;
    p->substeps.misses += tau < length && stage.missed;
    p->substeps.held += tau < length && stage.held;
    if (status || hit)
        return status;
    if (sim->has_restitution)
        perp_bounce_note_lost(sim, &stage, tau < length ? p->v_free_to_tau : p->v_free, CLOSED);

    // integrate, report, stabilise
    perp_sleep_stop_creep(sim, p->v_free, &stage);
    if (!perp_soft_rows_note_stiff(sim, &stage))
        return perp_fail_memory(error);
    status = integrate(sim, &stage, tau, error);
    if (!status)
        status = report(sim, &stage, error);
    if (!status)
        status = perp_link_rows_close(sim, &stage, error);
    if (!status)
        status = perp_stabilise(sim, PERP_STABILISE_PROJECT, error);
    if (!status && p->substeps.count > 0)
        status = perp_verdict_check_growth(sim, error);
    sim->sleep.ready = sim->sleep.ready && !status && p->bounces == 0 && tau == p->substeps.h &&
                       perp_soft_rows_are_steady(sim);
    return status ? status : perp_substeps_done(sim, &p->substeps, &stage, tau, error);
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    double *v_free = PERP_TAKE(&sim->arena, double, 2 * sim->n_v);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpStatus status = PERP_OK;
    if (!v_free)
        return perp_fail_memory(error);
    Progress progress = {.substeps = perp_substeps_begin(sim, h),
                         .v_free = v_free,
                         .v_free_to_tau = v_free + sim->n_v,
                         .most_splits = most_splits(sim)};
    sim->threshold.bounce = sim->settings.restitution_threshold;
    while (!status && progress.substeps.rest > 0) {
        perp_arena_release(&sim->arena, mark); // of the substep before
        if (sim->settings.interrupt && sim->settings.interrupt(sim->settings.interrupt_user))
            return perp_fail(error, PERP_INTERRUPTED, "%s", perp_status_text(PERP_INTERRUPTED));
        status = advance(sim, &progress, error);
    }
    return status ? status : perp_substeps_end(sim, &progress.substeps, error);
}

const PerpScheme perp_scheme_default = {
    .name = "default",
    .text = "fixed step, one problem a step, projected joints, located bounces",
    .facets = PERP_FACETS_CIRCULAR,
    .sequential = true,
    .notes_bounces = true,
    .link_rows = true,
    .takes_soft = true,
    .shortest_at_rest = true,
    .step = step,
};

// The workhorse: fixed step, one problem a step, plus what bouncing impacts need.
//
//     M (v_new - v) = h k + nu c_nu + n c_n + D beta        forces and rows at q + (h/2) v
//     nu'v_new = -(nu - nu(q))'v                            joints, of second order
//     0 <= n'v_new + max(gap, 0)/h   perp   c_n >= 0        contacts close softly, see below
//     q_new = q (+) h (v + v_new)/2                         exact under constant forces
//
// [AP97 (2.13), with the gap of ST97 (3); d >= 0 keeps theorem 2.1]. What is left of joint errors
// and overlaps is projected away, which leaves velocities alone. Where a contact with restitution
// closes, the step is split at that moment and the impact resolved in two phases [AP97 section 3];
// in scenes of many bodies such contacts are hit together, at the beginning of the step. A step
// whose problem is not solved is made in parts (parts.h).

#include "step/step.h"

#include "base/error.h"
#include "step/bounces.h"
#include "step/near.h"
#include "step/parts.h"
#include "step/taut.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // m: a contact with a smaller gap can be hit
enum { SPLITS = 32 };              // at most, in one step, to locate bounces
enum { FEW_BODIES = 16 };          // that may split a step; the bounces of more are made together
enum { LOOKS = 4 };                // for contacts that are near, in one problem

// --- one problem --------------------------------------------------------------------------------

// Rows that may close within h: all of a custom system; limits and ropes by the fastest body, and
// contacts by the two bodies themselves.
static PerpStatus assemble(PerpSimulation *sim, const double *q, const double *v_free, double h,
                           double motor_h, const PerpNear *near, PerpStage *stage, PerpError *error)
{
    PerpRowChoice choice = {.h = motor_h,
                            .reach = sim->system->reach(sim, v_free, h) + CLOSED,
                            .near = near ? &near->reach : NULL};
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
    return gap <= CLOSED + perp_step_slop(sim) ? 0 : gap / h;
}

// What happens to contacts with restitution in a problem.
typedef enum Closing {
    CLOSE_TO_HIT,    // they close at its end with the speed that they have, to bounce then
    CLOSE_IN_BOUNCE, // it ends where one closes: those that will bounce are not there yet
    CLOSE_TO_LAND    // they have bounced: those that close again land like the others
} Closing;

typedef struct Asked {
    double h; // s
    Closing closing;
    bool is_tentative; // if a heap is missed, shorter problems take its place
} Asked;

// Is the contact still open at the end of the step, if nothing is hit?
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
                      const Asked *asked, const double *v_free)
{
    double h = asked->h;
    const PerpUnilateral *u = &stage->rows.unilateral[contact];
    double room = room_to_land(sim, u->gap, h);
    if (!(u->restitution > 0))
        return room;
    double free = perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v_free);
    if (asked->closing == CLOSE_TO_LAND)
        return stays_open(u->gap, free, h) ? fmax(room, -free) : room;
    bool later = asked->closing == CLOSE_IN_BOUNCE && free < -sim->bounce_speed;
    return later ? -1e3 * free : room_to_hit(u->gap, free, h);
}

// d of the joints: with rows at the middle of the step and v obeying those at its beginning, v_new
// obeys those at its end, to second order, if  nu_middle'v_new = -(nu_middle - nu)'v.
static PerpStatus follow_joints(PerpSimulation *sim, PerpStage *stage, PerpError *error)
{
    PerpStage start = {.q = sim->state.q};
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpRowChoice choice = {.reach = -INFINITY, .brief = true};
    PerpStatus status = sim->system->assemble(sim, sim->state.q, &choice, &start.rows, error);
    if (status)
        return status;
    perp_stage_follow_joints(stage, &start, sim->state.v);
    perp_arena_release(&sim->arena, mark);
    return PERP_OK;
}

// The problem of a step with the contacts that are near.
static PerpStatus solve_near(PerpSimulation *sim, const Asked *asked, const double *v_free,
                             const double *b, const double *middle, const PerpNear *near,
                             PerpStage *stage, PerpError *error)
{
    double h = asked->h;
    PerpStatus status = assemble(sim, middle, v_free, h, h, near, stage, error);
    if (status)
        return status;
    memcpy(stage->rows.b, b, (size_t)sim->n_v * sizeof(double));
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        stage->rows.d[perp_stage_contact_row(stage, i)] = room_of(sim, stage, i, asked, v_free);
    stage->is_tentative = asked->is_tentative;
    status = follow_joints(sim, stage, error);
    perp_stabilise_rows(sim, sim->settings.step, stage);
    perp_still_keep(sim, h, v_free, stage, perp_arena_mark(&sim->arena));
    return status ? status : perp_stage_solve(sim, sim->state.v, stage, error);
}

// With forces at the middle of the step, where nothing is hit.
static PerpStatus free_motion(PerpSimulation *sim, double h, double *middle, double *b,
                              double *v_free, PerpError *error)
{
    sim->system->advance(sim, sim->state.q, sim->state.v, h / 2, middle);
    return sim->system->free_motion(sim, h, sim->state.t + h / 2, middle, b, v_free, error);
}

// As often as what is hit closes contacts that no free motion would have closed; in the end with
// all that the fastest body could reach.
static PerpStatus solve(PerpSimulation *sim, const Asked *asked, double *v_free, PerpStage *stage,
                        PerpError *error)
{
    double *b = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *middle = PERP_TAKE(&sim->arena, double, sim->n_q);
    PerpNear near;
    bool is_rigid = perp_near_is_needed(sim), again = true;
    if (!b || !middle)
        return perp_fail_memory(error);
    PerpStatus status = free_motion(sim, asked->h, middle, b, v_free, error);
    if (!status && is_rigid && !perp_near_begin(sim, v_free, asked->h, CLOSED, &near))
        status = perp_fail_memory(error);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    for (int look = 0; !status && again; look++) {
        perp_arena_release(&sim->arena, mark);
        bool is_near = is_rigid && look < LOOKS;
        status = solve_near(sim, asked, v_free, b, middle, is_near ? &near : NULL, stage, error);
        again = false;
        if (!status && is_near && !(asked->is_tentative && stage->missed_heap))
            status = perp_near_look_again(sim, v_free, asked->h, stage, &near, &again, error);
    }
    return status;
}

// --- motion -------------------------------------------------------------------------------------

// (v + v_new)/2
static void mean_velocity(const PerpSimulation *sim, const PerpStage *stage, double *mean)
{
    for (int i = 0; i < sim->n_v; i++)
        mean[i] = (stage->before[i] + stage->v[i]) / 2;
}

static PerpStatus move(PerpSimulation *sim, const PerpStage *stage, double h, PerpError *error)
{
    double *mean = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!mean)
        return perp_fail_memory(error);
    mean_velocity(sim, stage, mean);
    sim->system->advance(sim, sim->state.q, mean, h, sim->trial);
    perp_step_go(sim, sim->trial, sim->state.t + h);
    memcpy(sim->state.v, stage->v, (size_t)sim->n_v * sizeof(double));
    if (sim->system->transport)
        sim->system->transport(sim, h, stage->before, mean, sim->state.v);
    perp_energy_add_stage(sim, stage);
    PerpStatus status = perp_stage_report_contacts(sim, stage, error);
    return status ? status : perp_stabilise(sim, PERP_STABILISE_PROJECT, error);
}

// --- bounces ------------------------------------------------------------------------------------

// Looks for a bounce: one that is due makes an impact, one within the step shortens it to tau, with
// the problem solved anew up to there.
static PerpStatus look_for_bounce(PerpSimulation *sim, const double *v_free, double *work,
                                  double *tau, bool *hit, PerpStage *stage, PerpError *error)
{
    PerpStage now;
    PerpNear near;
    double h = *tau;
    bool is_rigid = perp_near_is_needed(sim);
    if (is_rigid && !perp_near_begin(sim, v_free, h, CLOSED, &near))
        return perp_fail_memory(error);
    PerpStatus status =
        assemble(sim, sim->state.q, v_free, h, 0, is_rigid ? &near : NULL, &now, error);
    if (status)
        return status;
    *hit = perp_bounce_is_due(sim, &now, CLOSED);
    if (*hit)
        return perp_impact(sim, sim->state.q, CLOSED, sim->state.v, error);
    *tau = perp_bounce_time(sim, &now, stage, v_free, h);
    Asked shorter = {.h = *tau, .closing = CLOSE_IN_BOUNCE};
    return *tau < h ? solve(sim, &shorter, work, stage, error) : PERP_OK;
}

// The problem of a part of *length, shortened to what taut joints allow and solvers master.
static PerpStatus solve_part(PerpSimulation *sim, PerpParts *parts, double *length, Closing closing,
                             double *v_free, PerpStage *stage, PerpError *error)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    for (int look = 0;; look++) {
        Asked asked = {*length, closing, perp_parts_try(sim, parts, *length)};
        PerpStatus status = solve(sim, &asked, v_free, stage, error);
        if (status)
            return status;
        double shorter = *length;
        if (perp_parts_halve(sim, parts, stage, *length))
            shorter /= 2;
        else if (sim->finder && stage->rows.problem.n_joints > 0 && look < LOOKS)
            shorter = perp_taut_step(sim, stage, *length);
        if (isnan(shorter))
            return perp_fail_memory(error);
        if (shorter == *length)
            return PERP_OK;
        perp_arena_release(&sim->arena, mark);
        *length = shorter;
    }
}

// How often a step may be split: each time costs a problem of the whole scene, or two.
static int most_splits(const PerpSimulation *sim)
{
    return !sim->model || sim->rigid.n_bodies <= FEW_BODIES ? SPLITS : 0;
}

// What gravity gives to a speed in h. Slower impacts that are not located would never end.
static double speed_of_gravity(const PerpSimulation *sim, double h)
{
    return sim->model ? h * perp_vec3_norm(sim->model->gravity) : 0;
}

// All bounces of the next h are made now.
static PerpStatus bounce_together(PerpSimulation *sim, double h, double *v_free, int *bounces,
                                  PerpError *error)
{
    bool hit = false;
    sim->bounce_speed = fmax(sim->settings.restitution_threshold, speed_of_gravity(sim, h));
    double *b = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *middle = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!b || !middle)
        return perp_fail_memory(error);
    PerpStatus status = free_motion(sim, h, middle, b, v_free, error);
    if (!status)
        status = perp_bounce_together(sim, v_free, h, CLOSED + perp_step_slop(sim), &hit, error);
    *bounces += hit;
    return status;
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    double *v_free = PERP_TAKE(&sim->arena, double, 2 * sim->n_v);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpParts parts = perp_parts_begin(sim, h);
    PerpStatus status = PERP_OK;
    int bounces = 0, most = most_splits(sim);
    sim->bounce_speed = sim->settings.restitution_threshold;
    if (!v_free)
        return perp_fail_memory(error);
    while (!status && parts.rest > 0) {
        PerpStage stage;
        perp_arena_release(&sim->arena, mark); // what the part before took
        bool together = sim->bouncy && bounces >= most, hit = false;
        double part = perp_parts_next(&parts), tau;
        if (together)
            status = bounce_together(sim, part, v_free, &bounces, error);
        if (!status)
            status = solve_part(sim, &parts, &part, together ? CLOSE_TO_LAND : CLOSE_TO_HIT, v_free,
                                &stage, error);
        perp_parts_bound(&parts, part);
        tau = part;
        if (!status && sim->bouncy && !together)
            status = look_for_bounce(sim, v_free, v_free + sim->n_v, &tau, &hit, &stage, error);
        bounces += hit || tau < part;
        if (status || hit)
            continue;
        perp_settle(sim, v_free, &stage);
        status = move(sim, &stage, tau, error);
        sim->still.ready = sim->still.ready && !status && bounces == 0 && tau == h;
        if (!status)
            status = perp_parts_done(sim, &parts, &stage, tau, error);
    }
    return status ? status : perp_parts_end(sim, &parts, error);
}

const PerpScheme perp_scheme_default = {
    .name = "default",
    .text = "fixed step, one problem a step, projected joints, located bounces",
    .facets = PERP_FACETS_CIRCULAR,
    .step = step,
};

// The scheme of AP97 section 4: explicit Euler steps between collisions, which are located, and
// resolved in two phases.

#include "step/scheme_tools.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLOSED = 1e-9;  // m: a contact with a smaller gap is established
static const double DEEPEST = 1e-2; // of the smallest body: overlap of collisions taken together
enum {
    LOCATED = 8,  // collisions in one step that are located one by one
    GROUPS = 8,   // of a step: collisions beyond that are taken together in each
    HALVES = 4,   // of such a part that are tried
    EVENTS = 1000 // collisions in one step beyond which it fails
};

// --- the list of contacts -----------------------------------------------------------------------

// What is in contact already when a step begins: it cannot collide before it has parted. Its rows
// at q_new keep it from moving in; that it has moved in by O(h^2) before is no collision.
typedef struct Established {
    PerpUnilateral *list; // sorted
    int count;
} Established;

static int compare(const void *a, const void *b)
{
    const PerpUnilateral *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_approached(const PerpSimulation *sim, const PerpStage *stage, int contact)
{
    int row = perp_stage_contact_row(stage, contact);
    return perp_stage_row_speed(stage, row, sim->state.v) < -sim->settings.restitution_threshold;
}

static PerpStatus find_established(PerpSimulation *sim, Established *established, PerpError *error)
{
    PerpStage now;
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, CLOSED, 0, &now, error);
    if (status)
        return status;
    *established = (Established){now.rows.unilateral, 0};
    for (int i = 0; i < now.rows.problem.n_contacts; i++)
        if (!is_approached(sim, &now, i))
            established->list[established->count++] = now.rows.unilateral[i];
    qsort(established->list, (size_t)established->count, sizeof *established->list, compare);
    return PERP_OK;
}

static bool is_new(const Established *established, const PerpUnilateral *contact)
{
    return !bsearch(contact, established->list, (size_t)established->count,
                    sizeof *established->list, compare);
}

// --- collisions ---------------------------------------------------------------------------------

// Overlaps of contacts that are not established.
typedef struct Overlap {
    double gap; // m or rad, the least, <= 0
    double ago; // s, since the first of them closed, by its speed
} Overlap;

// Phi(q + tau v) < 0
static PerpStatus find_overlap(PerpSimulation *sim, const Established *established, double tau,
                               Overlap *overlap, PerpError *error)
{
    PerpStage stage;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    sim->system->advance(sim, sim->state.q, sim->state.v, tau, sim->scratch.q);
    PerpStatus status = perp_stage_assemble(sim, sim->scratch.q, 0, 0, &stage, error);
    *overlap = (Overlap){0, 0};
    for (int i = 0; !status && i < stage.rows.problem.n_contacts; i++) {
        const PerpUnilateral *contact = &stage.rows.unilateral[i];
        int row = perp_stage_contact_row(&stage, i);
        if (!is_approached(sim, &stage, i) || !is_new(established, contact))
            continue;
        overlap->gap = fmin(overlap->gap, contact->gap);
        overlap->ago =
            fmax(overlap->ago, contact->gap / perp_stage_row_speed(&stage, row, sim->state.v));
    }
    perp_arena_release(&sim->arena, mark);
    return status;
}

// The time at which the first new contact closes along q (+) tau v, to rounding: Newton's method
// from the side where it is closed, and bisection where that is slow.
static PerpStatus locate_collision(PerpSimulation *sim, const Established *established,
                                   Overlap overlap, double h, double *tau, PerpError *error)
{
    const double within = 1e-14 * (1 + sim->state.t);
    double open = 0, closed = h;
    bool bisect = false;
    PerpStatus status = PERP_OK;
    while (!status && closed - open > within) {
        double width = closed - open;
        double newton = fmin(fmax(closed - overlap.ago, open + within / 2), closed - within / 2);
        double guess = bisect ? open + width / 2 : newton;
        Overlap there;
        status = find_overlap(sim, established, guess, &there, error);
        if (there.gap < 0) {
            closed = guess;
            overlap = there;
        } else {
            open = guess;
        }
        bisect = closed - open > width / 2;
    }
    *tau = open;
    return status;
}

// Of rigid systems; 0 of custom ones, whose sizes are not known.
static double smallest_radius(const PerpSimulation *sim)
{
    double least = INFINITY;
    for (int k = 0; sim->bodies.model && k < sim->bodies.rigid.n_bodies; k++)
        least = fmin(least, sim->bodies.radius[sim->bodies.rigid.body_of[k]]);
    return isfinite(least) ? least : 0;
}

// Where contacts rattle, their collisions within a part of a step are one impact at its end, if no
// overlap gets deeper than a small part of the smallest body; else within a half of that part, and
// so on. tau = 0: not even then, so that the collision must be located.
static PerpStatus find_group(PerpSimulation *sim, const Established *established, double part,
                             double *tau, PerpError *error)
{
    double deepest = DEEPEST * smallest_radius(sim);
    PerpStatus status = PERP_OK;
    *tau = 0;
    for (int halves = 0; halves < HALVES && *tau == 0 && !status; halves++, part /= 2) {
        Overlap overlap;
        status = find_overlap(sim, established, part, &overlap, error);
        if (-overlap.gap < deepest)
            *tau = part;
    }
    return status;
}

// --- one step -----------------------------------------------------------------------------------

static void move_by(PerpSimulation *sim, double h)
{
    sim->system->advance(sim, sim->state.q, sim->state.v, h, sim->scratch.q);
    perp_step_go(sim, sim->scratch.q, sim->state.t + h);
}

// A contact that is being hit is not established: what happens there is the impact's.
static void leave_out_collisions(const PerpSimulation *sim, const Established *established,
                                 PerpStage *stage)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        if (is_approached(sim, stage, i) && is_new(established, &stage->rows.unilateral[i]))
            stage->rows.d[row] = -1e3 * perp_stage_row_speed(stage, row, sim->state.v);
    }
}

// Where M, nu, n, D are taken: q_new, or as a variant q or q + h v/2             [AP97 section 4]
static PerpStatus assemble_data(PerpSimulation *sim, double h, PerpStage *stage, PerpError *error)
{
    double *q = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!q)
        return perp_fail_memory(error);
    double part = sim->settings.data == PERP_DATA_END      ? 1
                  : sim->settings.data == PERP_DATA_MIDDLE ? 0.5
                                                           : 0;
    sim->system->advance(sim, sim->state.q, sim->state.v, part * h, q);
    return perp_stage_assemble(sim, q, CLOSED, h, stage, error);
}

// q_new = q + h v;  (v_new, ...) in L(v, h k), k at (q, v)                       [AP97 section 4]
static PerpStatus euler_step(PerpSimulation *sim, const Established *established, double h,
                             PerpError *error)
{
    PerpStage stage;
    double *b = PERP_TAKE(&sim->arena, double, 2 * sim->n_v);
    if (!b)
        return perp_fail_memory(error);
    double *v_free = b + sim->n_v; // v + h M^-1 k
    PerpStatus status =
        sim->system->free_motion(sim, h, sim->state.t, sim->state.q, b, v_free, error);
    if (status)
        return status;
    status = assemble_data(sim, h, &stage, error);
    if (status)
        return status;
    move_by(sim, h);
    perp_stage_momentum(&stage, v_free, stage.rows.b); // (2.14)
    leave_out_collisions(sim, established, &stage);
    perp_stabilise_rows(sim, sim->settings.step, &stage);
    status = perp_stage_solve(sim, sim->state.v, &stage, error);
    if (status)
        return status;
    if (perp_stage_is_passive(&stage))
        perp_bound_energy(sim, PERP_BOUND_AP97_STEP, &stage, v_free, stage.v); // (2.22)
    perp_energy_add_stage(sim, &stage);
    memcpy(sim->state.v, stage.v, (size_t)sim->n_v * sizeof(double));
    return perp_stage_report_contacts(sim, &stage, error);
}

// Up to the next collision, which is resolved, or to the end of the step. rest: what is left of it;
// part: 0, or how long collisions are taken together.
static PerpStatus sub_step(PerpSimulation *sim, double part, double *rest, PerpError *error)
{
    Established established;
    Overlap overlap;
    double tau = 0;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpStatus status = find_established(sim, &established, error);
    if (!status)
        status = find_overlap(sim, &established, *rest, &overlap, error);
    bool collides = !status && overlap.gap < -CLOSED;
    if (collides && part > 0)
        status = find_group(sim, &established, fmin(part, *rest), &tau, error);
    if (!status && collides && tau == 0)
        status = locate_collision(sim, &established, overlap, *rest, &tau, error);
    if (!collides)
        tau = *rest;
    if (!status)
        status = euler_step(sim, &established, tau, error);
    perp_arena_release(&sim->arena, mark); // there may be many
    if (!status && collides)
        status = perp_impact(sim, sim->state.q, CLOSED, sim->state.v, error);
    *rest = collides ? *rest - tau : 0;
    return status;
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    double rest = h;
    PerpStatus status = PERP_OK;
    sim->threshold.bounce = sim->settings.restitution_threshold;
    for (int events = 0; rest > 0 && !status; events++) {
        if (events == EVENTS)
            return perp_fail(error, PERP_NOT_SOLVED,
                             "t = %.9g s: more than %d collisions in a step; a shorter step or a "
                             "larger restitution threshold may help",
                             sim->state.t, EVENTS);
        if (events == LOCATED)
            perp_step_warn(sim,
                           "t = %.9g s: more than %d collisions in a step; the rest of them are "
                           "resolved in groups, up to %.2g s late",
                           sim->state.t, LOCATED, h / GROUPS);
        status = sub_step(sim, events < LOCATED ? 0 : h / GROUPS, &rest, error);
    }
    return status ? status : perp_stabilise(sim, PERP_STABILISE_NONE, error);
}

const PerpScheme perp_scheme_anitescu_potra = {
    .name = "anitescu-potra",
    .text = "AP97: explicit Euler, collisions located, impacts in two phases",
    .facets = 8,
    .explicit_turn = true,
    .explicit_springs = true,
    .step = step,
};

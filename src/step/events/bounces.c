// Bounces of the default scheme: which contacts with restitution are hit, and when. They are
// located one by one, at the price of a problem of the whole scene each; where there are many,
// those of the rest of a step are hit at once, at its beginning, each at its speed of approach
// [AP97 section 3].

#include "step/events/bounces.h"

#include "base/error.h"
#include "step/islands/islands.h"
#include "step/rows/speculative.h"

#include <math.h>

enum { ROUNDS = 4 }; // of impacts at one moment: what is thrown at others hits them in the next

// --- one after the other ------------------------------------------------------------------------

static double speed_of(const PerpStage *stage, int contact, const double *v)
{
    return perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v);
}

static bool may_bounce(const PerpSimulation *sim, const PerpStage *now, int contact)
{
    return now->rows.unilateral[contact].restitution > 0 &&
           speed_of(now, contact, sim->state.v) < -sim->threshold.bounce;
}

bool perp_bounce_is_due(const PerpSimulation *sim, const PerpStage *now, double closed)
{
    for (int i = 0; i < now->rows.problem.n_contacts; i++)
        if (now->rows.unilateral[i].gap <= closed && may_bounce(sim, now, i))
            return true;
    return false;
}

// Does the problem's solution push at the contact with this id?
static bool is_pushed(const PerpStage *stage, uint64_t id)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].id == id)
            return stage->c[perp_stage_contact_row(stage, i)] > 0;
    return false;
}

// gap + s tau + a tau^2 / 2 = 0, the first tau at which the gap is falling; INFINITY if there is
// none
static double closing_time(double gap, double s, double a)
{
    double root = s * s - 2 * a * gap;
    if (root < 0 || (s >= 0 && a >= 0))
        return INFINITY;
    return s < 0 ? 2 * gap / (-s + sqrt(root)) : (s + sqrt(root)) / -a;
}

double perp_bounce_time(const PerpSimulation *sim, const PerpStage *now, const PerpStage *solved,
                        const double *v_free, double h)
{
    double first = h;
    for (int i = 0; i < now->rows.problem.n_contacts; i++) {
        const PerpUnilateral *u = &now->rows.unilateral[i];
        double s = speed_of(now, i, sim->state.v);
        double a = (speed_of(now, i, v_free) - s) / h;
        double tau = closing_time(fmax(u->gap, 0), s, a);
        if (u->restitution > 0 && tau > 0 && tau < first && s + a * tau < -sim->threshold.bounce &&
            is_pushed(solved, u->id))
            first = tau;
    }
    return first;
}

// --- many at once -------------------------------------------------------------------------------

// Is the contact hit within h, with the speed that it has?
static bool is_struck(const PerpSimulation *sim, const PerpStage *now, int contact,
                      const double *v_free, double h)
{
    double s = speed_of(now, contact, sim->state.v);
    double a = (speed_of(now, contact, v_free) - s) / h;
    return may_bounce(sim, now, contact) &&
           closing_time(fmax(now->rows.unilateral[contact].gap, 0), s, a) < h;
}

static int body_of(const PerpStage *stage, int contact)
{
    int row = perp_stage_contact_row(stage, contact);
    const PerpProblem *p = &stage->rows.problem;
    return p->row_start[row] < p->row_start[row + 1] ? p->entry_body[p->row_start[row]] : -1;
}

// Keeps the contacts that are struck, or closed and joined to such ones by others: nothing else
// may be stopped before it closes, nor solved in vain. False if memory is short.
static bool keep_struck(PerpSimulation *sim, const double *v_free, double h, double closed,
                        PerpStage *now, bool *any)
{
    PerpIslands islands;
    int n = now->rows.problem.n_contacts, n_bodies = now->rows.problem.n_bodies;
    bool *keep = PERP_TAKE(&sim->arena, bool, n), *island = PERP_TAKE(&sim->arena, bool, n_bodies);
    if (!keep || !island)
        return false;
    for (int i = 0; i < n; i++)
        keep[i] = now->rows.unilateral[i].gap <= closed || is_struck(sim, now, i, v_free, h);
    perp_assembly_select(&now->rows, keep);
    if (!perp_islands_find(&sim->arena, &now->rows.problem, &islands))
        return false;
    n = now->rows.problem.n_contacts;
    for (int i = 0; i < n; i++)
        if (body_of(now, i) >= 0 && is_struck(sim, now, i, v_free, h)) {
            *any = island[islands.island_of[body_of(now, i)]] = true;
            perp_bounce_note_early(sim, now, i, h);
        }
    for (int i = 0; i < n; i++)
        keep[i] = body_of(now, i) >= 0 && island[islands.island_of[body_of(now, i)]];
    perp_assembly_select(&now->rows, keep);
    return true;
}

// One impact of all that is struck.
static PerpStatus hit_struck(PerpSimulation *sim, const double *v_free, double h, double closed,
                             bool *any, PerpError *error)
{
    PerpStage now;
    PerpSpeculative speculative;
    bool is_rigid = sim->bodies.finder != NULL;
    if (is_rigid && !perp_speculative_begin(sim, v_free, h, closed, &speculative))
        return perp_fail_memory(error);
    PerpStatus status =
        perp_impact_rows(sim, sim->state.q, sim->system->reach(sim, v_free, h) + closed,
                         is_rigid ? &speculative.reach : NULL, &now, error);
    if (status)
        return status;
    if (!keep_struck(sim, v_free, h, closed, &now, any))
        return perp_fail_memory(error);
    return *any ? perp_impact_solve(sim, &now, sim->state.v, error) : PERP_OK;
}

PerpStatus perp_bounce_together(PerpSimulation *sim, const double *v_free, double h, double closed,
                                bool *hit, PerpError *error)
{
    PerpStatus status = PERP_OK;
    bool any = true;
    double *gain = PERP_TAKE(&sim->arena, double, 2 * sim->n_v), *free = gain + sim->n_v;
    if (!gain)
        return perp_fail_memory(error);
    for (int i = 0; i < sim->n_v; i++) // what forces do in h
        gain[i] = v_free[i] - sim->state.v[i];
    for (int round = 0; !status && any && round < ROUNDS; round++) {
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        for (int i = 0; i < sim->n_v; i++)
            free[i] = sim->state.v[i] + gain[i];
        any = false;
        status = hit_struck(sim, free, h, closed, &any, error);
        *hit = *hit || any;
        perp_arena_release(&sim->arena, mark);
    }
    return status;
}

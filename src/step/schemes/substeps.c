// Substeps: how long, how often halved, and what of them is reported.

#include "step/schemes/substeps.h"

#include <math.h>

enum { MOST_SUBSTEPS = 1024 };     // that step limits may ask for,
enum { MOST_PARTS = 256 };         // of them at once, from one substep
enum { MOST_MISSES = 32 };         // of a divided step
enum { FEW = 8 };                  // substeps that the next step begins with
static const double WITHIN = 1e-9; // of a length, for rounding
static const double SLACK = 0.9;   // of the length that step limits allowed: tension may grow

PerpSubsteps perp_substeps_begin(const PerpSimulation *sim, double h)
{
    int halvings = sim->state.halvings > 0 ? sim->state.halvings - 1 : 0;
    double shortest = h / MOST_SUBSTEPS, longest = fmax(SLACK * sim->state.longest, shortest);
    double parts = sim->state.longest > 0 ? fmax(ceil(h / longest * (1 - WITHIN)), 1) : 1;
    return (PerpSubsteps){.h = h,
                          .rest = h,
                          .longest = ldexp(h, -halvings),
                          .stable = INFINITY,
                          .limit = h / parts,
                          .shortest = shortest,
                          .halvings = halvings,
                          .count = halvings > 0 || parts > 1};
}

double perp_substeps_next(const PerpSubsteps *substeps)
{
    double longest =
        perp_substeps_may_divide(substeps) ? fmin(substeps->longest, substeps->limit) : substeps->h;
    return substeps->rest <= longest * (1 + WITHIN) ? substeps->rest : longest;
}

bool perp_substeps_attempt(PerpSimulation *sim, PerpSubsteps *substeps, double length)
{
    substeps->report = sim->report;
    substeps->cache = sim->caches.in_use;
    double last = substeps->last > 0 ? substeps->last : substeps->h;
    if (substeps->count > 0)
        sim->caches.impulse_scale = length / last;
    bool first = !(substeps->last > 0) && sim->state.cached > 0;
    sim->caches.cached_scale = first ? length / sim->state.cached : sim->caches.impulse_scale;
    bool may_halve = sim->settings.held_tolerance == 0; // else slip held answers
    return may_halve && !substeps->is_missed && substeps->halvings < PERP_MOST_HALVINGS;
}

void perp_substeps_retry(PerpSimulation *sim, PerpSubsteps *substeps)
{
    sim->report = substeps->report;
    perp_island_caches_use(&sim->caches, substeps->cache);
    substeps->count = substeps->count > 0 ? substeps->count : 1;
}

bool perp_substeps_leave_to_held(const PerpSubsteps *substeps)
{
    return substeps->held & (substeps->held - 1);
}

// A miss of joints alone costs no more than an answer.
bool perp_substeps_halve(PerpSubsteps *substeps, const PerpStage *stage, double length)
{
    substeps->misses += stage->missed && stage->rows.problem.n_contacts > 0;
    substeps->held += stage->held;
    substeps->is_missed = substeps->is_missed || (stage->missed_large && !stage->is_tentative);
    bool halves = stage->missed_large && !substeps->is_missed;
    if (substeps->is_missed)
        substeps->longest = substeps->h;
    else if (halves)
        substeps->longest = length / 2;
    substeps->halvings += halves;
    return halves;
}

bool perp_substeps_may_divide(const PerpSubsteps *substeps)
{
    return substeps->misses < MOST_MISSES;
}

double perp_substeps_shorten(PerpSubsteps *substeps, double length, double longest)
{
    if (!(longest < length) || !perp_substeps_may_divide(substeps)) {
        substeps->stable = fmin(substeps->stable, longest);
        return length;
    }
    double wanted = length / fmin(ceil(length / longest), MOST_PARTS);
    double shorter = fmin(length, fmax(wanted, substeps->shortest));
    substeps->limit = fmin(substeps->limit, shorter);
    return shorter;
}

PerpStatus perp_substeps_done(PerpSimulation *sim, PerpSubsteps *substeps, const PerpStage *stage,
                              double length, PerpError *error)
{
    substeps->rest = length < substeps->rest ? substeps->rest - length : 0;
    substeps->last = length;
    if (substeps->count == 0 || substeps->rest == 0)
        return PERP_OK;
    substeps->count++;
    sim->contacts.in_substep = true;
    return perp_stage_report_substep(sim, stage, error);
}

// The next step begins with substeps that all of this step could have had, but with no more of
// them: what was pulled tight for a moment may be slack again. To try the whole length first is one
// problem in vain, which is much where substeps are few. Where they are many it is little, and the
// only way back: short substeps follow what shakes, and pull as hard as that takes.
PerpStatus perp_substeps_end(PerpSimulation *sim, const PerpSubsteps *substeps, PerpError *error)
{
    bool divided = substeps->count > 0, limited = isfinite(substeps->stable);
    sim->state.halvings = substeps->halvings;
    sim->state.cached = divided ? substeps->last : 0;
    sim->state.longest = divided && limited && substeps->count <= FEW
                             ? fmax(substeps->stable, substeps->h / substeps->count)
                             : 0;
    if (!divided)
        return PERP_OK;
    sim->report.substeps = substeps->count;
    return perp_reports_add_substeps(sim, error);
}

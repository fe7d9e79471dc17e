#include "step/parts.h"

#include <math.h>

enum { FEW = 8, MANY = 4000 };     // contacts of a heap that may divide it
enum { MANY_LOOSE = 2000 };        // likewise at loose tolerances
static const double LOOSE = 1e-6;  // tolerance
static const double WITHIN = 1e-9; // of a length, for rounding

PerpParts perp_parts_begin(const PerpSimulation *sim, double h)
{
    int halvings = sim->state.halvings > 0 ? sim->state.halvings - 1 : 0;
    return (PerpParts){.h = h,
                       .rest = h,
                       .longest = ldexp(h, -halvings),
                       .halvings = halvings,
                       .count = halvings > 0};
}

double perp_parts_next(const PerpParts *parts)
{
    return parts->rest <= parts->longest * (1 + WITHIN) ? parts->rest : parts->longest;
}

bool perp_parts_try(PerpSimulation *sim, PerpParts *parts, double length)
{
    parts->report = sim->report;
    parts->kept = sim->kept_in_use;
    if (parts->count > 0)
        sim->share = length / (parts->last > 0 ? parts->last : parts->h);
    return !parts->is_missed && parts->halvings < PERP_HALVINGS;
}

bool perp_parts_is_heap(const PerpSimulation *sim, int contacts)
{
    return contacts >= FEW && contacts <= (sim->settings.tolerance < LOOSE ? MANY : MANY_LOOSE);
}

bool perp_parts_halve(PerpSimulation *sim, PerpParts *parts, const PerpStage *stage, double length)
{
    parts->is_missed = parts->is_missed || (stage->missed_heap && !stage->is_tentative);
    if (!stage->missed_heap || parts->is_missed)
        return false;
    sim->report = parts->report;
    sim->kept_in_use = parts->kept;
    sim->kept[parts->kept].next = 0;
    parts->longest = length / 2;
    parts->halvings++;
    parts->count = parts->count > 0 ? parts->count : 1;
    return true;
}

void perp_parts_bound(PerpParts *parts, double length)
{
    if (parts->is_missed)
        parts->longest = parts->h;
    else if (length < parts->rest)
        parts->longest = length;
}

PerpStatus perp_parts_done(PerpSimulation *sim, PerpParts *parts, const PerpStage *stage,
                           double length, PerpError *error)
{
    parts->rest = length < parts->rest ? parts->rest - length : 0;
    parts->last = length;
    if (parts->count == 0 || parts->rest == 0)
        return PERP_OK;
    parts->count++;
    sim->in_part = true;
    return perp_stage_keep_part(sim, stage, error);
}

// What is kept of islands is of the last part and would be too short for the next step.
PerpStatus perp_parts_end(PerpSimulation *sim, const PerpParts *parts, PerpError *error)
{
    sim->state.halvings = parts->halvings;
    if (parts->count == 0)
        return PERP_OK;
    perp_kept_clear(&sim->kept[sim->kept_in_use]);
    sim->report.cuts = parts->count - 1;
    return perp_reports_add_parts(sim, error);
}

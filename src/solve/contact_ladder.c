#include "solve/contact_ladder.h"

#include "cones/methods/methods.h"
#include "cones/methods/newton_local.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 32, OWN_STEPS = 60, LEAST_PROXIMAL = 5000, MOST_PROXIMAL = 100000 };
static const double PROXIMAL_WORK =
    1e8; // constraints times steps: jammed walls and packings walk far

// Keeps climb->r if it is the best so far; true if that is good enough, or memory is short.
static bool keep(PerpContactLadder *ladder, double residual, int height)
{
    ladder->memory_short = ladder->memory_short || isnan(residual);
    if (residual < ladder->residual) {
        ladder->residual = residual;
        ladder->height = height;
        memcpy(ladder->best, ladder->r, (size_t)(3 * ladder->cones.n_constraints) * sizeof(double));
    }
    return ladder->memory_short || ladder->residual <= ladder->tolerance;
}

static bool try_sweeps(PerpContactLadder *ladder, int sweeps)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double residual =
        perp_nsgs(ladder->arena, &ladder->cones, ladder->tolerance, &sweeps, ladder->r);
    perp_arena_release(ladder->arena, mark);
    ladder->result->sweeps += sweeps;
    return keep(ladder, residual, 0);
}

static bool try_own(PerpContactLadder *ladder, int steps)
{
    double residual =
        perp_newton_local(ladder->arena, &ladder->cones, ladder->tolerance, &steps, ladder->r);
    ladder->result->iterations += steps;
    return keep(ladder, residual, 1);
}

static bool try_newton(PerpContactLadder *ladder, double epsilon, int steps, int height)
{
    double residual = perp_newton_natural(ladder->arena, &ladder->cones, epsilon,
                                          PERP_CONTACT_SHARP, &steps, ladder->r);
    ladder->result->iterations += steps;
    return keep(ladder, residual, height);
}

static bool try_interior(PerpContactLadder *ladder, const PerpInteriorParameters *mode)
{
    int steps = 80;
    size_t bytes = (size_t)(3 * ladder->cones.n_constraints) * sizeof(double);
    double residual = perp_interior_point(ladder->arena, &ladder->cones, mode,
                                          fmax(ladder->tolerance, 1e-7), &steps, ladder->r);
    ladder->result->iterations += steps;
    if (keep(ladder, residual, 2))
        return true;
    double *cache = PERP_TAKE(ladder->arena, double, 3 * ladder->cones.n_constraints);
    ladder->memory_short = ladder->memory_short || !cache;
    if (ladder->memory_short)
        return true;
    memcpy(cache, ladder->r, bytes);
    if (try_newton(ladder, 1e-7, 20, 2))
        return true;
    memcpy(ladder->r, cache, bytes);
    return try_newton(ladder, 1e-3, 60, 2);
}

// From where sweeps end, not from the best so far: interior points that stall end far away.
static bool try_proximal(PerpContactLadder *ladder, int steps)
{
    double residual =
        perp_proximal_point(ladder->arena, &ladder->cones, ladder->tolerance, &steps, ladder->r);
    ladder->result->iterations += steps;
    return keep(ladder, residual, 3);
}

// Proximal points from swept impulses, interior points several ways: which goes first is a matter
// of measurement. Stacks of boxes, whose contacts come in groups, are interior points' best case.
static bool climb_high(PerpContactLadder *ladder, const double *swept)
{
    static const PerpInteriorParameters ways[] = {{1, 0.98, 1}, {10, 0.9, 1}};
    size_t bytes = (size_t)(3 * ladder->cones.n_constraints) * sizeof(double);
    memcpy(ladder->r, swept, bytes);
    if (!ladder->cones.groups && try_proximal(ladder, 100))
        return true;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (try_interior(ladder, &ways[k]))
            return true;
    memcpy(ladder->r, swept, bytes);
    double steps = PROXIMAL_WORK / ladder->cones.n_constraints;
    return try_proximal(ladder, (int)fmin(MOST_PROXIMAL, fmax(LEAST_PROXIMAL, steps)));
}

// Newton's method takes over early: it costs as much as a few sweeps.
void perp_contact_ladder_run(PerpContactLadder *ladder)
{
    size_t bytes = (size_t)(3 * ladder->cones.n_constraints) * sizeof(double);
    if (keep(ladder, ladder->residual, 0) || try_sweeps(ladder, SWEEPS))
        return;
    double *swept = PERP_TAKE(ladder->arena, double, 3 * ladder->cones.n_constraints);
    ladder->memory_short = ladder->memory_short || !swept;
    if (ladder->memory_short)
        return;
    memcpy(swept, ladder->r, bytes);
    if (try_own(ladder, OWN_STEPS))
        return;
    memcpy(ladder->r, swept, bytes);
    if (try_sweeps(ladder, SWEEPS))
        return;
    memcpy(swept, ladder->r, bytes);
    climb_high(ladder, swept);
}

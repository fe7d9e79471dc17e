#include "lcp/local_climb.h"

#include "lcp/round_methods.h"
#include "lcp/round_own.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 32, OWN_STEPS = 60, LEAST_PROXIMAL = 5000, MOST_PROXIMAL = 100000 };
static const double PROXIMAL_WORK = 1e8; // cells times steps: jammed walls and packings walk far

// Keeps climb->r if it is the best so far; true if that is good enough, or memory is short.
static bool keep(PerpLocalClimb *climb, double residual, int height)
{
    climb->memory_short = climb->memory_short || isnan(residual);
    if (residual < climb->residual) {
        climb->residual = residual;
        climb->height = height;
        memcpy(climb->best, climb->r, (size_t)(3 * climb->round.n_cells) * sizeof(double));
    }
    return climb->memory_short || climb->residual <= climb->enough;
}

static bool try_sweeps(PerpLocalClimb *climb, int sweeps)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double residual =
        perp_round_sweep(climb->arena, &climb->round, climb->enough, &sweeps, climb->r);
    perp_arena_release(climb->arena, mark);
    climb->result->sweeps += sweeps;
    return keep(climb, residual, 0);
}

static bool try_own(PerpLocalClimb *climb, int steps)
{
    double residual = perp_round_own(climb->arena, &climb->round, climb->enough, &steps, climb->r);
    climb->result->iterations += steps;
    return keep(climb, residual, 1);
}

static bool try_newton(PerpLocalClimb *climb, double soft, int steps, int height)
{
    double residual =
        perp_round_polish(climb->arena, &climb->round, soft, PERP_LOCAL_SHARP, &steps, climb->r);
    climb->result->iterations += steps;
    return keep(climb, residual, height);
}

static bool try_interior(PerpLocalClimb *climb, const PerpInteriorWay *way)
{
    int steps = 80;
    size_t bytes = (size_t)(3 * climb->round.n_cells) * sizeof(double);
    double residual = perp_interior(climb->arena, &climb->round, way, fmax(climb->enough, 1e-7),
                                    &steps, climb->r);
    climb->result->iterations += steps;
    if (keep(climb, residual, 2))
        return true;
    double *kept = PERP_TAKE(climb->arena, double, 3 * climb->round.n_cells);
    climb->memory_short = climb->memory_short || !kept;
    if (climb->memory_short)
        return true;
    memcpy(kept, climb->r, bytes);
    if (try_newton(climb, 1e-7, 20, 2))
        return true;
    memcpy(climb->r, kept, bytes);
    return try_newton(climb, 1e-3, 60, 2);
}

// From where sweeps end, not from the best so far: interior points that stall end far away.
static bool try_proximal(PerpLocalClimb *climb, int steps)
{
    double residual =
        perp_round_proximal(climb->arena, &climb->round, climb->enough, &steps, climb->r);
    climb->result->iterations += steps;
    return keep(climb, residual, 3);
}

// Proximal points from swept impulses, interior points several ways: which goes first is a matter
// of measurement. Stacks of boxes, whose contacts come in groups, are interior points' best case.
static bool climb_high(PerpLocalClimb *climb, const double *swept)
{
    static const PerpInteriorWay ways[] = {{1, 0.98, 1}, {10, 0.9, 1}};
    size_t bytes = (size_t)(3 * climb->round.n_cells) * sizeof(double);
    memcpy(climb->r, swept, bytes);
    if (!climb->round.groups && try_proximal(climb, 100))
        return true;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (try_interior(climb, &ways[k]))
            return true;
    memcpy(climb->r, swept, bytes);
    double steps = PROXIMAL_WORK / climb->round.n_cells;
    return try_proximal(climb, (int)fmin(MOST_PROXIMAL, fmax(LEAST_PROXIMAL, steps)));
}

// Newton's method takes over early: it costs as much as a few sweeps.
void perp_local_climb(PerpLocalClimb *climb)
{
    size_t bytes = (size_t)(3 * climb->round.n_cells) * sizeof(double);
    if (keep(climb, climb->residual, 0) || try_sweeps(climb, SWEEPS))
        return;
    double *swept = PERP_TAKE(climb->arena, double, 3 * climb->round.n_cells);
    climb->memory_short = climb->memory_short || !swept;
    if (climb->memory_short)
        return;
    memcpy(swept, climb->r, bytes);
    if (try_own(climb, OWN_STEPS))
        return;
    memcpy(climb->r, swept, bytes);
    if (try_sweeps(climb, SWEEPS))
        return;
    memcpy(swept, climb->r, bytes);
    climb_high(climb, swept);
}

#include "lcp/round_climb.h"

#include "lcp/path.h"

#include <math.h>
#include <string.h>

static const double SHARP = 1e-14; // residual that Newton's method aims at
static const double LOOSE = 1e-6;  // where it need not, and where sweeps are worth their while
static const double WORK = 6e5;    // cells times factorisations that a problem may cost
enum { LEAST_LEFT = 60, MOST_LEFT = 2000, INTERIOR_STEPS = 80 };
enum { PATHS = 4, PATH_STEPS = 120 };

static size_t bytes_of(const PerpRoundClimb *climb)
{
    return (size_t)(3 * climb->round->n_cells) * sizeof(double);
}

// Offers climb->r, whose residual is given, NAN if memory is short.
static bool offer(PerpRoundClimb *climb, double residual, PerpRung rung)
{
    climb->memory_short = climb->memory_short || isnan(residual);
    if (climb->memory_short)
        return true;
    if (residual < climb->residual) {
        climb->residual = residual;
        climb->rung = rung;
        memcpy(climb->best, climb->r, bytes_of(climb));
    }
    return residual < 1e3 * climb->enough && climb->offer(climb->user, climb->r, rung);
}

static void count(PerpRoundClimb *climb, int steps)
{
    climb->iterations += steps;
    climb->left -= steps;
}

// --- rungs --------------------------------------------------------------------------------------

static bool try_newton(PerpRoundClimb *climb, double soft, int steps, PerpRung rung)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double sharp = climb->enough < LOOSE ? SHARP : climb->enough;
    double residual = perp_round_polish(climb->arena, climb->round, soft, sharp, &steps, climb->r);
    perp_arena_release(climb->arena, mark);
    count(climb, steps);
    return offer(climb, residual, rung);
}

// Newton's method from r on, fast first, then slow but from farther away.
static bool finish(PerpRoundClimb *climb, const double *from, PerpRung rung)
{
    static const struct {
        double soft;
        int steps;
    } ways[] = {{1e-7, 20}, {1e-4, 30}, {1e-2, 40}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        memcpy(climb->r, from, bytes_of(climb));
        if (try_newton(climb, ways[k].soft, ways[k].steps, rung))
            return true;
    }
    return false;
}

static bool try_sweeps(PerpRoundClimb *climb)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    int sweeps = climb->enough < LOOSE ? 30 : 200;
    double residual =
        perp_round_sweep(climb->arena, climb->round, climb->enough, &sweeps, climb->r);
    perp_arena_release(climb->arena, mark);
    climb->sweeps += sweeps;
    return offer(climb, residual, PERP_RUNG_SWEEPS);
}

static bool try_interior(PerpRoundClimb *climb, const PerpInteriorWay *way)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    int steps = INTERIOR_STEPS;
    double residual =
        perp_interior(climb->arena, climb->round, way, fmax(climb->enough, 1e-7), &steps, climb->r);
    double *from = PERP_TAKE(climb->arena, double, 3 * climb->round->n_cells);
    count(climb, steps);
    climb->memory_short = climb->memory_short || !from;
    bool good = offer(climb, residual, PERP_RUNG_INTERIOR);
    if (!good) {
        memcpy(from, climb->r, bytes_of(climb));
        good = finish(climb, from, PERP_RUNG_INTERIOR);
    }
    perp_arena_release(climb->arena, mark);
    return good;
}

// From the best so far, anew as long as that gets nearer.
static bool try_path(PerpRoundClimb *climb)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double *from = PERP_TAKE(climb->arena, double, 3 * climb->round->n_cells);
    bool good = false;
    climb->memory_short = climb->memory_short || !from;
    for (int k = 0; k < PATHS && !good && !climb->memory_short && climb->left > 0; k++) {
        double before = climb->residual;
        const PerpPathWay way = {1, 1, 0.1, fmin(0.5, 3 * before), 0.01};
        int steps = PATH_STEPS;
        memcpy(climb->r, climb->best, bytes_of(climb));
        double residual = perp_path(climb->arena, climb->round, &way, fmax(climb->enough, 1e-8),
                                    &steps, climb->r);
        count(climb, steps);
        good = offer(climb, residual, PERP_RUNG_PATH);
        if (!good) {
            memcpy(from, climb->r, bytes_of(climb));
            good = finish(climb, from, PERP_RUNG_PATH);
        }
        if (climb->residual > 0.3 * before)
            break;
    }
    perp_arena_release(climb->arena, mark);
    return good || climb->memory_short;
}

// --- the ladder ---------------------------------------------------------------------------------

static bool try_start(PerpRoundClimb *climb, const double *start)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double *v = PERP_TAKE(climb->arena, double, climb->round->n_state);
    double *u = PERP_TAKE(climb->arena, double, 3 * climb->round->n_cells);
    double residual = NAN;
    memcpy(climb->r, start, bytes_of(climb));
    if (v && u) {
        perp_round_velocity(climb->round, climb->r, v);
        perp_round_speeds(climb->round, v, u);
        residual = perp_round_residual(climb->round, climb->r, u);
    }
    perp_arena_release(climb->arena, mark);
    return offer(climb, residual, PERP_RUNG_REUSED);
}

bool perp_round_climb(PerpRoundClimb *climb, const double *start)
{
    static const PerpInteriorWay ways[] = {{1, 0.98, 1},    {10, 0.9, 1},  {0.1, 0.98, 10},
                                           {100, 0.9, 0.1}, {1, 0.7, 1},   {1, 0.98, 1e3},
                                           {1, 0.98, 1e-3}, {1, 0.5, 100}, {1e3, 0.9, 1}};
    int numbers = 3 * climb->round->n_cells;
    climb->r = PERP_TAKE(climb->arena, double, numbers);
    climb->best = PERP_TAKE(climb->arena, double, numbers);
    climb->residual = INFINITY;
    climb->left = (int)fmin(MOST_LEFT, fmax(LEAST_LEFT, WORK / (climb->round->n_cells + 1)));
    if (!climb->r || !climb->best)
        return climb->memory_short = true;
    if ((start && try_start(climb, start)) || try_sweeps(climb) ||
        try_newton(climb, 1e-7, 12, PERP_RUNG_NEWTON))
        return true;
    for (size_t k = 0; k < sizeof ways / sizeof *ways && climb->left > 0; k++)
        if (try_interior(climb, &ways[k]) || (k % 2 == 0 && try_path(climb)))
            return true;
    return climb->offer(climb->user, climb->best, climb->rung); // the best there is
}

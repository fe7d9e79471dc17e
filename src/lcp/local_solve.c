// The ladder for contact problems without bodies. What is small goes first. Each island climbs
// alone: sweeps, Newton's method from where they end, proximal and interior points. The whole
// leaves with its certificate.

#include "base/error.h"
#include "base/log.h"
#include "lcp/local_climb.h"
#include "lcp/local_small.h"
#include "lcp/solver.h"
#include "math/union_find.h"

#include <math.h>
#include <string.h>

static const PerpRung heights[] = {PERP_RUNG_SWEEPS, PERP_RUNG_NEWTON, PERP_RUNG_INTERIOR,
                                   PERP_RUNG_PROXIMAL};

enum { PASSES = 8 };
static const double SHARPER = 0.01; // the next aim if what was asked for is not good enough

PerpStatus perp_contact_problem_check(const PerpContactProblem *p, PerpError *error)
{
    if ((p->dimension != 2 && p->dimension != 3) || p->contacts < 0 || p->bilateral < 0)
        return perp_fail(error, PERP_BAD_SIZE, "expected dimension 2 or 3 and sizes >= 0");
    int rows = perp_contact_problem_rows(p);
    for (int k = 0; k < p->contacts; k++)
        if (!(p->mu[k] >= 0 && isfinite(p->mu[k])))
            return perp_fail(error, PERP_BAD_VALUE, "mu[%d]: expected a finite number >= 0", k);
    for (int row = 0; row < rows; row++)
        if (p->start[0] != 0 || p->start[row] > p->start[row + 1])
            return perp_fail(error, PERP_BAD_SIZE, "start: expected numbers that rise from 0");
    for (int e = 0; e < p->start[rows]; e++)
        if (p->column[e] < 0 || p->column[e] >= rows)
            return perp_fail(error, PERP_BAD_VALUE, "column[%d] is outside the matrix", e);
    PerpStatus status = perp_require_finite(p->x, p->start[rows], "x", error);
    return status ? status : perp_require_finite(p->q, rows, "q", error);
}

// --- islands ------------------------------------------------------------------------------------

static int unit_of_row(const PerpContactProblem *p, int row)
{
    int contact_rows = p->contacts * p->dimension;
    if (row >= contact_rows)
        return p->contacts + row - contact_rows;
    return p->dimension == 3 ? row / 3 : row / 2; // by constants, as this is asked often
}

static void join_units(const PerpContactProblem *p, int *parent)
{
    for (int k = 0; k < p->contacts + p->bilateral; k++)
        parent[k] = k;
    for (int row = 0; row < perp_contact_problem_rows(p); row++) {
        int unit = unit_of_row(p, row), last = unit;
        for (int e = p->start[row]; e < p->start[row + 1]; e++) {
            int other = p->x[e] != 0 ? unit_of_row(p, p->column[e]) : last;
            if (other != last)
                perp_unite(parent, unit, other);
            last = other;
        }
    }
}

// Units in the order of their islands; start[k] .. start[k + 1] - 1 is island k. Those that stand
// alone make one island, since a sweep solves them all. Returns how many there are.
static int find_islands(PerpLocalClimb *climb, int *parent, int *start)
{
    const PerpContactProblem *p = climb->p;
    int units = p->contacts + p->bilateral, islands = 0, loose = -1, *size = climb->unit;
    join_units(p, parent);
    for (int k = 0; k < units; k++)
        size[perp_find_root(parent, k)]++;
    for (int k = 0; k < units; k++) { // a root is the smallest of its island
        int root = perp_find_root(parent, k);
        if (size[root] == 1 && loose < 0)
            loose = islands++;
        climb->cell_of_unit[k] = size[root] == 1 ? loose
                                 : root == k     ? islands++
                                                 : climb->cell_of_unit[root];
    }
    for (int k = 0; k < units; k++)
        start[climb->cell_of_unit[k] + 2]++;
    for (int k = 0; k < islands; k++)
        start[k + 2] += start[k + 1];
    for (int k = 0; k < units; k++)
        climb->unit[start[climb->cell_of_unit[k] + 1]++] = k;
    for (int k = 0; k < islands; k++)
        for (int at = start[k]; at < start[k + 1]; at++)
            climb->cell_of_unit[climb->unit[at]] = at - start[k];
    return islands;
}

// --- all together -------------------------------------------------------------------------------

// From what stands in climb->impulse.
static void load(PerpLocalClimb *climb)
{
    for (int c = 0; c < climb->round.n_cells; c++)
        for (int k = 0; k < 3; k++) {
            const PerpCell *cell = &climb->round.cell[c];
            double scale = cell->scale[k] * climb->round.speed;
            climb->r[3 * c + k] = scale > 0 ? climb->impulse[cell->row[k]] / scale : 0;
        }
}

static void store(PerpLocalClimb *climb)
{
    for (int c = 0; c < climb->round.n_cells; c++)
        for (int k = 0; k < 3; k++) {
            const PerpCell *cell = &climb->round.cell[c];
            if (cell->row[k] >= 0)
                climb->impulse[cell->row[k]] =
                    climb->best[3 * c + k] * cell->scale[k] * climb->round.speed;
        }
}

static void find_residual(PerpLocalClimb *climb)
{
    double *v = climb->round.e, *u = climb->round.w;
    perp_round_velocity(&climb->round, climb->r, v);
    perp_round_speeds(&climb->round, v, u);
    climb->residual = perp_round_residual(&climb->round, climb->r, u);
    memcpy(climb->best, climb->r, (size_t)(3 * climb->round.n_cells) * sizeof(double));
}

// again: from what stands in climb->impulse, else from nothing.
static void solve_island(PerpLocalClimb *climb, bool again)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    int numbers = 3 * climb->part.count;
    climb->height = 0;
    climb->r = PERP_TAKE(climb->arena, double, numbers);
    climb->best = PERP_TAKE(climb->arena, double, numbers);
    if (!climb->r || !climb->best ||
        !perp_round_build_local(climb->arena, climb->p, &climb->part, &climb->round)) {
        climb->memory_short = true;
        return;
    }
    climb->residual = climb->round.idle; // of r = 0
    if (again) {
        load(climb);
        find_residual(climb);
    }
    perp_local_climb(climb);
    climb->missed = climb->missed || climb->residual > climb->enough;
    store(climb);
    perp_arena_release(climb->arena, mark);
}

static void solve_islands(PerpLocalClimb *climb, const int *start, bool again)
{
    for (int k = 0; k < climb->result->islands && !climb->memory_short; k++) {
        climb->part.count = start[k + 1] - start[k];
        climb->part.unit = climb->unit + start[k];
        solve_island(climb, again);
        climb->highest = climb->height > climb->highest ? climb->height : climb->highest;
    }
    climb->result->rung = heights[climb->highest];
}

static bool take(PerpLocalClimb *climb, int units)
{
    PerpArena *arena = climb->arena;
    climb->unit = PERP_TAKE(arena, int, units);
    climb->cell_of_unit = PERP_TAKE(arena, int, units);
    climb->part.cell_of_unit = climb->cell_of_unit;
    climb->part.scratch = PERP_TAKE(arena, int, units);
    if (!climb->unit || !climb->cell_of_unit || !climb->part.scratch)
        return false;
    memset(climb->part.scratch, -1, (size_t)units * sizeof(int));
    return true;
}

// Certifies climb->impulse; true if it is good enough, or memory is short.
static bool certify(PerpLocalClimb *climb, double tolerance, double *u)
{
    PerpContext scratch = perp_arena_context(climb->arena);
    if (perp_contact_problem_certify(&scratch, climb->p, climb->impulse, u, &climb->result->certificate,
                           NULL))
        climb->memory_short = true;
    return climb->memory_short || climb->result->certificate.worst <= tolerance;
}

// What needs neither islands nor cells.
static bool try_small(PerpLocalClimb *climb, double tolerance, double *u)
{
    const PerpContactProblem *p = climb->p;
    PerpContactResult *result = climb->result;
    result->rung = PERP_RUNG_SWEEPS;
    if (p->bilateral == 0 && perp_local_sweep(p, 0.1 * tolerance, climb->impulse)) {
        result->sweeps = 1;
        if (certify(climb, tolerance, u))
            return true;
    }
    if (perp_local_is_small(p) &&
        perp_local_small(climb->arena, p, 0.3 * tolerance, result, climb->impulse)) {
        result->rung = result->iterations > 0 ? PERP_RUNG_NEWTON : PERP_RUNG_SWEEPS;
        return certify(climb, tolerance, u);
    }
    return false;
}

// The whole ladder.
static bool solve_large(PerpLocalClimb *climb, double tolerance, double *u)
{
    PerpArena *arena = climb->arena;
    int units = climb->p->contacts + climb->p->bilateral;
    int *parent = PERP_TAKE(arena, int, units), *start = PERP_TAKE(arena, int, units + 2);
    if (!parent || !start || !take(climb, units))
        return climb->memory_short = true;
    climb->result->islands = find_islands(climb, parent, start);
    climb->enough = 0.3 * tolerance;
    // later passes sharpen what the norms of the whole miss
    for (int pass = 0; pass < PASSES && (pass < 2 || !climb->missed); pass++) {
        climb->missed = false;
        solve_islands(climb, start, pass > 0);
        if (climb->memory_short || certify(climb, tolerance, u))
            return true;
        climb->enough = fmax(SHARPER * climb->enough, PERP_LOCAL_SHARP);
    }
    return false;
}

PerpStatus perp_contact_problem_solve(PerpSolver *solver, const PerpContactProblem *p, double tolerance,
                            PerpContactResult *result, PerpError *error)
{
    PerpArena *arena = &solver->arena;
    PerpLocalClimb climb = {.arena = arena, .p = p, .result = result};
    *result = (PerpContactResult){0};
    perp_arena_rewind(arena);
    climb.impulse = PERP_TAKE(arena, double, perp_contact_problem_rows(p));
    double *u = PERP_TAKE(arena, double, perp_contact_problem_rows(p));
    climb.memory_short = !climb.impulse || !u;
    bool good =
        climb.memory_short || try_small(&climb, tolerance, u) || solve_large(&climb, tolerance, u);
    if (climb.memory_short)
        return perp_fail_memory(error);
    result->outcome = good ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_MISSED;
    result->r = climb.impulse;
    result->u = u;
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "%d contacts, %d islands: %s, %d steps, %.1e",
             p->contacts, result->islands, perp_rung_name(result->rung), result->iterations,
             result->certificate.worst);
    return PERP_OK;
}

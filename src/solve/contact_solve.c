// The ladder for contact problems without bodies. What is small goes first. Each island climbs
// alone: sweeps, Newton's method from where they end, proximal and interior points. The whole
// leaves with its certificate.

#include "base/error.h"
#include "base/log.h"
#include "cones/methods/dense_newton.h"
#include "math/union_find.h"
#include "solve/contact_ladder.h"
#include "solve/solver.h"

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
static int find_islands(PerpContactLadder *ladder, int *parent, int *start)
{
    const PerpContactProblem *p = ladder->p;
    int units = p->contacts + p->bilateral, islands = 0, loose = -1, *size = ladder->unit;
    join_units(p, parent);
    for (int k = 0; k < units; k++)
        size[perp_find_root(parent, k)]++;
    for (int k = 0; k < units; k++) { // a root is the smallest of its island
        int root = perp_find_root(parent, k);
        if (size[root] == 1 && loose < 0)
            loose = islands++;
        ladder->constraint_of_unit[k] = size[root] == 1 ? loose
                                        : root == k     ? islands++
                                                        : ladder->constraint_of_unit[root];
    }
    for (int k = 0; k < units; k++)
        start[ladder->constraint_of_unit[k] + 2]++;
    for (int k = 0; k < islands; k++)
        start[k + 2] += start[k + 1];
    for (int k = 0; k < units; k++)
        ladder->unit[start[ladder->constraint_of_unit[k] + 1]++] = k;
    for (int k = 0; k < islands; k++)
        for (int at = start[k]; at < start[k + 1]; at++)
            ladder->constraint_of_unit[ladder->unit[at]] = at - start[k];
    return islands;
}

// --- all together -------------------------------------------------------------------------------

// From what stands in climb->impulse.
static void load(PerpContactLadder *ladder)
{
    for (int c = 0; c < ladder->cones.n_constraints; c++)
        for (int k = 0; k < 3; k++) {
            const PerpConstraint *constraint = &ladder->cones.constraint[c];
            double scale = constraint->scale[k] * ladder->cones.speed;
            ladder->r[3 * c + k] = scale > 0 ? ladder->impulse[constraint->row[k]] / scale : 0;
        }
}

static void store(PerpContactLadder *ladder)
{
    for (int c = 0; c < ladder->cones.n_constraints; c++)
        for (int k = 0; k < 3; k++) {
            const PerpConstraint *constraint = &ladder->cones.constraint[c];
            if (constraint->row[k] >= 0)
                ladder->impulse[constraint->row[k]] =
                    ladder->best[3 * c + k] * constraint->scale[k] * ladder->cones.speed;
        }
}

static void find_residual(PerpContactLadder *ladder)
{
    double *v = ladder->cones.e, *u = ladder->cones.w;
    perp_delassus_velocity(&ladder->cones, ladder->r, v);
    perp_delassus_speeds(&ladder->cones, v, u);
    ladder->residual = perp_cones_residual(&ladder->cones, ladder->r, u);
    memcpy(ladder->best, ladder->r, (size_t)(3 * ladder->cones.n_constraints) * sizeof(double));
}

// again: from what stands in climb->impulse, else from nothing.
static void solve_island(PerpContactLadder *ladder, bool again)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    int numbers = 3 * ladder->part.count;
    ladder->height = 0;
    ladder->r = PERP_TAKE(ladder->arena, double, numbers);
    ladder->best = PERP_TAKE(ladder->arena, double, numbers);
    if (!ladder->r || !ladder->best ||
        !perp_cones_build_explicit(ladder->arena, ladder->p, &ladder->part, &ladder->cones)) {
        ladder->memory_short = true;
        return;
    }
    ladder->residual = ladder->cones.idle; // of r = 0
    if (again) {
        load(ladder);
        find_residual(ladder);
    }
    perp_contact_ladder_run(ladder);
    ladder->missed = ladder->missed || ladder->residual > ladder->tolerance;
    store(ladder);
    perp_arena_release(ladder->arena, mark);
}

static void solve_islands(PerpContactLadder *ladder, const int *start, bool again)
{
    for (int k = 0; k < ladder->result->islands && !ladder->memory_short; k++) {
        ladder->part.count = start[k + 1] - start[k];
        ladder->part.unit = ladder->unit + start[k];
        solve_island(ladder, again);
        ladder->highest = ladder->height > ladder->highest ? ladder->height : ladder->highest;
    }
    ladder->result->rung = heights[ladder->highest];
}

static bool take(PerpContactLadder *ladder, int units)
{
    PerpArena *arena = ladder->arena;
    ladder->unit = PERP_TAKE(arena, int, units);
    ladder->constraint_of_unit = PERP_TAKE(arena, int, units);
    ladder->part.constraint_of_unit = ladder->constraint_of_unit;
    ladder->part.scratch = PERP_TAKE(arena, int, units);
    if (!ladder->unit || !ladder->constraint_of_unit || !ladder->part.scratch)
        return false;
    memset(ladder->part.scratch, -1, (size_t)units * sizeof(int));
    return true;
}

// Certifies climb->impulse; true if it is good enough, or memory is short.
static bool certify(PerpContactLadder *ladder, double tolerance, double *u)
{
    PerpContext scratch = perp_arena_context(ladder->arena);
    if (perp_contact_problem_certify(&scratch, ladder->p, ladder->impulse, u,
                                     &ladder->result->certificate, NULL))
        ladder->memory_short = true;
    return ladder->memory_short || ladder->result->certificate.worst <= tolerance;
}

// What needs neither islands nor constraints.
static bool try_small(PerpContactLadder *ladder, double tolerance, double *u)
{
    const PerpContactProblem *p = ladder->p;
    PerpContactResult *result = ladder->result;
    result->rung = PERP_RUNG_SWEEPS;
    if (p->bilateral == 0 && perp_single_sweep(p, 0.1 * tolerance, ladder->impulse)) {
        result->sweeps = 1;
        if (certify(ladder, tolerance, u))
            return true;
    }
    if (perp_dense_newton_fits(p) &&
        perp_dense_newton(ladder->arena, p, 0.3 * tolerance, result, ladder->impulse)) {
        result->rung = result->iterations > 0 ? PERP_RUNG_NEWTON : PERP_RUNG_SWEEPS;
        return certify(ladder, tolerance, u);
    }
    return false;
}

// The whole ladder.
static bool solve_large(PerpContactLadder *ladder, double tolerance, double *u)
{
    PerpArena *arena = ladder->arena;
    int units = ladder->p->contacts + ladder->p->bilateral;
    int *parent = PERP_TAKE(arena, int, units), *start = PERP_TAKE(arena, int, units + 2);
    if (!parent || !start || !take(ladder, units))
        return ladder->memory_short = true;
    ladder->result->islands = find_islands(ladder, parent, start);
    ladder->tolerance = 0.3 * tolerance;
    // later passes sharpen what the norms of the whole miss
    for (int pass = 0; pass < PASSES && (pass < 2 || !ladder->missed); pass++) {
        ladder->missed = false;
        solve_islands(ladder, start, pass > 0);
        if (ladder->memory_short || certify(ladder, tolerance, u))
            return true;
        ladder->tolerance = fmax(SHARPER * ladder->tolerance, PERP_CONTACT_SHARP);
    }
    return false;
}

PerpStatus perp_contact_problem_solve(PerpSolver *solver, const PerpContactProblem *p,
                                      double tolerance, PerpContactResult *result, PerpError *error)
{
    PerpArena *arena = &solver->arena;
    PerpContactLadder ladder = {.arena = arena, .p = p, .result = result};
    *result = (PerpContactResult){0};
    perp_arena_rewind(arena);
    ladder.impulse = PERP_TAKE(arena, double, perp_contact_problem_rows(p));
    double *u = PERP_TAKE(arena, double, perp_contact_problem_rows(p));
    ladder.memory_short = !ladder.impulse || !u;
    bool good = ladder.memory_short || try_small(&ladder, tolerance, u) ||
                solve_large(&ladder, tolerance, u);
    if (ladder.memory_short)
        return perp_fail_memory(error);
    result->outcome = good ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_MISSED;
    result->r = ladder.impulse;
    result->u = u;
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "%d contacts, %d islands: %s, %d steps, %.1e",
             p->contacts, result->islands, perp_rung_name(result->rung), result->iterations,
             result->certificate.worst);
    return PERP_OK;
}

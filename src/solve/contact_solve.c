// Contact problems without bodies from end to end: as a whole if they are small, else island by
// island through the ladder; the whole leaves with its certificate.

#include "base/error.h"
#include "base/log.h"
#include "base/sized.h"
#include "cones/operator/explicit.h"
#include "math/union_find.h"
#include "solve/ladder.h"

#include <math.h>
#include <string.h>

// Parts that no entry of W joins. A unit is a contact or a bilateral row, the contacts first.
typedef struct Islands {
    const PerpContactProblem *p;
    int count;
    int *start, *unit; // count + 1, units: island k has unit[start[k]] .. [start[k + 1] - 1]
    int *constraint_of_unit;
    int *scratch; // units, -1
} Islands;

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
// alone make one island, since a sweep solves them all.
static void find_islands(Islands *islands, int *parent)
{
    const PerpContactProblem *p = islands->p;
    int units = p->contacts + p->bilateral, n = 0, loose = -1, *size = islands->unit;
    int *start = islands->start;
    join_units(p, parent);
    for (int k = 0; k < units; k++)
        size[perp_find_root(parent, k)]++;
    for (int k = 0; k < units; k++) { // a root is the smallest of its island
        int root = perp_find_root(parent, k);
        if (size[root] == 1 && loose < 0)
            loose = n++;
        islands->constraint_of_unit[k] = size[root] == 1 ? loose
                                         : root == k     ? n++
                                                         : islands->constraint_of_unit[root];
    }
    for (int k = 0; k < units; k++)
        start[islands->constraint_of_unit[k] + 2]++;
    for (int k = 0; k < n; k++)
        start[k + 2] += start[k + 1];
    for (int k = 0; k < units; k++)
        islands->unit[start[islands->constraint_of_unit[k] + 1]++] = k;
    for (int k = 0; k < n; k++)
        for (int at = start[k]; at < start[k + 1]; at++)
            islands->constraint_of_unit[islands->unit[at]] = at - start[k];
    islands->count = n;
}

static bool take(PerpArena *arena, Islands *islands)
{
    int units = islands->p->contacts + islands->p->bilateral;
    int *parent = PERP_TAKE(arena, int, units);
    islands->unit = PERP_TAKE(arena, int, units);
    islands->start = PERP_TAKE(arena, int, units + 2);
    islands->constraint_of_unit = PERP_TAKE(arena, int, units);
    islands->scratch = PERP_TAKE(arena, int, units);
    if (!parent || !islands->unit || !islands->start || !islands->constraint_of_unit ||
        !islands->scratch)
        return false;
    memset(islands->scratch, -1, (size_t)units * sizeof(int));
    find_islands(islands, parent);
    return true;
}

// --- one island ---------------------------------------------------------------------------------

static void load(PerpLadder *ladder)
{
    for (int c = 0; c < ladder->cones->n_constraints; c++)
        for (int k = 0; k < 3; k++) {
            const PerpConstraint *constraint = &ladder->cones->constraint[c];
            double scale = constraint->scale[k] * ladder->cones->speed;
            ladder->r[3 * c + k] = scale > 0 ? ladder->impulse[constraint->row[k]] / scale : 0;
        }
}

static void store(PerpLadder *ladder)
{
    for (int c = 0; c < ladder->cones->n_constraints; c++)
        for (int k = 0; k < 3; k++) {
            const PerpConstraint *constraint = &ladder->cones->constraint[c];
            if (constraint->row[k] >= 0)
                ladder->impulse[constraint->row[k]] =
                    ladder->best[3 * c + k] * constraint->scale[k] * ladder->cones->speed;
        }
}

// From what stands in ladder->impulse. True if it is solved to the aim; ladder->memory_short: not.
static bool solve_island(PerpLadder *ladder, const Islands *islands, int k, double aim)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    PerpConeProblem cones;
    const PerpContactIsland island = {.count = islands->start[k + 1] - islands->start[k],
                                      .unit = islands->unit + islands->start[k],
                                      .constraint_of_unit = islands->constraint_of_unit,
                                      .scratch = islands->scratch};
    ladder->cones = &cones;
    ladder->memory_short =
        !perp_cones_build_explicit(ladder->arena, ladder->contact, &island, &cones) ||
        !perp_ladder_begin(ladder, aim);
    if (ladder->memory_short)
        return false;
    load(ladder);
    ladder->has_start = true;
    perp_ladder_run(ladder, PERP_STAGE_CONES, PERP_STAGE_CONES);
    store(ladder);
    perp_arena_release(ladder->arena, mark);
    return ladder->accepted;
}

// --- all together -------------------------------------------------------------------------------

// True if every island came to its aim.
static bool solve_islands(PerpLadder *ladder, const Islands *islands, double aim,
                          PerpContactResult *result)
{
    bool all = true;
    for (int k = 0; k < islands->count && !ladder->memory_short; k++) {
        all = solve_island(ladder, islands, k, aim) && all;
        if (ladder->best_by > result->solved_by)
            result->solved_by = ladder->best_by;
    }
    return all;
}

// Later passes sharpen what the norms of the whole miss.
static bool solve_in_passes(PerpLadder *ladder, PerpContactResult *result)
{
    const PerpRungBounds *bounds = &perp_rung_bounds;
    Islands islands = {.p = ladder->contact};
    double aim = bounds->contact_margin * ladder->settings->tolerance;
    bool all = true;
    ladder->memory_short = !take(ladder->arena, &islands);
    result->islands = islands.count;
    for (int pass = 0; pass < bounds->contact_passes && (pass < 2 || all) && !ladder->memory_short;
         pass++) {
        all = solve_islands(ladder, &islands, aim, result);
        if (!ladder->memory_short && perp_ladder_certify_contacts(ladder))
            return true;
        aim = fmax(bounds->sharper * aim, bounds->sharpest);
    }
    return false;
}

static bool solve_whole(PerpLadder *ladder, PerpContactResult *result)
{
    ladder->aim = perp_rung_bounds.contact_margin * ladder->settings->tolerance;
    perp_ladder_run(ladder, PERP_STAGE_DIRECT, PERP_STAGE_DIRECT);
    result->solved_by = ladder->accepted ? ladder->accepted_by : PERP_METHOD_WARM_START;
    return ladder->accepted;
}

PerpStatus perp_contact_problem_solve(PerpSolver *solver, const PerpContactProblem *p,
                                      const PerpProblemSettings *settings,
                                      PerpContactResult *result, PerpError *error)
{
    PerpProblemSettings used = perp_default_problem_settings();
    PerpArena *arena = &solver->arena;
    *result = (PerpContactResult){0};
    PerpStatus status =
        perp_read_sized(&used, sizeof used, settings, "perp_default_problem_settings", error);
    if (status)
        return status;
    perp_arena_rewind(arena);
    PerpLadder ladder = {.contact = p,
                         .solver = solver,
                         .arena = arena,
                         .settings = &used,
                         .impulse = PERP_TAKE(arena, double, perp_contact_problem_rows(p)),
                         .velocity = PERP_TAKE(arena, double, perp_contact_problem_rows(p)),
                         .contact_certificate = &result->certificate};
    ladder.memory_short = !ladder.impulse || !ladder.velocity;
    bool good =
        !ladder.memory_short && (solve_whole(&ladder, result) ||
                                 (!ladder.memory_short && solve_in_passes(&ladder, result)));
    if (ladder.memory_short)
        return perp_fail_memory(error);
    result->outcome = good ? PERP_OUTCOME_SOLVED : PERP_OUTCOME_MISSED;
    result->sweeps = ladder.sweeps;
    result->iterations = ladder.iterations;
    result->r = ladder.impulse;
    result->u = ladder.velocity;
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "%d contacts, %d islands: %s by %s, %.1e",
             p->contacts, result->islands, perp_outcome_name(result->outcome),
             perp_method_name(result->solved_by), result->certificate.worst);
    return PERP_OK;
}

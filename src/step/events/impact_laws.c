// Where the law of impact decides. Among bodies that touch, impacts one after the other and all at
// once may throw other bodies (sequential.c): what the law in use found is compared with what the
// other one would have, aside, in the metric of the masses,
//
//     |v_sequential - v_simultaneous| / |v - v_before|
//
// for impacts that matter, so many a run, until one is found that is worth a warning. The papers'
// schemes have the law of their theorems and are not compared.

#include "step/events/sequential.h"
#include "step/scheme_tools.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double MUCH = 0.1;    // difference that is warned of
static const double MATTER = 1e-2; // of the largest kinetic energy: what the impact changes
enum { MOST_COMPARED = 64 };       // of a run
enum { MOST_PAIRS = 64 };          // of one impact: a sequence may have 8 collisions a pair

// |a - b|^2 / 2 in the metric of the masses
static double distance(const PerpStage *stage, int n, const double *a, const double *b, double *d)
{
    for (int i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    return perp_stage_kinetic(stage, d);
}

// Rows with armatures have been added to.
static bool is_asked(const PerpSimulation *sim, const PerpStage *rows)
{
    return sim->scheme->notes_bounces && !sim->has_armature &&
           perp_impact_pairs(rows) <= MOST_PAIRS && fmax(sim->run.laws, sim->noted.laws) < MUCH &&
           sim->run.compared + sim->noted.compared < MOST_COMPARED;
}

static PerpStatus solve_aside(PerpSimulation *sim, bool in_sequence, const PerpStage *rows,
                              double *v, PerpError *error)
{
    PerpStage other = {.q = rows->q, .is_aside = true};
    PerpStepReport report = sim->report;
    if (!perp_assembly_copy(&rows->rows, &other.rows))
        return perp_fail_memory(error);
    PerpStatus status = perp_impact_by(sim, in_sequence, &other, v, error);
    sim->report = report;
    return status;
}

PerpStatus perp_impact_compare(PerpSimulation *sim, bool in_sequence, const PerpStage *rows,
                               const double *before, const double *after, PerpError *error)
{
    int n = sim->n_v;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *v = PERP_TAKE(&sim->arena, double, 2 * n), *d = v + n;
    if (!v)
        return perp_fail_memory(error);
    double change = distance(rows, n, after, before, d);
    PerpStatus status = PERP_OK;
    if (is_asked(sim, rows) && change > MATTER * sim->run.kinetic) {
        memcpy(v, before, (size_t)n * sizeof *v);
        status = solve_aside(sim, !in_sequence, rows, v, error);
        double differs = sqrt(distance(rows, n, after, v, d) / change);
        sim->noted.compared++;
        sim->noted.laws = fmax(sim->noted.laws, differs);
        if (!status && differs > MUCH)
            perp_step_warn(
                sim,
                "t = %.9g s: bodies that touch are hit, and what becomes of them depends "
                "on the law of impact: one after the other and all at once differ by "
                "%.0f %%; impacts: chooses",
                sim->state.t, 100 * differs);
    }
    perp_arena_release(&sim->arena, mark);
    return status;
}

#include "step/iterate.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// A change of v, relative to the largest speed, that is the last: phi and Theta at the new position
// are off by its square times the curvature. Gaps of 1e-16 m are speeds of 1e-16/h, so that larger
// changes count too if they no longer fall. To ask for less than ENOUGH would not help: where
// several velocities solve the problem, the solver may then go over to another.
static const double ENOUGH = 1e-9, LIKELY = 1e-7;
enum { ROUNDS = 60, TREND = 6 }; // TREND: rounds over which changes must fall at all

double perp_position_row(const PerpStage *stage, int row, double y, double h, const double *v)
{
    return y / h - perp_stage_row_speed(stage, row, v);
}

// |v - w| in the metric of the stage
static double distance(const PerpStage *stage, const double *v, double *w, int n)
{
    for (int i = 0; i < n; i++)
        w[i] = v[i] - w[i];
    return sqrt(2 * perp_stage_kinetic(stage, w));
}

// The changes of v, round by round.
typedef struct Changes {
    double change[ROUNDS];
    int count;
} Changes;

static bool is_stuck(const Changes *c)
{
    return c->count > 2 * TREND && c->change[c->count - 1] >= 0.5 * c->change[c->count - 1 - TREND];
}

static bool has_converged(const Changes *c, double scale)
{
    double last = c->change[c->count - 1];
    if (last <= ENOUGH * scale)
        return true;
    return c->count > 1 && last <= LIKELY * scale && last >= 0.5 * c->change[c->count - 2];
}

// The mean factor between successive changes, down to the first that may be rounding.
static double mean_factor(const Changes *c, double scale)
{
    const double rounding = ENOUGH * scale;
    int last = 1;
    while (last + 1 < c->count && c->change[last] > rounding)
        last++;
    return last >= c->count || c->change[0] <= 1e3 * rounding
               ? 0
               : pow(c->change[last] / c->change[0], 1.0 / last);
}

// One round: v becomes the solution of the problem linearised about v; its change.
static PerpStatus solve_once(PerpSimulation *sim, const PerpLinearised *problem, double *v,
                             double *w, PerpStage *stage, double *change, PerpError *error)
{
    PerpStatus status = problem->build(sim, problem->user, v, stage, error);
    if (!status)
        status = perp_stage_solve(sim, sim->state.v, stage, error);
    if (status)
        return status;
    memcpy(w, v, (size_t)sim->n_v * sizeof(double));
    memcpy(v, stage->v, (size_t)sim->n_v * sizeof(double));
    *change = distance(stage, v, w, sim->n_v);
    return PERP_OK;
}

PerpStatus perp_iterate(PerpSimulation *sim, const PerpLinearised *problem, double *v,
                        PerpStage *stage, PerpIteration *iteration, PerpError *error)
{
    Changes changes = {.count = 0};
    double speed = 0, *w = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!w)
        return perp_fail_memory(error);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    *iteration = (PerpIteration){0};
    while (changes.count < ROUNDS && !iteration->converged && !is_stuck(&changes)) {
        perp_arena_release(&sim->arena, mark);
        PerpStatus status =
            solve_once(sim, problem, v, w, stage, &changes.change[changes.count], error);
        if (status)
            return status;
        speed = sqrt(2 * perp_stage_kinetic(stage, v)) +
                sqrt(2 * perp_stage_kinetic(stage, problem->v_free));
        changes.count++;
        iteration->converged = has_converged(&changes, speed);
    }
    iteration->rounds = changes.count;
    iteration->contraction = mean_factor(&changes, speed);
    return PERP_OK;
}

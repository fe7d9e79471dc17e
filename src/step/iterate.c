#include "step/iterate.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-13; // of the largest speed: a change of v that is rounding
enum { ROUNDS = 60, TREND = 6 };   // TREND: rounds over which changes must fall at all

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

// The changes of v, round by round: when to stop, and the mean factor between those above rounding.
typedef struct Changes {
    double change[ROUNDS];
    int count;
} Changes;

static bool is_stuck(const Changes *c)
{
    return c->count > 2 * TREND && c->change[c->count - 1] >= 0.5 * c->change[c->count - 1 - TREND];
}

static double mean_factor(const Changes *c, double rounding)
{
    int last = c->count - 1;
    while (last > 1 && c->change[last] <= rounding)
        last--;
    return last < 1 || c->change[0] <= rounding ? 0
                                                : pow(c->change[last] / c->change[0], 1.0 / last);
}

PerpStatus perp_iterate(PerpSimulation *sim, const PerpLinearised *problem, double *v,
                        PerpStage *stage, PerpIteration *iteration, PerpError *error)
{
    Changes changes = {.count = 0};
    double rounding = 0, *w = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!w)
        return perp_fail_memory(error);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    *iteration = (PerpIteration){0};
    while (changes.count < ROUNDS && !iteration->converged && !is_stuck(&changes)) {
        perp_arena_release(&sim->arena, mark);
        PerpStatus status = problem->build(sim, problem->user, v, stage, error);
        if (!status)
            status = perp_stage_solve(sim, sim->state.v, stage, error);
        if (status)
            return status;
        memcpy(w, v, (size_t)sim->n_v * sizeof(double));
        memcpy(v, stage->v, (size_t)sim->n_v * sizeof(double));
        rounding = SMALL * (sqrt(2 * perp_stage_kinetic(stage, v)) +
                            sqrt(2 * perp_stage_kinetic(stage, stage->before)));
        double change = distance(stage, v, w, sim->n_v);
        changes.change[changes.count++] = change;
        iteration->converged = change <= rounding;
    }
    iteration->rounds = changes.count;
    iteration->contraction = mean_factor(&changes, rounding);
    return PERP_OK;
}

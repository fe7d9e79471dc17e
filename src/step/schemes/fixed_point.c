// Fixed-point iteration for constraints at the level of positions [ST97 3.4, PS02].

#include "step/schemes/fixed_point.h"

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
    return c->count > 1 && last <= LIKELY * scale && last >= 0.9 * c->change[c->count - 2];
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

// One round: the problem linearised about v, which is copied to w; how far its solution is from v.
static PerpStatus solve_once(PerpSimulation *sim, const PerpLinearised *problem, const double *v,
                             double *w, PerpStage *stage, double *change, PerpError *error)
{
    PerpStatus status = problem->build(sim, problem->user, v, stage, error);
    if (!status)
        status = perp_stage_solve(sim, sim->state.v, stage, error);
    if (status)
        return status;
    for (int i = 0; i < sim->n_v; i++)
        w[i] = stage->v[i] - v[i];
    *change = sqrt(2 * perp_stage_kinetic(stage, w));
    memcpy(w, v, (size_t)sim->n_v * sizeof(double));
    return PERP_OK;
}

// v: the last point of linearisation, then the next one: relaxed by `relaxation`.
static void relax(int n, double relaxation, const double *solution, const double *last, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] = last[i] + relaxation * (solution[i] - last[i]);
}

// Iterates with the relaxation factor `relaxation`. v: the start, then the last solution.
static PerpStatus iterate(PerpSimulation *sim, const PerpLinearised *problem, double relaxation,
                          double *v, double *w, PerpStage *stage, PerpIteration *iteration,
                          PerpError *error)
{
    Changes changes = {.count = 0};
    double speed = 0;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    *iteration = (PerpIteration){0};
    while (changes.count < ROUNDS && !iteration->converged && !is_stuck(&changes)) {
        perp_arena_release(&sim->arena, mark);
        PerpStatus status =
            solve_once(sim, problem, v, w, stage, &changes.change[changes.count], error);
        if (status)
            return status;
        speed = sqrt(2 * perp_stage_kinetic(stage, stage->v)) +
                sqrt(2 * perp_stage_kinetic(stage, problem->v_free));
        changes.count++;
        iteration->converged = has_converged(&changes, speed);
        if (!iteration->converged)
            relax(sim->n_v, relaxation, stage->v, w, v);
    }
    memcpy(v, stage->v, (size_t)sim->n_v * sizeof(double));
    iteration->rounds = changes.count;
    iteration->contraction = mean_factor(&changes, speed);
    return PERP_OK;
}

// As ST97 has it; if that does not converge, again with half of each change (relaxation 1/2),
// which tames what overshoots: chains under tension, where the plain iteration has the factor -h^2
// tension/(m length).
PerpStatus perp_iterate(PerpSimulation *sim, const PerpLinearised *problem, double *v,
                        PerpStage *stage, PerpIteration *iteration, PerpError *error)
{
    size_t size = (size_t)sim->n_v * sizeof(double);
    double *w = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *start = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!w || !start)
        return perp_fail_memory(error);
    memcpy(start, v, size);
    PerpStatus status = iterate(sim, problem, 1, v, w, stage, iteration, error);
    int rounds = iteration->rounds;
    if (status || iteration->converged)
        return status;
    memcpy(v, start, size);
    status = iterate(sim, problem, 0.5, v, w, stage, iteration, error);
    iteration->rounds += rounds;
    return status;
}

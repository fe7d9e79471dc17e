// Scenes in which nothing moves: forces and rows are functions of a state that is, bit by bit, the
// one of the step before, so that the problem is the same. It is certified anew, with what solved
// it, and neither forces, contacts nor rows are made again.

#include "step/step.h"

#include <math.h>
#include <string.h>

// Of the speed of the free motion: rounding, or what the tolerance leaves open, if that is little.
static const double LEAST_AT_REST = 1e-11, MOST_AT_REST = 1e-8;

void perp_settle(const PerpSimulation *sim, const double *v_free, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    double at_rest = fmax(LEAST_AT_REST, fmin(sim->settings.tolerance, MOST_AT_REST));
    for (int k = 0; k < p->n_bodies; k++) {
        double moving = perp_stage_block_kinetic(stage, k, stage->v);
        double kept = perp_stage_block_kinetic(stage, k, v_free) +
                      perp_stage_block_kinetic(stage, k, sim->state.v);
        if (moving > at_rest * at_rest * kept)
            continue;
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            stage->v[i] = 0;
    }
}

void perp_still_keep(PerpSimulation *sim, double h, const double *v_free, const PerpStage *stage,
                     PerpArenaMark mark)
{
    bool timeless = sim->model && sim->model->n_forces == 0 && !sim->settings.force;
    sim->still = (PerpStill){timeless,        h,           sim->judge_contacts, .v_free = v_free,
                             .stage = *stage, .mark = mark};
}

static bool is_zero(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

static bool is_same(const double *x, const double *y, int n)
{
    return n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

bool perp_still_is(const PerpSimulation *sim, double h)
{
    const PerpState *now = &sim->state, *last = &sim->before;
    return sim->still.ready && sim->still.h == h && sim->still.judged == sim->judge_contacts &&
           is_zero(now->v, sim->n_v) && is_zero(last->v, sim->n_v) &&
           is_same(now->q, last->q, sim->n_q) && is_same(now->turn, last->turn, sim->n_turn);
}

PerpStatus perp_still_step(PerpSimulation *sim, bool *rests, PerpError *error)
{
    PerpStage stage = sim->still.stage;
    perp_arena_release(&sim->arena, sim->still.mark);
    PerpStatus status = perp_stage_solve(sim, sim->state.v, &stage, error);
    if (status)
        return status;
    perp_settle(sim, sim->still.v_free, &stage);
    *rests = is_zero(stage.v, sim->n_v);
    if (!*rests)
        return PERP_OK;
    sim->state.t += sim->still.h;
    return perp_step_measure(sim, error);
}

// Sleep: scenes in which nothing moves. Forces and rows are functions of a state that has the same
// bits as before the last step, so that the problem is the same: its solution is certified anew,
// and neither forces, contacts nor rows are made again.

#include "step/sleep.h"
#include "base/error.h"
#include "step/control/controls.h"
#include "step/rows/soft_rows.h"

#include <math.h>
#include <string.h>

// Of the speed of the free motion: rounding, or what the tolerance leaves open, if that is little.
static const double LEAST_AT_REST = 1e-10, MOST_AT_REST = 1e-8;

void perp_sleep_stop_creep(const PerpSimulation *sim, const double *v_free, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    double at_rest = fmax(LEAST_AT_REST, fmin(sim->settings.tolerance, MOST_AT_REST));
    for (int k = 0; k < p->n_bodies; k++) {
        double moving = perp_stage_block_kinetic(stage, k, stage->v);
        double free = perp_stage_block_kinetic(stage, k, v_free) +
                      perp_stage_block_kinetic(stage, k, sim->state.v);
        if (!perp_step_is_creep(moving, at_rest, free))
            continue;
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            stage->v[i] = 0;
    }
}

void perp_sleep_store(PerpSimulation *sim, double h, const double *v_free, const PerpStage *stage,
                      PerpArenaMark mark)
{
    bool timeless = sim->bodies.model && sim->bodies.model->n_forces == 0 && !sim->settings.force &&
                    !sim->controls.acts && !sim->controls.callback;
    sim->sleep =
        (PerpSleep){timeless,        h,           sim->observers.judge_contacts, .v_free = v_free,
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

bool perp_sleep_applies(const PerpSimulation *sim, double h)
{
    const PerpState *now = &sim->state, *last = &sim->before;
    return sim->sleep.ready && sim->sleep.h == h &&
           sim->sleep.judged == sim->observers.judge_contacts && is_zero(now->v, sim->n_v) &&
           is_zero(last->v, sim->n_v) && is_same(now->q, last->q, sim->n_q) &&
           is_same(now->turn, last->turn, sim->n_turn);
}

PerpStatus perp_sleep_step(PerpSimulation *sim, bool *rests, PerpError *error)
{
    PerpStage stage = sim->sleep.stage;
    perp_arena_release(&sim->arena, sim->sleep.mark);
    PerpStatus status = perp_stage_solve(sim, sim->state.v, &stage, error);
    if (status)
        return status;
    perp_sleep_stop_creep(sim, sim->sleep.v_free, &stage);
    if (!perp_soft_rows_note_stiff(sim, &stage))
        return perp_fail_memory(error);
    *rests = is_zero(stage.v, sim->n_v);
    if (!*rests)
        return PERP_OK;
    perp_loads_add_stage(sim, &stage);
    sim->state.t += sim->sleep.h;
    return perp_step_measure(sim, error);
}

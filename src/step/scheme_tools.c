// What schemes do alike: rows at a configuration, the move to a new state, warnings.

#include "step/scheme_tools.h"

#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PerpStatus perp_stage_assemble(PerpSimulation *sim, const double *q, double reach, double h,
                               PerpStage *stage, PerpError *error)
{
    PerpRowChoice choice = {.h = h, .reach = reach};
    *stage = (PerpStage){.h = h, .q = q};
    return sim->system->assemble(sim, q, &choice, &stage->rows, error);
}

PerpStatus perp_stage_divide(PerpSimulation *sim, const PerpStage *stage, int columns, double *x,
                             PerpError *error)
{
    const PerpProblem *p = &stage->rows.problem;
    int *start = PERP_TAKE(&sim->arena, int, p->n_bodies + 1);
    int *pivot = PERP_TAKE(&sim->arena, int, sim->n_v);
    if (!start || !pivot)
        return perp_fail_memory(error);
    perp_block_diagonal_value_start(p->n_bodies, p->body_start, start);
    double *LU = PERP_TAKE(&sim->arena, double, start[p->n_bodies]);
    if (!LU)
        return perp_fail_memory(error);
    PerpBlockDiagonal F = {p->n_bodies, p->body_start, start, LU, pivot};
    if (perp_block_diagonal_factor(&F, p->Mt) >= 0)
        return perp_fail(error, PERP_BAD_VALUE, "t = %.9g s: the mass matrix is singular",
                         sim->state.t);
    for (int k = 0; k < columns; k++)
        perp_block_diagonal_solve(&F, x + sim->n_v * k);
    return PERP_OK;
}

void perp_step_warn(PerpSimulation *sim, const char *format, ...)
{
    va_list arguments;
    if (sim->report.warnings++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(sim->report.warning, sizeof sim->report.warning, format, arguments);
    va_end(arguments);
}

double perp_step_slop(double tolerance)
{
    static const double LOOSE = 1e-3; // m for each unit of tolerance between these:
    static const double TIGHT = 1e-8, MOST = 0.1;
    return LOOSE * fmax(fmin(tolerance, MOST) - TIGHT, 0);
}

void perp_step_go(PerpSimulation *sim, const double *q, double t)
{
    if (sim->system->follow)
        sim->system->follow(sim, q);
    memcpy(sim->state.q, q, (size_t)sim->n_q * sizeof(double));
    sim->state.t = t;
}

// What schemes do alike: rows at a configuration, the move to a new state, warnings.

#include "step/scheme_tools.h"

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
        sim->system->follow(sim, sim->state.q, q);
    memcpy(sim->state.q, q, (size_t)sim->n_q * sizeof(double));
    sim->state.t = t;
}

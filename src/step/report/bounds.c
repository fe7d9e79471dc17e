// A-priori bounds of the papers: the energy after a solved problem [AP97], margins and names.

#include "step/scheme_tools.h"

#include <math.h>

// Do the rows take energy out, or nothing? Joints do not move, motors are at rest, contacts are not
// pushed apart: then v'(J'c) <= 0 row by row                                     [AP97
// (2.18)-(2.20)]
bool perp_stage_is_passive(const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    const double *d = stage->rows.d;
    for (int i = 0; i < p->n_joints + p->n_boxes; i++)
        if (d[i] != 0)
            return false;
    for (int i = 0; i < p->n_boxes; i++)
        if (!(stage->rows.lo[i] <= 0 && stage->rows.hi[i] >= 0))
            return false;
    for (int i = 0; i < p->n_contacts; i++)
        if (d[perp_stage_contact_row(stage, i)] < 0)
            return false;
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int i = directions; i < directions + p->n_directions; i++)
        if (d[i] != 0) // moving surfaces
            return false;
    return true;
}

// Energies below this part of the largest of the run are rounding.
static const double NOTHING = 1e-12;

void perp_bound_energy(PerpSimulation *sim, PerpBoundKind kind, const PerpStage *stage,
                       const double *bound, const double *v)
{
    double most = perp_stage_kinetic(stage, bound), energy = perp_stage_kinetic(stage, v);
    double scale = fmax(fmax(most, energy), NOTHING * sim->ledger.largest);
    perp_step_bound(sim, kind, scale > 0 ? (most - energy) / scale : 0);
}

void perp_step_bound(PerpSimulation *sim, PerpBoundKind kind, double margin)
{
    PerpBound *bound = &sim->report.bound[kind];
    bound->margin = bound->applies ? fmin(bound->margin, margin) : margin;
    bound->applies = true;
}

static const struct {
    const char *name, *text;
} bounds[] = {
#define PERP_BOUND_WORDS(name, word, text) {word, text},
    PERP_BOUND_LIST(PERP_BOUND_WORDS)
#undef PERP_BOUND_WORDS
};

const char *perp_bound_name(PerpBoundKind kind)
{
    return (unsigned)kind < PERP_BOUND_COUNT ? bounds[kind].name : "?";
}

const char *perp_bound_text(PerpBoundKind kind)
{
    return (unsigned)kind < PERP_BOUND_COUNT ? bounds[kind].text : "?";
}

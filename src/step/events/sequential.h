// Impacts pair by pair, the fastest approach first.
#ifndef PERP_STEP_EVENTS_SEQUENTIAL_H
#define PERP_STEP_EVENTS_SEQUENTIAL_H

#include "step/simulation_data.h"

// v becomes v+ of all impacts at the contacts of the rows, which are left as they are. What a bound
// on work leaves over approaches still, and is for a simultaneous impact.
PerpStatus perp_impact_sequence(PerpSimulation *sim, const PerpStage *rows, double *v,
                                PerpError *error);

// impact.c: the impact at the contacts of the rows, pair by pair or all at once.
PerpStatus perp_impact_by(PerpSimulation *sim, bool in_sequence, PerpStage *rows, double *v,
                          PerpError *error);

// impact_laws.c: warns where the impact at the contacts of the rows, before -> after, would have
// been much another by the other law.
PerpStatus perp_impact_compare(PerpSimulation *sim, bool in_sequence, const PerpStage *rows,
                               const double *before, const double *after, PerpError *error);

// How many pairs of bodies the contacts of the rows are between.
int perp_impact_pairs(const PerpStage *rows);

#endif

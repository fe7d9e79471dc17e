// Sleep: steps of a scene at rest, without new forces, contacts or rows.
#ifndef PERP_STEP_SLEEP_H
#define PERP_STEP_SLEEP_H

#include "step/scheme_tools.h"

// Stores the problem of a step of h from the state it began with, for perp_sleep_step.
void perp_sleep_store(PerpSimulation *sim, double h, const double *v_free, const PerpStage *stage,
                      PerpArenaMark mark);
// Did nothing move in the last step, and is this one the same?
bool perp_sleep_applies(const PerpSimulation *sim, double h);
// The step of a scene at rest, by the problem of the last one. `rests`: it did; otherwise the state
// is as it was.
PerpStatus perp_sleep_step(PerpSimulation *sim, bool *rests, PerpError *error);
// Bodies whose speed is rounding of the free motion that constraints hold back, or what the
// tolerance leaves open of it, get velocity 0: they would creep otherwise.
void perp_sleep_stop_creep(const PerpSimulation *sim, const double *v_free, PerpStage *stage);

#endif

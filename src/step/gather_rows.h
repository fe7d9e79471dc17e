// Rows of a problem whose constraints stand at different configurations.
#ifndef PERP_STEP_GATHER_ROWS_H
#define PERP_STEP_GATHER_ROWS_H

#include "step/step.h"

// Unilateral rows with restitution e at Z = q (+) h (u - e v)/(1 + e), all others at q (+) h u.
// Without friction. only: id of the one unilateral constraint that is wanted; NULL: all.
PerpStatus perp_gather_rows(PerpSimulation *sim, const double *u, double h, double reach,
                            const uint64_t *only, PerpStage *stage, PerpError *error);

#endif

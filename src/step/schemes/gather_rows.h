// Rows of a problem whose constraints stand at different configurations.
#ifndef PERP_STEP_SCHEMES_GATHER_ROWS_H
#define PERP_STEP_SCHEMES_GATHER_ROWS_H

#include "step/scheme_tools.h"

// What is wanted of a step from q with v.
typedef struct PerpGathering {
    double h;             // s: of the step
    double bounce;        // s: of Z
    double reach;         // m
    bool inelastic;       // e = 0 for all of them
    const uint64_t *only; // id of the one unilateral constraint that is wanted; NULL: all
} PerpGathering;

// Unilateral rows with restitution e > 0 at Z = q (+) bounce (u - e v)/(1 + e), all others at
// q (+) h u. Without friction.
PerpStatus perp_gather_rows(PerpSimulation *sim, const double *u, const PerpGathering *wanted,
                            PerpStage *stage, PerpError *error);

#endif

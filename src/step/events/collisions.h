// Steps divided at collisions [PAGT06 sections 6 and 7]: a motion over the rest of the step is
// tried, the first collision along its interpolant located and resolved in two phases, and the rest
// of the step begun anew.
#ifndef PERP_STEP_EVENTS_COLLISIONS_H
#define PERP_STEP_EVENTS_COLLISIONS_H

#include "step/scheme_tools.h"

// A contact with a smaller gap is closed.
#define PERP_CLOSED 1e-9 // m

// A motion over h from the state, without collisions: rows, velocities before and after, impulses.
typedef struct PerpAttempt {
    PerpStage stage;        // in the system's blocks
    double *dampers;        // n_v: impulse of the dampers
    const double *lead;     // n_v: q_new = q (+) h (v + lead (v_new - v)); NULL: 1/2, the mean
    const double *v_new;    // n_v: at the end, if not the solution of the problem; or NULL
    const uint64_t *closed; // ids of the contacts that are in the problem
    int n_closed;
} PerpAttempt;

typedef PerpStatus (*PerpAttemptStep)(PerpSimulation *sim, double h, PerpAttempt *attempt,
                                      PerpError *error);

// One step of h; after each motion joints and overlaps are treated as perp_stabilise says.
PerpStatus perp_step_with_collisions(PerpSimulation *sim, double h, PerpAttemptStep try_step,
                                     PerpStabilisation of_scheme, PerpError *error);

// The ids of the stage's contacts that are closed, into the attempt; of contacts between blocks
// that are marked `loose` (may be NULL) only those that do not separate: a row would stop them in
// the air.
PerpStatus perp_attempt_note_closed(PerpSimulation *sim, const PerpStage *stage, const bool *loose,
                                    PerpAttempt *attempt, PerpError *error);
// Leaves only those in a stage.
PerpStatus perp_attempt_keep_closed(PerpSimulation *sim, const PerpAttempt *attempt,
                                    PerpStage *stage, PerpError *error);
bool perp_attempt_has(const PerpAttempt *attempt, uint64_t id);

#endif

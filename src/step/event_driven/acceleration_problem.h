// The complementarity problem of accelerations (2.5b) for what a mode holds, with what its solution
// says of each part.
#ifndef PERP_STEP_EVENT_DRIVEN_ACCELERATION_PROBLEM_H
#define PERP_STEP_EVENT_DRIVEN_ACCELERATION_PROBLEM_H

#include "step/event_driven/mode.h"

// All as accelerations, m/s^2. In the step's arena.
typedef struct PerpModeVerdict {
    PerpStage stage;   // solved: stage.v are accelerations, stage.c forces
    PerpModeRows rows; //
    double scale;      // of accelerations: what is small against it vanishes
    double *delta;     // n_held                                                    (2.5b)
    double *push;      // n_held: multipliers times n'M^-1 n
    double *slip;      // n_held x PERP_SLIP_MODES: slip acceleration of sticking groups
    double *slack;     // n_held x PERP_SLIP_MODES: how far friction is from its bound
    double *box;       // n_boxes: acceleration of held boxes
    double *box_slack; // n_boxes: how far they are from their bounds
    int pass;          // of the search for the directions of friction
    bool lost;         // see PerpModeRows
    bool unsolvable;   // Coulomb's law has no accelerations [Painleve]
} PerpModeVerdict;

// Solves it at (t, q, v). Aligns the friction polygon of sticking groups with the force there, so
// that it is exact in that direction: sets u of the mode's slip modes. shortest: of all multipliers
// with the same accelerations the shortest, which leaves out as few as can be [L82 lemma 5.2, part
// 4].
PerpStatus perp_mode_judge(PerpSimulation *sim, PerpMode *mode, double t, const double *q,
                           const double *v, bool shortest, PerpModeVerdict *verdict,
                           PerpError *error);

#endif

// Speculative contacts: those that are open but may close within the step, each by the motion of
// its own two bodies. Of rigid systems; docs/decisions.md has the reason.
#ifndef PERP_STEP_ROWS_SPECULATIVE_H
#define PERP_STEP_ROWS_SPECULATIVE_H

#include "step/scheme_tools.h"

// In the step's arena.
typedef struct PerpSpeculative {
    PerpReach reach;
    PerpVec3 *displacement; // of the reach: h v and h v_free
    double *more, *around;  // of the reach
    double *expected;       // m/s per body: by how much its velocity may differ from v_free
    bool *exceeded;         // per body: it did, and more is expected now
} PerpSpeculative;

// Is there anything that could touch?
bool perp_speculative_applies(const PerpSimulation *sim);

// The reach of bodies in h if nothing hits them. False if memory is short.
bool perp_speculative_begin(PerpSimulation *sim, const double *v_free, double h, double margin,
                            PerpSpeculative *speculative);

// Leaves rows out of contacts that no velocity within what is expected closes. Of scenes with
// joints: their islands are solved in fewer steps for it. False if memory is short.
bool perp_speculative_select(PerpSimulation *sim, const double *v_free, double h,
                             const PerpSpeculative *speculative, PerpStage *stage);

// Checks the solution of a stage whose rows stand at the middle of the step. missed: it closes a
// contact that has no row, since something was hit; the reach is then large enough for that one.
PerpStatus perp_speculative_check(PerpSimulation *sim, const double *v_free, double h,
                                  const PerpStage *stage, PerpSpeculative *speculative,
                                  bool *missed, PerpError *error);

#endif

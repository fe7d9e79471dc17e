// Which contacts a step needs rows for: those that free motion may close, and those that the motion
// found does close. Of rigid systems; docs/decisions.md has the reason.
#ifndef PERP_STEP_NEAR_H
#define PERP_STEP_NEAR_H

#include "step/step.h"

// In the step's arena.
typedef struct PerpNear {
    PerpReach reach;
    PerpVec3 *way;         // of the reach: h v and h v_free
    double *more, *around; // of the reach
    double *allowed;       // m/s per body: by how much its velocity may differ from v_free
    bool *grown;           // per body: its velocity did so, and more is allowed now
} PerpNear;

// Is there anything that could touch?
bool perp_near_is_needed(const PerpSimulation *sim);

// What bodies may do in h if nothing hits them. False if memory is short.
bool perp_near_begin(PerpSimulation *sim, const double *v_free, double h, double margin,
                     PerpNear *near);

// Looks at the solution of a stage whose rows stand at the middle of the step. found: it closes a
// contact that has no row, since something was hit; near then reaches far enough for that one.
PerpStatus perp_near_look_again(PerpSimulation *sim, const double *v_free, double h,
                                const PerpStage *stage, PerpNear *near, bool *found,
                                PerpError *error);

#endif

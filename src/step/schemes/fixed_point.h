// Constraints at the level of positions: problems linearised about a motion, solved until the
// motion is the one they were linearised about [ST97 3.4, PS02].
#ifndef PERP_STEP_SCHEMES_FIXED_POINT_H
#define PERP_STEP_SCHEMES_FIXED_POINT_H

#include "step/scheme_tools.h"

// Builds the problem linearised about the motion q (+) h v.
typedef struct PerpLinearised {
    PerpStatus (*build)(PerpSimulation *sim, void *user, const double *v, PerpStage *stage,
                        PerpError *error);
    void *user;
    const double *v_free; // n_v: of the free motion, a scale of speeds
} PerpLinearised;

// How an iteration went.
typedef struct PerpIteration {
    bool converged;
    int rounds;         // problems solved
    double contraction; // mean factor between changes of v in successive rounds; 0: no change left
} PerpIteration;

// v: where to start, then the last solution; `stage` is the problem that it solves.
PerpStatus perp_iterate(PerpSimulation *sim, const PerpLinearised *problem, double *v,
                        PerpStage *stage, PerpIteration *iteration, PerpError *error);

// d of a row y(q) = 0 or y(q) >= 0 that is wanted at q (+) h v_new, linearised about v:
// y + h J (v_new - v) = h (J v_new + d)
double perp_position_row(const PerpStage *stage, int row, double y, double h, const double *v);

#endif

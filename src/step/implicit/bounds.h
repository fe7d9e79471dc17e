// The a-priori bounds of PAGT06 for a step: docs/theory/pagt06.md.
#ifndef PERP_STEP_IMPLICIT_BOUNDS_H
#define PERP_STEP_IMPLICIT_BOUNDS_H

#include "step/implicit/linearised_forces.h"

// After a step problem of (5.4)-(5.8). middle: has the mass matrix at another q; force: the mean of
// k(t) and k(t + h) without links.
PerpStatus perp_pagt06_check(PerpSimulation *sim, const PerpStage *stage, const PerpStage *middle,
                             const PerpImplicit *im, const double *force, PerpError *error);

#endif

// Contacts that overlap, put right by gradients alone.
#ifndef PERP_CONES_METHODS_OVERLAP_CORRECTION_H
#define PERP_CONES_METHODS_OVERLAP_CORRECTION_H

#include "base/memory.h"
#include "perp/problem.h"

// The v of a problem of contacts alone, without friction, with b = 0: the shortest with
// J v + d >= 0, to within `enough` of the largest overlap, or as near as gradients come, for those
// who measure themselves what it does. It belongs to the solver until its next call. NULL if there
// is more in the problem, if gradients come nowhere, or if memory is short: other ways have it
// then.
const double *perp_overlap_correction(PerpSolver *solver, const PerpProblem *p, double tolerance);

#endif

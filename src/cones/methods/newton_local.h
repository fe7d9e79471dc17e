// Newton's method on the solutions that constraints have of their own.
#ifndef PERP_CONES_METHODS_NEWTON_LOCAL_H
#define PERP_CONES_METHODS_NEWTON_LOCAL_H

#include "cones/cone_problem.h"

// From r on, for bodies with gradients now and then; r becomes the best found. Returns its
// residual. steps: factorisations, at most; on return, how many. Knows no product cones. NAN if
// memory is short.
double perp_newton_local(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *steps,
                         double *r);

#endif

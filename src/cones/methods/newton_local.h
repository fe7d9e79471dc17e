// Semismooth Newton [Qi and Sun 1993; kin to Alart and Curnier 1991] on the local solution map:
// each constraint's impulse at the velocity that the others give it.
#ifndef PERP_CONES_METHODS_NEWTON_LOCAL_H
#define PERP_CONES_METHODS_NEWTON_LOCAL_H

#include "cones/cone_problem.h"

// From r on, for bodies with gradients now and then; r becomes the best found. Returns its
// residual. It ends at the tolerance, or at what is enough once steps no longer better it. steps:
// factorisations, at most; on return, how many. Knows no product cones. NAN if memory is short.
double perp_newton_local(PerpArena *arena, PerpConeProblem *cones, double tolerance, double enough,
                         int *steps, double *r);

#endif

// A step problem as FCLIB's global problem, polygons of friction as the circles they stand for.
#ifndef PERP_IO_PROBLEM_FCLIB_MAKE_H
#define PERP_IO_PROBLEM_FCLIB_MAKE_H

#include "io/problem/fclib_data.h"
#include "perp/problem.h"

// Memory comes from the arena. NOT_SUPPORTED, with the reason, for what FCLIB cannot say: bounds
// other than c free and c >= 0, two groups at a contact, cohesion, directions of no regular
// polygon.
PerpStatus perp_fclib_make(PerpArena *arena, const PerpProblem *p, PerpFclib *fclib,
                           PerpError *error);

#endif

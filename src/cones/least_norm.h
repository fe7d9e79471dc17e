// Where impulses are not unique (a box on four corners, a redundant linkage), the shortest ones:
//
//     min |c|^2 / 2   with   J'c = Mt v - b,   c in K
//
// at given velocities v. K is what the law leaves: friction of contacts that stick (circular or
// polygonal, with torsion and rolling), bounds of boxes that hold, everything for joints; rows that
// slide, open or have compliance keep their impulses; those of soft contacts bound their friction.
// The dual is convex and smooth, c = P_K(J x) with
//
//     J'P_K(J x) = Mt v - b
//
// and solved by semismooth Newton's method with a line search [QiSun93].
#ifndef PERP_CONES_LEAST_NORM_H
#define PERP_CONES_LEAST_NORM_H

#include "base/memory.h"
#include "perp/problem.h"

typedef enum PerpLeastNorm {
    PERP_LEAST_NORM_FOUND,
    PERP_LEAST_NORM_NONE,  // the problem is too large, or it was not found
    PERP_LEAST_NORM_MEMORY // is short
} PerpLeastNorm;

// From the impulses c_0 of a solution with velocities v to the shortest c: rows.
PerpLeastNorm perp_least_norm(PerpArena *arena, const PerpProblem *p, const double *v,
                              const double *c_0, double *c);

// Are the velocities v so much slower than free motion that the bodies are at rest?
bool perp_least_norm_rests(const PerpProblem *p, const double *v);

#endif

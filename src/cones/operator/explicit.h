// Contact problems without bodies, u = W r + q, in the constraints of cone_problem.h.
#ifndef PERP_CONES_OPERATOR_EXPLICIT_H
#define PERP_CONES_OPERATOR_EXPLICIT_H

#include "cones/cone_problem.h"
#include "perp/contact_problem.h"

// Some contacts and bilateral rows (units: the contacts first) that no entry of W joins to others.
typedef struct PerpContactIsland {
    int count;
    const int *unit;               // count
    const int *constraint_of_unit; // all units: where in unit[], for those of the part
    int *scratch;                  // all units, -1
} PerpContactIsland;

// False if memory is short.
bool perp_cones_build_explicit(PerpArena *arena, const PerpContactProblem *p,
                               const PerpContactIsland *part, PerpConeProblem *cones);

#endif

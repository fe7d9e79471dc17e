// The order in which bodies are eliminated from M + J'C J.
#ifndef PERP_CONES_OPERATOR_ELIMINATION_H
#define PERP_CONES_OPERATOR_ELIMINATION_H

#include "cones/cone_problem.h"

// What is needed before the first factorisation; false if memory is short.
bool perp_elimination_prepare(PerpConeProblem *cones);
// Before each factorisation: of large problems the order is that of the constraints which have a C
// now. Vectors of bodies that were made in places of the order before mean nothing behind it. False
// if memory is short.
bool perp_elimination_follow(PerpConeProblem *cones);

// Has constraint c a C now? Contacts that are open have none.
static inline bool perp_elimination_responds(const PerpConeProblem *cones, int c)
{
    for (int i = 9 * c; i < 9 * c + 9; i++)
        if (cones->newton.C[i] != 0)
            return true;
    return false;
}

#endif

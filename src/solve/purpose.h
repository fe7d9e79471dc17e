// What a step problem is solved for, as far as the price of methods depends on it. The thresholds
// are in rungs.c, with those of the ladder.
#ifndef PERP_SOLVE_PURPOSE_H
#define PERP_SOLVE_PURPOSE_H

#include "perp/problem.h"

typedef struct PerpPurpose {
    bool is_tentative; // shorter steps follow if it is missed
    bool may_hold;     // slip held will do, rather than the last methods of the exact law
    bool is_aside;     // no step: a projection or the like, which goes on from what is left
    double tolerance;  // certificate of large problems of that kind
} PerpPurpose;

// Leaves the methods out of the settings that are not worth their price for it.
void perp_purpose_choose(const PerpPurpose *purpose, int contacts, PerpProblemSettings *settings);

#endif

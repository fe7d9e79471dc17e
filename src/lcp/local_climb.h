// The rungs of the ladder for contact problems without bodies, from the cheapest on.
#ifndef PERP_LCP_LOCAL_CLIMB_H
#define PERP_LCP_LOCAL_CLIMB_H

#include "lcp/round_local.h"

static const double PERP_LOCAL_SHARP = 1e-14; // residual that Newton's method aims at

typedef struct PerpLocalClimb {
    PerpArena *arena;
    const PerpContactProblem *p;
    PerpRoundPart part; // the island at hand
    int *unit, *cell_of_unit;
    PerpRound round;
    double enough;    // residual at which an island is left
    double residual;  // of r
    double *r, *best; // 3 a cell of the island
    double *impulse;  // rows
    int height;       // of the rung that the island needed
    int highest;      // that any has needed
    bool missed;      // has any not come to enough?
    PerpContactResult *result;
    bool memory_short;
} PerpLocalClimb;

// The island at hand, climb->round, from climb->r on, whose residual is given. best: what it ends
// with.
void perp_local_climb(PerpLocalClimb *climb);

#endif

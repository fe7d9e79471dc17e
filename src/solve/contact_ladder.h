// The rungs of the ladder for contact problems without bodies, from the cheapest on.
#ifndef PERP_SOLVE_CONTACT_LADDER_H
#define PERP_SOLVE_CONTACT_LADDER_H

#include "cones/operator/explicit.h"

static const double PERP_CONTACT_SHARP = 1e-14; // residual that Newton's method aims at

typedef struct PerpContactLadder {
    PerpArena *arena;
    const PerpContactProblem *p;
    PerpContactIsland part; // the island at hand
    int *unit, *constraint_of_unit;
    PerpConeProblem cones;
    double tolerance; // residual at which an island is left
    double residual;  // of r
    double *r, *best; // 3 a constraint of the island
    double *impulse;  // rows
    int height;       // of the rung that the island needed
    int highest;      // that any has needed
    bool missed;      // has any not come to enough?
    PerpContactResult *result;
    bool memory_short;
} PerpContactLadder;

// The island at hand, climb->round, from climb->r on, whose residual is given. best: what it ends
// with.
void perp_contact_ladder_run(PerpContactLadder *ladder);

#endif

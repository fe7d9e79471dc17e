// The rungs of the ladder for problems with cones, with or without bodies, from the cheapest on:
//
//     reused      the impulses to start from, as they are
//     sweeps      block Gauss-Seidel from them; where contacts are many,
//     gradient    projected gradients instead
//     newton      Newton's method from there
//     proximal    proximal points, each by Newton's method
//     interior    interior points, then Newton's method; several ways
//
// Whoever climbs is asked after every rung whether that is good enough.
#ifndef PERP_SOLVE_CONE_LADDER_H
#define PERP_SOLVE_CONE_LADDER_H

#include "cones/cone_problem.h"

typedef struct PerpConeLadder {
    PerpArena *arena;
    PerpConeProblem *cones;
    double tolerance; // residual at which a rung ends
    bool brief;       // not beyond the first tries of Newton's method
    // True if r is good enough, or if there is no going on.
    bool (*offer)(void *user, const double *r, PerpRung rung);
    void *user;

    int iterations, sweeps; // counted up
    bool memory_short;
    double *r, *best, residual; // at hand; the best so far and how far it is from the law
    PerpRung rung;              // of the best
    int left;                   // factorisations that may still be spent
} PerpConeLadder;

// From the impulses start (NULL: none). True if an offer was good enough.
bool perp_cone_ladder_run(PerpConeLadder *ladder, const double *start);

#endif

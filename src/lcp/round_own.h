// Newton's method on the solutions that cells have of their own.
#ifndef PERP_LCP_ROUND_OWN_H
#define PERP_LCP_ROUND_OWN_H

#include "lcp/round.h"

// A = J_c M^-1 J_c' of one cell, 3 x 3 by rows, from 0; in local form its block of W.
void perp_round_own_block(const PerpRound *round, int c, double *A);

// From r on, for bodies with gradients now and then; r becomes the best found. Returns its
// residual. steps: factorisations, at most; on return, how many. Knows no wide cones. NAN if memory
// is short.
double perp_round_own(PerpArena *arena, PerpRound *round, double enough, int *steps, double *r);

#endif

// The path of smoothed problems that ends in a solution of the exact law.
//
// x = r - s parts into impulse and slack: r = P(x), s = P(-x), with the projection P onto the cone
// smoothed so that r o s = (W t)^2. For t > 0 the law is
//
//     G(x, t) = s - S(u(r)) - t (c r + a) = 0,     S(u) = u + (|u_T|^2 + (eps t)^2)^(1/2) e_n
//
// with the a for which the start solves it. Its solutions form a smooth curve, which is followed
// down to t = 0 and may turn on its way: t then grows for a while. Newton's method and interior
// points, which only know how to lessen t, end at such turns.
#ifndef PERP_LCP_PATH_H
#define PERP_LCP_PATH_H

#include "lcp/round.h"

typedef struct PerpPathWay {
    double wide;   // W: of the cones' smoothing
    double eps;    // of the slip's
    double soft;   // c
    double begin;  // t at the start
    double narrow; // how near to the curve to stay, by t
} PerpPathWay;

// From the impulses r on (all 0: from far away). r becomes the best that it found; returns its
// residual, NAN if memory is short. steps: factorisations at most; on return, how many.
double perp_path(PerpArena *arena, PerpRound *round, const PerpPathWay *way, double enough,
                 int *steps, double *r);

#endif

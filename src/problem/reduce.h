// The step problem with velocities and equations eliminated [AP97 (A.1)-(A.5)]: a plain LCP in
//
//     z = (impulses of boxes, contacts, friction; multipliers of upper bounds; slip speeds lambda)
//
// Each impulse z_j >= 0 stands for one row: c = base + sign z_j. Joints and boxes without bounds
// are equations; of these a maximal independent set is kept, the others get c = 0. Boxes with lo =
// hi are constant impulses.
//
//     G = J Mt^-1 J',   Y = G_II^-1 G_IH,   S = G_HH - G_HI Y
//     w_j      = sign (S c_H + g)_j + lambda      impulse rows; lambda: the upper bound's, or the
//                                                 group's slip speed, if there is one
//     w_range  = hi - lo - z_j                    two-sided boxes                [L82 (6.4)-(6.5)]
//     w_group  = mu c_n + cohesion - sum z_j      friction groups                [AP97 (2.12)]
#ifndef PERP_PROBLEM_REDUCE_H
#define PERP_PROBLEM_REDUCE_H

#include "base/memory.h"
#include "math/sparse/block_sparse.h"
#include "perp/problem.h"
#include "problem/gram.h"

typedef struct PerpReduction {
    const PerpProblem *problem; // borrowed
    PerpBlockRows J;
    PerpBlockDiagonal Mt; // factors
    double *X;            // Mt^-1 J' of each entry, laid out like J

    int equations;      // independent ones
    int *equation_row;  // their rows; behind them, the dependent ones
    int impulses;       // complementary impulses
    int *impulse_row;   //
    double *sign;       // impulses: 1, or -1 for a box with an upper bound only
    int *partner;       // impulses: the place in z of its multiplier, -1 if none
    int *range_impulse; // impulse of each two-sided box, in the order of z
    int ranges;         //
    double *base;       // rows: c where z = 0

    PerpGram gram;         // G_II, factorised
    double *G_HI;          // impulses x equations
    double *Y;             // equations x impulses
    double *base_velocity; // Mt^-1 (b + J' base)

    int n; // impulses + ranges + groups
    double *M, *q;
} PerpReduction;

PerpStatus perp_reduce(PerpArena *arena, const PerpProblem *p, PerpReduction *reduction,
                       PerpError *error);

// w_range and w_group, and the multipliers of the impulse rows, from z: everything in w that is not
// a velocity. Fills all n.
void perp_reduction_slack(const PerpReduction *reduction, const double *z, double *w);

#endif

// The matrix of the equations, G_II = J_I Mt^-1 J_I', of a maximal independent set I of them, and
// its factors.                                                                  [AP97 appendix A]
//
// Chains, trees and loops of joints have a sparse G_II, whose L D L' costs no more than its
// entries. Its pivots tell dependent rows only down to the square root of rounding; where they
// leave a doubt, and where Mt is not symmetric, a dense QR with column pivoting picks the rows.
#ifndef PERP_PROBLEM_GRAM_H
#define PERP_PROBLEM_GRAM_H

#include "math/sparse/block_sparse.h"
#include "math/sparse/sparse_ldl.h"
#include "perp/problem.h"

typedef struct PerpGram {
    const PerpProblem *problem; // borrowed, as are the arrays of J, Mt and X
    PerpBlockRows J;
    PerpBlockDiagonal Mt; // factors
    const double *X;      // Mt^-1 J' of each entry, laid out like J
    int n;                // independent equations
    int *row;             // their rows; behind them, the dependent ones

    bool sparse;
    PerpSparseLdl ldl; // if sparse: of all equations,
    int *place;        // n: where the independent ones stand there
    double *x;         // all equations, scratch
    double *residual;  // all equations, scratch
    double *LU;        // if dense: n^2
    int *pivots;       // n
} PerpGram;

// The caller fills problem, J, Mt and X; row and n are all equations, and are changed to the
// independent ones. False when memory is short.
bool perp_gram_factor(PerpArena *arena, PerpGram *gram);

// The same without L D L'.
bool perp_gram_factor_dense(PerpArena *arena, PerpGram *gram);

// G_II x = b in place, column by column, from b to x.
void perp_gram_solve(const PerpGram *gram, int columns, double *x);

// One step of refinement of G_II x = b + J_I Mt^-1 u on the rows themselves, whose condition is the
// square root of G_II's. b: n, NULL for 0; u: velocities, destroyed.
void perp_gram_refine(const PerpGram *gram, const double *b, double *u, double *x);

#endif

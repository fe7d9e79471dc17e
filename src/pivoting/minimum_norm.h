// The shortest point of a polyhedron, for the minimum-norm multiplier of L82 lemma 5.2, part 4.
//
//     min |c|^2 / 2     E c = E c0,   B c >= b
//
// With P the orthogonal projector on the null space of E and c1 = c0 - P c0 the part that E fixes
// (lambda^1 of the lemma), c = c1 + P B' mu and
//
//     0 <= B P B' mu + (B c1 - b)   perp   mu >= 0
//
// is a symmetric positive semidefinite LCP.
#ifndef PERP_PIVOTING_MINIMUM_NORM_H
#define PERP_PIVOTING_MINIMUM_NORM_H

#include "base/memory.h"
#include "problem/judge.h"

typedef struct PerpMinimumNorm {
    int n, equations, inequalities;
    double *E; // equations x n
    double *B; // inequalities x n
    double *b; // inequalities
    double *c; // n: in, any feasible point; out, the shortest
} PerpMinimumNorm;

bool perp_minimum_norm_take(PerpArena *arena, int n, int equations, int inequalities,
                            PerpMinimumNorm *minimum); // zeroed
// False if memory is short. If the LCP is not solved, c stays as it was.
bool perp_minimum_norm_solve(PerpArena *arena, const PerpLcpJudge *judge, PerpMinimumNorm *minimum);

#endif

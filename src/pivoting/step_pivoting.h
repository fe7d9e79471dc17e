// The step problem by pivoting: reduced to an LCP [AP97 (A.1)-(A.5)], a complementary basis, then
// velocities and impulses refined together; the whole mixed problem if the reduced one fails.
#ifndef PERP_PIVOTING_STEP_PIVOTING_H
#define PERP_PIVOTING_STEP_PIVOTING_H

#include "base/interrupt.h"
#include "base/memory.h"
#include "problem/judge.h"

typedef struct PerpPivotingSettings {
    PerpLcpMethod method;
    double tolerance;
    int max_pivots; // 0: as for the LCP
    const signed char *basis;
    int basis_size;                 // its lcp_size; another one than the problem's: passed over
    bool minimum_norm;              // of all c with the same v, the shortest
    bool reduced_only;              // not on the whole problem if the reduced one fails
    const PerpInterrupt *interrupt; // NULL: none
} PerpPivotingSettings;

// Arrays lie in the arena.
typedef struct PerpPivotingResult {
    PerpOutcome outcome;
    PerpLcpMethod method;
    int lcp_size, joint_rank, pivots, attempts, factorisations;
    bool basis_reused;
    double worst; // of the certificate
    PerpPoint point;
    const signed char *basis; // lcp_size
} PerpPivotingResult;

// Fails if memory is short or if the problem is too large for dense matrices.
PerpStatus perp_step_pivoting(PerpArena *arena, const PerpProblem *p, const PerpJudge *judge,
                              const PerpPivotingSettings *settings, PerpPivotingResult *result,
                              PerpError *error);

#endif

// Step problems of joints alone are linear: one sparse factorisation over the joints, in blocks of
// up to three rows each, and refinement.
#ifndef PERP_LINEAR_JOINTS_SOLVE_H
#define PERP_LINEAR_JOINTS_SOLVE_H

#include "math/sparse/graph.h"
#include "problem/judge.h"

// Has the problem nothing but joints, few of them at any one body?
bool perp_joints_alone(const PerpProblem *p);

// The factors of the last problem, as long as the arena that they lie in is not rewound.
typedef struct PerpJointsCache {
    struct PerpJoints *joints; // NULL: none
    size_t rewinds;            // of the arena when they were made
} PerpJointsCache;

// Certifies what the factors give, then refined by the velocities that the impulses cause. True if
// the judge finds it within the tolerance; false if joints depend on each other or memory is short.
// passes: refinements, counted up.
bool perp_joints_solve(PerpArena *arena, PerpGraphCache *graphs, PerpJointsCache *cache,
                       const PerpProblem *p, const PerpJudge *judge, double tolerance, int *passes);

// A v with |J v + d| <= tolerance, or a small part of d, for a problem with b = 0: the shortest or,
// with the factors of the last problem, nearly. They serve if that had the same rows and masses
// nearby. For those who measure themselves what v does. NULL where the above says false, or if more
// is left.
const double *perp_joints_correct(PerpArena *arena, PerpGraphCache *graphs, PerpJointsCache *cache,
                                  const PerpProblem *p, double tolerance);
// The same with factors of p, which nobody keeps.
const double *perp_joints_correct_once(PerpArena *arena, PerpGraphCache *graphs,
                                       const PerpProblem *p, double tolerance);

#endif

// Step problems of joints alone are linear: one sparse factorisation over the joints, in blocks of
// up to three rows each, and refinement.
#ifndef PERP_LINEAR_JOINTS_SOLVE_H
#define PERP_LINEAR_JOINTS_SOLVE_H

#include "base/memory.h"
#include "perp/problem.h"

// Has the problem nothing but joints, few of them at any one body?
bool perp_joints_alone(const PerpProblem *p);

// True if it is solved to the tolerance, certified, result filled in; false if joints depend on
// each other, or memory is short: other ways have it then. Takes from the solver's arena.
bool perp_joints_solve(PerpSolver *solver, const PerpProblem *p,
                       const PerpProblemSettings *settings, PerpProblemResult *result);

// A v with |J v + d| <= enough, or a small part of d, for a problem with b = 0: the shortest or,
// with the factors of the solver's last problem, nearly. They serve if that had the same rows and
// masses nearby. For those who measure themselves what v does. It belongs to the solver until its
// next call. NULL where the above says false, or if more is left.
const double *perp_joints_correct(PerpSolver *solver, const PerpProblem *p, double tolerance);
// The next correction makes its own factors.
void perp_joints_forget(PerpSolver *solver);

#endif

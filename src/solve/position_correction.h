// Corrections of positions, for projections that measure themselves what they do: the shortest
// change of configuration that closes joints, or parts overlaps. Each belongs to the solver until
// its next call; NULL if the problem has more in it, or if they come nowhere: the ladder has it
// then.
#ifndef PERP_SOLVE_POSITION_CORRECTION_H
#define PERP_SOLVE_POSITION_CORRECTION_H

#include "perp/problem.h"

// Of joints alone, b = 0: |J v + d| <= tolerance, with the factors of the solver's last problem if
// that had the same rows and masses nearby.
const double *perp_correct_joints(PerpSolver *solver, const PerpProblem *p, double tolerance);
// The same with factors of its own, which nobody keeps.
const double *perp_correct_joints_once(PerpSolver *solver, const PerpProblem *p, double tolerance);
// The next correction makes its own factors.
void perp_correct_joints_anew(PerpSolver *solver);
// Of joints with compliance, |J v + C c + d| <= tolerance, with factors of its own.
const double *perp_correct_compliant(PerpSolver *solver, const PerpProblem *p, double tolerance);

// Of contacts alone, without friction, b = 0: J v + d >= 0 to within the tolerance times the
// largest overlap, or as near as gradients come.
const double *perp_correct_overlaps(PerpSolver *solver, const PerpProblem *p, double tolerance);

// Of joints and contacts, without friction, b = 0, where joints make a tree and few rows are left:
// the natural residual is at most the tolerance, of 1 without impulses.
const double *perp_correct_joined(PerpSolver *solver, const PerpProblem *p, double tolerance);

#endif

// The passes over rows and bodies that solve a problem of joints alone by its factors.
#ifndef PERP_LINEAR_JOINTS_PASSES_H
#define PERP_LINEAR_JOINTS_PASSES_H

#include "linear/joints_factor.h"

void perp_joints_begin(PerpJoints *joints);             // c = 0, v = Mt^-1 b
void perp_joints_find_speeds(const PerpJoints *joints); // u = J v + d

// For a problem p that has the rows and bodies of the factors, at another configuration, and b = 0.
// They return the largest of u.
double perp_joints_begin_at_rest(PerpJoints *joints, const PerpProblem *p); // c = 0, v = 0, u = d
double perp_joints_find_errors(const PerpJoints *joints, const PerpProblem *p); // u = J_p v + d

void perp_joints_add_impulses(PerpJoints *joints); // c += dc, v += Mt^-1 J'dc with G dc = -u

#endif

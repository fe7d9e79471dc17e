// The passes over rows and bodies that solve a problem of joints alone by its factors.
#ifndef PERP_LCP_JOINTS_PASSES_H
#define PERP_LCP_JOINTS_PASSES_H

#include "lcp/joints_factor.h"

// c = 0, v = Mt^-1 b, u = d of p, which has the rows and bodies of the factors; returns the largest
// of u.
double perp_joints_start(PerpJoints *joints, const PerpProblem *p);
double perp_joints_find_speeds(const PerpJoints *joints); // u = J v + d; returns the largest
// The same with J and d of p.
double perp_joints_find_errors(const PerpJoints *joints, const PerpProblem *p);
void perp_joints_add_impulses(PerpJoints *joints); // c += dc, v += Mt^-1 J'dc with G dc = -u

#endif

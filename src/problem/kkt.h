// The step problem as one mixed LCP, nothing eliminated but dependent equations  [AP97 (2.13)]:
//
//     [ Mt   -J_I'  -J_H' s    0 ] [ v   ]   [ -b - J'base ]   [ 0 ]
//     [ J_I    0       0       0 ] [ c_I ] + [  d_I        ] = [ 0 ]
//     [ s J_H  0       0       E ] [ z   ]   [  s d_H      ]   [ w ]
//     [ 0      0    mu, -E'    0 ] [     ]   [  hi-lo, coh ]   [   ]
//
// Larger than the reduced problem, but exact: forming J Mt^-1 J' squares the condition number, and
// with mass ratios of 1e6 and more the digits that decide who touches are lost in it.
#ifndef PERP_PROBLEM_KKT_H
#define PERP_PROBLEM_KKT_H

#include "problem/reduce.h"

int perp_kkt_free(const PerpReduction *reduction); // v and c_I

// M is (free + n)^2 and zeroed, q is free + n.
void perp_kkt_fill(const PerpReduction *reduction, double *M, double *q);

#endif

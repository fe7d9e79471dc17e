// One second-order cone { |x_T| <= x_n } alone, in the scaled numbers of cone_problem.h: u = q + A
// r.
#ifndef PERP_CONES_SECOND_ORDER_H
#define PERP_CONES_SECOND_ORDER_H

#include "cones/cone.h"

// A, 3 x 3 by rows, becomes regular where it is not: 1 on the diagonal where there is no row.
void perp_soc_prepare(double *A, double *inverse);

// r: the last impulse; becomes the cone's own. slide: the slip speed over |r_T|, a first guess and
// then the one found. Returns which mode it is in.
PerpContactMode perp_soc_solve(const double *A, const double *inverse, const double *q,
                               double *slide, double *r);

// G = dr / dq of the cone's own impulse r, found like this; false if there is none.
bool perp_soc_derive(PerpContactMode mode, const double *A, const double *inverse, double slide,
                     const double *r, double *G);

// How far (r, u) is from the law: |r - P(r - z)|, z = u + shift |u_T| e_n
double perp_soc_residual(const double *r, const double *u, double shift);

#endif

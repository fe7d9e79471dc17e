// One round cone { |x_T| <= x_n } alone, in the scaled numbers of round.h: u = q + A r.
#ifndef PERP_LCP_ROUND_CONE_H
#define PERP_LCP_ROUND_CONE_H

#include <stdbool.h>

// A, 3 x 3 by rows, becomes regular where it is not: 1 on the diagonal where there is no row.
void perp_cone_prepare(double *A, double *inverse);

typedef enum PerpConeWay { PERP_CONE_OPEN, PERP_CONE_STUCK, PERP_CONE_SLIDING } PerpConeWay;

// r: the last impulse; becomes the cone's own. slide: the slip speed over |r_T|, a first guess and
// then the one found. Returns which way it is.
PerpConeWay perp_cone_solve(const double *A, const double *inverse, const double *q, double *slide,
                            double *r);

// G = dr / dq of the cone's own impulse r, found like this; false if there is none.
bool perp_cone_derive(PerpConeWay way, const double *A, const double *inverse, double slide,
                      const double *r, double *G);

// How far (r, u) is from the law: |r - P(r - z)|, z = u + shift |u_T| e_n
double perp_cone_off(const double *r, const double *u, double shift);

#endif

// The law of friction with slip held: u + s e_n in the place of u + |u_T| e_n, which is convex
// [Acary, Cadoux, Lemarechal and Malick 2011]. In scaled numbers mu is 1.
#ifndef PERP_CONES_METHODS_SLIP_HELD_H
#define PERP_CONES_METHODS_SLIP_HELD_H

#include "cones/cone_problem.h"

// slip: n_constraints, |u_T| of contacts at r, 0 where that is no more than the residual of r makes
// of nothing: contacts that stick would sink by it. False if memory is short.
bool perp_slip_find(PerpArena *arena, const PerpConeProblem *cones, double residual,
                    const double *r, double *slip);
// How many contacts slip by more than that. -1 if memory is short.
int perp_slip_count(PerpArena *arena, const PerpConeProblem *cones, double residual,
                    const double *r);

// Between these two the cone problem is that of the convex law.
void perp_slip_hold(PerpConeProblem *cones, const double *slip);
void perp_slip_release(PerpConeProblem *cones, const double *slip);

// Its solution from r on, by interior points or by gradients. Returns the residual of the convex
// law, NAN if memory is short. iterations, steps: at most; on return, how many.
double perp_slip_held_interior(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                               double tolerance, int *iterations, double *r);
// What is left to do from where these ended: Newton's method and proximal points.
double perp_slip_held_finish(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                             double tolerance, int *iterations, double *r);
double perp_slip_held_apgd(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                           double tolerance, int *steps, double *r);

#endif

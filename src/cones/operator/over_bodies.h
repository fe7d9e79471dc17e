// The system of Newton's method over the bodies: (M + J'C J) dv = J'g. See cone_problem.h.
#ifndef PERP_CONES_OPERATOR_OVER_BODIES_H
#define PERP_CONES_OPERATOR_OVER_BODIES_H

#include "cones/cone_problem.h"

#include <string.h>

// The numbers of a body, mostly six: a copy that needs no call.
static inline void perp_copy_row(int n, const double *from, double *to)
{
    if (n == 6)
        memcpy(to, from, 6 * sizeof(double));
    else
        memcpy(to, from, (size_t)n * sizeof(double));
}

// Row k of an entry.
static inline double *perp_over_bodies_row(const PerpConeProblem *cones, int entry, int k)
{
    return cones->bodies.padded_J + (size_t)cones->bodies.pad * (3 * (size_t)entry + (size_t)k);
}

// What products need, from the arena.
bool perp_over_bodies_prepare(PerpConeProblem *cones);

// Rows of the constraints first .. end - 1, for the kernels.
PerpBlockConstraints perp_over_bodies_rows(const PerpConeProblem *cones, int first, int end);
// x = M^-1 x, pad numbers
static inline void perp_over_bodies_weigh(const PerpConeProblem *cones, int body, double *x)
{
    int pad = cones->bodies.pad;
    size_t block = (size_t)(cones->bodies.diagonal ? pad : cones->bodies.size * pad);
    const double *inverse = cones->bodies.padded_inverse + block * (size_t)body;
    if (!cones->bodies.diagonal)
        cones->bodies.kernels->multiply(inverse, x, x);
    for (int i = 0; i < pad && cones->bodies.diagonal; i++)
        x[i] *= inverse[i];
}

// Where large impulses cancel at a light body, v does not follow from r: both are kept, and what
// rounding leaves of the momentum, M (v - free) - J'r, is made good in the next step:
//     (M + J'C J) dv = J'g - momentum,   dr = g - C J dv
// sum: n_state, scratch
void perp_over_bodies_defect(const PerpConeProblem *cones, const double *r, const double *v,
                             long double *sum, double *momentum);
void perp_over_bodies_move(PerpConeProblem *cones, const double *g, const double *momentum,
                           bool refine, double *dv, double *dr);

#endif

// What the interior-point method asks of a cone: complementarity r o s = kappa e and its
// linearisation, one const table a cone.
#ifndef PERP_CONES_BARRIER_H
#define PERP_CONES_BARRIER_H

#include "cones/cone_problem.h"

// A constraint's part of the iterate, and the scaling at it.
typedef struct PerpBarrierPoint {
    double s[3];      // slack of cones; of boxes: multipliers of lo and hi
    double off[3];    // u + regularisation (r - r_centre) - s, how far the slack is off
    double axis[2];   // the scaling, s = scaling r, has the axes (1, axis), (1, -axis) and the
    double factor[3]; // one across, and these factors along them
    double lambda[3]; // scaling^(1/2) r = scaling^(-1/2) s
    double dr[3], ds[3];
} PerpBarrierPoint;

struct PerpBarrier {
    // From r, whose velocity is u, to a point with r o s = kappa e nearby.
    void (*start)(const PerpConstraint *constraint, double kappa, const double *u, double *r,
                  PerpBarrierPoint *it);
    // What r and s leave of complementarity; *count: how many products that are, counted up.
    double (*complementarity)(const PerpConstraint *constraint, const double *r,
                              const PerpBarrierPoint *it, int *count);
    // C of dr = g - C J dv, 3 x 3 by rows, zeroed. u: with the regularisation in it.
    void (*linearise)(const PerpConstraint *constraint, double regularisation, const double *r,
                      const double *u, PerpBarrierPoint *it, double *C);
    // g for the target kappa; second order from the predictor, by this share.
    void (*aim)(const PerpConstraint *constraint, double regularisation, double kappa,
                double correct, const double *r, const double *u, const double *C,
                PerpBarrierPoint *it, double *g);
    // ds of dr, which changes u, with the regularisation in it, by w.
    void (*change)(const PerpConstraint *constraint, double kappa, const double *r, const double *w,
                   PerpBarrierPoint *it);
    // The longest step that stays inside.
    double (*step)(const PerpConstraint *constraint, const double *r, const PerpBarrierPoint *it);
};

#endif

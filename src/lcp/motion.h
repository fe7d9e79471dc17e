// From the impulses z of the reduced problem back to velocities and impulses of the step problem,
// and their refinement.
//
// Residuals are summed in long double, and v is corrected by itself, not computed from c: where
// large impulses cancel on a light body, c alone could not carry its velocity.
#ifndef PERP_LCP_MOTION_H
#define PERP_LCP_MOTION_H

#include "lcp/reduce.h"

typedef struct PerpMotionPoint {
    double *v, *c, *z; // velocities, rows, n of the reduced problem
} PerpMotionPoint;

typedef struct PerpMotion {
    const PerpReduction *red; // borrowed
    double *y;                // rows: velocities of the rows
    double *w;                // n: what the rows of the reduced problem are short of
    double *dz;               // n: change of z, to be filled in before perp_motion_change
    double *dc;               // rows
    double *dv;               // velocities
    double *e;                // equations
    long double *sum;         // velocities
} PerpMotion;

bool perp_motion_take(PerpArena *arena, const PerpReduction *red, PerpMotion *motion);
bool perp_motion_take_point(PerpArena *arena, const PerpReduction *red, PerpMotionPoint *point);

// The motion that belongs to z.
void perp_motion_recover(PerpMotion *motion, const double *z, PerpMotionPoint *point);

// Fills y and w with the residuals of the point, as if momentum and equations were mended.
void perp_motion_residual(PerpMotion *motion, const PerpMotionPoint *point);

// Mends momentum and equations and changes z by dz, after perp_motion_residual.
void perp_motion_change(PerpMotion *motion, PerpMotionPoint *point);

// Fills y and w with the velocities and slacks of the point as it is.
void perp_motion_slack(PerpMotion *motion, const PerpMotionPoint *point);

#endif

// From the impulses z of the reduced problem back to velocities and impulses of the step problem,
// and their refinement.
//
// Residuals are summed in long double, and v is corrected by itself, not computed from c: where
// large impulses cancel on a light body, c alone could not carry its velocity.
#ifndef PERP_PROBLEM_RECOVERY_H
#define PERP_PROBLEM_RECOVERY_H

#include "problem/reduce.h"

typedef struct PerpRecoveredPoint {
    double *v, *c, *z; // velocities, rows, n of the reduced problem
} PerpRecoveredPoint;

typedef struct PerpRecovery {
    const PerpReduction *red; // borrowed
    double *y;                // rows: velocities of the rows
    double *w;                // n: what the rows of the reduced problem are short of
    double *dz;               // n: change of z, to be filled in before perp_recovery_change
    double *dc;               // rows
    double *dv;               // velocities
    double *e;                // equations
    long double *sum;         // velocities
} PerpRecovery;

bool perp_recovery_take(PerpArena *arena, const PerpReduction *red, PerpRecovery *recovery);
bool perp_recovery_take_point(PerpArena *arena, const PerpReduction *red,
                              PerpRecoveredPoint *point);

// The motion that belongs to z.
void perp_recovery_recover(PerpRecovery *recovery, const double *z, PerpRecoveredPoint *point);

// Fills y and w with the residuals of the point, as if momentum and equations were satisfied.
void perp_recovery_residual(PerpRecovery *recovery, const PerpRecoveredPoint *point);

// Corrects momentum and equations and changes z by dz, after perp_recovery_residual.
void perp_recovery_change(PerpRecovery *recovery, PerpRecoveredPoint *point);

// Fills y and w with the velocities and slacks of the point as it is.
void perp_recovery_slack(PerpRecovery *recovery, const PerpRecoveredPoint *point);

#endif

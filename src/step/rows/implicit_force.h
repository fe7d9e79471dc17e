// A force along a row that is part of the step problem: a spring, a damper and an inertia along a
// coordinate psi with the speed u = J v. Over a step from u to u_new its impulse is
//
//     c = h push - h (k psi* + delta u*) - I (u_new - u)
//     psi* = psi + h (b u + a u_new)        u* = (1 - theta) u + theta u_new
//
// which is a row with compliance,  u_new + C c + d = 0.  With the mobility W of the row,
//
//     z = h^2 k W,  y = h delta W,  w = (z + y)^2/(16 + (z + y)^2),  theta = (1 + w)/2
//     b = (1 + w)/4                a = (1 + w (3 - 2 y/(z + y)))/4
//
// Soft rows (w -> 0) get the trapezoidal rule, which keeps the energy of a linear spring; stiff
// ones are dead after two steps. docs/theory/compliance.md has the proofs: of second order, stable
// for any k, delta and I and any number of such rows, a damper never turns a velocity round.
#ifndef PERP_STEP_ROWS_IMPLICIT_FORCE_H
#define PERP_STEP_ROWS_IMPLICIT_FORCE_H

#include <stdbool.h>

typedef struct PerpImplicitForce {
    double stiffness; // k, N/m or N m/rad, >= 0
    double damping;   // delta, N s/m or N m s/rad, >= 0
    double inertia;   // I, kg or kg m^2, >= 0
    double push;      // N or N m, a given force
    double value;     // psi at the beginning of the step: where the spring is slack, it is 0
    double speed;     // u at the beginning
} PerpImplicitForce;

typedef struct PerpImplicitRow {
    double compliance; // C; INFINITY: no row, nothing depends on the motion
    double d;          //
    double damper[2];  // of the impulse: -(damper[0] u + damper[1] u_new) is the damper's
    bool is_stiff;     // not resolved by the step: z > 8; if it is damped z > 1 or y > 4
    bool is_damped;    // by half of the critical damping or more, y^2 > z
} PerpImplicitRow;

// mobility: J M^-1 J' of the row. h = 0, an impact: inertia alone.
PerpImplicitRow perp_implicit_row(const PerpImplicitForce *force, double h, double mobility);

#endif

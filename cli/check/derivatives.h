// Derivatives of the forces at the beginning of a step, as the trapezoidal scheme has them in its
// matrix [PAGT06 (5.9)], by differences of the forces: it shares no code with the scheme.
#ifndef PERP_CLI_CHECK_DERIVATIVES_H
#define PERP_CLI_CHECK_DERIVATIVES_H

#include "check/margins.h"

// Bounds of |k_q| and |k_v - F(v)| in the metric of M, as the run takes them. exact: of the forces
// as they are, else of (9.2)-(9.3).
typedef struct DerivativeNorms {
    double a_q, a_v;
    double doubt; // how far off a_q may be
} DerivativeNorms;

PerpStatus find_derivative_norms(const MarginStep *step, const PerpEquations *e, bool exact,
                                 DerivativeNorms *norms, PerpError *error);

#endif

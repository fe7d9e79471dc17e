// Coulomb's circular cone: how well a solution found with an inscribed polygon obeys the exact law.
//
//     K = { r : |r_T| <= mu r_n }       r in K,  u + mu |u_T| e_n in K*,  r' (u + mu |u_T| e_n) = 0
//
// which is the same as  r = P_K(r - rho (u + mu |u_T| e_n))  for any rho > 0   [DeSaxceFeng98].
// The vectors u, q, r have `dimension` numbers a contact: the normal one, then the tangential ones.
#ifndef PERP_FRICTION_H
#define PERP_FRICTION_H

#include "perp/api.h"
#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Borrowed for the time of a call.
typedef struct PerpFrictionCones {
    int dimension;     // 2 or 3
    int contacts;      //
    const double *mu;  // contacts, >= 0
    const double *rho; // contacts, > 0, impulse over velocity; NULL: ones
} PerpFrictionCones;

// What perp_friction_residual finds.
typedef struct PerpFrictionResidual {
    double residual; // see below; NaN never: it counts as INFINITY
    int contact;     // where it is largest
} PerpFrictionResidual;

// max_k |r_k - P_K(r_k - rho_k (u_k + mu_k |u_Tk| e_n))| / rho_k, a velocity, divided by the same
// at r = 0, u = q, so that doing nothing gives 1. If r = 0 solves the problem that divisor is zero,
// and the residual stays a velocity.
PERP_API PerpFrictionResidual perp_friction_residual(const PerpFrictionCones *cone, const double *q,
                                                     const double *u, const double *r);

// Direction k of the inscribed polygon with that many facets: (cos 2 pi k/facets,
// sin 2 pi k/facets), exact at multiples of pi/2. Two facets are the line (1, 0), (-1, 0).
PERP_API void perp_friction_direction(int k, int facets, double direction[2]);

// The residual of a solution z of the polyhedral LCP of such a problem, whose unknowns are
//
//     lcp->free multipliers, all c_n, all beta (contact by contact), all lambda
//
// as perp_problem_file_read makes it of FCLIB files. q, u = W r + q, r and rho_k = dimension /
// trace W_kk are taken from the LCP; u from the rows D'u_T + lambda. cone->rho is not used.
PERP_API PerpStatus perp_friction_residual_of_lcp(const PerpContext *context,
                                                  const PerpFrictionCones *cone, const PerpLcp *lcp,
                                                  const double *z, PerpFrictionResidual *result,
                                                  PerpError *error);

#ifdef __cplusplus
}
#endif
#endif

// A contact problem in the velocities of its contacts, without bodies, under the exact circular
// law. FCLIB calls it local.
//
//     [ u ]   [ W   V ] [ r ]   [ q ]
//     [ 0 ] = [ V'  R ] [ l ] + [ s ]
//
//     r in K,  u + mu |u_T| e_n in K*,  r'(u + mu |u_T| e_n) = 0    each contact [DeSaxceFeng98]
//     K = { |r_T| <= mu r_n }
//
// W need be neither symmetric nor regular. Rows: the contacts, each its normal first, then its one
// or two tangents; behind them the bilateral rows of l, if any.
#ifndef PERP_CONTACT_PROBLEM_H
#define PERP_CONTACT_PROBLEM_H

#include "perp/api.h"
#include "perp/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Borrowed for the time of a call.
typedef struct PerpContactProblem {
    int dimension;     // 2 or 3
    int contacts;      //
    int bilateral;     // rows of l
    const double *mu;  // contacts, >= 0
    const int *start;  // rows + 1: the matrix in compressed rows, in which a place may occur twice
    const int *column; //
    const double *x;   //
    const double *q;   // rows: q, then s
} PerpContactProblem;

// Rows of the matrix.
static inline int perp_contact_problem_rows(const PerpContactProblem *p)
{
    return p->contacts * p->dimension + p->bilateral;
}

// Checks sizes, indices, signs and finiteness.
PERP_API PerpStatus perp_contact_problem_check(const PerpContactProblem *p, PerpError *error);

// How far (r, l) is from a solution, from the numbers of the problem alone.
typedef struct PerpContactCertificate {
    double worst;   // the largest of the next three
    double contact; // |r_k - P_K(r_k - rho_k z_k)| / rho_k of the worst contact, a velocity, with
                    // z = u + mu |u_T| e_n and rho_k = dimension / trace W_kk, relative to the
                    // worst that r = 0, l = 0 leaves anywhere
    double natural; // |r - P_K(r - z)| / |(q, s)|, 2-norms over all rows: what Siconos reports
    double joint;   // |V'r + R l + s| of the worst row, relative to the same
    int worst_contact; // where contact is largest
    int worst_joint;   // -1: none
} PerpContactCertificate;

// r: rows, impulses and then l. u: rows, what the matrix makes of them; NULL: not wanted.
PERP_API PerpStatus perp_contact_problem_certify(const PerpContext *context,
                                                 const PerpContactProblem *p, const double *r,
                                                 double *u, PerpContactCertificate *certificate,
                                                 PerpError *error);

// Arrays belong to the solver and stay valid until its next solve or its end.
typedef struct PerpContactResult {
    PerpOutcome outcome;  // whether the certificate is within the tolerance
    PerpMethod solved_by; // the last of the ladder that an island needed
    int islands;    // parts that no entry of W joins; contacts that stand alone make one; 0: the
                    // problem was small enough to be solved as a whole
    int sweeps;     // of Gauss-Seidel, over all islands
    int iterations; // of interior points and of Newton's method
    const double *r, *u;                // rows each
    PerpContactCertificate certificate; // computed from p and r alone
} PerpContactResult;

// p must pass perp_contact_problem_check. Of the settings (NULL: default) tolerance, methods and
// trace count.
PERP_API PerpStatus perp_contact_problem_solve(PerpSolver *solver, const PerpContactProblem *p,
                                               const PerpProblemSettings *settings,
                                               PerpContactResult *result, PerpError *error);

#ifdef __cplusplus
}
#endif
#endif

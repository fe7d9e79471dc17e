// The linear complementarity problem, plain or mixed, and its solvers.
//
//     w = M z + q          rows 0 .. free-1:  w = 0, z free
//                          the other rows:    0 <= w  perp  z >= 0
//
// M need not be symmetric. A plain LCP has free = 0. The free block may be singular as long as its
// equations are consistent.
#ifndef PERP_LCP_H
#define PERP_LCP_H

#include "perp/api.h"
#include "perp/context.h"
#include "perp/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Borrowed for the time of a call.
typedef struct PerpLcp {
    int n;           // rows, 1 .. PERP_LCP_SIZE_LIMIT
    int free;        // leading rows that are equations, 0 .. n
    const double *M; // n x n by columns: M[i + n*j] is row i, column j
    const double *q; // n
} PerpLcp;

// Dense storage: at the limit M alone takes 512 MiB. A request beyond it is refused with BAD_SIZE.
enum { PERP_LCP_SIZE_LIMIT = 8192 };

// The default tolerance of certificates, everywhere.
#define PERP_TOLERANCE 1e-8
// Beside it, that of friction with slip held.
#define PERP_HELD_TOLERANCE 1e-3

// X(name, word, text): the solvers by the names that users type. What they do not solve goes to
// Lemke; PerpLcpResult.method says who served.
#define PERP_LCP_METHOD_LIST(X)                                                                    \
    X(AUTO, "auto", "a given basis if it fits, block pivoting if M is symmetric, else lemke")      \
    X(LEMKE, "lemke", "Lemke's complementary pivoting, lexicographic; any M")                      \
    X(DANTZIG, "dantzig", "Cottle-Dantzig principal pivoting; symmetric positive semidefinite M")  \
    X(BLOCK, "block", "block principal pivoting; symmetric positive semidefinite M")

typedef enum PerpLcpMethod {
#define PERP_LCP_METHOD_CODE(name, word, text) PERP_LCP_##name,
    PERP_LCP_METHOD_LIST(PERP_LCP_METHOD_CODE)
#undef PERP_LCP_METHOD_CODE
        PERP_LCP_METHOD_COUNT
} PerpLcpMethod;

// X(name, word): how a solve ended. Only SOLVED carries a solution that the certificate vouches
// for.
#define PERP_OUTCOME_LIST(X)                                                                       \
    X(SOLVED, "solved")           /* the certificate is within the tolerance */                    \
    X(MISSED, "missed")           /* best found; the certificate is above the tolerance */         \
    X(RAY, "ray")                 /* Lemke's path ended on a secondary ray, which is returned */   \
    X(INFEASIBLE, "infeasible")   /* proved: no z >= 0 has M z + q >= 0, see PerpLcpRay */         \
    X(PIVOT_LIMIT, "pivot-limit") /* max_pivots reached */                                         \
    X(HELD, "held")               /* friction with slip held within the step, see PerpHeld */

typedef enum PerpOutcome {
#define PERP_OUTCOME_CODE(name, word) PERP_OUTCOME_##name,
    PERP_OUTCOME_LIST(PERP_OUTCOME_CODE)
#undef PERP_OUTCOME_CODE
        PERP_OUTCOME_COUNT
} PerpOutcome;

// The word that users type, and one line about the method; "?" if out of range.
PERP_API const char *perp_lcp_method_name(PerpLcpMethod method);
PERP_API const char *perp_lcp_method_text(PerpLcpMethod method);
// The word of reports; "?" if out of range.
PERP_API const char *perp_outcome_name(PerpOutcome outcome);
PERP_API bool perp_lcp_method_from_name(const char *name,
                                        PerpLcpMethod *method); // false if unknown

// How an LCP is solved.
typedef struct PerpLcpSettings {
    size_t size;          // set by perp_default_lcp_settings
    PerpLcpMethod method; // default AUTO
    double tolerance;     // certificate residual that counts as solved, default PERP_TOLERANCE, > 0
    int max_pivots;       // per attempt; default 0: 1000 + 50 n, and at least 2^n for n <= 20
    int max_attempts;     // paths tried before a ray is believed, default 100, >= 1
    bool scale;           // scale rows and columns by powers of two, default true
    const double *cover;  // n, > 0: Lemke's covering vector; default NULL: ones (after scaling)
    const signed char *basis; // n: a PerpLcpResult.basis of a similar problem; default NULL
    bool minimum_norm;        // of all z with the same w, the shortest [L82 lemma 5.2, part 4];
                              // symmetric positive semidefinite M only. Default false
} PerpLcpSettings;

PERP_DEFAULTS(PerpLcpSettings, lcp_settings)

// A secondary ray: for all t >= 0 the point z + t dz solves the problem with q + cover (z0 + t dz0)
// in place of q. If M' dz <= 0 and q' dz < 0 as well, dz proves that no feasible z exists (Farkas).
typedef struct PerpLcpRay {
    const double *z, *dz; // n each, dz >= 0 on the complementary rows, not zero
    const double *cover;  // n
    double z0, dz0;       // >= 0
} PerpLcpRay;

// Residuals of an LCP, recomputed from M, q and z alone with doubled-precision sums. Relative to
// the terms of the row: s_i = |q_i| + sum_j |M_ij z_j|, but at least 2^-20 g_i max_j |z_j|, so that
// rows of mere rounding noise do not count; g_i = max_j |M_ij| turns z_i into units of w. NaN and
// overflow count as INFINITY, and so does a violation where s_i = 0.
typedef struct PerpLcpCertificate {
    double equation; // max |w_i| / s_i over the free rows
    double slack;    // max -w_i / s_i, w_i < 0
    double sign;     // max -g_i z_i / s_i, z_i < 0
    double gap;      // max min(w_i, g_i z_i) / s_i, both > 0
    double worst;    // the largest of these four
    int worst_row;   // and its row, 0 if all are 0
} PerpLcpCertificate;

// Residuals of a ray: how far it is from being one, all relative like those above.
typedef struct PerpLcpRayCertificate {
    double worst;  // of sign, slack and complementarity at both ends of the ray
    double farkas; // max(M'dz, 0) / terms; <= tolerance with q_dz < 0 proves infeasibility
    double q_dz;   // q' dz / sum |q_i dz_i|
} PerpLcpRayCertificate;

// Arrays belong to the solver and stay valid until its next solve or its end.
typedef struct PerpLcpResult {
    PerpOutcome outcome;      // how the solve ended
    PerpLcpMethod method;     // the one that served
    int pivots;               // over all attempts
    int attempts;             // paths followed
    int factorisations;       // of the basis from the problem's own numbers
    bool basis_reused;        // the given basis fitted: one linear solve [AP97 section 6]
    int n;                    //
    const double *z, *w;      // n each, w recomputed as M z + q
    const signed char *basis; // n: 1 where z is basic, 0 where w is; for PerpLcpSettings.basis
    PerpLcpCertificate certificate;        // of z
    PerpLcpRay ray;                        // if outcome is RAY or INFEASIBLE
    PerpLcpRayCertificate ray_certificate; //
} PerpLcpResult;

// Owns scratch memory and results; make one per thread and keep it from step to step.
typedef struct PerpSolver PerpSolver;

PERP_API PerpStatus perp_solver_create(const PerpContext *context,
                                       PerpSolver **solver); // NULL: default
PERP_API void perp_solver_destroy(PerpSolver *solver);       // NULL is allowed

// Solves p. NaN and infinity are refused with BAD_VALUE. settings may be NULL.
PERP_API PerpStatus perp_lcp_solve(PerpSolver *solver, const PerpLcp *p,
                                   const PerpLcpSettings *settings, PerpLcpResult *result,
                                   PerpError *error);

// The certificate alone, for a z from anywhere. w may be NULL; else it receives M z + q.
PERP_API void perp_lcp_certify(const PerpLcp *p, const double *z, double *w,
                               PerpLcpCertificate *certificate);
PERP_API void perp_lcp_certify_ray(const PerpLcp *p, const PerpLcpRay *ray,
                                   PerpLcpRayCertificate *certificate);

#ifdef __cplusplus
}
#endif
#endif

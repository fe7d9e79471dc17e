// The step problem: the mixed complementarity problem of one time step, for any number of bodies,
// joints, bounded rows and contacts. Numbers only: it knows no shapes and no schemes.
//
//     Mt v - J' c = b                                     momentum, Mt in blocks, positive definite
//     y = J v + C c + d                                   velocity of each row, C its compliance
//
//     joints      y  = 0                                  c free                  [AP97 (2.9)]
//     boxes       lo <= c <= hi;  y >= 0 at lo, y <= 0 at hi, y = 0 between       [L82 (6.4)-(6.5)]
//     contacts    0 <= y                     perp  c >= 0                         [AP97 (2.10)]
//     friction    0 <= lambda_g + y          perp  c >= 0   each direction of g   [AP97 (2.11)]
//                 0 <= limit_g - sum c       perp  lambda_g >= 0                  [AP97 (2.12)]
//                 limit_g = mu_g c_n + cohesion_g
//
//     circular    |c| <= limit_g,  y = 0 or c = -limit_g y/|y|,  lambda_g = |y|      of groups that
//                 are circular: one or two directions, at right angles, whose impulses have either
//                 sign
//
// A contact has any number of friction groups: none (frictionless), one of u facets (sliding), more
// for torsion and rolling. Anisotropy is in the lengths of the directions.
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include "perp/api.h"
#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

// The rows of J in order: joints, boxes, contact normals, friction directions (group by group).
// Borrowed for the time of a call.
typedef struct PerpProblem {
    int n_bodies;          // blocks of Mt
    const int *body_start; // n_bodies + 1: body k has the velocities body_start[k] .. [k+1] - 1
    const double *Mt;      // the blocks one after the other, each by columns
    const double *b;       // velocities

    int n_joints, n_boxes, n_contacts, n_directions; // rows of each kind
    const int *row_start;  // rows + 1: row r has the entries row_start[r] .. [r+1] - 1
    const int *entry_body; // per entry: a body, at most once in a row
    const double *J;       // per entry: as many numbers as its body has velocities
    const double *d;       // rows
    const double *lo, *hi; // n_boxes, lo <= hi, may be -INFINITY and INFINITY

    int n_groups;              // of friction directions
    const int *group_contact;  // n_groups: the contact whose normal impulse bounds the group
    const int *group_start;    // n_groups + 1: into the directions
    const double *mu;          // n_groups, >= 0
    const double *cohesion;    // n_groups, >= 0: friction limit at c_n = 0
    const int *group_circular; // n_groups: 1 if the group is circular, else 0; NULL: none is

    // rows, C >= 0, 0 for friction directions: y = J v + C c + d. Springs, dampers, servos, soft
    // contacts. NULL: all are rigid
    const double *compliance;
} PerpProblem;

// Sizes that follow from p.
static inline int perp_problem_rows(const PerpProblem *p)
{
    return p->n_joints + p->n_boxes + p->n_contacts + p->n_directions;
}
// The length of v.
static inline int perp_problem_velocities(const PerpProblem *p)
{
    return p->n_bodies > 0 ? p->body_start[p->n_bodies] : 0;
}

// Checks sizes, indices, signs and finiteness; the message names the row or body at fault.
PERP_API PerpStatus perp_problem_check(const PerpProblem *p, PerpError *error);

// X(name, word, unit): the residuals of a certificate. Velocities are relative to the velocity
// scale of their row, impulses are turned into velocities by the row's inverse mass, see
// docs/notation.md.
#define PERP_RESIDUAL_LIST(X)                                                                      \
    X(MOMENTUM, "momentum", "body")                 /* |Mt v - J'c - b| */                         \
    X(JOINT, "joint", "joint row")                  /* |y| */                                      \
    X(BOX_RANGE, "box-range", "box row")            /* c outside [lo, hi] */                       \
    X(BOX_SIGN, "box-sign", "box row")              /* y of the wrong sign for where c is */       \
    X(APPROACH, "approach", "contact")              /* y < 0 */                                    \
    X(TENSION, "tension", "contact")                /* c_n < 0 */                                  \
    X(CONTACT_GAP, "contact-gap", "contact")        /* min(y, c_n) > 0 */                          \
    X(SLIP, "slip", "direction")                    /* lambda + y < 0 */                           \
    X(BETA_SIGN, "beta-sign", "direction")          /* beta < 0 */                                 \
    X(SLIP_GAP, "slip-gap", "direction")            /* min(lambda + y, beta) > 0 */                \
    X(CONE, "cone", "friction group")               /* sum beta > limit */                         \
    X(LAMBDA, "lambda", "friction group")           /* lambda < 0 */                               \
    X(CONE_GAP, "cone-gap", "friction group")       /* min(lambda, limit - sum beta) > 0 */        \
    X(DISSIPATION, "dissipation", "friction group") /* friction takes less power than it could */

typedef enum PerpResidual {
#define PERP_RESIDUAL_CODE(name, word, unit) PERP_RESIDUAL_##name,
    PERP_RESIDUAL_LIST(PERP_RESIDUAL_CODE)
#undef PERP_RESIDUAL_CODE
        PERP_RESIDUAL_COUNT
} PerpResidual;

// The word of reports, such as "slip-gap"; "?" if out of range.
PERP_API const char *perp_residual_name(PerpResidual residual);
PERP_API const char *perp_residual_unit(PerpResidual residual); // what residual_row[] counts

// How far (v, c, lambda) is from a solution, from the numbers of the problem alone.
typedef struct PerpCertificate {
    double residual[PERP_RESIDUAL_COUNT];  // each >= 0, NaN never: it counts as INFINITY
    int residual_row[PERP_RESIDUAL_COUNT]; // where it is largest, -1 if the class is empty
    double worst;                          // the largest residual
    PerpResidual worst_kind;               //
    double energy;                         // J, v'Mt v / 2
    double free_energy;                    // J, of the motion without constraints, Mt v_f = b
    double energy_excess;                  // energy - free_energy - work of d and of bounds that
                                           // exclude 0, relative; <= rounding  [AP97 (2.22)]
    bool symmetric;                        // (2.22) speaks of symmetric Mt only
} PerpCertificate;

// One pass over the blocks, sharing no code with any solver. v: velocities, c: rows,
// lambda: n_groups; context may be NULL. p must pass perp_problem_check. Returns NO_MEMORY at
// worst.
PERP_API PerpStatus perp_certify(const PerpContext *context, const PerpProblem *p, const double *v,
                                 const double *c, const double *lambda,
                                 PerpCertificate *certificate, PerpError *error);

// The same, and of_contact, n_contacts: the worst residual of each contact, of its normal and of
// the directions and groups of its friction.
PERP_API PerpStatus perp_certify_contacts(const PerpContext *context, const PerpProblem *p,
                                          const double *v, const double *c, const double *lambda,
                                          PerpCertificate *certificate, double *of_contact,
                                          PerpError *error);

// What residuals alone do not say, of problems whose friction groups are circular.
typedef struct PerpGap {
    double velocity; // bound on |v - v*|_M by |v - v_f|_M, from the duality gap of the exact law
                     // with its slip speeds held
} PerpGap;

// Shares no code with any solver; context may be NULL. Returns NO_MEMORY at worst.
PERP_API PerpStatus perp_certify_gap(const PerpContext *context, const PerpProblem *p,
                                     const double *v, const double *c, PerpGap *gap,
                                     PerpError *error);

// The friction law with slip held: for given slip speeds s of the groups, which must be circular
// and at most one a contact,
//
//     r in K,  u + mu s e_n in K*,  r'(u + mu s e_n) = 0,   K = { |r_T| <= mu r_n }
//
// is convex, and the exact law if s = |u_T| [Acary, Cadoux, Lemarechal, Malick 2011]. The friction
// cone, maximal dissipation, sticking and the direction of friction are exact whatever s is; what
// deviates is the normal velocity: of a contact that pushes it is mu (|u_T| - s) instead of 0, of
// one that does not it is at least that. After a step of length h gaps are off by h gap_speed.
typedef struct PerpHeld {
    double residual;  // the worst of this law, by the scales of the certificate, momentum included
    double gap_speed; // m/s: the largest mu ||u_T| - s| of a contact that pushes, and the fastest
                      // approach of one that does not
    int contacts;     // contacts that it concerns: those above 1e-8 of their velocity scale
} PerpHeld;

// slip: n_groups. Shares no code with any solver; context may be NULL. Returns NO_MEMORY at worst.
PERP_API PerpStatus perp_certify_held(const PerpContext *context, const PerpProblem *p,
                                      const double *v, const double *c, const double *slip,
                                      PerpHeld *held, PerpError *error);

// X(name, word, text): the methods of the ladder, from the cheapest on; docs/theory/solvers.md says
// where each applies.
#define PERP_METHOD_LIST(X)                                                                        \
    X(FREE, "free", "motion without impulses")                                                     \
    X(JOINTS, "joints", "joints alone: one sparse factorisation [AP97 (A.2)-(A.3)]")               \
    X(WARM_START, "warm-start", "the impulses to start from, as they are")                         \
    X(NSGS, "nsgs", "nonsmooth Gauss-Seidel [Jean 1999]")                                          \
    X(PROJECTED_NSGS, "projected-nsgs", "Gauss-Seidel with a projection a contact")                \
    X(APGD, "apgd", "accelerated projected gradients [Nesterov 1983; Mazhar et al. 2015]")         \
    X(NEWTON_LOCAL, "newton-local", "semismooth Newton on the local solution map")                 \
    X(NEWTON, "newton", "semismooth Newton on the natural map [Alart, Curnier 1991]")              \
    X(SLIP_HELD, "slip-held", "the convex law with slip held [Acary et al. 2011]")                 \
    X(PROXIMAL, "proximal", "proximal points [Rockafellar 1976], each by newton")                  \
    X(POLYGON, "polygon", "pivots on inscribed polygons, refined, then Newton on the normal map")  \
    X(PIVOTING, "pivoting", "block pivoting, Cottle-Dantzig, Lemke; polygons only")

typedef enum PerpMethod {
#define PERP_METHOD_CODE(name, word, text) PERP_METHOD_##name,
    PERP_METHOD_LIST(PERP_METHOD_CODE)
#undef PERP_METHOD_CODE
        PERP_METHOD_COUNT
} PerpMethod;

// The word that users type, and one line about the method; "?" if out of range.
PERP_API const char *perp_method_name(PerpMethod method);
PERP_API const char *perp_method_text(PerpMethod method);
PERP_API bool perp_method_from_name(const char *name, PerpMethod *method); // false if unknown

// Sets of methods.
#define PERP_METHOD_BIT(method) (1u << (method))
// Every method.
#define PERP_ALL_METHODS (PERP_METHOD_BIT(PERP_METHOD_COUNT) - 1)

// What a rung of the ladder did.
typedef struct PerpRungTrace {
    PerpMethod method;  // of the rung
    const char *rung;   // its name in the table of src/solve/rungs.c: a method has several
    int contacts;       // of the problem, or of the island of it
    int work;           // sweeps, gradients, factorisations or pivots
    double residual;    // natural residual relative to that of no impulses; NAN: not measured
    double certificate; // worst residual of the best point so far; INFINITY: none certified yet
    double seconds;     // CPU time of the thread
    bool accepted;      // the best point so far meets the tolerance
} PerpRungTrace;

// Told what each rung did, in order.
typedef void (*PerpTraceCallback)(void *user, const PerpRungTrace *rung);

// How a problem is solved.
typedef struct PerpProblemSettings {
    size_t size;              // set by perp_default_problem_settings
    PerpLcpMethod method;     // of pivoting, default AUTO
    double tolerance;         // certificate that counts as solved, default PERP_TOLERANCE, > 0
    double held_tolerance;    // of the law with slip held, that counts as an answer where the exact
                              // law is not solved at a bounded price; default 0: none does
    int max_pivots;           // default 0: as for the LCP
    const signed char *basis; // of a PerpProblemResult with the same layout; default NULL
    int basis_size;           // its lcp_size; another one than the problem's: passed over
    bool minimum_norm;        // of all c with the same v, the shortest; default false
    const double *start;      // rows: impulses to start from; default NULL
    bool judge_contacts;      // the result has the residuals of contacts; default false
    int held_steps;           // steps in a row, before this one, that were answered with slip held:
                              // Newton's method on the exact law is tried now and then only;
                              // default 0
    unsigned methods;         // bits of those that may be used, default PERP_ALL_METHODS
    PerpTraceCallback trace;  // told what each rung did; default NULL
    void *trace_user;         // its first argument
    bool (*interrupt)(void *user); // asked now and then; true: the solve ends with INTERRUPTED
    void *interrupt_user;          // its first argument; both default NULL
    double held_gap_speed; // m/s: gap_speed of an answer with slip held above which another slip is
                           // tried; default 0: none is
    const double *start_slip; // n_groups, m/s: lambda of the solution that `start` is of; default
                              // NULL: not known
} PerpProblemSettings;

PERP_DEFAULTS(PerpProblemSettings, problem_settings)

// Arrays belong to the solver and stay valid until its next solve or its end.
typedef struct PerpProblemResult {
    PerpOutcome outcome;  // whether the certificate is within the tolerance
    PerpLcpMethod method; // of pivoting
    int lcp_size;         // complementary pairs after elimination of v and the joints
    int joint_rank;       // independent joint rows
    int pivots, attempts, factorisations; // of pivoting, over all attempts
    bool basis_reused;                    // the given basis fitted
    PerpMethod solved_by;                 // the method that found the answer
    int iterations;               // factorisations of Newton's method and of interior points
    int sweeps;                   // of Gauss-Seidel, and gradients
    const double *v, *c, *lambda; // velocities, rows, n_groups
    const signed char *basis;     // lcp_size
    PerpCertificate certificate;  // computed from p, v, c and lambda alone
    PerpGap gap;                  // 0 if no friction group is circular
    PerpHeld held;                // 0 unless the outcome is HELD
    const double *slip_held;      // n_groups, m/s: the s of that law; NULL unless it is HELD
    const double *of_contact;     // n_contacts: the worst residual of each; NULL: not asked for
} PerpProblemResult;

// Solves p; settings may be NULL. Numerical outcomes are in the result; the status tells of misuse
// and of memory.
PERP_API PerpStatus perp_problem_solve(PerpSolver *solver, const PerpProblem *p,
                                       const PerpProblemSettings *settings,
                                       PerpProblemResult *result, PerpError *error);

// The LCP (W, q) in which v and the joints are eliminated [AP97 (A.4)], for other solvers.
// M and q belong to the solver and stay valid until its next call.
PERP_API PerpStatus perp_problem_reduce(PerpSolver *solver, const PerpProblem *p, PerpLcp *lcp,
                                        PerpError *error);

#ifdef __cplusplus
}
#endif
#endif

// The best certified answer so far. Here, and nowhere else, do solvers meet the certificates: of
// step problems, of contact problems, of LCPs.
#ifndef PERP_SOLVE_CERTIFIED_H
#define PERP_SOLVE_CERTIFIED_H

#include "base/memory.h"
#include "perp/contact_problem.h"
#include "problem/judge.h"

typedef struct PerpCertified {
    const PerpProblem *p;      // borrowed
    const PerpProblem *judged; // borrowed: p, or the one with compliance that p stands for
    PerpContext scratch;       // lets the certificate use the arena
    PerpArena *arena;
    PerpMethod method; // at work
    bool with_gap;     // the duality gap is wanted, too

    // of the best
    double *v, *c, *lambda;
    double *of_contact, *of_contact_now; // residuals; NULL: not asked for
    PerpCertificate certificate;         // worst: INFINITY if there is none
    PerpGap gap;
    PerpHeld held;     // if it answers the law with slip held only
    bool has_held;     // is there such an answer?
    double *slip_held; // groups
    PerpMethod found_by;
} PerpCertified;

// False if memory is short.
bool perp_certified_take(PerpArena *arena, const PerpProblem *p, bool judge_contacts,
                         PerpCertified *best);

extern const PerpLcpJudge perp_certified_lcp_judge;

// Judges points of best->p, and keeps the best.
PerpJudge perp_certified_judge(PerpCertified *best);
// Judges points of other problems, and keeps none.
PerpJudge perp_certified_judge_others(PerpCertified *best);

// Does the law with slip held, slip of groups, hold at the point to the tolerance? Then it becomes
// the best, whatever its residual on the exact law, unless one with a smaller gap error is. The
// worst residual of that law, NAN if memory
// is short.
double perp_certified_accept_held(PerpCertified *best, const PerpPoint *point, const double *slip,
                                  double tolerance);

// The worst residual of impulses of a contact problem, NAN if memory is short. u: rows.
double perp_certified_contacts(PerpArena *arena, const PerpContactProblem *p, const double *r,
                               double *u, PerpContactCertificate *certificate);

#endif

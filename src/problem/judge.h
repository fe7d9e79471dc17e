// What solvers of step problems are given to ask how good an answer is: they never see the
// certificate's code, and it shares none with them.
#ifndef PERP_PROBLEM_JUDGE_H
#define PERP_PROBLEM_JUDGE_H

#include "perp/problem.h"

// Velocities, impulses of rows and slip speeds of groups of a problem.
typedef struct PerpPoint {
    const double *v, *c, *lambda;
} PerpPoint;

typedef struct PerpJudge {
    // The worst residual of the point's certificate, NAN if memory is short. The point is kept if
    // it is the best so far, or within the tolerance. of_contact: n_contacts, the residuals of
    // contacts; NULL: not asked for.
    double (*offer)(void *user, const PerpProblem *p, const PerpPoint *point, double tolerance,
                    double *of_contact);
    void *user;
} PerpJudge;

static inline double perp_judge_offer(const PerpJudge *judge, const PerpProblem *p,
                                      const PerpPoint *point, double tolerance, double *of_contact)
{
    return judge->offer(judge->user, p, point, tolerance, of_contact);
}

#endif

// What solvers of step problems and LCPs are given to ask how good an answer is: they never see the
// certificate's code, and it shares none with them.
#ifndef PERP_PROBLEM_JUDGE_H
#define PERP_PROBLEM_JUDGE_H

#include "perp/lcp.h"
#include "perp/problem.h"

// Velocities, impulses of rows and slip speeds of groups of a problem.
typedef struct PerpPoint {
    const double *v, *c, *lambda;
} PerpPoint;

// Certificates of points and rays of LCPs; w receives M z + q.
typedef struct PerpLcpJudge {
    void (*point)(const PerpLcp *p, const double *z, double *w, PerpLcpCertificate *certificate);
    void (*ray)(const PerpLcp *p, const PerpLcpRay *ray, PerpLcpRayCertificate *certificate);
} PerpLcpJudge;

typedef struct PerpJudge {
    // The worst residual of the point's certificate, NAN if memory is short. The point is kept if
    // it is the best so far, or within the tolerance. of_contact: n_contacts, the residuals of
    // contacts; NULL: not asked for.
    double (*certify)(void *user, const PerpProblem *p, const PerpPoint *point, double tolerance,
                      double *of_contact);
    void *user;
    const PerpLcpJudge *lcp; // of the LCPs on the way
} PerpJudge;

static inline double perp_judge_certify(const PerpJudge *judge, const PerpProblem *p,
                                        const PerpPoint *point, double tolerance,
                                        double *of_contact)
{
    return judge->certify(judge->user, p, point, tolerance, of_contact);
}

#endif

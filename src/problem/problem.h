// Sizes and properties of a step problem, for its solvers.
#ifndef PERP_PROBLEM_PROBLEM_H
#define PERP_PROBLEM_PROBLEM_H

#include "perp/problem.h"

// BAD_VALUE unless all of x are finite; the message names `what` and the index.
PerpStatus perp_require_finite(const double *x, int n, const char *what, PerpError *error);

// Pairs of complementary numbers, if friction goes by pivots.
static inline int perp_problem_pairs(const PerpProblem *p)
{
    return p->n_contacts + p->n_boxes + p->n_directions + p->n_groups;
}

// Has it a friction group under the circular law?
static inline bool perp_problem_has_circular(const PerpProblem *p)
{
    for (int g = 0; g < p->n_groups && p->group_circular; g++)
        if (p->group_circular[g])
            return true;
    return false;
}

#endif

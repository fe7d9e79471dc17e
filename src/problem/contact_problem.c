// Checks of a contact problem without bodies: sizes, indices, signs, finiteness.

#include "perp/contact_problem.h"

#include "base/error.h"
#include "problem/problem.h"

#include <math.h>

PerpStatus perp_contact_problem_check(const PerpContactProblem *p, PerpError *error)
{
    if ((p->dimension != 2 && p->dimension != 3) || p->contacts < 0 || p->bilateral < 0)
        return perp_fail(error, PERP_BAD_SIZE, "expected dimension 2 or 3 and sizes >= 0");
    int rows = perp_contact_problem_rows(p);
    for (int k = 0; k < p->contacts; k++)
        if (!(p->mu[k] >= 0 && isfinite(p->mu[k])))
            return perp_fail(error, PERP_BAD_VALUE, "mu[%d]: expected a finite number >= 0", k);
    for (int row = 0; row < rows; row++)
        if (p->start[0] != 0 || p->start[row] > p->start[row + 1])
            return perp_fail(error, PERP_BAD_SIZE, "start: expected numbers that rise from 0");
    for (int e = 0; e < p->start[rows]; e++)
        if (p->column[e] < 0 || p->column[e] >= rows)
            return perp_fail(error, PERP_BAD_VALUE, "column[%d] is outside the matrix", e);
    PerpStatus status = perp_require_finite(p->x, p->start[rows], "x", error);
    return status ? status : perp_require_finite(p->q, rows, "q", error);
}

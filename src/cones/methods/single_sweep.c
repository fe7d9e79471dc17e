// One sweep of Gauss-Seidel straight on the rows of a contact problem, for contacts that hardly
// meet.

#include "cones/methods/methods.h"
#include "cones/second_order.h"

#include <math.h>

// The velocity of a row without the impulse of its own contact, whose entries go to A.
static double gather(const PerpContactProblem *p, int first, int row, const double *r, double *A,
                     bool *leans)
{
    double sum = p->q[row];
    for (int e = p->start[row]; e < p->start[row + 1]; e++) {
        int place = p->column[e] - first;
        if (place >= 0 && place < p->dimension)
            A[place] += p->x[e];
        else
            sum += p->x[e] * r[p->column[e]];
        *leans = *leans || (place < 0 && p->x[e] != 0);
    }
    return sum;
}

// Tangents scaled by mu.
static void scale(double mu, double *A, double *q)
{
    for (int i = 1; i < 3; i++) {
        q[i] *= mu;
        A[i] *= mu;
        A[3 * i] *= mu;
        A[3 * i + 1] *= mu * mu;
        A[3 * i + 2] *= mu * mu;
    }
}

// The impulse of a contact, the others held. True if contacts before it act on it, so that it acts
// on them.
static bool solve(const PerpContactProblem *p, int contact, const double *r, double *x)
{
    int first = contact * p->dimension;
    double A[9] = {0}, q[3] = {0}, inverse[9], slide = 0;
    bool leans = false;
    x[0] = x[1] = x[2] = 0;
    q[0] = gather(p, first, first, r, A, &leans);
    if (q[0] >= 0) // open
        return false;
    for (int i = 1; i < p->dimension; i++)
        q[i] = gather(p, first, first + i, r, A + 3 * i, &leans);
    scale(p->mu[contact], A, q);
    perp_soc_prepare(A, inverse);
    perp_soc_solve(A, inverse, q, &slide, x);
    x[1] *= p->mu[contact];
    x[2] *= p->mu[contact];
    return leans;
}

bool perp_single_sweep(const PerpContactProblem *p, double tolerance, double *r)
{
    bool again = false;
    double x[3];
    for (int k = 0; k < p->contacts; k++) {
        again = solve(p, k, r, x) || again;
        for (int i = 0; i < p->dimension; i++)
            r[k * p->dimension + i] = x[i];
    }
    for (int k = 0; k < p->contacts && again; k++) {
        solve(p, k, r, x);
        for (int i = 0; i < p->dimension; i++)
            if (!(fabs(x[i] - r[k * p->dimension + i]) <= tolerance * x[0]))
                return false;
    }
    return true;
}

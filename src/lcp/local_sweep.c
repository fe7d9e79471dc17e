#include "lcp/local_small.h"

#include "lcp/round_cone.h"

#include <math.h>

// A contact as its rows have it.
typedef struct Own {
    double A[9]; // its diagonal block, tangents scaled by mu
    double q[3]; // its velocity without its own impulse, scaled likewise
    bool leans;  // do contacts before it act on it? Then it acts on them.
} Own;

static Own gather(const PerpLocal *p, int contact, const double *r)
{
    int first = contact * p->dimension;
    Own own = {0};
    for (int i = 0; i < p->dimension; i++) {
        double sum = p->q[first + i];
        for (int e = p->start[first + i]; e < p->start[first + i + 1]; e++) {
            int place = p->column[e] - first;
            if (place >= 0 && place < p->dimension)
                own.A[3 * i + place] += p->x[e];
            else
                sum += p->x[e] * r[p->column[e]];
            own.leans = own.leans || place < 0;
        }
        own.q[i] = sum;
    }
    for (int i = 1; i < 3; i++) {
        own.q[i] *= p->mu[contact];
        own.A[i] *= p->mu[contact];
        own.A[3 * i] *= p->mu[contact];
        for (int j = 1; j < 3; j++)
            own.A[3 * i + j] *= p->mu[contact] * p->mu[contact];
    }
    return own;
}

// The contact's impulse, with the tangents' divided by mu.
static void solve(Own *own, double *x)
{
    double inverse[9], slide = 0;
    x[0] = x[1] = x[2] = 0;
    if (own->q[0] >= 0)
        return;
    perp_cone_prepare(own->A, inverse);
    perp_cone_solve(own->A, inverse, own->q, &slide, x);
}

static void store(const PerpLocal *p, int contact, const double *x, double *r)
{
    for (int i = 0; i < p->dimension; i++)
        r[contact * p->dimension + i] = i == 0 ? x[0] : p->mu[contact] * x[i];
}

// Would this contact move by more than so much, relative to its impulse?
static bool moves(const PerpLocal *p, int contact, double enough, const double *r)
{
    double x[3], now[3], *before = (double *)r + contact * p->dimension;
    Own own = gather(p, contact, r);
    solve(&own, x);
    for (int i = 0; i < p->dimension; i++) {
        now[i] = i == 0 ? x[0] : p->mu[contact] * x[i];
        if (!(fabs(now[i] - before[i]) <= enough * x[0]))
            return true;
    }
    return false;
}

bool perp_local_sweep(const PerpLocal *p, double enough, double *r)
{
    bool again = false;
    for (int k = 0; k < p->contacts; k++) {
        double x[3];
        Own own = gather(p, k, r);
        solve(&own, x);
        store(p, k, x, r);
        again = again || (own.leans && x[0] != 0);
    }
    for (int k = 0; k < p->contacts && again; k++)
        if (moves(p, k, enough, r))
            return false;
    return true;
}

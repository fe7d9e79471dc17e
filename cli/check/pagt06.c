// Theorems 8.1 and 9.1 to 9.3 of PAGT06 from the states: docs/theory/pagt06.md.
#include "check/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DOUBT = 1e-10; // of margins, by differences

typedef struct Forces {
    PerpEquations e; // at the beginning, at rest: forces without Coriolis
    int n;
    double *k2;    // mean over the step, without links
    double *x, *y; // scratch
    double *rest;  // no velocity
} Forces;

// k2 = (k(t) + k(t + h))/2
static PerpStatus find_forces(const MarginStep *step, Forces *f, PerpError *error)
{
    PerpEquations later;
    CheckStates *states = step->states;
    PerpStatus status = perp_simulation_equations_at(states->simulation, step->t, states->q_old,
                                                     f->rest, &f->e, error);
    if (!status)
        status = perp_simulation_equations_at(states->simulation, step->t + step->h, states->q_old,
                                              f->rest, &later, error);
    if (status)
        return status;
    for (int i = 0; i < f->n; i++)
        f->k2[i] = (f->e.k[i] + later.k[i]) / 2;
    perp_equations_free(states->simulation, &later);
    return PERP_OK;
}

// --- theorem 8.1 --------------------------------------------------------------------------------

//     |v_new| - |v| <= h (K + (a_v/2 + h a_q/4) (|v| + |v_new|) + (h/2) a_q |v|)
static double margin_of_growth(double h, double K, double a_q, double a_v, double before,
                               double after)
{
    double bound = h * (K + (a_v / 2 + h * a_q / 4) * (before + after) + h / 2 * a_q * before);
    double scale = before + after + bound;
    return scale > 0 ? (bound - (after - before)) / scale : 0;
}

// NaN where differences are too coarse, as with springs of less than a millimetre.
static PerpStatus growth(const MarginStep *step, const Forces *f, bool exact, double *margin,
                         PerpError *error)
{
    DerivativeNorms a;
    PerpStatus status = find_derivative_norms(step, &f->e, exact, &a, error);
    if (status)
        return status;
    memcpy(f->x, f->k2, (size_t)f->n * sizeof(double));
    links_add_force(&f->e, step->states->v_old, f->x);
    double K = metric_dual(&f->e, f->x, f->y);
    double before = metric_norm(&f->e, step->states->v_old);
    double after = metric_norm(&f->e, step->states->v);
    *margin = margin_of_growth(step->h, K, a.a_q, a.a_v, before, after);
    double other = margin_of_growth(step->h, K, a.a_q + a.doubt, a.a_v, before, after);
    if (isnan(*margin))
        *margin = -INFINITY; // of states that are none
    else if (!(fabs(other - *margin) <= DOUBT))
        *margin = NAN;
    return PERP_OK;
}

// Where the scheme chose between the two kinds of derivatives the recording does not say which it
// took: either may be what was recorded.
static PerpStatus find_growth(const MarginStep *step, const Forces *f, double *margin,
                              PerpError *error)
{
    PerpJacobian jacobian = step->states->settings.jacobian;
    double recorded = step->recorded[PERP_BOUND_PAGT06_GROWTH], other;
    PerpStatus status = growth(step, f, jacobian != PERP_JACOBIAN_APPROXIMATE, margin, error);
    if (status || jacobian != PERP_JACOBIAN_SWITCH)
        return status;
    status = growth(step, f, false, &other, error);
    if (!status && fabs(other - recorded) < fabs(*margin - recorded))
        *margin = other; // not if it is NaN: a doubt about one is a doubt about both
    return status;
}

// --- theorems 9.1 to 9.3 ------------------------------------------------------------------------

static double relative(double value, double bound)
{
    return value + bound > 0 ? (bound - value) / (value + bound) : 0;
}

//     |w1|^2 + sum gamma (psi + (h/2) g'w)^2 <= |w2|^2 + sum gamma psi^2
//     |w1| <= |w2|,    sum (h/2) ((h/2) gamma + delta) (g'w)^2 <= |w2|^2
// with w = v + v_new, w1 = v_new - (h/2) M^-1 k2, w2 = v + (h/2) M^-1 k2
static void find_stiff(const MarginStep *step, const Forces *f, double margin[PERP_BOUND_COUNT])
{
    const PerpEquations *e = &f->e;
    const double *v = step->states->v_old, *v_new = step->states->v;
    double h = step->h, first = 0, later = 0, rigid = 0, *w1 = f->y, *w2 = f->x;
    memcpy(f->x, f->k2, (size_t)f->n * sizeof(double));
    metric_divide(e, f->x);
    for (int i = 0; i < f->n; i++) {
        w1[i] = v_new[i] - h / 2 * f->x[i];
        w2[i] = v[i] + h / 2 * f->x[i];
    }
    for (int i = 0; i < e->n_links; i++) {
        double rate = link_rate(e, i, v) + link_rate(e, i, v_new), psi = e->psi[i];
        first += e->stiffness[i] * psi * psi;
        later += e->stiffness[i] * (psi + h / 2 * rate) * (psi + h / 2 * rate);
        rigid += h / 2 * (h / 2 * e->stiffness[i] + e->damping[i]) * rate * rate;
    }
    double after = metric_square(e, w1), before = metric_square(e, w2);
    margin[PERP_BOUND_PAGT06_STIFF] = relative(after + later, before + first);
    margin[PERP_BOUND_PAGT06_UNIFORM] = relative(after, before);
    margin[PERP_BOUND_PAGT06_LIMIT] = relative(rigid, before);
}

// --- all of them --------------------------------------------------------------------------------

PerpStatus margins_of_pagt06(const MarginStep *step, double margin[PERP_BOUND_COUNT],
                             PerpError *error)
{
    int n = step->states->n_v;
    double *memory = calloc(4 * (size_t)n + 1, sizeof *memory);
    if (!memory)
        return error->status = PERP_NO_MEMORY;
    Forces f = {.n = n, .k2 = memory, .x = memory + n, .y = memory + 2 * n, .rest = memory + 3 * n};
    PerpStatus status = find_forces(step, &f, error);
    if (!status && !isnan(step->recorded[PERP_BOUND_PAGT06_GROWTH]))
        status = find_growth(step, &f, &margin[PERP_BOUND_PAGT06_GROWTH], error);
    if (!status)
        find_stiff(step, &f, margin);
    perp_equations_free(step->states->simulation, &f.e);
    free(memory);
    return status;
}

// PS02's energy estimate from the states: docs/theory/ps02.md.
#include "check/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// exp(-h w) L in body axes: an angular momentum after the body has turned by h w
static void turn_back(double h, const double w[3], const double L[3], double turned[3])
{
    double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), angle = h * speed;
    double axis[3] = {0, 0, 0}, across[3];
    for (int i = 0; i < 3 && speed > 0; i++)
        axis[i] = w[i] / speed;
    double along = axis[0] * L[0] + axis[1] * L[1] + axis[2] * L[2];
    cross_product(L, axis, across);
    for (int i = 0; i < 3; i++)
        turned[i] = cos(angle) * L[i] + sin(angle) * across[i] + (1 - cos(angle)) * along * axis[i];
}

// p += what inertia adds to the momenta M v of bodies that turn, in their own axes, within h
static void add_turning(const MarginStep *step, const double *momentum, double *p)
{
    MovingBody body = {.body = -1};
    while (next_moving(step->states, &body)) {
        int at = free_spin_at(&body);
        double turned[3];
        if (at < 0)
            continue;
        turn_back(step->h, step->states->v_old + at, momentum + at, turned);
        for (int i = 0; i < 3; i++)
            p[at + i] += turned[i] - momentum[at + i];
    }
}

// |h G|_M: the forces at the beginning of the step, at rest, and inertia
static double free_change(const MarginStep *step, const PerpEquations *e, double *work)
{
    int n = step->states->n_v;
    double *p = work, *momentum = work + n;
    memcpy(p, e->k, (size_t)n * sizeof *p);
    links_add_force(e, step->states->v_old, p);
    for (int i = 0; i < n; i++)
        p[i] *= step->h;
    metric_momentum(e, step->states->v_old, momentum);
    add_turning(step, momentum, p);
    return metric_dual(e, p, momentum);
}

// |u|_M <= |v|_M + h |G|_M
PerpStatus margins_of_ps02(const MarginStep *step, double margin[PERP_BOUND_COUNT],
                           PerpError *error)
{
    PerpEquations e;
    const CheckStates *states = step->states;
    double *work = calloc(3 * (size_t)states->n_v + 1, sizeof *work);
    if (!work)
        return error->status = PERP_NO_MEMORY;
    const double *rest = work + 2 * states->n_v;
    PerpStatus status =
        perp_simulation_equations_at(states->simulation, step->t, states->q_old, rest, &e, error);
    if (!status) {
        double bound = metric_norm(&e, states->v_old) + free_change(step, &e, work);
        double value = metric_norm(&e, states->v);
        margin[PERP_BOUND_PS02_ENERGY] = bound > 0 ? (bound - value) / bound : -value;
        perp_equations_free(states->simulation, &e);
    }
    free(work);
    return status;
}

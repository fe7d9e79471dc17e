// Semismooth Newton's method on the natural map of the exact law [Alart and Curnier 1991; Qi and
// Sun 1993], with a regularisation that keeps it regular where impulses are not unique. From a
// point that has the right contacts open, sticking and sliding it takes one or two steps to
// rounding.
//
//     F = r - P(r - z) = 0,   z = u + |u_T| e_n,   dP the derivative of the projection
//     (1 - (1 - regularisation) dP) dr = -F - dP dz/du J dv
//
// With a proximal term u + rho (r - r_centre) takes the place of u.

#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 3, PATIENCE = 6 }; // steps in a row that do not better the residual

// Joints alone are linear: what was factorised once serves for all steps.
static bool is_linear(const PerpConeProblem *cones)
{
    return cones->n_inequalities == 0;
}

// With slip held C is symmetric.
static bool is_convex(const PerpConeProblem *cones)
{
    return cones->shift == 0 && cones->n_coupled == 0;
}

static bool linearise(PerpConeProblem *cones, const PerpNewtonTerms *terms, const double *r,
                      const double *u, double *g)
{
    memset(cones->newton.C, 0, (size_t)(9 * cones->n_constraints) * sizeof(double));
    memset(g, 0, (size_t)(BLOCK * cones->n_constraints) * sizeof(double));
    for (int c = 0; c < cones->n_constraints; c++)
        if (!cones->constraint[c].cone->linearise(cones, c, terms, r, u, g))
            return false;
    return true;
}

double perp_newton_natural(PerpArena *arena, PerpConeProblem *cones, double regularisation,
                           double tolerance, int *iterations, double *r)
{
    return perp_newton_proximal(arena, cones, regularisation, NULL, tolerance, iterations, r);
}

double perp_newton_proximal(PerpArena *arena, PerpConeProblem *cones, double regularisation,
                            const PerpProximalTerm *centre, double tolerance, int *iterations,
                            double *r)
{
    const PerpNewtonTerms terms = {regularisation, centre ? centre->rho : 0};
    bool linear = is_linear(cones);
    cones->newton.symmetric = is_convex(cones);
    int numbers = BLOCK * cones->n_constraints, most = *iterations, done = 0, bad = 0;
    double *now = PERP_TAKE(arena, double, numbers), *u = PERP_TAKE(arena, double, numbers);
    double *g = PERP_TAKE(arena, double, numbers), *w = PERP_TAKE(arena, double, numbers);
    double *v = PERP_TAKE(arena, double, cones->n_state), best = INFINITY;
    if (!now || !u || !g || !w || !v)
        return NAN;
    memcpy(now, r, (size_t)numbers * sizeof(double));
    for (;; done++) {
        perp_delassus_velocity(cones, now, v);
        perp_delassus_speeds(cones, v, u);
        for (int i = 0; i < numbers && centre; i++)
            u[i] += terms.rho * (now[i] - centre->r[i]);
        double residual = perp_cones_residual(cones, now, u);
        bad = residual < best ? 0 : bad + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, now, (size_t)numbers * sizeof(double));
        }
        if (best <= tolerance || done == most || bad > (linear ? 0 : PATIENCE) ||
            perp_interrupted(cones->interrupt) || !linearise(cones, &terms, now, u, g) ||
            (!(linear && done > 0) && !perp_delassus_factor(cones)))
            break;
        perp_delassus_solve(cones, g, w);
        for (int i = 0; i < numbers; i++)
            now[i] += w[i];
    }
    cones->newton.symmetric = false;
    *iterations = done;
    return best;
}

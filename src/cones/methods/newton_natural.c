// Newton's method on the natural residual of the exact law, with a proximal term that keeps it
// regular where impulses are not unique. From a point that has the right contacts open, stuck and
// sliding it takes one or two steps to rounding.
//
//     F = r - P(r - z) = 0,   z = u + |u_T| e_n,   dP the derivative of the projection
//     (1 - (1 - soft) dP) dr = -F - dP dz/du J dv
//
// An proximal centre pulls impulses towards given ones: u + pull (r - r_anchor) takes the place of
// u.

#include "cones/methods/methods.h"
#include "cones/product.h"
#include "math/small_solve.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 3, PATIENCE = 6 }; // steps in a row that do not better the residual

// P(y) and its derivative dP for the cone { |x_T| <= x_n }
static void project(const double *y, double *P, double *dP)
{
    double t = perp_length(y[1], y[2]);
    bool inside = t <= y[0], polar = t <= -y[0];
    memset(dP, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        P[i] = inside ? y[i] : 0;
        dP[3 * i + i] = inside;
    }
    if (inside || polar)
        return;
    double n = (y[0] + t) / 2, e[3] = {1, y[1] / t, y[2] / t};
    for (int i = 0; i < 3; i++) {
        P[i] = n * e[i];
        for (int j = 0; j < 3; j++)
            dP[3 * i + j] = e[i] * e[j] / 2;
    }
    for (int i = 1; i < 3; i++) // the direction turns
        for (int j = 1; j < 3; j++)
            dP[3 * i + j] += n / t * ((i == j) - e[i] * e[j]);
}

// C and g of a cone: dr = g - C w, w = J dv; u has the proximal parameter in it
static bool linearise_cone(double epsilon, double rho, double shift, const double *r,
                           const double *u, double *C, double *g)
{
    double slip = perp_length(u[1], u[2]), P[3], dP[9], A[9], right[12];
    double B[2] = {slip > 0 ? shift * u[1] / slip : 0, slip > 0 ? shift * u[2] / slip : 0};
    const double y[3] = {r[0] - u[0] - shift * slip, r[1] - u[1], r[2] - u[2]};
    project(y, P, dP);
    for (int i = 0; i < 3; i++) {
        right[4 * i] = dP[3 * i];
        right[4 * i + 1] = dP[3 * i] * B[0] + dP[3 * i + 1];
        right[4 * i + 2] = dP[3 * i] * B[1] + dP[3 * i + 2];
        right[4 * i + 3] = P[i] - r[i];
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = (i == j) - (1 - epsilon) * dP[3 * i + j] + rho * right[4 * i + j];
    }
    if (!perp_small_solve(3, A, 4, right))
        return false;
    for (int i = 0; i < 3; i++) {
        memcpy(C + 3 * i, right + 4 * i, 3 * sizeof(double));
        g[i] = right[4 * i + 3];
    }
    return true;
}

static void linearise_box(double epsilon, double rho, const PerpConstraint *constraint,
                          const double *r, const double *u, double *C, double *g)
{
    double y = r[0] - u[0], P = fmin(fmax(y, constraint->lo), constraint->hi);
    C[0] = P == y && constraint->lo < constraint->hi ? 1 / (epsilon + rho) : 0;
    g[0] = C[0] > 0 ? -u[0] * C[0] : P - r[0];
}

// Joints alone are linear: what was factorised once serves for all steps.
static bool is_linear(const PerpConeProblem *cones)
{
    for (int c = 0; c < cones->n_constraints; c++)
        if (cones->constraint[c].kind != PERP_CONSTRAINT_BILATERAL)
            return false;
    return true;
}

static bool linearise(PerpConeProblem *cones, double epsilon, double rho, const double *r,
                      const double *u, double *g)
{
    memset(cones->C, 0, (size_t)(9 * cones->n_constraints) * sizeof(double));
    memset(g, 0, (size_t)(BLOCK * cones->n_constraints) * sizeof(double));
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        const double *r_c = r + BLOCK * c, *u_c = u + BLOCK * c;
        double *C = cones->C + 9 * c, *g_c = g + BLOCK * c;
        if (constraint->kind == PERP_CONSTRAINT_COUPLED) // with its cone
            continue;
        if (cones->product && perp_cones_is_product(cones, c)) {
            if (!perp_product_linearise(cones, c, epsilon, rho, r, u, g))
                return false;
            continue;
        }
        if (constraint->kind == PERP_CONSTRAINT_CONE &&
            !linearise_cone(epsilon, rho, cones->shift, r_c, u_c, C, g_c))
            return false;
        if (constraint->kind == PERP_CONSTRAINT_BOX)
            linearise_box(epsilon, rho, constraint, r_c, u_c, C, g_c);
        if (constraint->kind == PERP_CONSTRAINT_BILATERAL) {
            C[0] = C[4] = C[8] = 1 / (epsilon + rho);
            for (int i = 0; i < BLOCK; i++)
                g_c[i] = -u_c[i] * C[0];
        }
    }
    return true;
}

double perp_newton_natural(PerpArena *arena, PerpConeProblem *cones, double epsilon,
                           double tolerance, int *iterations, double *r)
{
    return perp_newton_anchored(arena, cones, epsilon, NULL, tolerance, iterations, r);
}

double perp_newton_anchored(PerpArena *arena, PerpConeProblem *cones, double epsilon,
                            const PerpProximalTerm *centre, double tolerance, int *iterations,
                            double *r)
{
    double rho = centre ? centre->rho : 0;
    bool linear = is_linear(cones);
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
            u[i] += rho * (now[i] - centre->r[i]);
        double residual = perp_cones_residual(cones, now, u);
        bad = residual < best ? 0 : bad + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, now, (size_t)numbers * sizeof(double));
        }
        if (best <= tolerance || done == most || bad > (linear ? 0 : PATIENCE) ||
            !linearise(cones, epsilon, rho, now, u, g) ||
            (!(linear && done > 0) && !perp_delassus_factor(cones)))
            break;
        perp_delassus_solve(cones, g, w);
        for (int i = 0; i < numbers; i++)
            now[i] += w[i];
    }
    *iterations = done;
    return best;
}

// Newton's method on the natural residual of the exact law, with a proximal term that keeps it
// regular where impulses are not unique. From a point that has the right contacts open, stuck and
// sliding it takes one or two steps to rounding.
//
//     F = r - P(r - z) = 0,   z = u + |u_T| e_n,   dP the derivative of the projection
//     (1 - (1 - soft) dP) dr = -F - dP dz/du J dv
//
// An anchor pulls impulses towards given ones: u + pull (r - r_anchor) takes the place of u.

#include "lcp/round_methods.h"
#include "lcp/round_wide.h"
#include "lcp/small_solve.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { CELL = 3, PATIENCE = 6 }; // steps in a row that do not better the residual

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

// C and g of a cone: dr = g - C w, w = J dv; u has the pull in it
static bool linearise_cone(double soft, double pull, double shift, const double *r, const double *u,
                           double *C, double *g)
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
            A[3 * i + j] = (i == j) - (1 - soft) * dP[3 * i + j] + pull * right[4 * i + j];
    }
    if (!perp_small_solve(3, A, 4, right))
        return false;
    for (int i = 0; i < 3; i++) {
        memcpy(C + 3 * i, right + 4 * i, 3 * sizeof(double));
        g[i] = right[4 * i + 3];
    }
    return true;
}

static void linearise_box(double soft, double pull, const PerpCell *cell, const double *r,
                          const double *u, double *C, double *g)
{
    double y = r[0] - u[0], P = fmin(fmax(y, cell->lo), cell->hi);
    C[0] = P == y && cell->lo < cell->hi ? 1 / (soft + pull) : 0;
    g[0] = C[0] > 0 ? -u[0] * C[0] : P - r[0];
}

// Joints alone are linear: what was factorised once serves for all steps.
static bool is_linear(const PerpRound *round)
{
    for (int c = 0; c < round->n_cells; c++)
        if (round->cell[c].kind != PERP_CELL_JOINT)
            return false;
    return true;
}

static bool linearise(PerpRound *round, double soft, double pull, const double *r, const double *u,
                      double *g)
{
    memset(round->C, 0, (size_t)(9 * round->n_cells) * sizeof(double));
    memset(g, 0, (size_t)(CELL * round->n_cells) * sizeof(double));
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        const double *r_c = r + CELL * c, *u_c = u + CELL * c;
        double *C = round->C + 9 * c, *g_c = g + CELL * c;
        if (cell->kind == PERP_CELL_MATE) // with its cone
            continue;
        if (round->wide && perp_round_is_wide(round, c)) {
            if (!perp_wide_linearise(round, c, soft, pull, r, u, g))
                return false;
            continue;
        }
        if (cell->kind == PERP_CELL_CONE &&
            !linearise_cone(soft, pull, round->shift, r_c, u_c, C, g_c))
            return false;
        if (cell->kind == PERP_CELL_BOX)
            linearise_box(soft, pull, cell, r_c, u_c, C, g_c);
        if (cell->kind == PERP_CELL_JOINT) {
            C[0] = C[4] = C[8] = 1 / (soft + pull);
            for (int i = 0; i < CELL; i++)
                g_c[i] = -u_c[i] * C[0];
        }
    }
    return true;
}

double perp_round_polish(PerpArena *arena, PerpRound *round, double soft, double enough,
                         int *iterations, double *r)
{
    return perp_round_newton(arena, round, soft, NULL, enough, iterations, r);
}

double perp_round_newton(PerpArena *arena, PerpRound *round, double soft,
                         const PerpRoundAnchor *anchor, double enough, int *iterations, double *r)
{
    double pull = anchor ? anchor->pull : 0;
    bool linear = is_linear(round);
    int numbers = CELL * round->n_cells, most = *iterations, done = 0, bad = 0;
    double *now = PERP_TAKE(arena, double, numbers), *u = PERP_TAKE(arena, double, numbers);
    double *g = PERP_TAKE(arena, double, numbers), *w = PERP_TAKE(arena, double, numbers);
    double *v = PERP_TAKE(arena, double, round->n_state), best = INFINITY;
    if (!now || !u || !g || !w || !v)
        return NAN;
    memcpy(now, r, (size_t)numbers * sizeof(double));
    for (;; done++) {
        perp_round_velocity(round, now, v);
        perp_round_speeds(round, v, u);
        for (int i = 0; i < numbers && anchor; i++)
            u[i] += pull * (now[i] - anchor->r[i]);
        double residual = perp_round_residual(round, now, u);
        bad = residual < best ? 0 : bad + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, now, (size_t)numbers * sizeof(double));
        }
        if (best <= enough || done == most || bad > (linear ? 0 : PATIENCE) ||
            !linearise(round, soft, pull, now, u, g) ||
            (!(linear && done > 0) && !perp_round_factor(round)))
            break;
        perp_round_change(round, g, w);
        for (int i = 0; i < numbers; i++)
            now[i] += w[i];
    }
    *iterations = done;
    return best;
}

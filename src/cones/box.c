// Bounded rows, lo <= r <= hi with u >= 0 at lo, u <= 0 at hi, u = 0 between: motors, limits, dry
// friction of joints [L82 (6.4)-(6.5)].

#include "cones/cone.h"

#include <math.h>
#include <string.h>

static double no_slip(const PerpConeProblem *cones, int c, const double *u)
{
    (void)cones, (void)c, (void)u;
    return 0;
}

static double clamp(const PerpConstraint *box, double y)
{
    return fmin(fmax(y, box->lo), box->hi);
}

static void project(const PerpConeProblem *cones, int c, const double *y, double *x)
{
    memcpy(x, y, 3 * sizeof(double));
    x[0] = clamp(&cones->constraint[c], y[0]);
}

static double residual(const PerpConeProblem *cones, int c, const double *r, const double *u)
{
    return fabs(r[0] - clamp(&cones->constraint[c], r[0] - u[0]));
}

static bool linearise(PerpConeProblem *cones, int c, const PerpNewtonTerms *terms, const double *r,
                      const double *u, double *g)
{
    const PerpConstraint *box = &cones->constraint[c];
    double y = r[3 * c] - u[3 * c], P = clamp(box, y), *C = cones->newton.C + 9 * c;
    C[0] = P == y && box->lo < box->hi ? 1 / (terms->regularisation + terms->rho) : 0;
    g[3 * c] = C[0] > 0 ? -u[3 * c] * C[0] : P - r[3 * c];
    return true;
}

static PerpContactMode solve(const PerpConstraint *box, const PerpLocalBlock *block,
                             const double *u, double *r)
{
    double x = r[0] - u[0] / block->A[0];
    r[0] = clamp(box, x);
    r[1] = r[2] = 0;
    return !(x > box->lo) ? PERP_MODE_OPEN : !(x < box->hi) ? PERP_MODE_SLIP : PERP_MODE_STICK;
}

static bool derive(PerpContactMode mode, const PerpLocalBlock *block, const double *r, double *G)
{
    (void)r;
    memset(G, 0, 9 * sizeof(double));
    G[0] = mode == PERP_MODE_STICK ? -1 / block->A[0] : 0;
    return true;
}

static PerpProjectionAxes axes(const PerpConstraint *box, const double *x)
{
    double inside = x[0] > box->lo && x[0] < box->hi;
    return (PerpProjectionAxes){{1, 0}, {inside, inside, inside}};
}

static void slip_direction(const double *x, const double *r, double b[2])
{
    (void)x, (void)r;
    b[0] = b[1] = 0;
}

const PerpCone perp_cone_box = {.name = "box",
                                .scaling = PERP_SCALE_TOGETHER,
                                .lane = PERP_LANE_BOUNDS,
                                .slip = no_slip,
                                .project = project,
                                .residual = residual,
                                .linearise = linearise,
                                .solve = solve,
                                .derive = derive,
                                .axes = axes,
                                .slip_direction = slip_direction};

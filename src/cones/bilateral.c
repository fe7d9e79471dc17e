// Bilateral constraints, u = 0: joints, up to three rows at a time.

#include "cones/barrier.h"
#include "cones/cone.h"

#include <math.h>
#include <string.h>

static double no_slip(const PerpConeProblem *cones, int c, const double *u)
{
    (void)cones, (void)c, (void)u;
    return 0;
}

static void project(const PerpConeProblem *cones, int c, const double *y, double *x)
{
    (void)cones, (void)c;
    memcpy(x, y, 3 * sizeof(double));
}

static double residual(const PerpConeProblem *cones, int c, const double *r, const double *u)
{
    (void)cones, (void)c, (void)r;
    return fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2])));
}

static bool linearise(PerpConeProblem *cones, int c, const PerpNewtonTerms *terms, const double *r,
                      const double *u, double *g)
{
    (void)r;
    double *C = cones->newton.C + 9 * c;
    C[0] = C[4] = C[8] = 1 / (terms->regularisation + terms->rho);
    for (int i = 0; i < 3; i++)
        g[3 * c + i] = -u[3 * c + i] * C[0];
    return true;
}

// r - A^-1 u
static PerpContactMode solve(const PerpConstraint *constraint, const PerpLocalBlock *block,
                             const double *u, double *r)
{
    (void)constraint;
    const double *inverse = block->inverse;
    for (int i = 0; i < 3; i++)
        r[i] -= inverse[3 * i] * u[0] + inverse[3 * i + 1] * u[1] + inverse[3 * i + 2] * u[2];
    return PERP_MODE_STICK;
}

static bool derive(PerpContactMode mode, const PerpLocalBlock *block, const double *r, double *G)
{
    (void)mode, (void)r;
    for (int i = 0; i < 9; i++)
        G[i] = -block->inverse[i];
    return true;
}

static PerpProjectionAxes axes(const PerpConstraint *constraint, const double *x)
{
    (void)constraint, (void)x;
    return (PerpProjectionAxes){{1, 0}, {1, 1, 1}};
}

static void slip_direction(const double *x, const double *r, double b[2])
{
    (void)x, (void)r;
    b[0] = b[1] = 0;
}

// --- of interior points: nothing bounds r, the regularisation alone keeps it where it is ---------

static void start(const PerpConstraint *constraint, double kappa, const double *u, double *r,
                  PerpBarrierPoint *it)
{
    (void)constraint, (void)kappa, (void)u, (void)r, (void)it;
}

static double complementarity(const PerpConstraint *constraint, const double *r,
                              const PerpBarrierPoint *it, int *count)
{
    (void)constraint, (void)r, (void)it, (void)count;
    return 0;
}

static void scale(const PerpConstraint *constraint, double regularisation, const double *r,
                  const double *u, PerpBarrierPoint *it, double *C)
{
    (void)constraint, (void)r, (void)u, (void)it;
    C[0] = C[4] = C[8] = 1 / regularisation;
}

static void aim(const PerpConstraint *constraint, double regularisation, double kappa,
                double correct, const double *r, const double *u, const double *C,
                PerpBarrierPoint *it, double *g)
{
    (void)constraint, (void)kappa, (void)correct, (void)r, (void)C, (void)it;
    for (int i = 0; i < 3; i++)
        g[i] = -u[i] / regularisation;
}

static void change(const PerpConstraint *constraint, double kappa, const double *r, const double *w,
                   PerpBarrierPoint *it)
{
    (void)constraint, (void)kappa, (void)r, (void)w, (void)it;
}

static double step(const PerpConstraint *constraint, const double *r, const PerpBarrierPoint *it)
{
    (void)constraint, (void)r, (void)it;
    return INFINITY;
}

const PerpBarrier perp_barrier_bilateral = {.start = start,
                                            .complementarity = complementarity,
                                            .linearise = scale,
                                            .aim = aim,
                                            .change = change,
                                            .step = step};

const PerpCone perp_cone_bilateral = {.name = "bilateral",
                                      .scaling = PERP_SCALE_ROWS,
                                      .lane = PERP_LANE_BOUNDS,
                                      .is_equation = true,
                                      .slip = no_slip,
                                      .project = project,
                                      .residual = residual,
                                      .linearise = linearise,
                                      .solve = solve,
                                      .derive = derive,
                                      .axes = axes,
                                      .slip_direction = slip_direction,
                                      .barrier = &perp_barrier_bilateral};

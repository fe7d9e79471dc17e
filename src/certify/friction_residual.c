// The residual of a solution by the exact law of Coulomb friction, over circular cones K: the
// natural map r - P_K(r - rho (u + mu |u_T| e_n)) at each contact  [DeSaxceFeng98].

#include "perp/friction.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>

static double tangential_length(const double *x, int dimension)
{
    return dimension == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

// P_K of the circular cone: itself inside K, 0 inside the polar cone, else the foot on the surface.
static void project_on_cone(int dimension, double mu, const double *x, double *foot)
{
    double length = tangential_length(x, dimension);
    double normal = x[0], shrink = 1;
    if (mu * length <= -x[0]) {
        normal = 0;
        shrink = 0;
    } else if (length > mu * x[0]) {
        normal = (x[0] + mu * length) / (1 + mu * mu);
        shrink = mu * normal / length;
    }
    foot[0] = normal;
    for (int t = 1; t < dimension; t++)
        foot[t] = shrink * x[t];
}

// |r - P_K(r - rho (u + mu |u_T| e_n))| / rho of one contact
static double natural_map(int dimension, double mu, double rho, const double *u, const double *r)
{
    double x[3], foot[3], square = 0;
    for (int t = 0; t < dimension; t++)
        x[t] = r[t] - rho * u[t];
    x[0] -= rho * mu * tangential_length(u, dimension);
    project_on_cone(dimension, mu, x, foot);
    for (int t = 0; t < dimension; t++)
        square += (r[t] - foot[t]) * (r[t] - foot[t]);
    double residual = sqrt(square) / rho;
    return isnan(residual) ? INFINITY : residual;
}

// r = NULL stands for zero.
static PerpFrictionResidual find_worst(const PerpFrictionCones *cone, const double *u,
                                       const double *r)
{
    static const double zero[3] = {0};
    PerpFrictionResidual worst = {0};
    for (int k = 0; k < cone->contacts; k++) {
        double residual = natural_map(cone->dimension, cone->mu[k], cone->rho ? cone->rho[k] : 1,
                                      u + k * cone->dimension, r ? r + k * cone->dimension : zero);
        if (residual > worst.residual)
            worst = (PerpFrictionResidual){residual, k};
    }
    return worst;
}

PerpFrictionResidual perp_friction_residual(const PerpFrictionCones *cone, const double *q,
                                            const double *u, const double *r)
{
    assert(cone->dimension == 2 || cone->dimension == 3);
    PerpFrictionResidual worst = find_worst(cone, u, r);
    double idle = find_worst(cone, q, NULL).residual;
    if (idle > 0 && isfinite(idle))
        worst.residual /= idle;
    return worst;
}

void perp_friction_direction(int k, int facets, double direction[2])
{
    static const double quarter[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    assert(0 <= k && k < facets);
    bool exact = 4 * k % facets == 0;
    double angle = 2 * 3.14159265358979323846 * k / facets;
    direction[0] = exact ? quarter[4 * k / facets][0] : cos(angle);
    direction[1] = exact ? quarter[4 * k / facets][1] : sin(angle);
}

// What the rows of the LCP say of contact k. y: lcp rows behind the free ones, w or q; lambda is
// part of w only. The directions satisfy sum_i d_i d_i' = facets/2 I, on a line facets I.
static void gather_velocity(const PerpFrictionCones *cone, int facets, int k, const double *y,
                            double lambda, double *u)
{
    const double *slip = y + cone->contacts + k * facets;
    u[0] = y[k];
    for (int t = 1; t < cone->dimension; t++)
        u[t] = 0;
    for (int i = 0; i < facets; i++) {
        double direction[2];
        perp_friction_direction(i, facets, direction);
        for (int t = 1; t < cone->dimension; t++)
            u[t] += direction[t - 1] * (slip[i] - lambda) * (cone->dimension - 1) / facets;
    }
}

// r_T = D beta
static void gather_impulse(const PerpFrictionCones *cone, int facets, int k, const double *c,
                           double *r)
{
    const double *beta = c + cone->contacts + k * facets;
    r[0] = c[k];
    for (int t = 1; t < cone->dimension; t++)
        r[t] = 0;
    for (int i = 0; i < facets; i++) {
        double direction[2];
        perp_friction_direction(i, facets, direction);
        for (int t = 1; t < cone->dimension; t++)
            r[t] += direction[t - 1] * beta[i];
    }
}

// rho_k = dimension / trace W_kk; a contact between immovable bodies gets 1
static double gather_rho(const PerpFrictionCones *cone, int facets, int k, const PerpLcp *lcp)
{
    size_t diagonal = (size_t)lcp->n + 1;
    const double *normal = lcp->M + (size_t)(lcp->free + k) * diagonal;
    const double *beta = lcp->M + (size_t)(lcp->free + cone->contacts + k * facets) * diagonal;
    double trace = *normal;
    for (int i = 0; i < facets; i++)
        trace += beta[(size_t)i * diagonal] * (cone->dimension - 1) / facets;
    return trace > 0 ? cone->dimension / trace : 1;
}

PerpStatus perp_friction_residual_of_lcp(const PerpContext *context, const PerpFrictionCones *cone,
                                         const PerpLcp *lcp, const double *z,
                                         PerpFrictionResidual *result, PerpError *error)
{
    int rows = cone->contacts * cone->dimension;
    int facets = cone->contacts ? (lcp->n - lcp->free) / cone->contacts - 2 : 0;
    assert(lcp->free + cone->contacts * (2 + facets) == lcp->n);
    PerpContext lent = context ? *context : perp_default_context();
    PerpArena arena;
    perp_arena_init(&arena, &lent.allocator);
    double *w = PERP_TAKE(&arena, double, lcp->n);
    double *q = PERP_TAKE(&arena, double, rows), *u = PERP_TAKE(&arena, double, rows);
    double *r = PERP_TAKE(&arena, double, rows), *rho = PERP_TAKE(&arena, double, cone->contacts);
    if (!w || !q || !u || !r || !rho) {
        perp_arena_free(&arena);
        return perp_fail(error, PERP_NO_MEMORY, "out of memory for the circular residual");
    }
    PerpLcpCertificate certificate;
    perp_lcp_certify(lcp, z, w, &certificate);
    for (int k = 0; k < cone->contacts; k++) {
        int first = k * cone->dimension;
        gather_velocity(cone, facets, k, lcp->q + lcp->free, 0, q + first);
        gather_velocity(cone, facets, k, w + lcp->free, z[lcp->n - cone->contacts + k], u + first);
        gather_impulse(cone, facets, k, z + lcp->free, r + first);
        rho[k] = gather_rho(cone, facets, k, lcp);
    }
    PerpFrictionCones scaled = *cone;
    scaled.rho = rho;
    *result = perp_friction_residual(&scaled, q, u, r);
    perp_arena_free(&arena);
    return PERP_OK;
}

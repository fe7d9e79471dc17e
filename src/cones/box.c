// Bounded rows, lo <= r <= hi with u >= 0 at lo, u <= 0 at hi, u = 0 between: motors, limits, dry
// friction of joints [L82 (6.4)-(6.5)].

#include "cones/barrier.h"
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

// --- of interior points: s_0 (r - lo) = kappa, s_1 (hi - r) = kappa, u = s_0 - s_1 ---------------

// Room of the impulse to its bounds; a bound that is not there has no multiplier.
static double room_below(const PerpConstraint *box, const double *r)
{
    return isfinite(box->lo) ? r[0] - box->lo : 1;
}

static double room_above(const PerpConstraint *box, const double *r)
{
    return isfinite(box->hi) ? box->hi - r[0] : 1;
}

static bool is_fixed(const PerpConstraint *box)
{
    return !(box->lo < box->hi);
}

static void start(const PerpConstraint *box, double kappa, const double *u, double *r,
                  PerpBarrierPoint *it)
{
    (void)u;
    double margin = sqrt(kappa), lo = box->lo + margin, hi = box->hi - margin;
    r[0] = is_fixed(box) ? box->lo : lo < hi ? fmin(fmax(r[0], lo), hi) : (box->lo + box->hi) / 2;
    it->s[0] = isfinite(box->lo) && !is_fixed(box) ? kappa / room_below(box, r) : 0;
    it->s[1] = isfinite(box->hi) && !is_fixed(box) ? kappa / room_above(box, r) : 0;
}

static double complementarity(const PerpConstraint *box, const double *r,
                              const PerpBarrierPoint *it, int *count)
{
    if (is_fixed(box))
        return 0;
    *count += isfinite(box->lo) + isfinite(box->hi);
    return room_below(box, r) * it->s[0] + room_above(box, r) * it->s[1];
}

static void scale(const PerpConstraint *box, double regularisation, const double *r,
                  const double *u, PerpBarrierPoint *it, double *C)
{
    (void)u;
    if (!is_fixed(box))
        C[0] = 1 / (regularisation + it->s[0] / room_below(box, r) + it->s[1] / room_above(box, r));
}

static void aim(const PerpConstraint *box, double regularisation, double kappa, double correct,
                const double *r, const double *u, const double *C, PerpBarrierPoint *it, double *g)
{
    (void)regularisation, (void)correct, (void)it;
    if (is_fixed(box))
        return;
    double below = isfinite(box->lo) ? kappa / room_below(box, r) : 0;
    double above = isfinite(box->hi) ? kappa / room_above(box, r) : 0;
    g[0] = C[0] * (below - above - u[0]);
}

static void change(const PerpConstraint *box, double kappa, const double *r, const double *w,
                   PerpBarrierPoint *it)
{
    (void)w;
    if (is_fixed(box))
        return;
    double below = room_below(box, r), above = room_above(box, r);
    it->ds[0] = isfinite(box->lo) ? (kappa - it->s[0] * it->dr[0]) / below - it->s[0] : 0;
    it->ds[1] = isfinite(box->hi) ? (kappa + it->s[1] * it->dr[0]) / above - it->s[1] : 0;
}

static double step(const PerpConstraint *box, const double *r, const PerpBarrierPoint *it)
{
    double longest = INFINITY;
    if (is_fixed(box))
        return longest;
    if (isfinite(box->lo) && it->dr[0] < 0)
        longest = fmin(longest, -room_below(box, r) / it->dr[0]);
    if (isfinite(box->hi) && it->dr[0] > 0)
        longest = fmin(longest, room_above(box, r) / it->dr[0]);
    for (int i = 0; i < 2; i++)
        if (it->ds[i] < 0)
            longest = fmin(longest, -it->s[i] / it->ds[i]);
    return longest;
}

const PerpBarrier perp_barrier_box = {.start = start,
                                      .complementarity = complementarity,
                                      .linearise = scale,
                                      .aim = aim,
                                      .change = change,
                                      .step = step};

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
                                .slip_direction = slip_direction,
                                .barrier = &perp_barrier_box};

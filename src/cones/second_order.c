// A cone alone, u = q + A r, has three modes: open, q_n >= 0 and r = 0; stuck, r = -A^-1 q in the
// cone; else sliding, u_n = 0 and u_T = -s r_T with |r_T| = r_n. With the normal row eliminated,
//
//     (S + s) r_T = -b,   S = A_TT - A_Tn A_nT / A_nn,   b = q_T - A_Tn q_n / A_nn
//
// is one equation for s > 0, r_n(s) / |r_T(s)| = 1, nearly linear in s: Newton's method, bracketed.

#include "cones/second_order.h"

#include "math/small_solve.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { SLIDE_STEPS = 60 };
static const double REGULARISATION = 1e-12; // of constraints that are singular alone
static const double LAST = 1e-8; // |r_n / |r_T| - 1| from which one step goes to rounding

// r_T(s) and r_n(s)
static inline void slide_at(const double *S, const double *b, const double *A, double q_n, double s,
                            double *r)
{
    double a = S[0] + s, d = S[3] + s, determinant = a * d - S[1] * S[2];
    r[1] = (S[1] * b[1] - d * b[0]) / determinant;
    r[2] = (S[2] * b[0] - a * b[1]) / determinant;
    r[0] = -(q_n + A[1] * r[1] + A[2] * r[2]) / A[0];
}

// In the plane the direction is known: r_T = -|r_n| b / |b|
static bool slide_in_plane(const double *A, double q_n, double b, double *r)
{
    double sign = b > 0 ? -1 : 1;
    r[0] = -q_n / (A[0] + sign * A[1]);
    r[1] = sign * r[0];
    r[2] = 0;
    return r[0] > 0 && isfinite(r[0]);
}

static double find_slide(const double *S, const double *b, const double *A, double q_n, double s,
                         double *r)
{
    double low = 0, high = INFINITY;
    bool last = false;
    for (int k = 0; k < SLIDE_STEPS; k++) {
        double change[3];
        slide_at(S, b, A, q_n, s, r);
        double length = sqrt(r[1] * r[1] + r[2] * r[2]), off = r[0] / length - 1;
        if (last || fabs(off) <= 4e-16)
            break;
        if (off < 0)
            low = s;
        else
            high = s;
        slide_at(S, r + 1, A, 0, s, change); // dr_T/ds = -(S + s)^-1 r_T
        double pace =
            (change[0] - r[0] * (r[1] * change[1] + r[2] * change[2]) / (length * length)) / length;
        double next = s - off / pace;
        bool inside = next > low && next < high;
        last = inside && fabs(off) <= LAST;
        if (!inside)
            next = high < INFINITY ? (low + high) / 2 : 4 * s + 1e-3;
        if (next == s)
            break;
        s = next;
    }
    return s;
}

// False if no s is found, which only a constraint without positive inverse mass brings about.
static bool solve_sliding(const double *A, const double *q, double *slide, double *r)
{
    const double S[4] = {A[4] - A[3] * A[1] / A[0], A[5] - A[3] * A[2] / A[0],
                         A[7] - A[6] * A[1] / A[0], A[8] - A[6] * A[2] / A[0]};
    const double b[2] = {q[1] - A[3] * q[0] / A[0], q[2] - A[6] * q[0] / A[0]};
    if (b[1] == 0 && S[1] == 0 && S[2] == 0 && A[2] == 0)
        return slide_in_plane(A, q[0], b[0], r);
    double s = find_slide(S, b, A, q[0], *slide, r);
    if (!(isfinite(s) && r[0] > 0))
        return false;
    *slide = s;
    double shrink = r[0] / sqrt(r[1] * r[1] + r[2] * r[2]);
    r[1] *= shrink;
    r[2] *= shrink;
    return isfinite(shrink);
}

// |x| >= 0 of the change from r to the projection of r - z / 3: what is left when all else fails
static void solve_by_projection(const double *A, const double *q, double *r)
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = q[i] + A[3 * i] * r[0] + A[3 * i + 1] * r[1] + A[3 * i + 2] * r[2];
    y[0] += perp_length(y[1], y[2]);
    for (int i = 0; i < 3; i++)
        y[i] = r[i] - y[i] / 3;
    double t = perp_length(y[1], y[2]), n = t <= y[0] ? y[0] : t <= -y[0] ? 0 : (y[0] + t) / 2;
    double shrink = t <= y[0] ? 1 : t > 0 ? n / t : 0;
    r[0] = n;
    r[1] = shrink * y[1];
    r[2] = shrink * y[2];
}

PerpContactMode perp_soc_solve(const double *A, const double *inverse, const double *q,
                               double *slide, double *r)
{
    if (q[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return PERP_MODE_OPEN;
    }
    double stuck[3];
    for (int i = 0; i < 3; i++)
        stuck[i] = -(inverse[3 * i] * q[0] + inverse[3 * i + 1] * q[1] + inverse[3 * i + 2] * q[2]);
    double across = stuck[1] * stuck[1] + stuck[2] * stuck[2];
    if (stuck[0] >= 0 && across <= stuck[0] * stuck[0]) {
        memcpy(r, stuck, sizeof stuck);
        return PERP_MODE_STICK;
    }
    double sliding[3];
    if (solve_sliding(A, q, slide, sliding))
        memcpy(r, sliding, sizeof sliding);
    else
        solve_by_projection(A, q, r);
    return PERP_MODE_SLIP;
}

// With r_T = r_n e, f across e, and dr_T = dr_n e + turn f:
//
//     [ A_nn + A_ne   A_nf     ] [ dr_n ]     [ dq_n ]
//     [ A_fn + A_fe   A_ff + s ] [ turn ] = - [ dq_f ]
//
static bool derive_sliding(const double *A, double s, const double *r, double *G)
{
    double size = perp_length(r[1], r[2]);
    double e[2] = {r[1] / size, r[2] / size}, f[2] = {-e[1], e[0]};
    double A_fe = f[0] * (A[4] * e[0] + A[5] * e[1]) + f[1] * (A[7] * e[0] + A[8] * e[1]);
    double A_ff = f[0] * (A[4] * f[0] + A[5] * f[1]) + f[1] * (A[7] * f[0] + A[8] * f[1]);
    double B[4] = {A[0] + A[1] * e[0] + A[2] * e[1], A[1] * f[0] + A[2] * f[1],
                   A[3] * f[0] + A[6] * f[1] + A_fe, A_ff + s};
    double determinant = B[0] * B[3] - B[1] * B[2];
    for (int j = 0; j < 3; j++) {
        double dq_n = j == 0, dq_f = j == 0 ? 0 : f[j - 1];
        double dr_n = (B[1] * dq_f - B[3] * dq_n) / determinant;
        double turn = (B[2] * dq_n - B[0] * dq_f) / determinant;
        G[j] = dr_n;
        G[3 + j] = dr_n * e[0] + turn * f[0];
        G[6 + j] = dr_n * e[1] + turn * f[1];
    }
    return size > 0 && determinant != 0;
}

bool perp_soc_derive(PerpContactMode mode, const double *A, const double *inverse, double slide,
                     const double *r, double *G)
{
    if (mode == PERP_MODE_SLIP)
        return derive_sliding(A, slide, r, G);
    for (int i = 0; i < 9; i++)
        G[i] = mode == PERP_MODE_STICK ? -inverse[i] : 0;
    return true;
}

static double invert(const double *A, double *inverse)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { // cofactors, indices modulo 3 have the sign in them
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = A[3 * a + c] * A[3 * b + d] - A[3 * a + d] * A[3 * b + c];
        }
    double determinant = A[0] * inverse[0] + A[1] * inverse[3] + A[2] * inverse[6];
    for (int i = 0; i < 9; i++)
        inverse[i] /= determinant;
    return determinant;
}

void perp_soc_prepare(double *A, double *inverse)
{
    for (int i = 0; i < 3; i++)
        if (!(A[4 * i] > 0))
            A[4 * i] = 1;
    double volume = A[0] * A[4] * A[8];
    if (!(invert(A, inverse) > REGULARISATION * volume)) { // singular alone
        for (int i = 0; i < 3; i++)
            A[4 * i] *= 1 + REGULARISATION;
        invert(A, inverse);
    }
}

double perp_soc_residual(const double *r, const double *u, double shift)
{
    double slip = shift * perp_length(u[1], u[2]);
    double y[3] = {r[0] - u[0] - slip, r[1] - u[1], r[2] - u[2]}, t = perp_length(y[1], y[2]);
    double n = t <= y[0] ? y[0] : t <= -y[0] ? 0 : (y[0] + t) / 2; // projected
    double shrink = t <= y[0] ? 1 : t > 0 ? n / t : 0;
    double e[3] = {r[0] - n, r[1] - shrink * y[1], r[2] - shrink * y[2]};
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

// --- projection and natural map -----------------------------------------------------------------

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

static double slip(const PerpConeProblem *cones, int c, const double *u)
{
    (void)c;
    return cones->shift * perp_length(u[1], u[2]);
}

static void project_onto(const PerpConeProblem *cones, int c, const double *x, double *r)
{
    (void)cones, (void)c;
    double t = hypot(x[1], x[2]), outer = fmax(x[0] + t, 0), inner = fmax(x[0] - t, 0);
    r[0] = (outer + inner) / 2;
    for (int i = 1; i < 3; i++)
        r[i] = t > 0 ? (outer - inner) / 2 * x[i] / t : 0;
}

static double residual(const PerpConeProblem *cones, int c, const double *r, const double *u)
{
    (void)c;
    return perp_soc_residual(r, u, cones->shift);
}

// (1 - (1 - regularisation) dP + rho dP dz/du) dr = P - r - dP dz/du J dv
static bool linearise(PerpConeProblem *cones, int c, const PerpNewtonTerms *terms, const double *r,
                      const double *u, double *g)
{
    double shift = cones->shift, P[3], dP[9], A[9], right[12];
    r += 3 * c;
    u += 3 * c;
    double slip = perp_length(u[1], u[2]);
    double B[2] = {slip > 0 ? shift * u[1] / slip : 0, slip > 0 ? shift * u[2] / slip : 0};
    const double y[3] = {r[0] - u[0] - shift * slip, r[1] - u[1], r[2] - u[2]};
    project(y, P, dP);
    for (int i = 0; i < 3; i++) {
        right[4 * i] = dP[3 * i];
        right[4 * i + 1] = dP[3 * i] * B[0] + dP[3 * i + 1];
        right[4 * i + 2] = dP[3 * i] * B[1] + dP[3 * i + 2];
        right[4 * i + 3] = P[i] - r[i];
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = (i == j) - (1 - terms->regularisation) * dP[3 * i + j] +
                           terms->rho * right[4 * i + j];
    }
    if (!perp_small_solve(3, A, 4, right))
        return false;
    for (int i = 0; i < 3; i++) {
        memcpy(cones->newton.C + 9 * c + 3 * i, right + 4 * i, 3 * sizeof(double));
        g[3 * c + i] = right[4 * i + 3];
    }
    return true;
}

// --- local solution map -------------------------------------------------------------------------

static PerpContactMode solve(const PerpConstraint *constraint, const PerpLocalBlock *block,
                             const double *u, double *r)
{
    (void)constraint;
    const double *A = block->A;
    double q[3];
    for (int i = 0; i < 3; i++)
        q[i] = u[i] - (A[3 * i] * r[0] + A[3 * i + 1] * r[1] + A[3 * i + 2] * r[2]);
    return perp_soc_solve(A, block->inverse, q, block->slide, r);
}

static bool derive(PerpContactMode mode, const PerpLocalBlock *block, const double *r, double *G)
{
    return perp_soc_derive(mode, block->A, block->inverse, *block->slide, r, G);
}

// --- normal map ---------------------------------------------------------------------------------

static PerpProjectionAxes axes(const PerpConstraint *constraint, const double *x)
{
    (void)constraint;
    double t = hypot(x[1], x[2]), outer = fmax(x[0] + t, 0), inner = fmax(x[0] - t, 0);
    PerpProjectionAxes s = {.axis = {1, 0}};
    if (t > 0) {
        s.axis[0] = x[1] / t;
        s.axis[1] = x[2] / t;
    }
    s.factor[0] = outer > 0;
    s.factor[1] = inner > 0;
    s.factor[2] = t > 0 ? (outer - inner) / (2 * t) : inner > 0;
    return s;
}

static void slip_direction(const double *x, const double *r, double b[2])
{
    double s[2] = {r[1] - x[1], r[2] - x[2]}, size = hypot(s[0], s[1]);
    b[0] = size > 0 ? s[0] / size : 0;
    b[1] = size > 0 ? s[1] / size : 0;
}

const PerpCone perp_cone_second_order = {.name = "second-order",
                                         .scaling = PERP_SCALE_TOGETHER,
                                         .lane = PERP_LANE_SECOND_ORDER,
                                         .is_contact = true,
                                         .slip = slip,
                                         .project = project_onto,
                                         .residual = residual,
                                         .linearise = linearise,
                                         .solve = solve,
                                         .derive = derive,
                                         .axes = axes,
                                         .slip_direction = slip_direction,
                                         .barrier = &perp_barrier_second_order};

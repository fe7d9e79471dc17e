// An interior-point method on the exact law of Coulomb friction: Nesterov and Todd's scaling of the
// second-order cones, Mehrotra's predictor and corrector, and de Saxce's shift |u_T| inside, with
// its derivative, smoothed by no more than the distance from the solution.
//
//     r o s = kappa e,    s = u + |u_T|_eps e_n,    |x|_eps = sqrt(x'x + eps^2)
//
// docs/theory/solvers.md says what was tried and measured.

#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"

#include <math.h>
#include <string.h>

static const double SOFT = 1e-8;      // added to the inverse mass of constraints: a little softness
                                      // keeps impulses bounded that nothing else determines
static const double SMOOTHEST = 1e-2; // eps at the start
static const double CENTRING = 0.3;   // while speeds are far from the law
enum { BLOCK = 3, PATIENCE = 12 };    // iterations in a row that do not better the residual

// A constraint's iterate and the scaling at it.
typedef struct Cell {
    double s[3];      // slack of cones; of boxes: multipliers of lo and hi
    double wanted[3]; // S(u) - s, how far the slack is off
    double B[2];      // ds_n/du_T, the derivative of the smoothed shift
    double axis[2];   // the scaling, s = scaling r, has the axes (1, axis), (1, -axis) and the
    double factor[3]; // one across, and these factors along them
    double lambda[3]; // root r = inverse_root s, root = scaling^(1/2)
    double g[3];      // right-hand side of dr = softened (g - B w)
    double dr[3], ds[3];
} Cell;

typedef struct Interior {
    PerpConeProblem *cones;
    Cell *constraint;
    double *r, *u, *v, *g, *w; // 3 a constraint; v: bodies
    double kappa, eps;
    const PerpInteriorParameters *mode;
} Interior;

// --- the algebra of the cone --------------------------------------------------------------------

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double determinant(const double *a)
{
    double t = hypot(a[1], a[2]);
    return (a[0] - t) * (a[0] + t);
}

// a o b
static void product(const double *a, const double *b, double *c)
{
    double head = dot(a, b);
    c[1] = a[0] * b[1] + b[0] * a[1];
    c[2] = a[0] * b[2] + b[0] * a[2];
    c[0] = head;
}

// x of a o x = b
static void quotient(const double *a, const double *b, double *x)
{
    double head = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a);
    x[1] = (b[1] - head * a[1]) / a[0];
    x[2] = (b[2] - head * a[2]) / a[0];
    x[0] = head;
}

// The symmetric scaling with s = scaling r [Nesterov and Todd]: eta (2 w w' - diag(1, -1, -1)) with
// w_n^2 - |w_T|^2 = 1, whose factors are eta (w_n + |w_T|)^2, eta (w_n - |w_T|)^2 and eta.
static void find_scaling(const double *r, Cell *constraint)
{
    double size_s = sqrt(determinant(constraint->s)), size_r = sqrt(determinant(r)), w[3];
    double gamma = sqrt((1 + dot(constraint->s, r) / (size_s * size_r)) / 2), eta = size_s / size_r;
    for (int i = 0; i < 3; i++)
        w[i] = (constraint->s[i] / size_s + (i == 0 ? r[i] : -r[i]) / size_r) / (2 * gamma);
    double across = hypot(w[1], w[2]), far = (w[0] + across) * (w[0] + across);
    constraint->axis[0] = across > 0 ? w[1] / across : 1;
    constraint->axis[1] = across > 0 ? w[2] / across : 0;
    constraint->factor[0] = eta * far;
    constraint->factor[1] = eta / far;
    constraint->factor[2] = eta;
}

// y = scaling' x for a function of the scaling that is given by its factors
static void scale(const Cell *constraint, double f0, double f1, double f2, const double *x,
                  double *y)
{
    const double *t = constraint->axis;
    double along = t[0] * x[1] + t[1] * x[2], turned = t[0] * x[2] - t[1] * x[1];
    double plus = f0 * (x[0] + along) / 2, minus = f1 * (x[0] - along) / 2;
    y[0] = plus + minus;
    y[1] = t[0] * (plus - minus) - t[1] * f2 * turned;
    y[2] = t[1] * (plus - minus) + t[0] * f2 * turned;
}

static void scale_root(const Cell *constraint, const double *x, double *y)
{
    const double *f = constraint->factor;
    scale(constraint, sqrt(f[0]), sqrt(f[1]), sqrt(f[2]), x, y);
}

static void scale_inverse_root(const Cell *constraint, const double *x, double *y)
{
    const double *f = constraint->factor;
    scale(constraint, 1 / sqrt(f[0]), 1 / sqrt(f[1]), 1 / sqrt(f[2]), x, y);
}

// y = (scaling + SOFT)^-1 x
static void scale_softened(const Cell *constraint, const double *x, double *y)
{
    const double *f = constraint->factor;
    scale(constraint, 1 / (f[0] + SOFT), 1 / (f[1] + SOFT), 1 / (f[2] + SOFT), x, y);
}

// How far from a along da until the cone ends.
static double way_to_boundary(const double *a, const double *da)
{
    double A = determinant(da), B = a[0] * da[0] - a[1] * da[1] - a[2] * da[2], C = determinant(a);
    double mode = da[0] < 0 ? -a[0] / da[0] : INFINITY, root = B * B - A * C;
    if (root < 0)
        return mode;
    double q = -(B + copysign(sqrt(root), B)), one = q / A, other = C / q;
    if (one > 0 && isfinite(one))
        mode = fmin(mode, one);
    if (other > 0 && isfinite(other))
        mode = fmin(mode, other);
    return mode;
}

// --- constraints
// --------------------------------------------------------------------------------------

static bool is_box(const PerpConstraint *constraint)
{
    return !constraint->cone->is_contact && !constraint->cone->is_equation;
}

static void start_cell(const PerpConstraint *constraint, double start, double *r, Cell *it)
{
    if (constraint->cone->is_contact) {
        r[0] = it->s[0] = start;
    } else if (is_box(constraint)) {
        double lo = fmax(constraint->lo, -2), hi = fmin(constraint->hi, 2);
        r[0] = lo < hi ? (lo + hi) / 2 : constraint->lo;
        it->s[0] = isfinite(constraint->lo);
        it->s[1] = isfinite(constraint->hi);
    }
}

// Room of a box's impulse to its bounds; a bound that is not there has no multiplier.
static double room_below(const PerpConstraint *constraint, const double *r)
{
    return isfinite(constraint->lo) ? r[0] - constraint->lo : 1;
}

static double room_above(const PerpConstraint *constraint, const double *r)
{
    return isfinite(constraint->hi) ? constraint->hi - r[0] : 1;
}

static bool is_fixed(const PerpConstraint *constraint)
{
    return is_box(constraint) && !(constraint->lo < constraint->hi);
}

// What r and s of a constraint leave of complementarity, and how many products that are.
static double complementarity(const PerpConstraint *constraint, const double *r, const Cell *it,
                              int *count)
{
    if (constraint->cone->is_contact) {
        *count += 1;
        return dot(r, it->s);
    }
    if (constraint->cone->is_equation || is_fixed(constraint))
        return 0;
    *count += isfinite(constraint->lo) + isfinite(constraint->hi);
    return room_below(constraint, r) * it->s[0] + room_above(constraint, r) * it->s[1];
}

static void linearise_cone(const double *r, const double *u, double shift, double eps, Cell *it,
                           double *C)
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2] + eps * eps);
    it->B[0] = shift * u[1] / slip;
    it->B[1] = shift * u[2] / slip;
    it->wanted[0] = u[0] + shift * slip + SOFT * r[0] - it->s[0];
    it->wanted[1] = u[1] + SOFT * r[1] - it->s[1];
    it->wanted[2] = u[2] + SOFT * r[2] - it->s[2];
    find_scaling(r, it);
    scale_root(it, r, it->lambda);
    for (int j = 0; j < 3; j++) { // C = softened [1 B'; 0 1], column by column
        double x[3] = {j == 0 ? 1 : it->B[j - 1], j == 1, j == 2}, y[3];
        scale_softened(it, x, y);
        for (int i = 0; i < 3; i++)
            C[3 * i + j] = y[i];
    }
}

static void linearise(Interior *in)
{
    for (int c = 0; c < in->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &in->cones->constraint[c];
        Cell *it = &in->constraint[c];
        double *C = in->cones->newton.C + 9 * c, *r = in->r + BLOCK * c;
        memset(C, 0, 9 * sizeof(double));
        if (constraint->cone->is_contact)
            linearise_cone(r, in->u + BLOCK * c, in->cones->shift, in->eps, it, C);
        else if (constraint->cone->is_equation)
            C[0] = C[4] = C[8] = 1 / SOFT;
        else if (!is_fixed(constraint))
            C[0] = 1 / (SOFT + it->s[0] / room_below(constraint, r) +
                        it->s[1] / room_above(constraint, r));
    }
}

// The right-hand side for the target kappa; second order from the predictor if `correct`.
static void aim_cone(Cell *it, double kappa, double correct, double *g)
{
    double rho[3], a[3], b[3], second[3], x[3];
    product(it->lambda, it->lambda, rho);
    for (int i = 0; i < 3; i++)
        rho[i] = (i == 0 ? kappa : 0) - rho[i];
    if (correct > 0) {
        scale_inverse_root(it, it->ds, a);
        scale_root(it, it->dr, b);
        product(a, b, second);
        for (int i = 0; i < 3; i++)
            rho[i] -= correct * second[i];
    }
    quotient(it->lambda, rho, x);
    scale_root(it, x, it->g);
    for (int i = 0; i < 3; i++)
        x[i] = it->g[i] - it->wanted[i];
    scale_softened(it, x, g);
}

// u = s0 - s1 with s0 (r - lo) = kappa, s1 (hi - r) = kappa, linearised
static void aim_box(const PerpConstraint *constraint, const double *r, double u, double kappa,
                    const double *C, double *g)
{
    double below = isfinite(constraint->lo) ? kappa / room_below(constraint, r) : 0;
    double above = isfinite(constraint->hi) ? kappa / room_above(constraint, r) : 0;
    g[0] = C[0] * (below - above - u);
}

static void aim(Interior *in, double kappa, double correct)
{
    for (int c = 0; c < in->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &in->cones->constraint[c];
        const double *C = in->cones->newton.C + 9 * c, *r = in->r + BLOCK * c,
                     *u = in->u + BLOCK * c;
        double *g = in->g + BLOCK * c;
        memset(g, 0, BLOCK * sizeof(double));
        if (constraint->cone->is_contact)
            aim_cone(&in->constraint[c], kappa, correct, g);
        else if (constraint->cone->is_equation)
            for (int i = 0; i < BLOCK; i++)
                g[i] = -u[i] / SOFT;
        else if (!is_fixed(constraint))
            aim_box(constraint, r, u[0], kappa, C, g);
    }
}

// dr = g - C w; ds of a cone = g - scaling dr; the multipliers of a box follow its products
static void find_change(Interior *in, double kappa)
{
    perp_delassus_solve(in->cones, in->g, in->w);
    for (int c = 0; c < in->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &in->cones->constraint[c];
        Cell *it = &in->constraint[c];
        const double *r = in->r + BLOCK * c;
        double x[3];
        memcpy(it->dr, in->w + BLOCK * c, sizeof it->dr);
        if (constraint->cone->is_contact) {
            scale(it, it->factor[0], it->factor[1], it->factor[2], it->dr, x);
            for (int i = 0; i < 3; i++)
                it->ds[i] = it->g[i] - x[i];
        } else if (is_box(constraint) && !is_fixed(constraint)) {
            double below = room_below(constraint, r), above = room_above(constraint, r);
            it->ds[0] =
                isfinite(constraint->lo) ? (kappa - it->s[0] * it->dr[0]) / below - it->s[0] : 0;
            it->ds[1] =
                isfinite(constraint->hi) ? (kappa + it->s[1] * it->dr[0]) / above - it->s[1] : 0;
        }
    }
}

static double way_of_box(const PerpConstraint *constraint, const double *r, const Cell *it)
{
    double mode = INFINITY;
    if (isfinite(constraint->lo) && it->dr[0] < 0)
        mode = fmin(mode, -room_below(constraint, r) / it->dr[0]);
    if (isfinite(constraint->hi) && it->dr[0] > 0)
        mode = fmin(mode, room_above(constraint, r) / it->dr[0]);
    for (int i = 0; i < 2; i++)
        if (it->ds[i] < 0)
            mode = fmin(mode, -it->s[i] / it->ds[i]);
    return mode;
}

static double way_of_all(const Interior *in)
{
    double mode = INFINITY;
    for (int c = 0; c < in->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &in->cones->constraint[c];
        const Cell *it = &in->constraint[c];
        const double *r = in->r + BLOCK * c;
        if (constraint->cone->is_contact)
            mode = fmin(mode, fmin(way_to_boundary(r, it->dr), way_to_boundary(it->s, it->ds)));
        else if (is_box(constraint) && !is_fixed(constraint))
            mode = fmin(mode, way_of_box(constraint, r, it));
    }
    return mode;
}

// Mean of the products after a step of this length.
static double kappa_after(const Interior *in, double mode)
{
    double sum = 0;
    int count = 0;
    for (int c = 0; c < in->cones->n_constraints; c++) {
        Cell moved = in->constraint[c];
        double r[3];
        for (int i = 0; i < 3; i++) {
            r[i] = in->r[BLOCK * c + i] + mode * moved.dr[i];
            moved.s[i] += mode * moved.ds[i];
        }
        sum += complementarity(&in->cones->constraint[c], r, &moved, &count);
    }
    return count > 0 ? sum / count : 0;
}

static void step(Interior *in, double mode)
{
    for (int c = 0; c < in->cones->n_constraints; c++)
        for (int i = 0; i < 3; i++) {
            in->r[BLOCK * c + i] += mode * in->constraint[c].dr[i];
            in->constraint[c].s[i] += mode * in->constraint[c].ds[i];
        }
}

static bool is_inside(const Interior *in)
{
    for (int c = 0; c < in->cones->n_constraints; c++)
        if (in->cones->constraint[c].cone->is_contact &&
            (!(determinant(in->r + BLOCK * c) > 0) || !(determinant(in->constraint[c].s) > 0)))
            return false;
    return true;
}

static double farthest_wanted(const Interior *in)
{
    double most = 0;
    for (int c = 0; c < in->cones->n_constraints; c++)
        for (int i = 0; i < 3 && in->cones->constraint[c].cone->is_contact; i++)
            most = fmax(most, fabs(in->constraint[c].wanted[i]));
    return most;
}

// --- the iteration ------------------------------------------------------------------------------

// One predictor and corrector; false if it leads nowhere.
static bool iterate(Interior *in)
{
    linearise(in);
    if (!perp_delassus_factor(in->cones))
        return false;
    aim(in, 0, 0);
    find_change(in, 0);
    double mode = fmin(1, way_of_all(in)), ahead = kappa_after(in, mode) / in->kappa;
    double centre = fmin(1, fmax(ahead * ahead * ahead, 1e-4));
    if (!(ahead > 0))
        centre = in->kappa > 0 ? 1 : 0;
    if (farthest_wanted(in) > 10 * in->kappa)
        centre = fmax(centre, CENTRING);
    double kappa = centre * in->kappa;
    aim(in, kappa, mode < 0.5 ? mode * mode : 1);
    find_change(in, kappa);
    mode = fmin(1, in->mode->fraction * way_of_all(in));
    if (!(mode > 1e-8))
        return false;
    step(in, mode);
    return is_inside(in);
}

double perp_interior_point(PerpArena *arena, PerpConeProblem *cones,
                           const PerpInteriorParameters *mode, double tolerance, int *iterations,
                           double *r)
{
    int numbers = BLOCK * cones->n_constraints, most = *iterations, round_number = 0;
    Interior in = {.cones = cones,
                   .mode = mode,
                   .constraint = PERP_TAKE(arena, Cell, cones->n_constraints),
                   .r = PERP_TAKE(arena, double, numbers),
                   .u = PERP_TAKE(arena, double, numbers),
                   .g = PERP_TAKE(arena, double, numbers),
                   .w = PERP_TAKE(arena, double, numbers),
                   .v = PERP_TAKE(arena, double, cones->n_state)};
    double best = INFINITY, before = INFINITY;
    int idle = 0;
    if (!in.constraint || !in.r || !in.u || !in.g || !in.w || !in.v)
        return NAN;
    for (int c = 0; c < cones->n_constraints; c++)
        start_cell(&cones->constraint[c], mode->start, in.r + BLOCK * c, &in.constraint[c]);
    for (; round_number <= most; round_number++) {
        perp_delassus_velocity(cones, in.r, in.v);
        perp_delassus_speeds(cones, in.v, in.u);
        in.kappa = kappa_after(&in, 0);
        in.eps = fmin(SMOOTHEST, mode->smooth * in.kappa);
        double residual = perp_cones_residual(cones, in.r, in.u);
        if (residual < best) {
            best = residual;
            memcpy(r, in.r, (size_t)numbers * sizeof(double));
        }
        idle = residual < 0.9 * before ? 0 : idle + 1;
        before = fmin(before, residual);
        if (best <= tolerance || idle > PATIENCE || round_number == most ||
            in.kappa < 1e-16 * (in.kappa > 0) || !iterate(&in))
            break;
    }
    *iterations = round_number;
    return best;
}

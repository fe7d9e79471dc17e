// An interior-point method on the exact law of Coulomb friction: Nesterov and Todd's scaling of the
// second-order cones, Mehrotra's predictor and corrector, and de Saxce's shift |u_T| inside, with
// its derivative, smoothed by no more than the distance from the solution.
//
//     r o s = kappa e,    s = u + |u_T|_eps e_n,    |x|_eps = sqrt(x'x + eps^2)
//
// docs/theory/solvers.md says what was tried and measured.

#include "lcp/round.h"

#include <math.h>
#include <string.h>

static const double SOFT = 1e-9;         // added to the inverse mass of cells: joints may be redundant
static const double FRACTION = 0.98;     // of the way to the boundary
static const double SMOOTHEST = 1e-2;    // eps at the start
static const double CENTRING = 0.3;      // while speeds are far from the law
enum { CELL = 3 };

// A cell's iterate and the scaling at it.
typedef struct Cell {
    double s[3];            // slack of cones; of boxes: multipliers of lo and hi
    double wanted[3];       // S(u) - s, how far the slack is off
    double B[2];            // ds_n/du_T, the derivative of the smoothed shift
    double scaling[9];      // s = scaling r
    double root[9];         // its square root
    double inverse_root[9]; //
    double lambda[3];       // root r = inverse_root s
    double softened[9];     // (scaling + SOFT)^-1
    double g[3];            // right-hand side of dr = softened (g - B w)
    double dr[3], ds[3];
} Cell;

typedef struct Interior {
    PerpRound *round;
    Cell *cell;
    double *r, *u, *v, *g, *w; // 3 a cell; v: bodies
    double kappa, eps;
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

static void times(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = dot(A + 3 * i, x);
}

// A = factor (2 w w' - diag(1, -1, -1))
static void reflect(double factor, const double *w, double *A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = factor * (2 * w[i] * w[j] - (i == j ? (i == 0 ? 1 : -1) : 0));
}

// The symmetric scaling with s = scaling r, and its root [Nesterov and Todd].
static void find_scaling(const double *r, Cell *cell)
{
    double size_s = sqrt(determinant(cell->s)), size_r = sqrt(determinant(r)), w[3];
    double gamma = sqrt((1 + dot(cell->s, r) / (size_s * size_r)) / 2);
    for (int i = 0; i < 3; i++)
        w[i] = (cell->s[i] / size_s + (i == 0 ? r[i] : -r[i]) / size_r) / (2 * gamma);
    double factor = size_s / size_r, half = sqrt(2 * (w[0] + 1));
    reflect(factor, w, cell->scaling);
    const double root[3] = {(w[0] + 1) / half, w[1] / half, w[2] / half};
    const double back[3] = {root[0], -root[1], -root[2]};
    reflect(sqrt(factor), root, cell->root);
    reflect(1 / sqrt(factor), back, cell->inverse_root);
    times(cell->root, r, cell->lambda);
}

// How far from a along da until the cone ends.
static double way_to_boundary(const double *a, const double *da)
{
    double A = determinant(da), B = a[0] * da[0] - a[1] * da[1] - a[2] * da[2], C = determinant(a);
    double way = da[0] < 0 ? -a[0] / da[0] : INFINITY, root = B * B - A * C;
    if (root < 0)
        return way;
    double q = -(B + copysign(sqrt(root), B)), one = q / A, other = C / q;
    if (one > 0 && isfinite(one))
        way = fmin(way, one);
    if (other > 0 && isfinite(other))
        way = fmin(way, other);
    return way;
}

// (A + SOFT)^-1 of a symmetric positive definite A
static void soften(const double *A, double *inverse)
{
    double a = A[0] + SOFT, b = A[1], c = A[2], d = A[4] + SOFT, e = A[5], f = A[8] + SOFT;
    double x = d * f - e * e, y = c * e - b * f, z = b * e - c * d;
    double whole = a * x + b * y + c * z;
    const double adjugate[9] = {x, y, z, y, a * f - c * c, b * c - a * e, z, b * c - a * e,
                                a * d - b * b};
    for (int i = 0; i < 9; i++)
        inverse[i] = adjugate[i] / whole;
}

// --- cells --------------------------------------------------------------------------------------

static void start_cell(const PerpCell *cell, double *r, Cell *it)
{
    if (cell->kind == PERP_CELL_CONE) {
        r[0] = it->s[0] = 1;
    } else if (cell->kind == PERP_CELL_BOX) {
        double lo = fmax(cell->lo, -2), hi = fmin(cell->hi, 2);
        r[0] = lo < hi ? (lo + hi) / 2 : cell->lo;
        it->s[0] = isfinite(cell->lo);
        it->s[1] = isfinite(cell->hi);
    }
}

// Room of a box's impulse to its bounds; a bound that is not there has no multiplier.
static double room_below(const PerpCell *cell, const double *r)
{
    return isfinite(cell->lo) ? r[0] - cell->lo : 1;
}

static double room_above(const PerpCell *cell, const double *r)
{
    return isfinite(cell->hi) ? cell->hi - r[0] : 1;
}

static bool is_fixed(const PerpCell *cell)
{
    return cell->kind == PERP_CELL_BOX && !(cell->lo < cell->hi);
}

// What r and s of a cell leave of complementarity, and how many products that are.
static double complementarity(const PerpCell *cell, const double *r, const Cell *it, int *count)
{
    if (cell->kind == PERP_CELL_CONE) {
        *count += 1;
        return dot(r, it->s);
    }
    if (cell->kind == PERP_CELL_JOINT || is_fixed(cell))
        return 0;
    *count += isfinite(cell->lo) + isfinite(cell->hi);
    return room_below(cell, r) * it->s[0] + room_above(cell, r) * it->s[1];
}

static void linearise_cone(const double *r, const double *u, double eps, Cell *it, double *C)
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2] + eps * eps);
    it->B[0] = u[1] / slip;
    it->B[1] = u[2] / slip;
    it->wanted[0] = u[0] + slip - it->s[0];
    it->wanted[1] = u[1] - it->s[1];
    it->wanted[2] = u[2] - it->s[2];
    find_scaling(r, it);
    soften(it->scaling, it->softened);
    for (int i = 0; i < 3; i++) { // C = softened B, B = [1 B'; 0 1]
        C[3 * i] = it->softened[3 * i];
        C[3 * i + 1] = it->softened[3 * i] * it->B[0] + it->softened[3 * i + 1];
        C[3 * i + 2] = it->softened[3 * i] * it->B[1] + it->softened[3 * i + 2];
    }
}

static void linearise(Interior *in)
{
    for (int c = 0; c < in->round->n_cells; c++) {
        const PerpCell *cell = &in->round->cell[c];
        Cell *it = &in->cell[c];
        double *C = in->round->C + 9 * c, *r = in->r + CELL * c;
        memset(C, 0, 9 * sizeof(double));
        if (cell->kind == PERP_CELL_CONE)
            linearise_cone(r, in->u + CELL * c, in->eps, it, C);
        else if (cell->kind == PERP_CELL_JOINT)
            C[0] = 1 / SOFT;
        else if (!is_fixed(cell))
            C[0] = 1 / (SOFT + it->s[0] / room_below(cell, r) + it->s[1] / room_above(cell, r));
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
        times(it->inverse_root, it->ds, a);
        times(it->root, it->dr, b);
        product(a, b, second);
        for (int i = 0; i < 3; i++)
            rho[i] -= correct * second[i];
    }
    quotient(it->lambda, rho, x);
    times(it->root, x, it->g);
    for (int i = 0; i < 3; i++)
        x[i] = it->g[i] - it->wanted[i];
    times(it->softened, x, g);
}

// u = s0 - s1 with s0 (r - lo) = kappa, s1 (hi - r) = kappa, linearised
static void aim_box(const PerpCell *cell, const double *r, double u, double kappa, const double *C,
                    double *g)
{
    double below = isfinite(cell->lo) ? kappa / room_below(cell, r) : 0;
    double above = isfinite(cell->hi) ? kappa / room_above(cell, r) : 0;
    g[0] = C[0] * (below - above - u);
}

static void aim(Interior *in, double kappa, double correct)
{
    for (int c = 0; c < in->round->n_cells; c++) {
        const PerpCell *cell = &in->round->cell[c];
        const double *C = in->round->C + 9 * c, *r = in->r + CELL * c, *u = in->u + CELL * c;
        double *g = in->g + CELL * c;
        memset(g, 0, CELL * sizeof(double));
        if (cell->kind == PERP_CELL_CONE)
            aim_cone(&in->cell[c], kappa, correct, g);
        else if (cell->kind == PERP_CELL_JOINT)
            g[0] = -u[0] / SOFT;
        else if (!is_fixed(cell))
            aim_box(cell, r, u[0], kappa, C, g);
    }
}

// dr = g - C w; ds of a cone = g - scaling dr; the multipliers of a box follow its products
static void find_change(Interior *in, double kappa)
{
    perp_round_respond(in->round, in->g, in->w);
    for (int c = 0; c < in->round->n_cells; c++) {
        const PerpCell *cell = &in->round->cell[c];
        Cell *it = &in->cell[c];
        const double *r = in->r + CELL * c;
        double x[3];
        times(in->round->C + 9 * c, in->w + CELL * c, x);
        for (int i = 0; i < CELL; i++)
            it->dr[i] = in->g[CELL * c + i] - x[i];
        if (cell->kind == PERP_CELL_CONE) {
            times(it->scaling, it->dr, x);
            for (int i = 0; i < 3; i++)
                it->ds[i] = it->g[i] - x[i];
        } else if (cell->kind == PERP_CELL_BOX && !is_fixed(cell)) {
            double below = room_below(cell, r), above = room_above(cell, r);
            it->ds[0] = isfinite(cell->lo) ? (kappa - it->s[0] * it->dr[0]) / below - it->s[0] : 0;
            it->ds[1] = isfinite(cell->hi) ? (kappa + it->s[1] * it->dr[0]) / above - it->s[1] : 0;
        }
    }
}

static double way_of_box(const PerpCell *cell, const double *r, const Cell *it)
{
    double way = INFINITY;
    if (isfinite(cell->lo) && it->dr[0] < 0)
        way = fmin(way, -room_below(cell, r) / it->dr[0]);
    if (isfinite(cell->hi) && it->dr[0] > 0)
        way = fmin(way, room_above(cell, r) / it->dr[0]);
    for (int i = 0; i < 2; i++)
        if (it->ds[i] < 0)
            way = fmin(way, -it->s[i] / it->ds[i]);
    return way;
}

static double way_of_all(const Interior *in)
{
    double way = INFINITY;
    for (int c = 0; c < in->round->n_cells; c++) {
        const PerpCell *cell = &in->round->cell[c];
        const Cell *it = &in->cell[c];
        const double *r = in->r + CELL * c;
        if (cell->kind == PERP_CELL_CONE)
            way = fmin(way, fmin(way_to_boundary(r, it->dr), way_to_boundary(it->s, it->ds)));
        else if (cell->kind == PERP_CELL_BOX && !is_fixed(cell))
            way = fmin(way, way_of_box(cell, r, it));
    }
    return way;
}

// Mean of the products after a step of this length.
static double kappa_after(const Interior *in, double way)
{
    double sum = 0;
    int count = 0;
    for (int c = 0; c < in->round->n_cells; c++) {
        Cell moved = in->cell[c];
        double r[3];
        for (int i = 0; i < 3; i++) {
            r[i] = in->r[CELL * c + i] + way * moved.dr[i];
            moved.s[i] += way * moved.ds[i];
        }
        sum += complementarity(&in->round->cell[c], r, &moved, &count);
    }
    return count > 0 ? sum / count : 0;
}

static void step(Interior *in, double way)
{
    for (int c = 0; c < in->round->n_cells; c++)
        for (int i = 0; i < 3; i++) {
            in->r[CELL * c + i] += way * in->cell[c].dr[i];
            in->cell[c].s[i] += way * in->cell[c].ds[i];
        }
}

static bool is_inside(const Interior *in)
{
    for (int c = 0; c < in->round->n_cells; c++)
        if (in->round->cell[c].kind == PERP_CELL_CONE &&
            (!(determinant(in->r + CELL * c) > 0) || !(determinant(in->cell[c].s) > 0)))
            return false;
    return true;
}

static double farthest_wanted(const Interior *in)
{
    double most = 0;
    for (int c = 0; c < in->round->n_cells; c++)
        for (int i = 0; i < 3 && in->round->cell[c].kind == PERP_CELL_CONE; i++)
            most = fmax(most, fabs(in->cell[c].wanted[i]));
    return most;
}

// --- the iteration ------------------------------------------------------------------------------

// One predictor and corrector; false if it leads nowhere.
static bool iterate(Interior *in)
{
    linearise(in);
    if (!perp_round_factor(in->round))
        return false;
    aim(in, 0, 0);
    find_change(in, 0);
    double way = fmin(1, way_of_all(in)), ahead = kappa_after(in, way) / in->kappa;
    double centre = fmin(1, fmax(ahead * ahead * ahead, 1e-4));
    if (!(ahead > 0))
        centre = in->kappa > 0 ? 1 : 0;
    if (farthest_wanted(in) > 10 * in->kappa)
        centre = fmax(centre, CENTRING);
    double kappa = centre * in->kappa;
    aim(in, kappa, way < 0.5 ? way * way : 1);
    find_change(in, kappa);
    way = fmin(1, FRACTION * way_of_all(in));
    if (!(way > 1e-8))
        return false;
    step(in, way);
    return is_inside(in);
}

double perp_interior(PerpArena *arena, PerpRound *round, double enough, int *iterations, double *r)
{
    int numbers = CELL * round->n_cells, most = *iterations, round_number = 0;
    Interior in = {.round = round,
                   .cell = PERP_TAKE(arena, Cell, round->n_cells),
                   .r = PERP_TAKE(arena, double, numbers),
                   .u = PERP_TAKE(arena, double, numbers),
                   .g = PERP_TAKE(arena, double, numbers),
                   .w = PERP_TAKE(arena, double, numbers),
                   .v = PERP_TAKE(arena, double, round->p->n_bodies *round->size)};
    double best = INFINITY;
    if (!in.cell || !in.r || !in.u || !in.g || !in.w || !in.v)
        return NAN;
    for (int c = 0; c < round->n_cells; c++)
        start_cell(&round->cell[c], in.r + CELL * c, &in.cell[c]);
    for (; round_number <= most; round_number++) {
        perp_round_velocity(round, in.r, in.v);
        perp_round_speeds(round, in.v, in.u);
        in.kappa = kappa_after(&in, 0);
        in.eps = fmin(SMOOTHEST, in.kappa);
        double residual = perp_round_residual(round, in.r, in.u);
        if (residual < best) {
            best = residual;
            memcpy(r, in.r, (size_t)numbers * sizeof(double));
        }
        if (best <= enough || round_number == most || in.kappa < 1e-16 * (in.kappa > 0) ||
            !iterate(&in))
            break;
    }
    *iterations = round_number;
    return best;
}

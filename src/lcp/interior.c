// An interior-point method on the exact law of Coulomb friction: Nesterov and Todd's scaling of the
// second-order cones, Mehrotra's predictor and corrector, and de Saxce's shift |u_T| inside, with
// its derivative, smoothed by no more than the distance from the solution.
//
//     r o s = kappa e,    s = u + |u_T|_eps e_n,    |x|_eps = sqrt(x'x + eps^2)
//
// docs/theory/solvers.md says what was tried and measured.

#include "lcp/round_methods.h"

#include <math.h>
#include <string.h>

static const double SOFT = 1e-8;      // added to the inverse mass of cells: a little softness keeps
                                      // impulses bounded that nothing else determines
static const double SMOOTHEST = 1e-2; // eps at the start
static const double CENTRING = 0.3;   // while speeds are far from the law
enum { CELL = 3, PATIENCE = 12 };     // iterations in a row that do not better the residual

// A cell's iterate and the scaling at it.
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
    PerpRound *round;
    Cell *cell;
    double *r, *u, *v, *g, *w; // 3 a cell; v: bodies
    double kappa, eps;
    const PerpInteriorWay *way;
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
static void find_scaling(const double *r, Cell *cell)
{
    double size_s = sqrt(determinant(cell->s)), size_r = sqrt(determinant(r)), w[3];
    double gamma = sqrt((1 + dot(cell->s, r) / (size_s * size_r)) / 2), eta = size_s / size_r;
    for (int i = 0; i < 3; i++)
        w[i] = (cell->s[i] / size_s + (i == 0 ? r[i] : -r[i]) / size_r) / (2 * gamma);
    double across = hypot(w[1], w[2]), far = (w[0] + across) * (w[0] + across);
    cell->axis[0] = across > 0 ? w[1] / across : 1;
    cell->axis[1] = across > 0 ? w[2] / across : 0;
    cell->factor[0] = eta * far;
    cell->factor[1] = eta / far;
    cell->factor[2] = eta;
}

// y = scaling' x for a function of the scaling that is given by its factors
static void scale(const Cell *cell, double f0, double f1, double f2, const double *x, double *y)
{
    const double *t = cell->axis;
    double along = t[0] * x[1] + t[1] * x[2], turned = t[0] * x[2] - t[1] * x[1];
    double plus = f0 * (x[0] + along) / 2, minus = f1 * (x[0] - along) / 2;
    y[0] = plus + minus;
    y[1] = t[0] * (plus - minus) - t[1] * f2 * turned;
    y[2] = t[1] * (plus - minus) + t[0] * f2 * turned;
}

static void scale_root(const Cell *cell, const double *x, double *y)
{
    const double *f = cell->factor;
    scale(cell, sqrt(f[0]), sqrt(f[1]), sqrt(f[2]), x, y);
}

static void scale_inverse_root(const Cell *cell, const double *x, double *y)
{
    const double *f = cell->factor;
    scale(cell, 1 / sqrt(f[0]), 1 / sqrt(f[1]), 1 / sqrt(f[2]), x, y);
}

// y = (scaling + SOFT)^-1 x
static void scale_softened(const Cell *cell, const double *x, double *y)
{
    const double *f = cell->factor;
    scale(cell, 1 / (f[0] + SOFT), 1 / (f[1] + SOFT), 1 / (f[2] + SOFT), x, y);
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

// --- cells --------------------------------------------------------------------------------------

static void start_cell(const PerpCell *cell, double start, double *r, Cell *it)
{
    if (cell->kind == PERP_CELL_CONE) {
        r[0] = it->s[0] = start;
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
    for (int c = 0; c < in->round->n_cells; c++) {
        const PerpCell *cell = &in->round->cell[c];
        Cell *it = &in->cell[c];
        double *C = in->round->C + 9 * c, *r = in->r + CELL * c;
        memset(C, 0, 9 * sizeof(double));
        if (cell->kind == PERP_CELL_CONE)
            linearise_cone(r, in->u + CELL * c, in->round->shift, in->eps, it, C);
        else if (cell->kind == PERP_CELL_JOINT)
            C[0] = C[4] = C[8] = 1 / SOFT;
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
            for (int i = 0; i < CELL; i++)
                g[i] = -u[i] / SOFT;
        else if (!is_fixed(cell))
            aim_box(cell, r, u[0], kappa, C, g);
    }
}

// dr = g - C w; ds of a cone = g - scaling dr; the multipliers of a box follow its products
static void find_change(Interior *in, double kappa)
{
    perp_round_change(in->round, in->g, in->w);
    for (int c = 0; c < in->round->n_cells; c++) {
        const PerpCell *cell = &in->round->cell[c];
        Cell *it = &in->cell[c];
        const double *r = in->r + CELL * c;
        double x[3];
        memcpy(it->dr, in->w + CELL * c, sizeof it->dr);
        if (cell->kind == PERP_CELL_CONE) {
            scale(it, it->factor[0], it->factor[1], it->factor[2], it->dr, x);
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
    way = fmin(1, in->way->fraction * way_of_all(in));
    if (!(way > 1e-8))
        return false;
    step(in, way);
    return is_inside(in);
}

double perp_interior(PerpArena *arena, PerpRound *round, const PerpInteriorWay *way, double enough,
                     int *iterations, double *r)
{
    int numbers = CELL * round->n_cells, most = *iterations, round_number = 0;
    Interior in = {.round = round,
                   .way = way,
                   .cell = PERP_TAKE(arena, Cell, round->n_cells),
                   .r = PERP_TAKE(arena, double, numbers),
                   .u = PERP_TAKE(arena, double, numbers),
                   .g = PERP_TAKE(arena, double, numbers),
                   .w = PERP_TAKE(arena, double, numbers),
                   .v = PERP_TAKE(arena, double, round->n_state)};
    double best = INFINITY, before = INFINITY;
    int idle = 0;
    if (!in.cell || !in.r || !in.u || !in.g || !in.w || !in.v)
        return NAN;
    for (int c = 0; c < round->n_cells; c++)
        start_cell(&round->cell[c], way->start, in.r + CELL * c, &in.cell[c]);
    for (; round_number <= most; round_number++) {
        perp_round_velocity(round, in.r, in.v);
        perp_round_speeds(round, in.v, in.u);
        in.kappa = kappa_after(&in, 0);
        in.eps = fmin(SMOOTHEST, way->smooth * in.kappa);
        double residual = perp_round_residual(round, in.r, in.u);
        if (residual < best) {
            best = residual;
            memcpy(r, in.r, (size_t)numbers * sizeof(double));
        }
        idle = residual < 0.9 * before ? 0 : idle + 1;
        before = fmin(before, residual);
        if (best <= enough || idle > PATIENCE || round_number == most ||
            in.kappa < 1e-16 * (in.kappa > 0) || !iterate(&in))
            break;
    }
    *iterations = round_number;
    return best;
}

#include "lcp/path.h"

#include <math.h>
#include <string.h>

static const double LINKED = 1e-9; // softness of joints
enum { CELL = 3, CORRECTIONS = 6, TRIES = 12 };

// A cell's point of the curve: what x and t make of it.
typedef struct Point {
    double s[3];
    double axis[2];   // of x: the smoothed projection has the axes (1, axis), (1, -axis) and the
    double factor[3]; // one across; ds = -factor dr along them
    double widen[3];  // dr/dlog t at a fixed x
    double B[2];      // dS_n/du_T
    double shift;     // dS_n/dlog t
} Point;

typedef struct Path {
    PerpRound *round;
    const PerpPathWay *way;
    Point *point;
    double *x, *x_try;       // 3 a cell, as all that follow
    double *r, *u, *u_rest;  // at the point; u_rest without impulses
    double *G, *a;           //
    double *along, *tangent; // per log t, and along the curve
    double *newton, *g, *w;  //
    double *weight;          // of the changes of x, one a cell
    double *v;               // bodies
    double t, t_try, slope;  // slope: dlog t along the curve
    double *best;
    double best_residual;
    int factorisations, most;
} Path;

// --- smoothed projections -----------------------------------------------------------------------

// phi(l) = (l + (l^2 + 4k)^(1/2)) / 2 and phi(-l), without cancellation
typedef struct Smooth {
    double plus, minus, root;
} Smooth;

static Smooth smooth(double l, double k)
{
    double root = sqrt(l * l + 4 * k), far = (fabs(l) + root) / 2, near = k / far;
    return l > 0 ? (Smooth){far, near, root} : (Smooth){near, far, root};
}

static void join(double one, double other, const double *axis, double *y)
{
    y[0] = (one + other) / 2;
    y[1] = axis[0] * (one - other) / 2;
    y[2] = axis[1] * (one - other) / 2;
}

static void split_cone(const double *x, double k, double *r, Point *at)
{
    double across = hypot(x[1], x[2]);
    at->axis[0] = across > 0 ? x[1] / across : 1;
    at->axis[1] = across > 0 ? x[2] / across : 0;
    Smooth one = smooth(x[0] + across, k), other = smooth(x[0] - across, k);
    join(one.plus, other.plus, at->axis, r);
    join(one.minus, other.minus, at->axis, at->s);
    join(2 * k / one.root, 2 * k / other.root, at->axis, at->widen);
    at->factor[0] = one.minus / one.plus;
    at->factor[1] = other.minus / other.plus;
    at->factor[2] = (one.minus + other.minus) / (one.plus + other.plus);
}

static void split_box(const PerpCell *cell, double x, double k, double *r, Point *at)
{
    double slope = 1, value = x, widen = 0;
    if (isfinite(cell->lo)) { // from below: lo + phi(x - lo)
        Smooth below = smooth(x - cell->lo, k);
        value = cell->lo + below.plus;
        slope = below.plus / below.root;
        widen = 2 * k / below.root;
    }
    if (isfinite(cell->hi)) { // from above: less phi(x - hi)
        Smooth above = smooth(x - cell->hi, k);
        value -= above.plus;
        slope -= above.plus / above.root;
        widen -= 2 * k / above.root;
    }
    r[0] = value;
    at->s[0] = value - x;
    at->widen[0] = widen;
    at->factor[0] = slope > 0 ? (1 - slope) / slope : INFINITY;
}

static void scale(const Point *at, double f0, double f1, double f2, const double *x, double *y)
{
    const double *t = at->axis;
    double along = t[0] * x[1] + t[1] * x[2], turned = t[0] * x[2] - t[1] * x[1];
    double plus = f0 * (x[0] + along) / 2, minus = f1 * (x[0] - along) / 2;
    y[0] = plus + minus;
    y[1] = t[0] * (plus - minus) - t[1] * f2 * turned;
    y[2] = t[1] * (plus - minus) + t[0] * f2 * turned;
}

// --- a point ------------------------------------------------------------------------------------

static double softness(const Path *path, const PerpCell *cell, double t)
{
    return cell->kind == PERP_CELL_JOINT ? LINKED : path->way->soft * t;
}

// S(u) of a cell
static void shifted(const PerpCell *cell, const double *u, double eps, Point *at, double *z)
{
    memcpy(z, u, CELL * sizeof(double));
    if (cell->kind != PERP_CELL_CONE)
        return;
    double slip = sqrt(u[1] * u[1] + u[2] * u[2] + eps * eps);
    at->B[0] = u[1] / slip;
    at->B[1] = u[2] / slip;
    at->shift = eps * eps / slip;
    z[0] += slip;
}

// r, u, and the point of every cell from x and t
static void evaluate(Path *path, const double *x, double t)
{
    PerpRound *round = path->round;
    double k = path->way->wide * t * path->way->wide * t;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        double *r = path->r + CELL * c;
        if (cell->kind == PERP_CELL_CONE)
            split_cone(x + CELL * c, k, r, &path->point[c]);
        else if (cell->kind == PERP_CELL_BOX)
            split_box(cell, x[CELL * c], k, r, &path->point[c]);
        else
            r[0] = x[CELL * c];
    }
    perp_round_velocity(round, path->r, path->v);
    perp_round_speeds(round, path->v, path->u);
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        double soft = softness(path, cell, t), z[3], *G = path->G + CELL * c;
        shifted(cell, path->u + CELL * c, path->way->eps * t, &path->point[c], z);
        for (int i = 0; i < CELL; i++)
            G[i] = path->point[c].s[i] - z[i] - soft * path->r[CELL * c + i] -
                   t * path->a[CELL * c + i];
    }
}

// How far the point is from the curve, by t.
static double distance(const Path *path, double t)
{
    double most = 0;
    for (int i = 0; i < CELL * path->round->n_cells; i++)
        most = fabs(path->G[i]) > most || isnan(path->G[i]) ? fabs(path->G[i]) : most;
    return isnan(most) ? INFINITY : most / t;
}

static void keep_best(Path *path)
{
    double residual = perp_round_residual(path->round, path->r, path->u);
    if (residual >= path->best_residual)
        return;
    path->best_residual = residual;
    memcpy(path->best, path->r, (size_t)(CELL * path->round->n_cells) * sizeof(double));
}

// --- directions ---------------------------------------------------------------------------------

static bool factor(Path *path, double t)
{
    for (int c = 0; c < path->round->n_cells; c++) {
        const PerpCell *cell = &path->round->cell[c];
        const Point *at = &path->point[c];
        double *C = path->round->C + 9 * c, soft = softness(path, cell, t);
        memset(C, 0, 9 * sizeof(double));
        if (cell->kind != PERP_CELL_CONE) {
            C[0] = 1 / (at->factor[0] + soft);
            continue;
        }
        const double *f = at->factor;
        for (int j = 0; j < 3; j++) { // (factor + soft)^-1 [1 B'; 0 1], column by column
            double e[3] = {j == 0 ? 1 : at->B[j - 1], j == 1, j == 2}, y[3];
            scale(at, 1 / (f[0] + soft), 1 / (f[1] + soft), 1 / (f[2] + soft), e, y);
            for (int i = 0; i < 3; i++)
                C[3 * i + j] = y[i];
        }
    }
    path->factorisations++;
    return perp_round_factor(path->round);
}

// dx of (factor + soft + S' W) dr = right, ds = S' W dr + soft dr + moved
static void solve(Path *path, double t, const double *right, const double *moved, double *dx)
{
    PerpRound *round = path->round;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        const Point *at = &path->point[c];
        const double *f = at->factor;
        double *g = path->g + CELL * c, soft = softness(path, cell, t);
        memset(g, 0, CELL * sizeof(double));
        if (cell->kind == PERP_CELL_CONE)
            scale(at, 1 / (f[0] + soft), 1 / (f[1] + soft), 1 / (f[2] + soft), right + CELL * c, g);
        else
            g[0] = right[CELL * c] / (f[0] + soft);
    }
    perp_round_change(round, path->g, path->w);
    perp_round_velocity(round, path->w, path->v);
    perp_round_speeds(round, path->v, path->g);
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        const Point *at = &path->point[c];
        double soft = softness(path, cell, t), *dr = path->w + CELL * c, ds[3];
        for (int i = 0; i < CELL; i++)
            ds[i] = path->g[CELL * c + i] - path->u_rest[CELL * c + i];
        if (cell->kind == PERP_CELL_CONE)
            ds[0] += at->B[0] * ds[1] + at->B[1] * ds[2];
        for (int i = 0; i < CELL; i++)
            dx[CELL * c + i] = cell->kind == PERP_CELL_JOINT
                                   ? dr[i]
                                   : dr[i] - ds[i] - soft * dr[i] - moved[CELL * c + i];
    }
}

// dx per log t along the curve
static void find_along(Path *path, double t, double *dx)
{
    double *right = path->newton, *moved = path->along; // scratch until they are found
    for (int c = 0; c < path->round->n_cells; c++) {
        const PerpCell *cell = &path->round->cell[c];
        const Point *at = &path->point[c];
        double soft = cell->kind == PERP_CELL_JOINT ? 0 : softness(path, cell, t), grown[3] = {0};
        if (cell->kind == PERP_CELL_CONE)
            scale(at, at->factor[0], at->factor[1], at->factor[2], at->widen, grown);
        else if (cell->kind == PERP_CELL_BOX && isfinite(at->factor[0]))
            grown[0] = at->factor[0] * at->widen[0];
        for (int i = 0; i < CELL; i++) {
            double a = t * path->a[CELL * c + i] + soft * path->r[CELL * c + i];
            moved[CELL * c + i] = a + (i == 0 && cell->kind == PERP_CELL_CONE ? at->shift : 0);
            right[CELL * c + i] = at->widen[i] + grown[i] - moved[CELL * c + i];
        }
    }
    solve(path, t, right, moved, dx);
}

// Newton's change of x at a fixed t
static void find_newton(Path *path, double t, double *dx)
{
    int numbers = CELL * path->round->n_cells;
    double *moved = path->along;
    for (int i = 0; i < numbers; i++)
        moved[i] = -path->G[i];
    solve(path, t, path->G, moved, dx);
}

// --- the curve ----------------------------------------------------------------------------------

static double product(const Path *path, const double *a, const double *b)
{
    double sum = 0;
    for (int c = 0; c < path->round->n_cells; c++) {
        double w = path->weight[c] * path->weight[c];
        for (int i = 0; i < CELL; i++)
            sum += w * a[CELL * c + i] * b[CELL * c + i];
    }
    return sum;
}

// The direction of the curve at the point, of length 1; it turns where the determinant does.
static bool find_tangent(Path *path)
{
    int n = path->round->n_cells;
    if (!factor(path, path->t))
        return false;
    for (int c = 0; c < n; c++) {
        const double *x = path->x + CELL * c;
        path->weight[c] =
            1 / (fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) + path->way->wide * path->t);
    }
    double sign = -perp_round_sign(path->round);
    find_along(path, path->t, path->tangent);
    double length = sign * sqrt(1 + product(path, path->tangent, path->tangent));
    for (int i = 0; i < CELL * n; i++)
        path->tangent[i] /= length;
    path->slope = 1 / length;
    return isfinite(length);
}

// Back to the curve, across its direction; false if that fails.
static bool correct(Path *path, double *taken)
{
    int numbers = CELL * path->round->n_cells;
    double before = INFINITY;
    for (int k = 0; k < CORRECTIONS; k++) {
        evaluate(path, path->x_try, path->t_try);
        double off = distance(path, path->t_try);
        *taken = k;
        if (off < path->way->narrow)
            return true;
        if ((k > 0 && off > 0.7 * before) || k == CORRECTIONS - 1 || !factor(path, path->t_try))
            return false;
        before = off;
        find_newton(path, path->t_try, path->w + numbers);
        memcpy(path->newton + numbers, path->w + numbers, (size_t)numbers * sizeof(double));
        find_along(path, path->t_try, path->along + numbers);
        const double *one = path->newton + numbers, *other = path->along + numbers;
        double y = -product(path, path->tangent, one) /
                   (product(path, path->tangent, other) + path->slope * path->t_try / path->t);
        y = fmin(fmax(y, -0.7), 1);
        for (int i = 0; i < numbers; i++)
            path->x_try[i] += one[i] + y * other[i];
        path->t_try *= 1 + y;
    }
    return false;
}

static double longest(const Path *path)
{
    double most = 0;
    for (int c = 0; c < path->round->n_cells; c++)
        for (int i = 0; i < CELL; i++)
            most = fmax(most, path->weight[c] * fabs(path->tangent[CELL * c + i]));
    double by_t = path->slope < 0 ? -0.95 / path->slope : 2 / path->slope;
    return fmin(1 / most, by_t);
}

static bool advance(Path *path, double *length)
{
    int numbers = CELL * path->round->n_cells;
    double taken;
    if (!find_tangent(path))
        return false;
    *length = fmin(3 * *length, longest(path));
    for (int k = 0; k < TRIES && path->factorisations < path->most; k++) {
        for (int i = 0; i < numbers; i++)
            path->x_try[i] = path->x[i] + *length * path->tangent[i];
        path->t_try = path->t * (1 + *length * path->slope);
        if (correct(path, &taken)) {
            memcpy(path->x, path->x_try, (size_t)numbers * sizeof(double));
            path->t = path->t_try;
            return true;
        }
        *length *= 0.35;
    }
    return false;
}

// --- the call -----------------------------------------------------------------------------------

static bool take(PerpArena *arena, Path *path)
{
    int n = path->round->n_cells, numbers = CELL * n;
    double **of_cells[] = {&path->x, &path->x_try, &path->r,       &path->u, &path->u_rest,
                           &path->G, &path->a,     &path->tangent, &path->g};
    for (size_t k = 0; k < sizeof of_cells / sizeof *of_cells; k++)
        if (!(*of_cells[k] = PERP_TAKE(arena, double, numbers)))
            return false;
    path->along = PERP_TAKE(arena, double, 2 * numbers);
    path->newton = PERP_TAKE(arena, double, 2 * numbers);
    path->w = PERP_TAKE(arena, double, 2 * numbers);
    path->weight = PERP_TAKE(arena, double, n);
    path->v = PERP_TAKE(arena, double, path->round->n_state);
    path->point = PERP_TAKE(arena, Point, n);
    return path->along && path->newton && path->w && path->weight && path->v && path->point;
}

// x of the impulses r; contacts that are open by far begin open
static void begin(Path *path, const double *r)
{
    PerpRound *round = path->round;
    int numbers = CELL * round->n_cells;
    double z[3];
    perp_round_velocity(round, path->r, path->v); // r is 0 yet
    perp_round_speeds(round, path->v, path->u_rest);
    perp_round_velocity(round, r, path->v);
    perp_round_speeds(round, path->v, path->u);
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        shifted(cell, path->u + CELL * c, 1e-30, &path->point[c], z);
        for (int i = 0; i < CELL; i++)
            path->x[CELL * c + i] = r[CELL * c + i] - (cell->kind == PERP_CELL_JOINT ? 0 : z[i]);
        if (path->way->begin >= 1 && cell->kind == PERP_CELL_CONE)
            path->x[CELL * c] = -fmax(path->u[CELL * c], 0),
                           path->x[CELL * c + 1] = path->x[CELL * c + 2] = 0;
    }
    path->t = path->way->begin;
    evaluate(path, path->x, path->t);
    for (int i = 0; i < numbers; i++)
        path->a[i] = path->G[i] / path->t;
    memset(path->G, 0, (size_t)numbers * sizeof(double));
}

double perp_path(PerpArena *arena, PerpRound *round, const PerpPathWay *way, double enough,
                 int *steps, double *r)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    Path path = {.round = round, .way = way, .best = r, .best_residual = INFINITY, .most = *steps};
    double length = 1;
    if (!take(arena, &path))
        return NAN;
    begin(&path, r);
    keep_best(&path);
    while (path.best_residual > enough && path.factorisations < path.most &&
           path.t > 1e-3 * enough && path.t < 1e3 * way->begin && advance(&path, &length))
        keep_best(&path);
    *steps = path.factorisations;
    perp_arena_release(arena, mark);
    return path.best_residual;
}

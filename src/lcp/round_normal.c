// Newton's method on the normal map of the exact law. The unknown x of a cone is impulse and slack
// in one, r = P(x), s = P(x) - x, so that of a contact that slides it holds the direction, the
// impulse and the speed, each by itself:
//
//     s_T(x) = u_T,   s_n(x) - |s_T(x)| = u_n           r = P(x),  u = J v(r) + d
//
// In these unknowns a slip of 1e-9 is as good as one of 1: what a step may turn is an angle. The
// natural residual of round_polish.c knows the direction of a slip only as far as u does.
//
// A proximal term, soft (r - r before), keeps the system regular; it lessens while the steps
// succeed and grows when they do not. The derivative of P has three axes, as in interior.c.

#include "lcp/round_bodies.h"
#include "lcp/round_refine.h"

#include <math.h>
#include <string.h>

enum { CELL = 3, PATIENCE = 15 }; // steps in a row that do not better the map
static const double LEAST_SOFT = 1e-7, MOST_SOFT = 1e-2;

// The derivative of P at x: factors along (1, axis), (1, -axis) and across.
typedef struct Split {
    double axis[2];
    double factor[3];
} Split;

typedef struct Normal {
    PerpRound *round;
    double *x, *r, *u, *v;
    double *F; // 3 a cell: how far x is from the law
    double *g, *dr;
    double *dv, *momentum; // bodies
    PerpSum *sum;          //
    double soft;           //
    double worst;          // largest F of a cell
    double residual;       // natural, of r
} Normal;

static int rows_of(const PerpCell *cell)
{
    return cell->kind == PERP_CELL_BOX ? 1 : CELL;
}

static double positive_part(double a)
{
    return a > 0 ? a : 0;
}

// r = P(x)
static void project(const PerpCell *cell, const double *x, double *r)
{
    double t = hypot(x[1], x[2]), outer = positive_part(x[0] + t), inner = positive_part(x[0] - t);
    if (cell->kind != PERP_CELL_CONE) {
        memcpy(r, x, CELL * sizeof(double));
        if (cell->kind == PERP_CELL_BOX)
            r[0] = fmin(fmax(x[0], cell->lo), cell->hi);
        return;
    }
    r[0] = (outer + inner) / 2;
    for (int i = 1; i < CELL; i++)
        r[i] = t > 0 ? (outer - inner) / 2 * x[i] / t : 0;
}

static Split split(const PerpCell *cell, const double *x)
{
    double t = hypot(x[1], x[2]), outer = positive_part(x[0] + t), inner = positive_part(x[0] - t);
    Split s = {.axis = {1, 0}};
    if (cell->kind == PERP_CELL_CONE) {
        if (t > 0) {
            s.axis[0] = x[1] / t;
            s.axis[1] = x[2] / t;
        }
        s.factor[0] = outer > 0;
        s.factor[1] = inner > 0;
        s.factor[2] = t > 0 ? (outer - inner) / (2 * t) : inner > 0;
    } else { // all axes alike
        bool inside = cell->kind == PERP_CELL_JOINT || (x[0] > cell->lo && x[0] < cell->hi);
        s.factor[0] = s.factor[1] = s.factor[2] = inside;
    }
    return s;
}

// y = f(P') x for a function f of the derivative that is given by its factors
static void scale(const Split *s, const double f[3], const double *x, double *y)
{
    double along = s->axis[0] * x[1] + s->axis[1] * x[2];
    double turned = s->axis[0] * x[2] - s->axis[1] * x[1];
    double plus = f[0] * (x[0] + along) / 2, minus = f[1] * (x[0] - along) / 2;
    y[0] = plus + minus;
    y[1] = s->axis[0] * (plus - minus) - s->axis[1] * f[2] * turned;
    y[2] = s->axis[1] * (plus - minus) + s->axis[0] * f[2] * turned;
}

// The factors of P' (1 - (1 - soft) P')^-1.
static void find_factors(const Split *s, double soft, double factor[3])
{
    for (int i = 0; i < CELL; i++)
        factor[i] = s->factor[i] / (1 - (1 - soft) * s->factor[i]);
}

// The direction of the slack, 0 if it has none.
static void find_slip(const double *x, const double *r, double b[2])
{
    double s[2] = {r[1] - x[1], r[2] - x[2]}, size = hypot(s[0], s[1]);
    b[0] = size > 0 ? s[0] / size : 0;
    b[1] = size > 0 ? s[1] / size : 0;
}

// F, as it stands in the equations: the tangential rows, times b, have been added to the normal
// one.
static void find_cell_defect(const PerpCell *cell, const double *x, const double *r,
                             const double *u, double *F)
{
    double b[2] = {0};
    for (int i = 0; i < CELL; i++)
        F[i] = i < rows_of(cell) ? r[i] - x[i] - u[i] : 0;
    if (cell->kind != PERP_CELL_CONE)
        return;
    find_slip(x, r, b);
    F[0] = r[0] - x[0] - hypot(r[1] - x[1], r[2] - x[2]) - u[0] + b[0] * F[1] + b[1] * F[2];
}

static void find_impulses(Normal *it)
{
    for (int c = 0; c < it->round->n_cells; c++)
        project(&it->round->cell[c], it->x + CELL * c, it->r + CELL * c);
}

// How far x and v are from the law.
static void evaluate(Normal *it)
{
    const PerpRound *round = it->round;
    perp_round_speeds(round, it->v, it->u);
    it->residual = perp_round_residual(round, it->r, it->u);
    it->worst = 0;
    for (int c = 0; c < round->n_cells; c++) {
        double *F = it->F + CELL * c;
        find_cell_defect(&round->cell[c], it->x + CELL * c, it->r + CELL * c, it->u + CELL * c, F);
        it->worst = fmax(it->worst, sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]));
    }
}

// B w of a cone: w, and in the normal row the change of |u_T| besides
static void shift(const PerpCell *cell, const double *x, const double *r, double *w)
{
    double b[2] = {0};
    if (cell->kind == PERP_CELL_CONE)
        find_slip(x, r, b);
    w[0] += b[0] * w[1] + b[1] * w[2];
}

// dr = g - C w
static bool linearise(Normal *it)
{
    for (int c = 0; c < it->round->n_cells; c++) {
        const PerpCell *cell = &it->round->cell[c];
        const double *x = it->x + CELL * c, *r = it->r + CELL * c;
        double factor[3], *C = it->round->C + 9 * c;
        Split s = split(cell, x);
        find_factors(&s, it->soft, factor);
        scale(&s, factor, it->F + CELL * c, it->g + CELL * c);
        memset(C, 0, 9 * sizeof(double));
        for (int j = 0; j < rows_of(cell); j++) {
            double w[3] = {j == 0, j == 1, j == 2}, y[3];
            shift(cell, x, r, w);
            scale(&s, factor, w, y);
            for (int i = 0; i < CELL; i++)
                C[3 * i + j] = y[i];
        }
    }
    return perp_round_factor(it->round);
}

// (1 - (1 - soft) P') dx = F - B du, where P'dx = dr is known: nothing is divided by soft
static void move_cells(Normal *it, const double *du)
{
    for (int c = 0; c < it->round->n_cells; c++) {
        const PerpCell *cell = &it->round->cell[c];
        const double *dr = it->dr + CELL * c, *F = it->F + CELL * c;
        double *x = it->x + CELL * c, w[3];
        memcpy(w, du + CELL * c, sizeof w);
        shift(cell, x, it->r + CELL * c, w);
        for (int i = 0; i < rows_of(cell); i++)
            x[i] += (1 - it->soft) * dr[i] + F[i] - w[i];
    }
}

// v follows from r.
static void step(Normal *it)
{
    int numbers = CELL * it->round->n_cells;
    perp_round_change(it->round, it->g, it->dr);
    for (int i = 0; i < numbers; i++)
        it->g[i] = it->r[i] + it->dr[i];
    perp_round_velocity(it->round, it->g, it->v);
    perp_round_speeds(it->round, it->v, it->g);
    for (int i = 0; i < numbers; i++)
        it->g[i] -= it->u[i];
    move_cells(it, it->g);
    find_impulses(it);
    perp_round_velocity(it->round, it->r, it->v);
}

// v is kept beside r.
static void step_both(Normal *it)
{
    int numbers = CELL * it->round->n_cells;
    perp_round_bodies_defect(it->round, it->r, it->v, it->sum, it->momentum);
    perp_round_bodies_move(it->round, it->g, it->momentum, it->dv, it->dr);
    for (int i = 0; i < it->round->n_state; i++)
        it->v[i] += it->dv[i];
    perp_round_speeds(it->round, it->v, it->g);
    for (int i = 0; i < numbers; i++)
        it->g[i] -= it->u[i];
    move_cells(it, it->g);
    find_impulses(it);
}

static bool take(PerpArena *arena, Normal *it)
{
    int numbers = CELL * it->round->n_cells;
    it->x = PERP_TAKE(arena, double, numbers);
    it->r = PERP_TAKE(arena, double, numbers);
    it->u = PERP_TAKE(arena, double, numbers);
    it->F = PERP_TAKE(arena, double, numbers);
    it->g = PERP_TAKE(arena, double, numbers);
    it->dr = PERP_TAKE(arena, double, numbers);
    it->v = PERP_TAKE(arena, double, it->round->n_state);
    it->dv = PERP_TAKE(arena, double, it->round->n_state);
    it->momentum = PERP_TAKE(arena, double, it->round->n_state);
    it->sum = PERP_TAKE(arena, PerpSum, it->round->n_state);
    return it->dv && it->momentum && it->sum && it->x && it->r && it->u && it->F && it->g &&
           it->dr && it->v;
}

static void begin(Normal *it, const double *x)
{
    memcpy(it->x, x, (size_t)(CELL * it->round->n_cells) * sizeof(double));
    find_impulses(it);
    perp_round_velocity(it->round, it->r, it->v);
}

double perp_round_normal(PerpArena *arena, PerpRound *round, const PerpNormalWay *way,
                         double enough, int *steps, double *x)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    Normal it = {.round = round, .soft = way->soft};
    double best = INFINITY, least = INFINITY, before = INFINITY;
    int most = *steps, idle = 0;
    if (!take(arena, &it))
        return NAN;
    begin(&it, x);
    for (*steps = 0;; ++*steps) {
        evaluate(&it);
        if (it.residual < best) {
            best = it.residual;
            memcpy(x, it.x, (size_t)(CELL * round->n_cells) * sizeof(double));
        }
        if (it.worst < before / 2)
            it.soft = fmax(LEAST_SOFT, it.soft * way->less);
        else if (it.worst > before)
            it.soft = fmin(MOST_SOFT, it.soft * way->more);
        idle = it.worst < least ? 0 : idle + 1;
        least = fmin(least, it.worst);
        before = it.worst;
        if (best <= enough || *steps == most || idle > PATIENCE || !linearise(&it))
            break;
        step(&it);
    }
    perp_arena_release(arena, mark);
    return best;
}

bool perp_round_sharpen(PerpArena *arena, PerpRound *round, double soft, int steps, const double *x,
                        const PerpSharpenOffer *offer)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    Normal it = {.round = round, .soft = soft};
    bool good = false;
    if (!take(arena, &it))
        return offer->take(offer->user, NULL, NULL);
    begin(&it, x);
    for (int k = 0; k < steps && !good; k++) {
        evaluate(&it);
        if (!linearise(&it))
            break;
        step_both(&it);
        good = offer->take(offer->user, it.r, it.v);
    }
    perp_arena_release(arena, mark);
    return good;
}

void perp_round_normal_impulses(const PerpRound *round, const double *x, double *r)
{
    for (int c = 0; c < round->n_cells; c++)
        project(&round->cell[c], x + CELL * c, r + CELL * c);
}

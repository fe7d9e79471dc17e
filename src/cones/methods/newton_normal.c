// Newton's method on the normal map of the exact law [Robinson 1992]. The unknown x of a cone is
// impulse and slack in one, r = P(x), s = P(x) - x, so that of a contact that slides it holds the
// direction, the impulse and the speed, each by itself:
//
//     s_T(x) = u_T,   s_n(x) - |s_T(x)| = u_n           r = P(x),  u = J v(r) + d
//
// In these unknowns a slip of 1e-9 is as good as one of 1: what a step may turn is an angle. The
// natural residual of newton_natural.c knows the direction of a slip only as far as u does.
//
// A proximal term, epsilon (r - r before), keeps the system regular; it lessens while the steps
// succeed and grows when they do not. The derivative of P has three axes, as in interior.c.

#include "cones/cone.h"
#include "cones/methods/polygon_refinement.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 3, PATIENCE = 15 }; // steps in a row that do not better the map
static const double LEAST_EPSILON = 1e-7, MOST_EPSILON = 1e-2;

typedef struct Normal {
    PerpConeProblem *cones;
    double *x, *r, *u, *v;
    double *F; // 3 a constraint: how far x is from the law
    double *g, *dr;
    double *dv, *momentum; // bodies
    long double *sum;      //
    double epsilon;        //
    double worst;          // largest F of a constraint
    double residual;       // natural, of r
} Normal;

// y = f(P') x for a function f of the derivative that is given by its factors
static void scale(const PerpProjectionAxes *s, const double f[3], const double *x, double *y)
{
    double along = s->axis[0] * x[1] + s->axis[1] * x[2];
    double turned = s->axis[0] * x[2] - s->axis[1] * x[1];
    double plus = f[0] * (x[0] + along) / 2, minus = f[1] * (x[0] - along) / 2;
    y[0] = plus + minus;
    y[1] = s->axis[0] * (plus - minus) - s->axis[1] * f[2] * turned;
    y[2] = s->axis[1] * (plus - minus) + s->axis[0] * f[2] * turned;
}

// The factors of P' (1 - (1 - epsilon) P')^-1.
static void find_factors(const PerpProjectionAxes *s, double epsilon, double factor[3])
{
    for (int i = 0; i < BLOCK; i++)
        factor[i] = s->factor[i] / (1 - (1 - epsilon) * s->factor[i]);
}

// F, as it stands in the equations: the tangential rows, times b, have been added to the normal
// one.
static void find_defect(const PerpCone *cone, const double *x, const double *r, const double *u,
                        double *F)
{
    double b[2];
    cone->slip_direction(x, r, b);
    for (int i = 0; i < BLOCK; i++)
        F[i] = r[i] - x[i] - u[i];
    if (cone->is_contact)
        F[0] = r[0] - x[0] - hypot(r[1] - x[1], r[2] - x[2]) - u[0] + b[0] * F[1] + b[1] * F[2];
}

static void find_impulses(Normal *it)
{
    for (int c = 0; c < it->cones->n_constraints; c++)
        it->cones->constraint[c].cone->project(it->cones, c, it->x + BLOCK * c, it->r + BLOCK * c);
}

// How far x and v are from the law.
static void evaluate(Normal *it)
{
    const PerpConeProblem *cones = it->cones;
    perp_delassus_speeds(cones, it->v, it->u);
    it->residual = perp_cones_residual(cones, it->r, it->u);
    it->worst = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        double *F = it->F + BLOCK * c;
        find_defect(cones->constraint[c].cone, it->x + BLOCK * c, it->r + BLOCK * c,
                    it->u + BLOCK * c, F);
        it->worst = fmax(it->worst, sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]));
    }
}

// B w of a cone: w, and in the normal row the change of |u_T| besides
static void shift(const PerpCone *cone, const double *x, const double *r, double *w)
{
    double b[2];
    cone->slip_direction(x, r, b);
    w[0] += b[0] * w[1] + b[1] * w[2];
}

// dr = g - C w
static bool linearise(Normal *it)
{
    for (int c = 0; c < it->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &it->cones->constraint[c];
        const double *x = it->x + BLOCK * c, *r = it->r + BLOCK * c;
        double factor[3], *C = it->cones->newton.C + 9 * c;
        const PerpProjectionAxes s = constraint->cone->axes(constraint, x);
        find_factors(&s, it->epsilon, factor);
        scale(&s, factor, it->F + BLOCK * c, it->g + BLOCK * c);
        memset(C, 0, 9 * sizeof(double));
        for (int j = 0; j < BLOCK; j++) {
            double w[3] = {j == 0, j == 1, j == 2}, y[3];
            shift(constraint->cone, x, r, w);
            scale(&s, factor, w, y);
            for (int i = 0; i < BLOCK; i++)
                C[3 * i + j] = y[i];
        }
    }
    return perp_delassus_factor(it->cones);
}

// (1 - (1 - epsilon) P') dx = F - B du, where P'dx = dr is known: nothing is divided by epsilon
static void move_constraints(Normal *it, const double *du)
{
    for (int c = 0; c < it->cones->n_constraints; c++) {
        const double *dr = it->dr + BLOCK * c, *F = it->F + BLOCK * c;
        double *x = it->x + BLOCK * c, w[3];
        memcpy(w, du + BLOCK * c, sizeof w);
        shift(it->cones->constraint[c].cone, x, it->r + BLOCK * c, w);
        for (int i = 0; i < BLOCK; i++)
            x[i] += (1 - it->epsilon) * dr[i] + F[i] - w[i];
    }
}

// v follows from r.
static void step(Normal *it)
{
    int numbers = BLOCK * it->cones->n_constraints;
    perp_delassus_solve(it->cones, it->g, it->dr);
    for (int i = 0; i < numbers; i++)
        it->g[i] = it->r[i] + it->dr[i];
    perp_delassus_velocity(it->cones, it->g, it->v);
    perp_delassus_speeds(it->cones, it->v, it->g);
    for (int i = 0; i < numbers; i++)
        it->g[i] -= it->u[i];
    move_constraints(it, it->g);
    find_impulses(it);
    perp_delassus_velocity(it->cones, it->r, it->v);
}

// v is kept beside r.
static void step_both(Normal *it)
{
    int numbers = BLOCK * it->cones->n_constraints;
    perp_over_bodies_defect(it->cones, it->r, it->v, it->sum, it->momentum);
    perp_over_bodies_move(it->cones, it->g, it->momentum, true, it->dv, it->dr);
    for (int i = 0; i < it->cones->n_state; i++)
        it->v[i] += it->dv[i];
    perp_delassus_speeds(it->cones, it->v, it->g);
    for (int i = 0; i < numbers; i++)
        it->g[i] -= it->u[i];
    move_constraints(it, it->g);
    find_impulses(it);
}

static bool take(PerpArena *arena, Normal *it)
{
    int numbers = BLOCK * it->cones->n_constraints;
    it->x = PERP_TAKE(arena, double, numbers);
    it->r = PERP_TAKE(arena, double, numbers);
    it->u = PERP_TAKE(arena, double, numbers);
    it->F = PERP_TAKE(arena, double, numbers);
    it->g = PERP_TAKE(arena, double, numbers);
    it->dr = PERP_TAKE(arena, double, numbers);
    it->v = PERP_TAKE(arena, double, it->cones->n_state);
    it->dv = PERP_TAKE(arena, double, it->cones->n_state);
    it->momentum = PERP_TAKE(arena, double, it->cones->n_state);
    it->sum = PERP_TAKE(arena, long double, it->cones->n_state);
    return it->dv && it->momentum && it->sum && it->x && it->r && it->u && it->F && it->g &&
           it->dr && it->v;
}

static void begin(Normal *it, const double *x)
{
    memcpy(it->x, x, (size_t)(BLOCK * it->cones->n_constraints) * sizeof(double));
    find_impulses(it);
    perp_delassus_velocity(it->cones, it->r, it->v);
}

double perp_newton_normal(PerpArena *arena, PerpConeProblem *cones,
                          const PerpNewtonNormalParameters *mode, double tolerance, int *steps,
                          double *x)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    Normal it = {.cones = cones, .epsilon = mode->epsilon};
    double best = INFINITY, least = INFINITY, before = INFINITY;
    int most = *steps, idle = 0;
    if (!take(arena, &it))
        return NAN;
    begin(&it, x);
    for (*steps = 0;; ++*steps) {
        evaluate(&it);
        if (it.residual < best) {
            best = it.residual;
            memcpy(x, it.x, (size_t)(BLOCK * cones->n_constraints) * sizeof(double));
        }
        if (it.worst < before / 2)
            it.epsilon = fmax(LEAST_EPSILON, it.epsilon * mode->less);
        else if (it.worst > before)
            it.epsilon = fmin(MOST_EPSILON, it.epsilon * mode->more);
        idle = it.worst < least ? 0 : idle + 1;
        least = fmin(least, it.worst);
        before = it.worst;
        if (best <= tolerance || *steps == most || idle > PATIENCE ||
            perp_interrupted(cones->interrupt) || !linearise(&it))
            break;
        step(&it);
    }
    perp_arena_release(arena, mark);
    return best;
}

bool perp_newton_normal_refine(PerpArena *arena, PerpConeProblem *cones, double epsilon, int steps,
                               const double *x, const PerpRefineJudge *judge)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    Normal it = {.cones = cones, .epsilon = epsilon};
    bool good = false;
    if (!take(arena, &it))
        return judge->certify(judge->user, NULL, NULL);
    begin(&it, x);
    for (int k = 0; k < steps && !good; k++) {
        evaluate(&it);
        if (!linearise(&it))
            break;
        step_both(&it);
        good = judge->certify(judge->user, it.r, it.v);
    }
    perp_arena_release(arena, mark);
    return good;
}

void perp_newton_normal_impulses(const PerpConeProblem *cones, const double *x, double *r)
{
    for (int c = 0; c < cones->n_constraints; c++)
        cones->constraint[c].cone->project(cones, c, x + BLOCK * c, r + BLOCK * c);
}

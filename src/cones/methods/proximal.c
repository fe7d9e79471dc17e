// Proximal points on the exact law [Rockafellar 1976]: r_k+1
// solves the law with u + rho (r - r_k) in the place of u. For large rho that is easy and moves
// little, for small rho the residual rho |r_k+1 - r_k| is small. The proximal parameter rho is
// reduced by a factor that adapts to Newton's method: faster after each success, slower after a
// failure. Components of the impulses in null(J') drift until a contact changes mode: proximal
// points follow them through many such changes, where Newton's method alone stalls.

#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"

#include <math.h>
#include <string.h>

static const double REGULARISATION = 1e-7;
static const double FIRST_RHO = 1, LARGEST_RHO = 10, SMALLEST_RHO = 1e-10;
static const double FIRST_REDUCTION = 0.2, FASTEST_REDUCTION = 0.05;
static const double FAR = 1e-3; // residual of proximal centres that are not worth keeping
enum { NEWTON_STEPS = 12, PATIENCE = 6 };

typedef struct Proximal {
    PerpArena *arena;
    PerpConeProblem *cones;
    double *centre, *now, *v, *u;
    double rho, reduction; // of the next point; rho of the one after it = reduction * rho
    double good_rho;       // of the last success
    int failures;          // in a row
    double residual;       // of the proximal centre
} Proximal;

static double find_residual(Proximal *at, const double *r)
{
    perp_delassus_velocity(at->cones, r, at->v);
    perp_delassus_speeds(at->cones, at->v, at->u);
    return perp_cones_residual(at->cones, r, at->u);
}

static void succeed(Proximal *at, double residual)
{
    memcpy(at->centre, at->now, (size_t)(3 * at->cones->n_constraints) * sizeof(double));
    at->residual = residual;
    at->failures = 0;
    at->good_rho = at->rho;
    at->reduction = fmax(pow(at->reduction, 1.3), FASTEST_REDUCTION);
    at->rho = fmax(at->reduction * at->rho, SMALLEST_RHO);
}

// A rho that cannot grow any more would fail in the same way for ever. Far from a solution the
// point that Newton's method came to becomes the proximal centre then, however bad it is.
static void fail(Proximal *at, double residual)
{
    at->failures++;
    if (at->failures > PATIENCE && at->residual > FAR) {
        succeed(at, residual);
        at->rho = at->good_rho = FIRST_RHO;
        at->reduction = FIRST_REDUCTION;
        return;
    }
    at->reduction = sqrt(at->reduction);
    at->rho = fmin(at->failures > 1 ? 3 * at->rho : at->good_rho, LARGEST_RHO);
}

// One point; false if memory is short. *residual: of the law itself at at->now.
static bool find_point(Proximal *at, int *steps, double *residual)
{
    PerpArenaMark mark = perp_arena_mark(at->arena);
    PerpProximalTerm centre = {at->rho, at->centre};
    double target = fmax(1e-14, fmin(1e-3, 0.5 * at->residual));
    memcpy(at->now, at->centre, (size_t)(3 * at->cones->n_constraints) * sizeof(double));
    double off = perp_newton_proximal(at->arena, at->cones, REGULARISATION, &centre, 1e-2 * target,
                                      steps, at->now);
    perp_arena_release(at->arena, mark);
    if (isnan(off))
        return false;
    *residual = find_residual(at, at->now);
    if (off <= target)
        succeed(at, *residual);
    else
        fail(at, *residual);
    return true;
}

double perp_proximal_point(PerpArena *arena, PerpConeProblem *cones, double tolerance,
                           int *iterations, double *r)
{
    int numbers = 3 * cones->n_constraints, most = *iterations, done = 0;
    size_t bytes = (size_t)numbers * sizeof(double);
    Proximal at = {.arena = arena,
                   .cones = cones,
                   .centre = PERP_TAKE(arena, double, numbers),
                   .now = PERP_TAKE(arena, double, numbers),
                   .u = PERP_TAKE(arena, double, numbers),
                   .v = PERP_TAKE(arena, double, cones->n_state),
                   .rho = FIRST_RHO,
                   .good_rho = FIRST_RHO,
                   .reduction = FIRST_REDUCTION};
    bool analysed = perp_delassus_analyse(cones); // stays in the arena
    if (!at.centre || !at.now || !at.u || !at.v || !analysed)
        return NAN;
    memcpy(at.centre, r, bytes);
    double best = at.residual = find_residual(&at, r);
    while (best > tolerance && done < most && !perp_interrupted(cones->interrupt)) {
        int steps = NEWTON_STEPS;
        double residual;
        if (!find_point(&at, &steps, &residual))
            return NAN;
        done += steps + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, at.now, bytes);
        }
    }
    *iterations = done;
    return best;
}

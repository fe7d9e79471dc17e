#include "cones/methods/slip_held.h"

#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double DEAD_ZONE = 10;        // times the residual of the point that the slip is of
static const double DEAD_ZONE_MOST = 1e-3; // of the speed that is 1
enum { NEWTON_STEPS = 6, PROXIMAL_STEPS = 40 }; // factorisations
static const double KAPPA = 0.1;                // of interior points, at the start
static const double REGULARISATION = 1e-7;      // of Newton's method
static const double SHARP = 1e-14;              // what it aims at

bool perp_slip_find(PerpArena *arena, const PerpConeProblem *cones, double residual,
                    const double *r, double *slip)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    double *v = PERP_TAKE(arena, double, cones->n_state);
    double *u = PERP_TAKE(arena, double, 3 * cones->n_constraints);
    double dead = fmin(DEAD_ZONE * residual, DEAD_ZONE_MOST);
    if (!v || !u)
        return false;
    perp_delassus_velocity(cones, r, v);
    perp_delassus_speeds(cones, v, u);
    for (int c = 0; c < cones->n_constraints; c++) {
        double speed = perp_length(u[3 * c + 1], u[3 * c + 2]);
        slip[c] = cones->constraint[c].cone->is_contact && speed > dead ? speed : 0;
    }
    perp_arena_release(arena, mark);
    return true;
}

int perp_slip_count(PerpArena *arena, const PerpConeProblem *cones, double residual,
                    const double *r)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    double *slip = PERP_TAKE(arena, double, cones->n_constraints);
    int count = -1;
    if (slip && perp_slip_find(arena, cones, residual, r, slip)) {
        count = 0;
        for (int c = 0; c < cones->n_constraints; c++)
            count += slip[c] > 0;
    }
    perp_arena_release(arena, mark);
    return count;
}

// By -1 it is taken back.
static void add_slip(PerpConeProblem *cones, const double *slip, double by)
{
    for (int c = 0; c < cones->n_constraints; c++)
        cones->constraint[c].d[0] += by * slip[c];
}

void perp_slip_hold(PerpConeProblem *cones, const double *slip)
{
    add_slip(cones, slip, 1);
    cones->shift = 0;
}

void perp_slip_release(PerpConeProblem *cones, const double *slip)
{
    add_slip(cones, slip, -1);
    cones->shift = 1;
}

// Newton's method and proximal points, where interior points ended short of the tolerance: by
// rounding, or at contacts that neither push nor part.
static double finish(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *iterations,
                     double *r)
{
    int newton = NEWTON_STEPS, proximal = PROXIMAL_STEPS;
    double residual = perp_newton_natural(arena, cones, REGULARISATION, SHARP, &newton, r);
    *iterations = newton;
    if (!(residual > tolerance))
        return residual;
    residual = perp_proximal_point(arena, cones, tolerance, &proximal, r);
    *iterations += proximal;
    return residual;
}

static double solve_convex(PerpArena *arena, PerpConeProblem *cones, double tolerance,
                           int *iterations, double *r)
{
    int further = 0;
    double residual = perp_interior_point(arena, cones, KAPPA, tolerance, iterations, r);
    if (residual > tolerance)
        residual = finish(arena, cones, tolerance, &further, r);
    *iterations += further;
    return residual;
}

typedef double Method(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *steps,
                      double *r);

static double solve_held(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                         Method *method, double tolerance, int *steps, double *r)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    perp_slip_hold(cones, slip);
    double residual = method(arena, cones, tolerance, steps, r);
    perp_slip_release(cones, slip);
    perp_arena_release(arena, mark);
    return residual;
}

// The order of elimination stays in the arena.
double perp_slip_held_interior(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                               double tolerance, int *iterations, double *r)
{
    return perp_delassus_analyse(cones)
               ? solve_held(arena, cones, slip, solve_convex, tolerance, iterations, r)
               : NAN;
}

double perp_slip_held_finish(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                             double tolerance, int *iterations, double *r)
{
    return solve_held(arena, cones, slip, finish, tolerance, iterations, r);
}

static double descend(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *steps,
                      double *r)
{
    return perp_apgd(arena, cones, tolerance, steps, r);
}

double perp_slip_held_apgd(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                           double tolerance, int *steps, double *r)
{
    return solve_held(arena, cones, slip, descend, tolerance, steps, r);
}

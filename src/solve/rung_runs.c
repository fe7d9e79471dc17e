#include "solve/rung_runs.h"
#include "cones/operator/delassus.h"

#include "cones/methods/dense_newton.h"
#include "cones/methods/methods.h"
#include "cones/methods/newton_local.h"
#include "cones/methods/polygon_refinement.h"
#include "cones/methods/turned_polygon.h"
#include "cones/rows.h"
#include "linear/free_flight.h"
#include "linear/joints_solve.h"
#include "pivoting/step_pivoting.h"

#include <math.h>
#include <string.h>

static const double REGULARISATION = 1e-7; // of Newton's method on the natural map
static const double SHARP = 1e-14;
enum { NEWTON_STEPS = 12 };

static bool meets(PerpLadder *ladder)
{
    return ladder->accepted =
               ladder->best_certified->certificate.worst <= ladder->settings->tolerance;
}

static double fail(PerpLadder *ladder)
{
    ladder->memory_short = true;
    return NAN;
}

// --- on the problem itself ----------------------------------------------------------------------

double perp_run_free(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    PerpPoint point;
    bool flies;
    *work = 0;
    if (perp_free_flight(ladder->arena, ladder->p, &point, &flies, NULL))
        return fail(ladder);
    const PerpJudge judge = perp_certified_judge(ladder->best_certified);
    if (flies && isnan(perp_judge_offer(&judge, ladder->p, &point, 0, NULL)))
        return fail(ladder);
    meets(ladder);
    return NAN;
}

double perp_run_joints(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    PerpSolver *solver = ladder->solver;
    const PerpJudge judge = perp_certified_judge(ladder->best_certified);
    *work = 0;
    ladder->accepted = perp_joints_solve(ladder->arena, &solver->graphs, &solver->joints, ladder->p,
                                         &judge, ladder->settings->tolerance, work);
    ladder->iterations += *work;
    return NAN;
}

double perp_run_single_sweep(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    double tolerance = ladder->settings->tolerance;
    *work = 1;
    if (perp_single_sweep(ladder->contact, 0.1 * tolerance, ladder->impulse)) {
        ladder->sweeps++;
        ladder->accepted = perp_ladder_certify_contacts(ladder);
    }
    return NAN;
}

double perp_run_dense_newton(PerpLadder *ladder, double aim, int *work)
{
    int sweeps = 0, steps = 0;
    if (perp_dense_newton(ladder->arena, ladder->contact, aim, &sweeps, &steps, ladder->impulse))
        ladder->accepted = perp_ladder_certify_contacts(ladder);
    ladder->sweeps += sweeps;
    ladder->iterations += steps;
    *work = sweeps + steps;
    return NAN;
}

double perp_run_pivoting(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    const PerpProblemSettings *settings = ladder->settings;
    const PerpJudge judge = perp_certified_judge(ladder->best_certified);
    const PerpPivotingSettings asked = {.method = settings->method,
                                        .tolerance = settings->tolerance,
                                        .max_pivots = settings->max_pivots,
                                        .basis = settings->basis,
                                        .basis_size = settings->basis_size,
                                        .minimum_norm = settings->minimum_norm};
    ladder->status = perp_step_pivoting(ladder->arena, ladder->p, &judge, &asked, &ladder->pivoting,
                                        ladder->error);
    *work = ladder->pivoting.pivots;
    ladder->pivots += *work;
    ladder->memory_short = ladder->status != PERP_OK;
    return meets(ladder) ? 0 : NAN;
}

double perp_run_turned_polygon(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    PerpTurnedPolygon job = {.arena = ladder->arena,
                             .p = ladder->p,
                             .judge = perp_certified_judge(ladder->best_certified),
                             .of_polygons = perp_certified_judge_others(ladder->best_certified),
                             .method = ladder->settings->method,
                             .tolerance = ladder->settings->tolerance,
                             .max_pivots = ladder->settings->max_pivots,
                             .worst = ladder->best_certified->certificate.worst};
    ladder->status = perp_turned_polygon(&job, ladder->error);
    ladder->memory_short = ladder->status != PERP_OK;
    *work = job.pivots;
    ladder->pivots += job.pivots;
    if (!meets(ladder) && ladder->cones)
        perp_cones_from_rows(ladder->cones, ladder->best_certified->c, ladder->r);
    return NAN;
}

double perp_run_polygon(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    PerpPolygonRefinement job = {.arena = ladder->arena,
                                 .cones = ladder->cones,
                                 .judge = perp_certified_judge(ladder->best_certified),
                                 .of_polygons = perp_certified_judge_others(ladder->best_certified),
                                 .tolerance = ladder->settings->tolerance,
                                 .start = ladder->best};
    perp_polygon_refinement(&job);
    ladder->memory_short = job.memory_short;
    ladder->iterations += job.iterations;
    *work = job.pivots;
    ladder->pivots += job.pivots;
    meets(ladder);
    return NAN;
}

// Interior points on the convex relaxation, which never stall, then Newton's method on it.
double perp_run_convex(PerpLadder *ladder, double aim, int *work)
{
    static const PerpInteriorParameters parameters = {1, 0.98, 1};
    PerpConeProblem *cones = ladder->cones;
    int steps = NEWTON_STEPS;
    PerpPoint point;
    if (!perp_delassus_analyse(cones))
        return fail(ladder);
    cones->shift = 0;
    double residual = perp_interior_point(ladder->arena, cones, &parameters, aim, work, ladder->r);
    residual = fmin(residual, perp_newton_natural(ladder->arena, cones, REGULARISATION, SHARP,
                                                  &steps, ladder->r));
    cones->shift = 1;
    *work += steps;
    ladder->iterations += *work;
    if (isnan(residual) || !perp_ladder_spread(ladder, ladder->r, &point))
        return fail(ladder);
    double tolerance = ladder->settings->tolerance;
    double worst = perp_certified_offer_convex(ladder->best_certified, &point, tolerance);
    ladder->memory_short = isnan(worst);
    ladder->convex = ladder->accepted = worst <= tolerance;
    return residual;
}

// --- first-order methods on the constraint form -------------------------------------------------

double perp_run_start(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double *v = PERP_TAKE(ladder->arena, double, ladder->cones->n_state);
    double *u = PERP_TAKE(ladder->arena, double, 3 * ladder->cones->n_constraints);
    double residual = NAN;
    *work = 0;
    if (v && u) {
        perp_delassus_velocity(ladder->cones, ladder->r, v);
        perp_delassus_speeds(ladder->cones, v, u);
        residual = perp_cones_residual(ladder->cones, ladder->r, u);
    }
    perp_arena_release(ladder->arena, mark);
    return residual;
}

typedef double FirstOrder(PerpArena *arena, const PerpConeProblem *cones, double tolerance,
                          int *steps, double *r);

static double run_first_order(PerpLadder *ladder, FirstOrder *method, double aim, int *work)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    size_t bytes = (size_t)(3 * ladder->cones->n_constraints) * sizeof(double);
    double residual = method(ladder->arena, ladder->cones, aim, work, ladder->r);
    perp_arena_release(ladder->arena, mark);
    memcpy(ladder->first_order, ladder->r, bytes);
    ladder->sweeps += *work;
    return residual;
}

double perp_run_nsgs(PerpLadder *ladder, double aim, int *work)
{
    return run_first_order(ladder, perp_nsgs, aim, work);
}

double perp_run_projected_nsgs(PerpLadder *ladder, double aim, int *work)
{
    return run_first_order(ladder, perp_projected_nsgs, aim, work);
}

double perp_run_apgd(PerpLadder *ladder, double aim, int *work)
{
    return run_first_order(ladder, perp_apgd, aim, work);
}

// --- methods that factorise ---------------------------------------------------------------------

double perp_run_newton_local(PerpLadder *ladder, double aim, int *work)
{
    double residual = perp_newton_local(ladder->arena, ladder->cones, aim, work, ladder->r);
    ladder->iterations += *work;
    return residual;
}

// The order of elimination stays in the arena.
double perp_run_newton(PerpLadder *ladder, double aim, int *work)
{
    if (!perp_delassus_analyse(ladder->cones))
        return NAN;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double residual =
        perp_newton_natural(ladder->arena, ladder->cones, REGULARISATION, aim, work, ladder->r);
    perp_arena_release(ladder->arena, mark);
    ladder->iterations += *work;
    return residual;
}

// Newton's method from where another one ended, if that was not enough.
static double finish(PerpLadder *ladder, double residual, double aim, int *work)
{
    int steps = NEWTON_STEPS;
    if (isnan(residual) || residual <= aim)
        return residual;
    residual = perp_run_newton(ladder, SHARP, &steps);
    *work += steps;
    return residual;
}

// From impulses that solve the law with the slip of the best so far.
double perp_run_slip_held(PerpLadder *ladder, double aim, int *work)
{
    if (!perp_delassus_analyse(ladder->cones))
        return NAN;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double residual = perp_slip_held(ladder->arena, ladder->cones, aim, work, ladder->r);
    perp_arena_release(ladder->arena, mark);
    ladder->iterations += *work;
    return finish(ladder, isnan(residual) ? NAN : INFINITY, 0, work);
}

double perp_run_proximal(PerpLadder *ladder, double aim, int *work)
{
    if (!perp_delassus_analyse(ladder->cones))
        return NAN;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double residual = perp_proximal_point(ladder->arena, ladder->cones, aim, work, ladder->r);
    perp_arena_release(ladder->arena, mark);
    ladder->iterations += *work;
    return finish(ladder, residual, aim, work);
}

double perp_run_interior(PerpLadder *ladder, double aim, int *work)
{
    static const PerpInteriorParameters parameters[] = {
        {1, 0.98, 1},   {10, 0.9, 1},    {0.1, 0.98, 10}, {100, 0.9, 0.1}, {1, 0.7, 1},
        {1, 0.98, 1e3}, {1, 0.98, 1e-3}, {1, 0.5, 100},   {1e3, 0.9, 1}};
    int most = *work, sets = ladder->contact ? 2 : 9;
    double residual = INFINITY;
    *work = 0;
    if (!perp_delassus_analyse(ladder->cones))
        return NAN;
    for (int k = 0; k < sets && residual > ladder->aim; k++) {
        PerpArenaMark mark = perp_arena_mark(ladder->arena);
        int steps = most;
        residual = perp_interior_point(ladder->arena, ladder->cones, &parameters[k], aim, &steps,
                                       ladder->r);
        perp_arena_release(ladder->arena, mark);
        ladder->iterations += steps;
        *work += steps;
        residual = finish(ladder, residual, ladder->aim, work);
    }
    return residual;
}

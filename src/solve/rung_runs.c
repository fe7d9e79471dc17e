#include "solve/rung_runs.h"
#include "cones/operator/delassus.h"

#include "cones/methods/methods.h"
#include "cones/methods/newton_local.h"
#include "cones/methods/polygon_refinement.h"
#include "cones/methods/slip_held.h"
#include "cones/methods/turned_polygon.h"
#include "cones/rows.h"
#include "linear/free_flight.h"
#include "linear/joints_solve.h"
#include "pivoting/step_pivoting.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double REGULARISATION = 1e-7; // of Newton's method on the natural map

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
    if (flies && isnan(perp_judge_certify(&judge, ladder->p, &point, 0, NULL)))
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

double perp_run_pivoting(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    const PerpProblemSettings *settings = ladder->settings;
    const PerpJudge judge = perp_certified_judge(ladder->best_certified);
    PerpPivotingSettings asked = {.method = settings->method,
                                  .tolerance = settings->tolerance,
                                  .max_pivots = settings->max_pivots,
                                  .basis = settings->basis,
                                  .basis_size = settings->basis_size,
                                  .minimum_norm = settings->minimum_norm,
                                  .interrupt = &ladder->interrupt};
    if (asked.max_pivots == 0 && *work < INT_MAX) { // a path that is cut short is tried once
        asked.max_pivots = *work;
        asked.reduced_only = true;
    }
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
                             .interrupt = &ladder->interrupt,
                             .worst = ladder->best_certified->certificate.worst};
    ladder->status = perp_turned_polygon(&job, ladder->error);
    ladder->memory_short = ladder->status != PERP_OK;
    *work = job.pivots;
    ladder->pivots += job.pivots;
    meets(ladder);
    return NAN;
}

double perp_run_polygon(PerpLadder *ladder, double aim, int *work)
{
    (void)aim;
    PerpConeProblem *whole = ladder->tree ? ladder->whole : ladder->cones;
    const double *start = perp_ladder_whole(ladder, ladder->best);
    if (!start)
        return fail(ladder);
    PerpPolygonRefinement job = {.arena = ladder->arena,
                                 .cones = whole,
                                 .judge = perp_certified_judge(ladder->best_certified),
                                 .of_polygons = perp_certified_judge_others(ladder->best_certified),
                                 .tolerance = ladder->settings->tolerance,
                                 .start = start};
    if (!perp_delassus_analyse(whole))
        return fail(ladder);
    perp_polygon_refinement(&job);
    ladder->memory_short = job.memory_short;
    ladder->iterations += job.iterations;
    *work = job.pivots;
    ladder->pivots += job.pivots;
    meets(ladder);
    return NAN;
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
    bool diverged = residual > fmax(1, ladder->residual);
    memcpy(ladder->first_order, diverged ? ladder->best : ladder->r, bytes);
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
    double residual =
        perp_newton_local(ladder->arena, ladder->cones, aim, ladder->aim, work, ladder->r);
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

double perp_run_reduced_newton(PerpLadder *ladder, double aim, int *work)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    const double *slip = ladder->p && ladder->settings->start_slip ? ladder->slip : NULL;
    double residual = perp_reduced_newton(ladder->arena, ladder->cones, slip, aim, work, ladder->r);
    perp_arena_release(ladder->arena, mark);
    ladder->iterations += *work;
    return residual;
}

// Newton's method goes on from where they end, if that is not enough.
double perp_run_proximal(PerpLadder *ladder, double aim, int *work)
{
    if (!perp_delassus_analyse(ladder->cones))
        return NAN;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double residual = perp_proximal_point(ladder->arena, ladder->cones, aim, work, ladder->r);
    perp_arena_release(ladder->arena, mark);
    ladder->iterations += *work;
    if (isnan(residual) || residual <= aim)
        return residual;
    int steps = perp_rung_bounds.finishing_steps;
    residual = perp_run_newton(ladder, perp_rung_bounds.sharp, &steps);
    *work += steps;
    return residual;
}

// --- slip held ----------------------------------------------------------------------------------

// The slip of constraints as that of friction groups, m/s; others keep theirs.
static void slip_of_groups(const PerpConeProblem *cones, const double *slip, double *of_group)
{
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        if (constraint->group >= 0)
            of_group[constraint->group] =
                constraint->scale[1] > 0 ? slip[c] * cones->speed / constraint->scale[1] : 0;
    }
}

// Certifies ladder->r as an answer to the law with ladder->slip held. Its residual there by the
// tolerance: an answer up to 1.
static double certify_held(PerpLadder *ladder)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double *of_group = PERP_TAKE(ladder->arena, double, ladder->p->n_groups), worst = NAN;
    double tolerance = ladder->settings->held_tolerance;
    PerpPoint point;
    if (of_group && perp_ladder_spread(ladder, ladder->r, &point)) {
        // contacts that nothing moves are no constraints: they slip as they do
        memcpy(of_group, point.lambda, (size_t)ladder->p->n_groups * sizeof(double));
        slip_of_groups(ladder->cones, ladder->slip, of_group);
        worst = perp_certified_accept_held(ladder->best_certified, &point, of_group, tolerance);
    }
    perp_arena_release(ladder->arena, mark);
    ladder->memory_short = ladder->memory_short || isnan(worst);
    return worst / tolerance;
}

typedef double HeldMethod(PerpArena *arena, PerpConeProblem *cones, const double *slip,
                          double tolerance, int *steps, double *r);

// The method, and if that is not enough for the certificate, which measures otherwise than the
// natural residual, the one that goes on from there.
typedef struct HeldMethods {
    HeldMethod *first, *next;
} HeldMethods;

// The law with ladder->slip held, from ladder->r on, as long as there is work left.
static double solve_held(PerpLadder *ladder, const HeldMethods *methods, double aim, int *left)
{
    const PerpRungBounds *bounds = &perp_rung_bounds;
    HeldMethod *method = methods->first;
    double residual = INFINITY;
    for (double off = INFINITY; *left > 0 && off > 1; method = methods->next) {
        int done = *left;
        residual = method(ladder->arena, ladder->cones, ladder->slip, aim, &done, ladder->r);
        if (isnan(residual))
            return fail(ladder);
        *left -= done + 1;
        off = certify_held(ladder);
        ladder->held = ladder->accepted = ladder->accepted || off <= 1;
        // in single precision a little more is the aim
        if (residual > 2 * aim || aim < bounds->sharp || ladder->memory_short)
            break;
        aim *= fmin(bounds->held_tighter, bounds->held_tighter / off);
    }
    return residual;
}

static bool is_off_too_far(const PerpLadder *ladder)
{
    double most = ladder->settings->held_gap_speed;
    return ladder->held && most > 0 && ladder->best_certified->held.gap_speed > most;
}

// With the slip of the best point so far; where gaps are off too far, with that of the answer.
static double run_held(PerpLadder *ladder, const HeldMethods *methods, double aim, int *work)
{
    int most = *work, done = 0, numbers = 3 * ladder->cones->n_constraints;
    double residual = ladder->residual;
    memcpy(ladder->r, ladder->best, (size_t)numbers * sizeof(double));
    for (int k = 0; k < perp_rung_bounds.held_slips && (k == 0 || is_off_too_far(ladder)); k++) {
        int left = most;
        if (!perp_slip_find(ladder->arena, ladder->cones, residual, ladder->r, ladder->slip))
            return fail(ladder);
        residual = solve_held(ladder, methods, aim, &left);
        done += most - left;
    }
    *work = done;
    return residual;
}

// A point that meets the exact law this well meets the law with its own slip held as well, and
// leaves no gap error.
static bool is_own_slip_enough(PerpLadder *ladder)
{
    const double none = 0;
    if (ladder->residual > ladder->settings->held_tolerance)
        return false;
    memcpy(ladder->r, ladder->best, (size_t)(3 * ladder->cones->n_constraints) * sizeof(double));
    if (!perp_slip_find(ladder->arena, ladder->cones, none, ladder->r, ladder->slip)) {
        fail(ladder);
        return false;
    }
    ladder->held = ladder->accepted = certify_held(ladder) <= 1;
    return ladder->accepted;
}

double perp_run_held_apgd(PerpLadder *ladder, double aim, int *work)
{
    if (is_own_slip_enough(ladder) || ladder->memory_short) {
        *work = 0;
        return ladder->residual;
    }
    static const HeldMethods methods = {perp_slip_held_apgd, perp_slip_held_apgd};
    double residual = run_held(ladder, &methods, aim, work);
    ladder->sweeps += *work;
    return residual;
}

double perp_run_held_interior(PerpLadder *ladder, double aim, int *work)
{
    static const HeldMethods methods = {perp_slip_held_interior, perp_slip_held_finish};
    double residual = run_held(ladder, &methods, aim, work);
    ladder->iterations += *work;
    return residual;
}

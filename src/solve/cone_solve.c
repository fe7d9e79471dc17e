// The ladder for second-order cones: the impulses of the last step as they are, Newton's method
// from them, proximal and interior points, polygons that are refined. Every answer leaves with its
// certificate; a miss climbs on.

#include "base/error.h"
#include "base/log.h"
#include "certify/certificate_rows.h"
#include "cones/cone_problem.h"
#include "cones/methods/inscribed_polygon.h"
#include "cones/methods/polygon_refinement.h"
#include "cones/rows.h"
#include "solve/cone_ladder.h"
#include "solve/solver.h"

#include <math.h>
#include <string.h>

enum { POLYGONS = 6, PIVOTING_CONTACTS = 250 };
enum { BRIEF_CONTACTS = 600 };     // from which on a brief solution leaves something out
static const double USELESS = 0.1; // certificate of what the convex relaxation is better than

typedef struct Climb {
    PerpArena *arena;
    PerpContext lent;    // the solver's
    PerpContext scratch; // lets the certificate use the arena
    const PerpProblemSettings *settings;
    PerpConeProblem cones;
    double *try;            // 3 a constraint
    double *v, *c, *lambda; // of the best, as the problem counts them
    double *v_try, *c_try, *lambda_try, *product;
    double *of_contact, *of_contact_try; // residuals; NULL: not asked for
    PerpProblemResult *result;
    bool relaxed; // the best solves the convex relaxation only
    bool memory_short;
} Climb;

bool perp_cones_has(const PerpProblem *p)
{
    for (int g = 0; g < p->n_groups && p->group_circular; g++)
        if (p->group_circular[g])
            return true;
    return false;
}

static bool take(Climb *ladder)
{
    PerpArena *arena = ladder->arena;
    const PerpProblem *p = ladder->cones.p;
    int rows = perp_problem_rows(p), velocities = perp_problem_velocities(p);
    ladder->scratch = perp_arena_context(arena);
    ladder->try = PERP_TAKE(arena, double, 3 * ladder->cones.n_constraints);
    ladder->v = PERP_TAKE(arena, double, velocities);
    ladder->c = PERP_TAKE(arena, double, rows);
    ladder->lambda = PERP_TAKE(arena, double, p->n_groups);
    ladder->v_try = PERP_TAKE(arena, double, velocities);
    ladder->c_try = PERP_TAKE(arena, double, rows);
    ladder->lambda_try = PERP_TAKE(arena, double, p->n_groups);
    ladder->product = PERP_TAKE(arena, double, p->n_bodies * ladder->cones.size);
    bool judged = ladder->settings->judge_contacts;
    ladder->of_contact = judged ? PERP_TAKE(arena, double, p->n_contacts) : NULL;
    ladder->of_contact_try = judged ? PERP_TAKE(arena, double, p->n_contacts) : NULL;
    if (judged && (!ladder->of_contact || !ladder->of_contact_try))
        return false;
    return ladder->try && ladder->v && ladder->c && ladder->lambda && ladder->v_try &&
           ladder->c_try && ladder->lambda_try && ladder->product;
}

// --- from constraints to the problem
// ------------------------------------------------------------------

static void spread(Climb *ladder, const double *r)
{
    const PerpConeProblem *cones = &ladder->cones;
    perp_delassus_velocity(cones, r, ladder->product);
    perp_cones_to_rows(cones, r, ladder->c_try);
    perp_cones_slips(cones, ladder->product, ladder->lambda_try);
    perp_cones_to_velocities(cones, ladder->product, ladder->v_try);
}

// Keeps v, c_try and lambda_try if their certificate is the best so far. NAN if memory is short.
static double certify(Climb *ladder, const PerpProblem *p, const double *v, PerpRung rung)
{
    PerpCertificate certificate;
    PerpGap gap = {0};
    bool has_gap = ladder->cones.n_constraints > 0 && !ladder->cones.product;
    if (perp_certify_with_gap(&ladder->scratch, p, v, ladder->c_try, ladder->lambda_try,
                              &certificate, ladder->of_contact_try, has_gap ? &gap : NULL, NULL))
        return NAN;
    if (certificate.worst < ladder->result->certificate.worst) {
        ladder->result->certificate = certificate;
        ladder->result->gap = gap;
        ladder->result->rung = rung;
        memcpy(ladder->v, v, (size_t)perp_problem_velocities(p) * sizeof(double));
        memcpy(ladder->c, ladder->c_try, (size_t)perp_problem_rows(p) * sizeof(double));
        memcpy(ladder->lambda, ladder->lambda_try, (size_t)p->n_groups * sizeof(double));
        if (ladder->of_contact)
            memcpy(ladder->of_contact, ladder->of_contact_try,
                   (size_t)p->n_contacts * sizeof(double));
    }
    return certificate.worst;
}

// Offers the point; true if it is good enough, or if memory is short.
static bool offer(Climb *ladder, const double *r, PerpRung rung)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    spread(ladder, r);
    double worst = certify(ladder, ladder->cones.p, ladder->v_try, rung);
    perp_arena_release(ladder->arena, mark);
    ladder->memory_short = ladder->memory_short || isnan(worst);
    return ladder->memory_short || worst <= ladder->settings->tolerance;
}

// --- rungs --------------------------------------------------------------------------------------

static bool offer_to(void *user, const double *r, PerpRung rung)
{
    return offer(user, r, rung);
}

static bool offer_rows(void *user, const double *v, const double *c, const double *slip)
{
    Climb *ladder = user;
    const PerpProblem *p = ladder->cones.p;
    memcpy(ladder->c_try, c, (size_t)perp_problem_rows(p) * sizeof(double));
    memcpy(ladder->lambda_try, slip, (size_t)p->n_groups * sizeof(double));
    double worst = certify(ladder, p, v, PERP_RUNG_POLYGON);
    ladder->memory_short = ladder->memory_short || isnan(worst);
    return ladder->memory_short || worst <= ladder->settings->tolerance;
}

static bool is_brief(const Climb *ladder)
{
    return ladder->settings->brief && ladder->cones.p->n_contacts >= BRIEF_CONTACTS;
}

// From the impulses `start`, NULL: none. climb->try becomes the best.
static bool climb_cones(Climb *ladder, const double *start)
{
    PerpConeLadder cones = {.arena = ladder->arena,
                            .cones = &ladder->cones,
                            .tolerance = 0.7 * ladder->settings->tolerance,
                            .brief = is_brief(ladder),
                            .offer = offer_to,
                            .user = ladder};
    if (start)
        perp_cones_from_rows(&ladder->cones, start, ladder->try);
    bool solved = perp_cone_ladder_run(&cones, start ? ladder->try : NULL);
    ladder->result->iterations += cones.iterations;
    ladder->memory_short = ladder->memory_short || cones.memory_short;
    if (!ladder->memory_short)
        memcpy(ladder->try, cones.best, (size_t)(3 * ladder->cones.n_constraints) * sizeof(double));
    return solved;
}

// The convex relaxation, where what was found of the exact one is no answer at all.
static bool offer_relaxed(void *user, const double *r, PerpRung rung)
{
    Climb *ladder = user;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    PerpGap gap;
    spread(ladder, r);
    ladder->memory_short =
        ladder->memory_short || perp_certify_gap(&ladder->scratch, ladder->cones.p, ladder->v_try,
                                                 ladder->c_try, &gap, NULL);
    ladder->relaxed = !ladder->memory_short && gap.relaxed <= ladder->settings->tolerance;
    if (ladder->relaxed) {
        ladder->result->certificate.worst = INFINITY; // to be kept
        ladder->memory_short = isnan(certify(ladder, ladder->cones.p, ladder->v_try, rung));
    }
    perp_arena_release(ladder->arena, mark);
    return ladder->relaxed || ladder->memory_short;
}

static void try_relaxed(Climb *ladder)
{
    PerpConeLadder cones = {.arena = ladder->arena,
                            .cones = &ladder->cones,
                            .tolerance = 0.7 * ladder->settings->tolerance,
                            .offer = offer_relaxed,
                            .user = ladder};
    ladder->cones.shift = 0;
    perp_cone_ladder_run(&cones, NULL);
    ladder->cones.shift = 1;
    ladder->result->iterations += cones.iterations;
    ladder->memory_short = ladder->memory_short || cones.memory_short;
}

// The last rung, for problems that pivots can hold; it needs a solver of its own.
static bool try_pivots(Climb *ladder)
{
    PerpSolver *pivoting;
    if (ladder->cones.p->n_contacts > PIVOTING_CONTACTS || ladder->cones.p->n_groups == 0)
        return false; // without groups there is nothing to refine, and pivots would come back here
    if (perp_solver_create(&ladder->lent, &pivoting)) {
        ladder->memory_short = true;
        return true;
    }
    PerpPolygonRefinement refine = {.arena = ladder->arena,
                                    .cones = &ladder->cones,
                                    .pivoting = pivoting,
                                    .tolerance = ladder->settings->tolerance,
                                    .start = ladder->try,
                                    .offer = offer_to,
                                    .offer_rows = offer_rows,
                                    .user = ladder};
    bool solved = perp_polygon_refinement(&refine);
    perp_solver_destroy(pivoting);
    ladder->result->pivots += refine.pivots;
    ladder->result->iterations += refine.iterations;
    ladder->memory_short = ladder->memory_short || refine.memory_short;
    return solved;
}

// --- polygons -----------------------------------------------------------------------------------

static PerpStatus turn_polygons(Climb *ladder, const PerpProblem *p, PerpSolver *pivoting,
                                double *first, PerpError *error)
{
    PerpProblemSettings settings = *ladder->settings;
    PerpStatus status = PERP_OK;
    settings.start = NULL;
    settings.basis = NULL;
    for (int turn = 0;
         turn < POLYGONS && ladder->result->certificate.worst > settings.tolerance && !status;
         turn++) {
        PerpDirectionSet directions;
        PerpProblem polygons;
        PerpProblemResult found;
        if (!perp_inscribed_even(ladder->arena, p, first, &directions) ||
            !perp_inscribed_make(ladder->arena, p, &directions, &polygons))
            return perp_fail_memory(error);
        status = perp_problem_solve(pivoting, &polygons, &settings, &found, error);
        if (status)
            return status;
        ladder->result->pivots += found.pivots;
        perp_inscribed_impulses(p, &directions, found.c, ladder->c_try);
        memcpy(ladder->lambda_try, found.lambda, (size_t)p->n_groups * sizeof(double));
        if (!perp_inscribed_turn(ladder->arena, p, found.v, first, ladder->lambda_try) ||
            isnan(certify(ladder, p, found.v, PERP_RUNG_POLYGON)))
            return perp_fail_memory(error);
    }
    return status;
}

// Polygons that turn towards the slip, by pivots. What they miss of the round law is told.
static PerpStatus solve_as_polygons(Climb *ladder, const PerpProblem *p, PerpError *error)
{
    PerpSolver *pivoting;
    double *first = PERP_TAKE(ladder->arena, double, p->n_groups);
    if (!first || perp_solver_create(&ladder->lent, &pivoting))
        return perp_fail_memory(error);
    PerpStatus status = turn_polygons(ladder, p, pivoting, first, error);
    perp_solver_destroy(pivoting);
    return status;
}

// --- all together -------------------------------------------------------------------------------

// The rungs for cones as Newton's method knows them. Wide ones have fewer, and no convex
// relaxation.
static PerpStatus solve_cones(Climb *ladder, const PerpProblem *p, PerpError *error)
{
    PerpStatus status = PERP_OK;
    bool solved = climb_cones(ladder, ladder->settings->start);
    bool turns = ladder->cones.product && perp_cones_has(p) && p->n_contacts <= PIVOTING_CONTACTS;
    if (!solved && turns) {
        status = solve_as_polygons(ladder, p, error);
        if (!status && ladder->result->certificate.worst > ladder->settings->tolerance)
            climb_cones(ladder, ladder->c);
    }
    if (!solved && !ladder->cones.product)
        solved = try_pivots(ladder);
    bool useless = ladder->result->certificate.worst > USELESS;
    if (!solved && !ladder->cones.product && !ladder->memory_short && p->n_groups > 0 && useless &&
        !is_brief(ladder))
        try_relaxed(ladder);
    return ladder->memory_short ? perp_fail_memory(error) : status;
}

PerpStatus perp_cones_solve(PerpSolver *solver, const PerpProblem *p,
                            const PerpProblemSettings *settings, PerpProblemResult *result,
                            PerpError *error)
{
    Climb ladder = {
        .arena = &solver->arena, .lent = solver->context, .settings = settings, .result = result};
    bool fits = perp_cones_fits(p);
    *result = (PerpProblemResult){.rung = PERP_RUNG_POLYGON};
    result->certificate.worst = INFINITY;
    ladder.cones.p = p;
    if (fits && !perp_cones_build_cached(ladder.arena, &solver->graphs, p, &ladder.cones))
        return perp_fail_memory(error);
    if (!take(&ladder))
        return perp_fail_memory(error);
    ladder.cones.threads = solver->threads;
    PerpStatus status =
        fits ? solve_cones(&ladder, p, error) : solve_as_polygons(&ladder, p, error);
    bool solved = result->certificate.worst <= settings->tolerance;
    result->outcome = solved           ? PERP_OUTCOME_SOLVED
                      : ladder.relaxed ? PERP_OUTCOME_RELAXED
                                       : PERP_OUTCOME_MISSED;
    result->v = ladder.v;
    result->c = ladder.c;
    result->lambda = ladder.lambda;
    result->of_contact = ladder.of_contact;
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "step problem, %d contacts: %s, %d steps, %.1e",
             p->n_contacts, perp_rung_name(result->rung), result->iterations,
             result->certificate.worst);
    return status;
}

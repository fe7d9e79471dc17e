// The ladder for round cones: the impulses of the last step as they are, Newton's method from them,
// proximal and interior points, polygons that are refined. Every answer leaves with its
// certificate; a miss climbs on.

#include "base/error.h"
#include "base/log.h"
#include "lcp/certificate_rows.h"
#include "lcp/round.h"
#include "lcp/round_climb.h"
#include "lcp/round_polygon.h"
#include "lcp/round_refine.h"
#include "lcp/round_rows.h"
#include "lcp/solver.h"

#include <math.h>
#include <string.h>

enum { POLYGONS = 6, PIVOTING_CONTACTS = 250 };
enum { BRIEF_CONTACTS = 600 };     // from which on a brief solution leaves something out
static const double USELESS = 0.1; // certificate of what the relaxed law is better than

typedef struct Climb {
    PerpArena *arena;
    PerpContext lent;    // the solver's
    PerpContext scratch; // lets the certificate use the arena
    const PerpProblemSettings *settings;
    PerpRound round;
    double *try;            // 3 a cell
    double *v, *c, *lambda; // of the best, as the problem counts them
    double *v_try, *c_try, *lambda_try, *wide;
    double *of_contact, *of_contact_try; // residuals; NULL: not asked for
    PerpProblemResult *result;
    bool relaxed; // the best solves the relaxed law only
    bool memory_short;
} Climb;

bool perp_round_has(const PerpProblem *p)
{
    for (int g = 0; g < p->n_groups && p->group_round; g++)
        if (p->group_round[g])
            return true;
    return false;
}

static bool take(Climb *climb)
{
    PerpArena *arena = climb->arena;
    const PerpProblem *p = climb->round.p;
    int rows = perp_problem_rows(p), velocities = perp_problem_velocities(p);
    climb->scratch = perp_arena_context(arena);
    climb->try = PERP_TAKE(arena, double, 3 * climb->round.n_cells);
    climb->v = PERP_TAKE(arena, double, velocities);
    climb->c = PERP_TAKE(arena, double, rows);
    climb->lambda = PERP_TAKE(arena, double, p->n_groups);
    climb->v_try = PERP_TAKE(arena, double, velocities);
    climb->c_try = PERP_TAKE(arena, double, rows);
    climb->lambda_try = PERP_TAKE(arena, double, p->n_groups);
    climb->wide = PERP_TAKE(arena, double, p->n_bodies * climb->round.size);
    bool judged = climb->settings->judge_contacts;
    climb->of_contact = judged ? PERP_TAKE(arena, double, p->n_contacts) : NULL;
    climb->of_contact_try = judged ? PERP_TAKE(arena, double, p->n_contacts) : NULL;
    if (judged && (!climb->of_contact || !climb->of_contact_try))
        return false;
    return climb->try && climb->v && climb->c && climb->lambda && climb->v_try && climb->c_try &&
           climb->lambda_try && climb->wide;
}

// --- from cells to the problem ------------------------------------------------------------------

static void spread(Climb *climb, const double *r)
{
    const PerpRound *round = &climb->round;
    perp_round_velocity(round, r, climb->wide);
    perp_round_to_rows(round, r, climb->c_try);
    perp_round_slips(round, climb->wide, climb->lambda_try);
    perp_round_to_velocities(round, climb->wide, climb->v_try);
}

// Keeps v, c_try and lambda_try if their certificate is the best so far. NAN if memory is short.
static double certify(Climb *climb, const PerpProblem *p, const double *v, PerpRung rung)
{
    PerpCertificate certificate;
    PerpGap gap = {0};
    bool has_gap = climb->round.n_cells > 0 && !climb->round.wide;
    if (perp_certify_with_gap(&climb->scratch, p, v, climb->c_try, climb->lambda_try, &certificate,
                              climb->of_contact_try, has_gap ? &gap : NULL, NULL))
        return NAN;
    if (certificate.worst < climb->result->certificate.worst) {
        climb->result->certificate = certificate;
        climb->result->gap = gap;
        climb->result->rung = rung;
        memcpy(climb->v, v, (size_t)perp_problem_velocities(p) * sizeof(double));
        memcpy(climb->c, climb->c_try, (size_t)perp_problem_rows(p) * sizeof(double));
        memcpy(climb->lambda, climb->lambda_try, (size_t)p->n_groups * sizeof(double));
        if (climb->of_contact)
            memcpy(climb->of_contact, climb->of_contact_try,
                   (size_t)p->n_contacts * sizeof(double));
    }
    return certificate.worst;
}

// Offers the point; true if it is good enough, or if memory is short.
static bool offer(Climb *climb, const double *r, PerpRung rung)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    spread(climb, r);
    double worst = certify(climb, climb->round.p, climb->v_try, rung);
    perp_arena_release(climb->arena, mark);
    climb->memory_short = climb->memory_short || isnan(worst);
    return climb->memory_short || worst <= climb->settings->tolerance;
}

// --- rungs --------------------------------------------------------------------------------------

static bool offer_to(void *user, const double *r, PerpRung rung)
{
    return offer(user, r, rung);
}

static bool offer_rows(void *user, const double *v, const double *c, const double *slip)
{
    Climb *climb = user;
    const PerpProblem *p = climb->round.p;
    memcpy(climb->c_try, c, (size_t)perp_problem_rows(p) * sizeof(double));
    memcpy(climb->lambda_try, slip, (size_t)p->n_groups * sizeof(double));
    double worst = certify(climb, p, v, PERP_RUNG_POLYGON);
    climb->memory_short = climb->memory_short || isnan(worst);
    return climb->memory_short || worst <= climb->settings->tolerance;
}

static bool is_brief(const Climb *climb)
{
    return climb->settings->brief && climb->round.p->n_contacts >= BRIEF_CONTACTS;
}

// From the impulses `start`, NULL: none. climb->try becomes the best.
static bool climb_cones(Climb *climb, const double *start)
{
    PerpRoundClimb cones = {.arena = climb->arena,
                            .round = &climb->round,
                            .enough = 0.7 * climb->settings->tolerance,
                            .brief = is_brief(climb),
                            .offer = offer_to,
                            .user = climb};
    if (start)
        perp_round_from_rows(&climb->round, start, climb->try);
    bool solved = perp_round_climb(&cones, start ? climb->try : NULL);
    climb->result->iterations += cones.iterations;
    climb->memory_short = climb->memory_short || cones.memory_short;
    if (!climb->memory_short)
        memcpy(climb->try, cones.best, (size_t)(3 * climb->round.n_cells) * sizeof(double));
    return solved;
}

// The relaxed law, where what was found of the exact one is no answer at all.
static bool offer_relaxed(void *user, const double *r, PerpRung rung)
{
    Climb *climb = user;
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    PerpGap gap;
    spread(climb, r);
    climb->memory_short =
        climb->memory_short ||
        perp_certify_gap(&climb->scratch, climb->round.p, climb->v_try, climb->c_try, &gap, NULL);
    climb->relaxed = !climb->memory_short && gap.relaxed <= climb->settings->tolerance;
    if (climb->relaxed) {
        climb->result->certificate.worst = INFINITY; // to be kept
        climb->memory_short = isnan(certify(climb, climb->round.p, climb->v_try, rung));
    }
    perp_arena_release(climb->arena, mark);
    return climb->relaxed || climb->memory_short;
}

static void try_relaxed(Climb *climb)
{
    PerpRoundClimb cones = {.arena = climb->arena,
                            .round = &climb->round,
                            .enough = 0.7 * climb->settings->tolerance,
                            .offer = offer_relaxed,
                            .user = climb};
    climb->round.shift = 0;
    perp_round_climb(&cones, NULL);
    climb->round.shift = 1;
    climb->result->iterations += cones.iterations;
    climb->memory_short = climb->memory_short || cones.memory_short;
}

// The last rung, for problems that pivots can hold; it needs a solver of its own.
static bool try_pivots(Climb *climb)
{
    PerpSolver *pivoting;
    if (climb->round.p->n_contacts > PIVOTING_CONTACTS || climb->round.p->n_groups == 0)
        return false; // without groups there is nothing to refine, and pivots would come back here
    if (perp_solver_create(&climb->lent, &pivoting)) {
        climb->memory_short = true;
        return true;
    }
    PerpRoundRefine refine = {.arena = climb->arena,
                              .round = &climb->round,
                              .pivoting = pivoting,
                              .tolerance = climb->settings->tolerance,
                              .start = climb->try,
                              .offer = offer_to,
                              .offer_rows = offer_rows,
                              .user = climb};
    bool solved = perp_round_refine(&refine);
    perp_solver_destroy(pivoting);
    climb->result->pivots += refine.pivots;
    climb->result->iterations += refine.iterations;
    climb->memory_short = climb->memory_short || refine.memory_short;
    return solved;
}

// --- polygons -----------------------------------------------------------------------------------

static PerpStatus turn_polygons(Climb *climb, const PerpProblem *p, PerpSolver *pivoting,
                                double *first, PerpError *error)
{
    PerpProblemSettings settings = *climb->settings;
    PerpStatus status = PERP_OK;
    settings.start = NULL;
    settings.basis = NULL;
    for (int turn = 0;
         turn < POLYGONS && climb->result->certificate.worst > settings.tolerance && !status;
         turn++) {
        PerpFan fan;
        PerpProblem polygons;
        PerpProblemResult found;
        if (!perp_round_even_fan(climb->arena, p, first, &fan) ||
            !perp_round_to_polygons(climb->arena, p, &fan, &polygons))
            return perp_fail_memory(error);
        status = perp_problem_solve(pivoting, &polygons, &settings, &found, error);
        if (status)
            return status;
        climb->result->pivots += found.pivots;
        perp_round_from_polygons(p, &fan, found.c, climb->c_try);
        memcpy(climb->lambda_try, found.lambda, (size_t)p->n_groups * sizeof(double));
        if (!perp_round_turn_polygons(climb->arena, p, found.v, first, climb->lambda_try) ||
            isnan(certify(climb, p, found.v, PERP_RUNG_POLYGON)))
            return perp_fail_memory(error);
    }
    return status;
}

// Polygons that turn towards the slip, by pivots. What they miss of the round law is told.
static PerpStatus solve_as_polygons(Climb *climb, const PerpProblem *p, PerpError *error)
{
    PerpSolver *pivoting;
    double *first = PERP_TAKE(climb->arena, double, p->n_groups);
    if (!first || perp_solver_create(&climb->lent, &pivoting))
        return perp_fail_memory(error);
    PerpStatus status = turn_polygons(climb, p, pivoting, first, error);
    perp_solver_destroy(pivoting);
    return status;
}

// --- all together -------------------------------------------------------------------------------

// The rungs for cones as Newton's method knows them. Wide ones have fewer, and no relaxed law.
static PerpStatus solve_cones(Climb *climb, const PerpProblem *p, PerpError *error)
{
    PerpStatus status = PERP_OK;
    bool solved = climb_cones(climb, climb->settings->start);
    bool turns = climb->round.wide && perp_round_has(p) && p->n_contacts <= PIVOTING_CONTACTS;
    if (!solved && turns) {
        status = solve_as_polygons(climb, p, error);
        if (!status && climb->result->certificate.worst > climb->settings->tolerance)
            climb_cones(climb, climb->c);
    }
    if (!solved && !climb->round.wide)
        solved = try_pivots(climb);
    bool useless = climb->result->certificate.worst > USELESS;
    if (!solved && !climb->round.wide && !climb->memory_short && p->n_groups > 0 && useless &&
        !is_brief(climb))
        try_relaxed(climb);
    return climb->memory_short ? perp_fail_memory(error) : status;
}

PerpStatus perp_round_solve(PerpSolver *solver, const PerpProblem *p,
                            const PerpProblemSettings *settings, PerpProblemResult *result,
                            PerpError *error)
{
    Climb climb = {
        .arena = &solver->arena, .lent = solver->context, .settings = settings, .result = result};
    bool fits = perp_round_fits(p);
    *result = (PerpProblemResult){.rung = PERP_RUNG_POLYGON};
    result->certificate.worst = INFINITY;
    climb.round.p = p;
    if (fits && !perp_round_build_kept(climb.arena, &solver->graphs, p, &climb.round))
        return perp_fail_memory(error);
    if (!take(&climb))
        return perp_fail_memory(error);
    climb.round.threads = solver->threads;
    PerpStatus status = fits ? solve_cones(&climb, p, error) : solve_as_polygons(&climb, p, error);
    bool solved = result->certificate.worst <= settings->tolerance;
    result->outcome = solved ? PERP_OUTCOME_SOLVED : climb.relaxed ? PERP_OUTCOME_RELAXED : PERP_OUTCOME_MISSED;
    result->v = climb.v;
    result->c = climb.c;
    result->lambda = climb.lambda;
    result->of_contact = climb.of_contact;
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "step problem, %d contacts: %s, %d steps, %.1e",
             p->n_contacts, perp_rung_name(result->rung), result->iterations,
             result->certificate.worst);
    return status;
}

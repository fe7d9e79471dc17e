// The step problem from end to end: reduce to an LCP, find a basis, recover velocities and
// impulses, refine them together, certify.

#include "perp/problem.h"

#include "base/error.h"
#include "base/log.h"
#include "cones/cone_problem.h"
#include "linear/free_flight.h"
#include "linear/joints_solve.h"
#include "pivoting/basis_search.h"
#include "pivoting/minimum_norm_impulses.h"
#include "problem/kkt.h"
#include "problem/recovery.h"
#include "solve/solver.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-14;     // a certificate that refinement cannot better
static const double EXCELLENT = 1e-12; // one for which the whole problem need not be tried

enum { WHOLE_ATTEMPTS = 8 }; // paths through the whole problem after one through the reduced one
enum {
    DENSE_PAIRS = 100,         // without friction
    DENSE_POLYGON_PAIRS = 800, // some 80 contacts of 8 facets
    DENSE_EQUATIONS = 60
}; // of problems that pivots are for

typedef struct Solve {
    PerpReduction red;
    PerpRecovery recovery;
    PerpBasisSearch search;      // of the reduced problem, or of the whole one if that fails
    PerpContext scratch_context; // lets the certificate use the arena
    PerpRecoveredPoint now, best;
    double *of_contact, *best_of_contact; // residuals; NULL: not asked for
    double *product;                      // 2 (free + n)
    PerpCertificate certificate;          // of best
    bool memory_short;                    // a certificate could not be made
} Solve;

static const char *const rungs[] = {"pivots",  "reused", "newton",   "interior",
                                    "polygon", "sweeps", "proximal", "gradient"};

const char *perp_rung_name(PerpRung rung)
{
    return (unsigned)rung < sizeof rungs / sizeof *rungs ? rungs[rung] : "?";
}

static const double *lambda_of(const Solve *s, const PerpRecoveredPoint *point)
{
    return point->z + s->red.impulses + s->red.ranges;
}

// --- judging ------------------------------------------------------------------------------------

// dz from the residual w by the basis of the search; in the whole problem the velocities and
// equations come first, and have been seen to
static void refine(Solve *s)
{
    size_t f = (size_t)s->search.free, n = (size_t)s->red.n;
    double *residual = s->product, *change = s->product + f + n;
    perp_recovery_residual(&s->recovery, &s->now);
    memset(residual, 0, f * sizeof(double));
    memcpy(residual + f, s->recovery.w, n * sizeof(double));
    perp_basis_search_correct(&s->search, residual, change);
    memcpy(s->recovery.dz, change + f, n * sizeof(double));
    perp_recovery_change(&s->recovery, &s->now);
}

// Keeps the point if its certificate is better than the best, or below `enough`. Returns its worst
// residual.
static double offer(Solve *s, const PerpRecoveredPoint *point, double tolerance)
{
    const PerpProblem *p = s->red.problem;
    PerpCertificate certificate;
    if (perp_certify_contacts(&s->scratch_context, p, point->v, point->c, lambda_of(s, point),
                              &certificate, s->of_contact, NULL)) {
        s->memory_short = true;
        return INFINITY;
    }
    if (certificate.worst < s->certificate.worst || certificate.worst <= tolerance) {
        s->certificate = certificate;
        memcpy(s->best.v, point->v, (size_t)perp_problem_velocities(p) * sizeof(double));
        memcpy(s->best.c, point->c, (size_t)s->red.J.n_rows * sizeof(double));
        memcpy(s->best.z, point->z, (size_t)s->red.n * sizeof(double));
        if (s->of_contact)
            memcpy(s->best_of_contact, s->of_contact, (size_t)p->n_contacts * sizeof(double));
    }
    return certificate.worst;
}

// The refined point, in the order of the search's variables.
static void hand_back(Solve *s, PerpBasisSearch *search)
{
    const PerpReduction *red = &s->red;
    int n_v = perp_problem_velocities(red->problem);
    perp_recovery_slack(&s->recovery, &s->now);
    memcpy(search->z + search->free, s->now.z, (size_t)red->n * sizeof(double));
    memcpy(search->w + search->free, s->recovery.w, (size_t)red->n * sizeof(double));
    if (search->free == 0)
        return;
    memset(search->w, 0, (size_t)search->free * sizeof(double));
    memcpy(search->z, s->now.v, (size_t)n_v * sizeof(double));
    for (int k = 0; k < red->equations; k++)
        search->z[n_v + k] = s->now.c[red->equation_row[k]];
}

static double judge(void *user, PerpBasisSearch *search)
{
    Solve *s = user;
    double worst = INFINITY;
    perp_recovery_recover(&s->recovery, search->z + search->free, &s->now);
    for (int pass = 0; pass < (search->refinable ? 4 : 1) && worst > EXACT; pass++) {
        if (pass > 0)
            refine(s);
        worst = fmin(worst, offer(s, &s->now, 0));
    }
    hand_back(s, search);
    return worst;
}

// --- the call -----------------------------------------------------------------------------------

static bool take_work(PerpArena *arena, const PerpProblemSettings *settings, Solve *s)
{
    int contacts = s->red.problem->n_contacts;
    if (settings->judge_contacts) {
        s->of_contact = PERP_TAKE(arena, double, contacts);
        s->best_of_contact = PERP_TAKE(arena, double, contacts);
        if (!s->of_contact || !s->best_of_contact)
            return false;
    }
    s->certificate.worst = INFINITY;
    s->scratch_context = perp_arena_context(arena);
    s->product = PERP_TAKE(arena, double, 2 * (perp_kkt_free(&s->red) + s->red.n));
    return s->product && perp_recovery_take(arena, &s->red, &s->recovery) &&
           perp_recovery_take_point(arena, &s->red, &s->now) &&
           perp_recovery_take_point(arena, &s->red, &s->best);
}

static bool search(PerpArena *arena, const PerpProblemSettings *settings, Solve *s, int free,
                   const double *M, const double *q)
{
    int n = free + s->red.n, pivots = s->search.pivots, attempts = s->search.attempts;
    int factorisations = s->search.basis.factorisations;
    if (!perp_basis_search_take(arena, n, &s->search))
        return false;
    s->search.free = free;
    s->search.M = M;
    s->search.q = q;
    s->search.judge = judge;
    s->search.user = s;
    s->search.pivots = pivots;
    s->search.attempts = attempts;
    s->search.basis.factorisations = factorisations;
    s->search.settings = perp_default_lcp_settings();
    s->search.settings.tolerance = settings->tolerance;
    s->search.settings.max_pivots = settings->max_pivots ? settings->max_pivots : 1000 + 50 * n;
    s->search.settings.method = free ? PERP_LCP_LEMKE : settings->method;
    s->search.settings.max_attempts = free ? WHOLE_ATTEMPTS : 1;
    bool has_basis = !free && settings->basis_size == s->red.n;
    s->search.settings.basis = has_basis ? settings->basis : NULL;
    perp_basis_search_solve(&s->search);
    return true;
}

// The reduced problem first; if it does not yield a certified answer, the whole one.
static bool search_both(PerpArena *arena, const PerpProblemSettings *settings, Solve *s)
{
    int free = perp_kkt_free(&s->red), n = free + s->red.n;
    if (!search(arena, settings, s, 0, s->red.M, s->red.q))
        return false;
    if (s->certificate.worst <= EXCELLENT || n > PERP_LCP_SIZE_LIMIT || settings->reduced_only)
        return true;
    double *M = PERP_TAKE(arena, double, (size_t)n *(size_t)n), *q = PERP_TAKE(arena, double, n);
    if (!M || !q)
        return false;
    perp_kkt_fill(&s->red, M, q);
    if (!search(arena, settings, s, free, M, q))
        return false;
    if (s->certificate.worst <= settings->tolerance)
        s->search.outcome = PERP_OUTCOME_SOLVED; // whichever search found it
    return true;
}

// Of all impulses with the same effect, the shortest, if that is asked for and certified.
static bool shorten(PerpArena *arena, Solve *s)
{
    if (!perp_minimum_norm_impulses(arena, &s->recovery, &s->best, &s->now))
        return false;
    offer(s, &s->now, 1e-12);
    return true;
}

// If no basis was worth judging, the motion without complementary impulses stands for the rest.
static void judge_at_least_once(Solve *s)
{
    if (isfinite(s->certificate.worst))
        return;
    memset(s->search.z, 0, (size_t)s->search.n * sizeof(double));
    perp_recovery_recover(&s->recovery, s->search.z, &s->now);
    offer(s, &s->now, INFINITY);
}

static void report(const Solve *s, PerpProblemResult *result)
{
    const PerpBasisSearch *search = &s->search;
    *result = (PerpProblemResult){.outcome = search->outcome,
                                  .method = search->method,
                                  .lcp_size = s->red.n,
                                  .joint_rank = s->red.equations,
                                  .pivots = search->pivots,
                                  .attempts = search->attempts,
                                  .factorisations = search->basis.factorisations,
                                  .basis_reused = search->basis_reused,
                                  .v = s->best.v,
                                  .c = s->best.c,
                                  .lambda = lambda_of(s, &s->best),
                                  .basis = search->best_active + search->free,
                                  .certificate = s->certificate,
                                  .of_contact = s->best_of_contact};
}

// Pairs of complementary numbers, if friction goes by pivots.
static int count_pairs(const PerpProblem *p)
{
    return p->n_contacts + p->n_boxes + p->n_directions + p->n_groups;
}

// Without round friction and too large for dense matrices to pay: the sparse ladder of cones has
// it.
static bool is_sparse(const PerpProblem *p, const PerpProblemSettings *settings)
{
    int most = p->n_groups == 0 ? DENSE_PAIRS : DENSE_POLYGON_PAIRS;
    bool large = count_pairs(p) > most || p->n_joints > DENSE_EQUATIONS;
    return large && !settings->minimum_norm && perp_cones_fits(p);
}

// Free flight, joints alone, cones: what needs no pivots, or may do without. *done: there is an
// answer that pivots need not better.
static PerpStatus solve_without_pivots(PerpSolver *solver, const PerpProblem *p,
                                       const PerpProblemSettings *settings,
                                       PerpProblemResult *result, bool *done, PerpError *error)
{
    PerpArena *arena = &solver->arena;
    perp_arena_rewind(arena);
    PerpStatus status = perp_free_flight(arena, p, settings, result, done, error);
    if (status || *done)
        return status;
    perp_arena_rewind(arena);
    if (perp_joints_alone(p) && !settings->minimum_norm) {
        *done = perp_joints_solve(solver, p, settings, result);
        if (*done)
            return PERP_OK;
        perp_arena_rewind(arena); // joints that depend on each other: as any other problem
    }
    bool cones = perp_cones_has(p);
    if (!cones && !is_sparse(p, settings))
        return PERP_OK;
    status = perp_cones_solve(solver, p, settings, result, error);
    *done = status || cones || result->outcome == PERP_OUTCOME_SOLVED ||
            count_pairs(p) > PERP_LCP_SIZE_LIMIT; // few are missed: pivots may have them
    return status;
}

static PerpStatus solve_by_pivots(PerpSolver *solver, const PerpProblem *p,
                                  const PerpProblemSettings *settings, PerpProblemResult *result,
                                  PerpError *error)
{
    PerpArena *arena = &solver->arena;
    Solve s = {0};
    perp_arena_rewind(arena);
    PerpStatus status = perp_reduce(arena, p, &s.red, error);
    if (status)
        return status;
    if (!take_work(arena, settings, &s) || !search_both(arena, settings, &s))
        return perp_fail_memory(error);
    judge_at_least_once(&s);
    bool shorten_it = settings->minimum_norm && s.search.outcome == PERP_OUTCOME_SOLVED;
    if ((shorten_it && !shorten(arena, &s)) || s.memory_short)
        return perp_fail_memory(error);
    report(&s, result);
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "step problem, %d pairs: %s, %d pivots, %.1e",
             result->lcp_size, perp_outcome_name(result->outcome), result->pivots,
             result->certificate.worst);
    return PERP_OK;
}

PerpStatus perp_problem_solve(PerpSolver *solver, const PerpProblem *p,
                              const PerpProblemSettings *settings, PerpProblemResult *result,
                              PerpError *error)
{
    PerpProblemSettings used = settings ? *settings : perp_default_problem_settings();
    bool done = false;
    PerpStatus status = perp_problem_check(p, error);
    if (!status && (!(used.tolerance > 0) || used.max_pivots < 0))
        status = perp_fail(error, PERP_BAD_VALUE, "settings: tolerance > 0, max_pivots >= 0");
    if (!status)
        status = solve_without_pivots(solver, p, &used, result, &done, error);
    return status || done ? status : solve_by_pivots(solver, p, &used, result, error);
}

PerpStatus perp_problem_reduce(PerpSolver *solver, const PerpProblem *p, PerpLcp *lcp,
                               PerpError *error)
{
    PerpReduction red;
    PerpStatus status = perp_problem_check(p, error);
    if (status)
        return status;
    perp_arena_rewind(&solver->arena);
    status = perp_reduce(&solver->arena, p, &red, error);
    if (!status)
        *lcp = (PerpLcp){.n = red.n, .M = red.M, .q = red.q};
    return status;
}

#include "pivoting/step_pivoting.h"

#include "base/error.h"
#include "pivoting/basis_search.h"
#include "pivoting/minimum_norm_impulses.h"
#include "problem/kkt.h"
#include "problem/recovery.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-14;     // a certificate that refinement cannot better
static const double EXCELLENT = 1e-12; // one for which the whole problem need not be tried
enum { WHOLE_ATTEMPTS = 8 }; // paths through the whole problem after one through the reduced one

typedef struct Pivoting {
    const PerpJudge *judge;
    const PerpPivotingSettings *settings;
    PerpReduction red;
    PerpRecovery recovery;
    PerpBasisSearch search; // of the reduced problem, or of the whole one if that fails
    PerpRecoveredPoint now, best;
    double *residual; // 2 (free + n), and the change it asks for
    double worst;     // certificate of best
    bool memory_short;
} Pivoting;

static const double *lambda_of(const Pivoting *s, const PerpRecoveredPoint *point)
{
    return point->z + s->red.impulses + s->red.ranges;
}

// --- judging ------------------------------------------------------------------------------------

// dz from the residual w by the basis of the search; in the whole problem the velocities and
// equations come first, and have no residual
static void refine(Pivoting *s)
{
    size_t f = (size_t)s->search.free, n = (size_t)s->red.n;
    double *residual = s->residual, *change = s->residual + f + n;
    perp_recovery_residual(&s->recovery, &s->now);
    memset(residual, 0, f * sizeof(double));
    memcpy(residual + f, s->recovery.w, n * sizeof(double));
    perp_basis_search_correct(&s->search, residual, change);
    memcpy(s->recovery.dz, change + f, n * sizeof(double));
    perp_recovery_change(&s->recovery, &s->now);
}

// Keeps the point if its certificate is better than the best, or within the tolerance. Returns its
// worst residual.
static double certify(Pivoting *s, const PerpRecoveredPoint *point, double tolerance)
{
    const PerpProblem *p = s->red.problem;
    const PerpPoint now = {point->v, point->c, lambda_of(s, point)};
    double worst = perp_judge_certify(s->judge, p, &now, tolerance, NULL);
    s->memory_short = s->memory_short || isnan(worst);
    if (isnan(worst))
        return INFINITY;
    if (worst < s->worst || worst <= tolerance) {
        s->worst = worst;
        memcpy(s->best.v, point->v, (size_t)perp_problem_velocities(p) * sizeof(double));
        memcpy(s->best.c, point->c, (size_t)s->red.J.n_rows * sizeof(double));
        memcpy(s->best.z, point->z, (size_t)s->red.n * sizeof(double));
    }
    return worst;
}

// The refined point, in the order of the search's variables.
static void hand_back(Pivoting *s, PerpBasisSearch *search)
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

static double judge_basis(void *user, PerpBasisSearch *search)
{
    Pivoting *s = user;
    double worst = INFINITY;
    perp_recovery_recover(&s->recovery, search->z + search->free, &s->now);
    for (int pass = 0; pass < (search->refinable ? 4 : 1) && worst > EXACT; pass++) {
        if (pass > 0)
            refine(s);
        worst = fmin(worst, certify(s, &s->now, 0));
    }
    hand_back(s, search);
    return worst;
}

static void judge_ray(void *user, const PerpBasisSearch *search, PerpLcpRayCertificate *certificate)
{
    const Pivoting *s = user;
    const PerpLcp lcp = {.n = search->n, .free = search->free, .M = search->M, .q = search->q};
    s->judge->lcp->ray(&lcp, &search->ray, certificate);
}

// If no basis was worth judging, the motion without complementary impulses stands for the rest.
static void judge_at_least_once(Pivoting *s)
{
    if (isfinite(s->worst))
        return;
    memset(s->search.z, 0, (size_t)s->search.n * sizeof(double));
    perp_recovery_recover(&s->recovery, s->search.z, &s->now);
    certify(s, &s->now, INFINITY);
}

// --- the search ---------------------------------------------------------------------------------

static bool take_work(PerpArena *arena, Pivoting *s)
{
    s->worst = INFINITY;
    s->residual = PERP_TAKE(arena, double, 2 * (perp_kkt_free(&s->red) + s->red.n));
    return s->residual && perp_recovery_take(arena, &s->red, &s->recovery) &&
           perp_recovery_take_point(arena, &s->red, &s->now) &&
           perp_recovery_take_point(arena, &s->red, &s->best);
}

static bool search(PerpArena *arena, Pivoting *s, int free, const double *M, const double *q)
{
    const PerpPivotingSettings *settings = s->settings;
    int n = free + s->red.n, pivots = s->search.pivots, attempts = s->search.attempts;
    int factorisations = s->search.basis.factorisations;
    if (!perp_basis_search_take(arena, n, &s->search))
        return false;
    s->search.free = free;
    s->search.M = M;
    s->search.q = q;
    s->search.judge = judge_basis;
    s->search.judge_ray = judge_ray;
    s->search.user = s;
    s->search.pivots = pivots;
    s->search.attempts = attempts;
    s->search.basis.factorisations = factorisations;
    s->search.settings = perp_default_lcp_settings();
    s->search.settings.tolerance = settings->tolerance;
    s->search.settings.max_pivots = settings->max_pivots ? settings->max_pivots : 1000 + 50 * n;
    s->search.settings.method = free ? PERP_LCP_LEMKE : settings->method;
    s->search.settings.max_attempts = free ? WHOLE_ATTEMPTS : 1;
    s->search.interrupt = settings->interrupt;
    bool has_basis = !free && settings->basis_size == s->red.n;
    s->search.settings.basis = has_basis ? settings->basis : NULL;
    perp_basis_search_solve(&s->search);
    return true;
}

// The reduced problem first; if it does not yield a certified answer, the whole one.
static bool search_both(PerpArena *arena, Pivoting *s)
{
    const PerpPivotingSettings *settings = s->settings;
    int free = perp_kkt_free(&s->red), n = free + s->red.n;
    if (!search(arena, s, 0, s->red.M, s->red.q))
        return false;
    if (s->worst <= EXCELLENT || n > PERP_LCP_SIZE_LIMIT || settings->reduced_only ||
        perp_interrupted(settings->interrupt))
        return true;
    double *M = PERP_TAKE(arena, double, (size_t)n *(size_t)n), *q = PERP_TAKE(arena, double, n);
    if (!M || !q)
        return false;
    perp_kkt_fill(&s->red, M, q);
    if (!search(arena, s, free, M, q))
        return false;
    if (s->worst <= settings->tolerance)
        s->search.outcome = PERP_OUTCOME_SOLVED; // whichever search found it
    return true;
}

// Of all impulses with the same effect, the shortest, if that is asked for and certified.
static bool shorten(PerpArena *arena, Pivoting *s)
{
    if (!perp_minimum_norm_impulses(arena, s->judge->lcp, &s->recovery, &s->best, &s->now))
        return false;
    certify(s, &s->now, 1e-12);
    return true;
}

static void report(const Pivoting *s, PerpPivotingResult *result)
{
    const PerpBasisSearch *search = &s->search;
    *result = (PerpPivotingResult){.outcome = search->outcome,
                                   .method = search->method,
                                   .lcp_size = s->red.n,
                                   .joint_rank = s->red.equations,
                                   .pivots = search->pivots,
                                   .attempts = search->attempts,
                                   .factorisations = search->basis.factorisations,
                                   .basis_reused = search->basis_reused,
                                   .worst = s->worst,
                                   .point = {s->best.v, s->best.c, lambda_of(s, &s->best)},
                                   .basis = search->best_active + search->free};
}

PerpStatus perp_step_pivoting(PerpArena *arena, const PerpProblem *p, const PerpJudge *judge,
                              const PerpPivotingSettings *settings, PerpPivotingResult *result,
                              PerpError *error)
{
    Pivoting s = {.judge = judge, .settings = settings};
    PerpStatus status = perp_reduce(arena, p, &s.red, error);
    if (status)
        return status;
    if (!take_work(arena, &s) || !search_both(arena, &s))
        return perp_fail_memory(error);
    judge_at_least_once(&s);
    bool shorten_it = settings->minimum_norm && s.search.outcome == PERP_OUTCOME_SOLVED;
    if ((shorten_it && !shorten(arena, &s)) || s.memory_short)
        return perp_fail_memory(error);
    report(&s, result);
    return PERP_OK;
}

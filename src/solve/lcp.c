// The entry points for plain and mixed LCPs.

#include "perp/lcp.h"

#include "base/error.h"
#include "base/log.h"
#include "base/sized.h"
#include "math/dense.h"
#include "pivoting/minimum_norm.h"
#include "pivoting/mixed.h"
#include "problem/problem.h"
#include "solve/certified.h"
#include "solve/solver.h"

#include <math.h>
#include <string.h>

// --- names --------------------------------------------------------------------------------------

static const char *const method_names[] = {
#define PERP_LCP_METHOD_NAME(name, word, text) word,
    PERP_LCP_METHOD_LIST(PERP_LCP_METHOD_NAME)
#undef PERP_LCP_METHOD_NAME
};

static const char *const method_texts[] = {
#define PERP_LCP_METHOD_TEXT(name, word, text) text,
    PERP_LCP_METHOD_LIST(PERP_LCP_METHOD_TEXT)
#undef PERP_LCP_METHOD_TEXT
};

static const char *const outcome_names[] = {
#define PERP_LCP_OUTCOME_NAME(name, word) word,
    PERP_OUTCOME_LIST(PERP_LCP_OUTCOME_NAME)
#undef PERP_LCP_OUTCOME_NAME
};

const char *perp_lcp_method_name(PerpLcpMethod method)
{
    return (unsigned)method < PERP_LCP_METHOD_COUNT ? method_names[method] : "?";
}

const char *perp_lcp_method_text(PerpLcpMethod method)
{
    return (unsigned)method < PERP_LCP_METHOD_COUNT ? method_texts[method] : "?";
}

const char *perp_outcome_name(PerpOutcome outcome)
{
    return (unsigned)outcome < PERP_OUTCOME_COUNT ? outcome_names[outcome] : "?";
}

bool perp_lcp_method_from_name(const char *name, PerpLcpMethod *method)
{
    for (int m = 0; m < PERP_LCP_METHOD_COUNT; m++) {
        if (strcmp(name, method_names[m]) == 0) {
            *method = (PerpLcpMethod)m;
            return true;
        }
    }
    return false;
}

void perp_fill_lcp_settings(PerpLcpSettings *made, size_t size)
{
    const PerpLcpSettings defaults = {
        .method = PERP_LCP_AUTO, .tolerance = PERP_TOLERANCE, .max_attempts = 100, .scale = true};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

// --- checks -------------------------------------------------------------------------------------

static PerpStatus check_settings(const PerpLcp *p, const PerpLcpSettings *s, PerpError *error)
{
    if (!(s->tolerance > 0) || s->max_pivots < 0 || s->max_attempts < 1 ||
        (unsigned)s->method >= PERP_LCP_METHOD_COUNT)
        return perp_fail(error, PERP_BAD_VALUE,
                         "settings: tolerance > 0, max_pivots >= 0 and max_attempts >= 1 expected");
    for (int i = 0; s->cover && i < p->n; i++)
        if (!(isfinite(s->cover[i]) && s->cover[i] > 0))
            return perp_fail(error, PERP_BAD_VALUE, "cover[%d] is not positive", i);
    return PERP_OK;
}

static PerpStatus check_lcp(const PerpLcp *p, PerpError *error)
{
    if (p->n < 1 || p->n > PERP_LCP_SIZE_LIMIT)
        return perp_fail(error, PERP_BAD_SIZE, "an LCP has 1 to %d rows, not %d",
                         PERP_LCP_SIZE_LIMIT, p->n);
    if (p->free < 0 || p->free > p->n)
        return perp_fail(error, PERP_BAD_SIZE, "free is %d, not in 0 .. %d", p->free, p->n);
    PerpStatus status = perp_require_finite(p->q, p->n, "q", error);
    for (int j = 0; j < p->n && !status; j++) {
        const double *column = p->M + (size_t)p->n * (size_t)j;
        for (int i = 0; i < p->n && !perp_all_finite(p->n, column) && !status; i++)
            if (!isfinite(column[i]))
                status = perp_fail(error, PERP_BAD_VALUE, "M[%d][%d] is not a finite number", i, j);
    }
    return status;
}

// --- solving ------------------------------------------------------------------------------------

// w_i > 0, by more than rounding
static bool is_open(const PerpLcp *p, const PerpMixed *mixed, int i)
{
    double terms = fabs(p->q[i]);
    for (int j = 0; j < p->n; j++)
        terms += fabs(p->M[i + (size_t)p->n * (size_t)j] * mixed->best_z[j]);
    return i >= p->free && mixed->best_w[i] > 1e-9 * terms;
}

// Of all z with the same M z, the shortest: z >= 0, and z = 0 where w > 0. [L82 lemma 5.2, part 4]
static bool shorten(PerpArena *arena, const PerpLcp *p, PerpMixed *mixed)
{
    PerpMinimumNorm minimum;
    size_t n = (size_t)p->n;
    if (!perp_minimum_norm_take(arena, p->n, 2 * p->n, p->n - p->free, &minimum))
        return false;
    for (size_t j = 0; j < n; j++) {
        memcpy(minimum.E + 2 * n * j, p->M + n * j, n * sizeof(double));
        minimum.E[2 * n * j + n + j] = is_open(p, mixed, (int)j);
    }
    memcpy(minimum.c, mixed->best_z, (size_t)p->n * sizeof(double));
    for (int i = p->free; i < p->n; i++)
        minimum.B[(i - p->free) + (size_t)(p->n - p->free) * (size_t)i] = 1;
    if (!perp_minimum_norm_solve(arena, &perp_certified_lcp_judge, &minimum))
        return false;
    for (int i = p->free; i < p->n; i++)
        minimum.c[i] = fmax(minimum.c[i], 0);
    perp_mixed_certify(mixed, minimum.c, 1e-12);
    return true;
}

static void report(const PerpMixed *mixed, PerpLcpResult *result)
{
    const PerpBasisSearch *search = &mixed->search;
    *result = (PerpLcpResult){.outcome = search->outcome,
                              .method = search->method,
                              .pivots = search->pivots,
                              .attempts = search->attempts,
                              .factorisations = search->basis.factorisations,
                              .basis_reused = search->basis_reused,
                              .n = mixed->original->n,
                              .z = mixed->best_z,
                              .w = mixed->best_w,
                              .basis = mixed->basis,
                              .certificate = mixed->best,
                              .ray = mixed->ray,
                              .ray_certificate = search->ray_certificate};
}

PerpStatus perp_lcp_solve(PerpSolver *solver, const PerpLcp *p, const PerpLcpSettings *settings,
                          PerpLcpResult *result, PerpError *error)
{
    PerpLcpSettings used = perp_default_lcp_settings();
    PerpMixed mixed;
    PerpStatus status =
        perp_read_sized(&used, sizeof used, settings, "perp_default_lcp_settings", error);
    if (!status)
        status = check_lcp(p, error);
    if (!status)
        status = check_settings(p, &used, error);
    if (status)
        return status;
    perp_arena_rewind(&solver->arena);
    if (!perp_mixed_solve(&solver->arena, p, &used, &perp_certified_lcp_judge, &mixed))
        return perp_fail_memory(error);
    if (used.minimum_norm && mixed.search.outcome == PERP_OUTCOME_SOLVED &&
        !shorten(&solver->arena, p, &mixed))
        return perp_fail_memory(error);
    report(&mixed, result);
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "lcp of %d rows: %s by %s, %d pivots, %.1e",
             p->n, perp_outcome_name(result->outcome), perp_lcp_method_name(result->method),
             result->pivots, result->certificate.worst);
    return PERP_OK;
}

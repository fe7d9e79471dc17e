// The search and its judge: what is certified, what is kept, when it ends.
#include "pivoting/basis_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generate.h"

#include <math.h>
#include <string.h>

// A judge that says what it is told to, point by point, and then the same for ever.
typedef struct Judge {
    const double *verdict;
    int verdicts, points;
    signed char best[16]; // the basis of the least verdict
    double least;
} Judge;

static double judge(void *user, PerpBasisSearch *search)
{
    Judge *j = user;
    int last = j->verdicts - 1;
    double verdict = j->verdict[j->points < last ? j->points : last];
    j->points++;
    if (verdict < j->least) {
        j->least = verdict;
        memcpy(j->best, search->active, (size_t)search->n);
    }
    memset(search->w, 0, (size_t)search->n * sizeof(double));
    return verdict;
}

static void judge_ray(void *user, const PerpBasisSearch *search, PerpLcpRayCertificate *certificate)
{
    (void)user;
    const PerpLcp lcp = {.n = search->n, .free = search->free, .M = search->M, .q = search->q};
    perp_lcp_certify_ray(&lcp, &search->ray, certificate);
}

typedef struct Search {
    PerpArena arena;
    PerpBasisSearch search;
    Judge judge;
} Search;

static void search(Search *s, const PerpLcp *p, const double *verdict, int verdicts)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&s->arena, &context.allocator);
    assert_true(perp_basis_search_take(&s->arena, p->n, &s->search));
    s->judge = (Judge){.verdict = verdict, .verdicts = verdicts, .least = INFINITY};
    s->search.free = p->free;
    s->search.M = p->M;
    s->search.q = p->q;
    s->search.judge = judge;
    s->search.judge_ray = judge_ray;
    s->search.user = &s->judge;
    s->search.settings = perp_default_lcp_settings();
    s->search.settings.max_pivots = 1000;
    perp_basis_search_solve(&s->search);
}

static void first_point_that_pleases_ends_the_search(void **state)
{
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        PerpLcpSample *p = seed % 2 ? perp_lcp_sample_psd((uint64_t)seed, 8, 8, false)
                                    : perp_lcp_sample_monotone((uint64_t)seed, 8, 8, false);
        Search s;
        search(&s, &p->lcp, (double[]){0}, 1);
        assert_int_equal(s.search.outcome, PERP_OUTCOME_SOLVED);
        assert_int_equal(s.judge.points, 1);
        for (int i = 0; i < 8; i++)
            assert_true(fabs(s.search.z[i] - p->solution[i]) <= 1e-9);
        perp_arena_free(&s.arena);
        perp_lcp_sample_free(p);
    }
}

// all paths are followed, and the basis of the best point is the one handed back
static void best_of_the_points_is_kept(void **state)
{
    (void)state;
    const double verdict[4] = {0.5, 0.25, 0.125, 1};
    PerpLcpSample *p = perp_lcp_sample_monotone(3, 10, 10, false);
    Search s;
    search(&s, &p->lcp, verdict, 4);
    assert_int_equal(s.search.outcome, PERP_OUTCOME_MISSED);
    assert_true(s.judge.points >= s.search.settings.max_attempts);
    assert_true(s.search.best == 0.125);
    assert_memory_equal(s.search.best_active, s.judge.best, 10);
    perp_arena_free(&s.arena);
    perp_lcp_sample_free(p);
}

// 0 = 0 z_1 + z_2 - 1: such equations are for others to eliminate; here no path can start
static void singular_equations_are_not_searched(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .free = 1, .M = (double[]){0, -1, 1, 1}, .q = (double[]){-1, -1}};
    Search s;
    search(&s, &p, (double[]){1}, 1);
    assert_int_equal(s.search.outcome, PERP_OUTCOME_MISSED);
    perp_arena_free(&s.arena);
}

// M_aa change_a = -residual_a, zero elsewhere
static void correction_solves_on_the_active_rows(void **state)
{
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        double residual[12], change[12];
        PerpRandom r = perp_random((uint64_t)seed);
        PerpLcpSample *p = perp_lcp_sample_monotone((uint64_t)seed, 12, 12, false);
        Search s;
        search(&s, &p->lcp, (double[]){0}, 1);
        for (int i = 0; i < 12; i++)
            residual[i] = perp_random_normal(&r);
        perp_basis_search_correct(&s.search, residual, change);
        for (int i = 0; i < 12; i++) {
            double sum = residual[i];
            for (int j = 0; j < 12; j++)
                sum += p->M[i + 12 * j] * change[j];
            assert_true(s.search.active[i] ? fabs(sum) <= 1e-10 : change[i] == 0);
        }
        perp_arena_free(&s.arena);
        perp_lcp_sample_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_point_that_pleases_ends_the_search),
        cmocka_unit_test(best_of_the_points_is_kept),
        cmocka_unit_test(singular_equations_are_not_searched),
        cmocka_unit_test(correction_solves_on_the_active_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

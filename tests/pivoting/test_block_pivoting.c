// Block principal pivoting: right when it answers, and silent when it should be.
#include "pivoting/block_pivoting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "generate.h"

#include <math.h>

// Solves with memory of its own; the worst residual of the answer, INFINITY if it gave up.
static double solve(const PerpLcp *p, int *pivots)
{
    PerpContext context = perp_default_context();
    PerpArena arena;
    PerpBlockPivoting block;
    PerpLcpCertificate certificate = {.worst = INFINITY};
    perp_arena_init(&arena, &context.allocator);
    assert_true(perp_block_pivoting_take(&arena, p->n, &block));
    block.M = p->M;
    block.q = p->q;
    if (perp_block_pivoting_solve(&block)) {
        for (int i = 0; i < p->n; i++) {
            assert_true(block.active[i] || block.z[i] == 0);
            block.z[i] = fmax(block.z[i], 0);
        }
        perp_lcp_certify(p, block.z, NULL, &certificate);
    }
    *pivots = block.pivots;
    perp_arena_free(&arena);
    return certificate.worst;
}

static void check_solved(PerpLcpSample *s)
{
    int pivots;
    assert_true(solve(&s->lcp, &pivots) <= 1e-9);
    perp_lcp_sample_free(s);
}

static void definite_problems_are_solved(void **state)
{
    (void)state;
    for (int seed = 0; seed < 500; seed++) {
        int n = 1 + seed % 40;
        check_solved(perp_lcp_sample_psd((uint64_t)seed, n, 2 * n, false));
    }
    check_solved(perp_lcp_sample_obstacle(20));
}

// all at once would go round in circles; the last row alone does not          [Murty 1974]
static void worst_cases_are_solved_one_row_at_a_time(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++)
        check_solved(perp_lcp_sample_fathi(n));
}

// rows that depend on others: it may give up, but what it answers is right
static void semidefinite_answers_are_right(void **state)
{
    (void)state;
    int answered = 0, total = 500;
    for (int seed = 0; seed < total; seed++) {
        int n = 3 + seed % 20, pivots;
        PerpLcpSample *s = perp_lcp_sample_psd((uint64_t)seed, n, 1 + n / 2, seed % 2);
        double worst = solve(&s->lcp, &pivots);
        answered += isfinite(worst);
        assert_true(worst <= 1e-9 || isinf(worst));
        perp_lcp_sample_free(s);
    }
    assert_true(answered > total / 2);
}

// two equal rows: one of them stays at z = 0, its w vanishes with the other's
static void dependent_rows_stay_at_zero(void **state)
{
    (void)state;
    int pivots;
    PerpLcp p = {.n = 2, .M = (double[]){1, 1, 1, 1}, .q = (double[]){-1, -1}};
    assert_true(solve(&p, &pivots) == 0);
}

static void nothing_to_do_where_q_is_positive(void **state)
{
    (void)state;
    int pivots;
    PerpLcp p = {.n = 2, .M = (double[]){1, 0, 0, 1}, .q = (double[]){1, 0}};
    assert_true(solve(&p, &pivots) == 0);
    assert_int_equal(pivots, 0);
}

static void infeasible_problems_are_given_up(void **state)
{
    (void)state;
    for (int seed = 0; seed < 50; seed++) {
        int pivots;
        PerpLcpSample *s = perp_lcp_sample_infeasible((uint64_t)seed, 2 + seed % 8);
        assert_true(isinf(solve(&s->lcp, &pivots)));
        perp_lcp_sample_free(s);
    }
}

static void short_memory_is_told(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {.fail_at = 1};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    PerpBlockPivoting block;
    perp_arena_init(&arena, &context.allocator);
    assert_false(perp_block_pivoting_take(&arena, 10, &block));
    perp_arena_free(&arena);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_problems_are_solved),
        cmocka_unit_test(worst_cases_are_solved_one_row_at_a_time),
        cmocka_unit_test(semidefinite_answers_are_right),
        cmocka_unit_test(dependent_rows_stay_at_zero),
        cmocka_unit_test(nothing_to_do_where_q_is_positive),
        cmocka_unit_test(infeasible_problems_are_given_up),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

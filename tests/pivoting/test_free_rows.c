// Elimination of equations, regular and singular, against the equations themselves.
#include "pivoting/free_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "generate.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 };

static double row_of(const PerpLcp *p, int i, const double *z, bool homogeneous)
{
    double sum = homogeneous ? 0 : p->q[i];
    for (int j = 0; j < p->n; j++)
        sum += p->M[i + p->n * j] * z[j];
    return sum;
}

static double reduced_row(const PerpFreeRows *fr, int i, const double *x, bool homogeneous)
{
    PerpLcp reduced = {.n = fr->n, .M = fr->M, .q = fr->q};
    return row_of(&reduced, i, x, homogeneous);
}

// For any x of the reduced problem whose extra rows vanish, the expanded z obeys the equations, and
// the other rows are those of the reduced problem.
static void assert_expands(PerpFreeRows *fr, const double *x, bool homogeneous)
{
    const PerpLcp *p = &fr->lcp;
    double z[MOST];
    perp_free_rows_expand(fr, x, homogeneous, z);
    for (int i = 0; i < fr->f; i++)
        assert_true(fabs(row_of(p, i, z, homogeneous)) <= 1e-10);
    for (int i = 0; i < fr->c; i++) {
        double w = row_of(p, fr->f + i, z, homogeneous);
        assert_true(fabs(w - reduced_row(fr, i, x, homogeneous)) <= 1e-10);
        assert_true(z[fr->f + i] == x[i]);
    }
}

typedef struct Elimination {
    PerpArena arena;
    PerpFreeRows rows;
} Elimination;

static void eliminate(Elimination *e, const PerpLcp *p)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&e->arena, &context.allocator);
    assert_true(perp_free_rows_eliminate(&e->arena, p, &e->rows));
    assert_int_equal(e->rows.n, p->n - p->free + 2 * e->rows.rest);
}

static void regular_equations_vanish(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int seed = 0; seed < 100; seed++) {
        int free = seed % 8, n = free + seed % 9 + (free == 0);
        PerpLcpSample *s = perp_lcp_sample_mixed((uint64_t)seed, n, free);
        Elimination e;
        double x[MOST];
        eliminate(&e, &s->lcp);
        assert_int_equal(e.rows.rest, 0);
        assert_int_equal(e.rows.qr.rank, free);
        for (int i = 0; i < e.rows.n; i++)
            x[i] = perp_random_normal(&r);
        assert_expands(&e.rows, x, false);
        assert_expands(&e.rows, x, true);
        perp_arena_free(&e.arena);
        perp_lcp_sample_free(s);
    }
}

// repeated equations: their multipliers drop out
static void redundant_equations_drop_out(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int seed = 0; seed < 50; seed++) {
        PerpLcpSample *s = perp_lcp_sample_kkt((uint64_t)seed, 5, 2, 1 + seed % 3, 4);
        Elimination e;
        double x[MOST];
        eliminate(&e, &s->lcp);
        assert_int_equal(e.rows.qr.rank, 7);
        assert_int_equal(e.rows.rest, 0);
        for (int i = 0; i < e.rows.n; i++)
            x[i] = perp_random_normal(&r);
        assert_expands(&e.rows, x, false);
        perp_arena_free(&e.arena);
        perp_lcp_sample_free(s);
    }
}

// A = 0: z_1 is free and acts only on the other rows, which must make z_2 = 3 through row 1
static void zero_block_is_split_by_sign(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .free = 1, .M = (double[]){0, -1, 1, 2}, .q = (double[]){-3, 1}};
    const double expected[9] = {2, 1, -1, -1, 0, 0, 1, 0, 0};
    Elimination e;
    eliminate(&e, &p);
    assert_int_equal(e.rows.rest, 1);
    assert_int_equal(e.rows.n, 3);
    for (int k = 0; k < 9; k++)
        assert_true(fabs(e.rows.M[k] - expected[k]) <= 1e-15);
    assert_true(e.rows.q[0] == 1 && e.rows.q[1] == -3 && e.rows.q[2] == 3);
    assert_expands(&e.rows, (double[]){3, 5, 0}, false);
    perp_arena_free(&e.arena);
}

// A = [0 1; 0 0]: the right null vector e_1 and the left one e_2 are orthogonal
static void orthogonal_null_spaces_are_paired(void **state)
{
    (void)state;
    // rows: z_2 - z_3 + 1, z_3 - 2, z_1 + z_3
    double M[9] = {0, 0, 1, 1, 0, 0, -1, 1, 1};
    PerpLcp p = {.n = 3, .free = 2, .M = M, .q = (double[]){1, -2, 0}};
    Elimination e;
    eliminate(&e, &p);
    assert_int_equal(e.rows.rest, 1);
    assert_true(fabs(fabs(e.rows.U[1]) - 1) <= 1e-15 && fabs(e.rows.U[0]) <= 1e-15);
    assert_true(fabs(e.rows.N[0] - 1) <= 1e-15 && e.rows.N[1] == 0);
    assert_expands(&e.rows, (double[]){2, 7, 3}, false); // row 2 wants z_3 = 2
    perp_arena_free(&e.arena);
}

static void everything_may_be_an_equation(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .free = 2, .M = (double[]){2, 1, 1, 1}, .q = (double[]){-3, -2}};
    Elimination e;
    double z[2];
    eliminate(&e, &p);
    assert_int_equal(e.rows.n, 0);
    perp_free_rows_expand(&e.rows, (double[1]){0}, false, z);
    assert_true(fabs(z[0] - 1) <= 1e-15 && fabs(z[1] - 1) <= 1e-15);
    perp_arena_free(&e.arena);
}

// q itself is such a residual: it reduces to the q of the reduced problem
static void residual_is_reduced_like_q(void **state)
{
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        PerpLcpSample *s = perp_lcp_sample_mixed((uint64_t)seed, 9, seed % 5);
        PerpContext context = perp_default_context();
        Elimination e;
        double reduced[MOST];
        if (s->lcp.free > 0) {
            eliminate(&e, &s->lcp);
        } else {
            perp_arena_init(&e.arena, &context.allocator);
            e.rows = (PerpFreeRows){.lcp = s->lcp, .c = 9, .n = 9, .M = s->M, .q = s->q};
        }
        perp_free_rows_reduce(&e.rows, s->q, reduced);
        for (int i = 0; i < e.rows.n; i++)
            assert_true(reduced[i] == e.rows.q[i]);
        perp_arena_free(&e.arena);
        perp_lcp_sample_free(s);
    }
}

// Fails at every place in turn: an arena with room for so many bytes and no more.
static void short_memory_is_told(void **state)
{
    (void)state;
    PerpLcpSample *s = perp_lcp_sample_kkt(1, 12, 6, 3, 10);
    bool done = false;
    int refused = 0;
    for (size_t room = 64; !done; room += 64) {
        PerpFailingAllocator memory = {0};
        PerpContext context = perp_failing_context(&memory);
        PerpArena arena;
        PerpFreeRows rows;
        perp_arena_init(&arena, &context.allocator);
        assert_non_null(perp_arena_take(&arena, room, 1));
        perp_arena_rewind(&arena);
        memory.fail_at = memory.calls + 1;
        done = perp_free_rows_eliminate(&arena, &s->lcp, &rows);
        refused += !done;
        // what was swallowed on the way must not pass for success
        assert_true(!done || memory.calls < memory.fail_at);
        perp_arena_free(&arena);
        assert_int_equal(memory.live, 0);
    }
    assert_true(refused > 100);
    perp_lcp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_equations_vanish),
        cmocka_unit_test(redundant_equations_drop_out),
        cmocka_unit_test(zero_block_is_split_by_sign),
        cmocka_unit_test(orthogonal_null_spaces_are_paired),
        cmocka_unit_test(everything_may_be_an_equation),
        cmocka_unit_test(residual_is_reduced_like_q),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

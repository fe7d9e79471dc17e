// The shortest point of small polyhedra, by hand, and of larger ones, by comparison.
#include "pivoting/minimum_norm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "random.h"
#include "solve/certified.h"

#include <math.h>
#include <string.h>

typedef struct Polyhedron {
    PerpArena arena;
    PerpMinimumNorm minimum;
} Polyhedron;

static PerpMinimumNorm *open_polyhedron(Polyhedron *p, int n, int equations, int inequalities)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&p->arena, &context.allocator);
    assert_true(perp_minimum_norm_take(&p->arena, n, equations, inequalities, &p->minimum));
    return &p->minimum;
}

static void close_polyhedron(Polyhedron *p)
{
    perp_arena_free(&p->arena);
}

static void solve(Polyhedron *p)
{
    assert_true(perp_minimum_norm_solve(&p->arena, &perp_certified_lcp_judge, &p->minimum));
}

static void assert_point(const PerpMinimumNorm *s, const double *expected)
{
    for (int i = 0; i < s->n; i++)
        assert_true(fabs(s->c[i] - expected[i]) <= 1e-14);
}

// c_1 + c_2 = 4
static void line_without_inequalities(void **state)
{
    (void)state;
    Polyhedron p;
    PerpMinimumNorm *s = open_polyhedron(&p, 2, 1, 0);
    s->E[0] = s->E[1] = 1;
    s->c[0] = 7;
    s->c[1] = -3;
    solve(&p);
    assert_point(s, (double[]){2, 2});
    close_polyhedron(&p);
}

// c_1 + c_2 = 4 and c_1 >= 3
static void line_with_an_inequality(void **state)
{
    (void)state;
    Polyhedron p;
    PerpMinimumNorm *s = open_polyhedron(&p, 2, 1, 1);
    s->E[0] = s->E[1] = 1;
    s->B[0] = 1;
    s->b[0] = 3;
    s->c[0] = 7;
    s->c[1] = -3;
    solve(&p);
    assert_point(s, (double[]){3, 1});
    close_polyhedron(&p);
}

// the half planes c_1 + 2 c_2 >= 5 and c_1 >= 0: the foot of the perpendicular
static void half_planes_without_equations(void **state)
{
    (void)state;
    Polyhedron p;
    PerpMinimumNorm *s = open_polyhedron(&p, 2, 0, 2);
    memcpy(s->B, (double[]){1, 1, 2, 0}, 4 * sizeof(double));
    memcpy(s->b, (double[]){5, 0}, 2 * sizeof(double));
    s->c[0] = 9;
    solve(&p);
    assert_point(s, (double[]){1, 2});
    close_polyhedron(&p);
}

// dependent equations leave the point where it was, where E has full column rank
static void fixed_point_stays(void **state)
{
    (void)state;
    Polyhedron p;
    PerpMinimumNorm *s = open_polyhedron(&p, 2, 3, 1);
    memcpy(s->E, (double[]){1, 0, 1, 0, 1, 1}, 6 * sizeof(double));
    s->B[0] = 1;
    s->c[0] = 2;
    s->c[1] = -5;
    solve(&p);
    assert_point(s, (double[]){2, -5});
    close_polyhedron(&p);
}

// c >= 2 and c <= 1: nothing is feasible, and nothing is changed
static void contradiction_changes_nothing(void **state)
{
    (void)state;
    Polyhedron p;
    PerpMinimumNorm *s = open_polyhedron(&p, 1, 0, 2);
    memcpy(s->B, (double[]){1, -1}, 2 * sizeof(double));
    memcpy(s->b, (double[]){2, -1}, 2 * sizeof(double));
    s->c[0] = 7;
    solve(&p);
    assert_point(s, (double[]){7});
    close_polyhedron(&p);
}

static double length(int n, const double *c)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += c[i] * c[i];
    return sqrt(sum);
}

// the moves from the shortest point to feasible ones make no acute angle back: c'(x - c) >= 0
static void random_polyhedra(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int k = 0; k < 200; k++) {
        int n = 2 + k % 8, m = 1 + k % 5;
        double start[16], sum = 0;
        Polyhedron p;
        PerpMinimumNorm *s = open_polyhedron(&p, n, 1, m);
        for (int i = 0; i < n; i++) {
            start[i] = s->c[i] = perp_random_normal(&r);
            s->E[i] = perp_random_normal(&r);
            sum += s->E[i] * start[i];
        }
        for (int i = 0; i < m * n; i++)
            s->B[i] = perp_random_normal(&r);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                s->b[i] += s->B[i + m * j] * start[j];
        solve(&p);
        double along = 0;
        for (int i = 0; i < n; i++) {
            sum -= s->E[i] * s->c[i];
            along += s->c[i] * (start[i] - s->c[i]);
        }
        assert_true(fabs(sum) <= 1e-12);
        assert_true(along >= -1e-12 && length(n, s->c) <= length(n, start) + 1e-12);
        for (int i = 0; i < m; i++) {
            double rest = -s->b[i];
            for (int j = 0; j < n; j++)
                rest += s->B[i + m * j] * s->c[j];
            assert_true(rest >= -1e-12);
        }
        close_polyhedron(&p);
    }
}

static void short_memory_is_told(void **state)
{
    (void)state;
    bool done = false;
    int refused = 0;
    for (size_t room = 64; !done; room += 64) {
        PerpFailingAllocator memory = {0};
        PerpContext context = perp_failing_context(&memory);
        PerpArena arena;
        PerpMinimumNorm s;
        perp_arena_init(&arena, &context.allocator);
        assert_non_null(perp_arena_take(&arena, room, 1));
        perp_arena_rewind(&arena);
        memory.fail_at = memory.calls + 1;
        done = perp_minimum_norm_take(&arena, 30, 10, 20, &s);
        for (int i = 0; done && i < 20; i++)
            s.B[i + 20 * i] = s.b[i] = 1;
        done = done && perp_minimum_norm_solve(&arena, &perp_certified_lcp_judge, &s);
        refused += !done;
        assert_true(!done || memory.calls < memory.fail_at);
        perp_arena_free(&arena);
        assert_int_equal(memory.live, 0);
    }
    assert_true(refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_without_inequalities),     cmocka_unit_test(line_with_an_inequality),
        cmocka_unit_test(half_planes_without_equations), cmocka_unit_test(fixed_point_stays),
        cmocka_unit_test(contradiction_changes_nothing), cmocka_unit_test(random_polyhedra),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

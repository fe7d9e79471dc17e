// Threads: the same bits, messages and failures for any number of them.

#include "failing_allocator.h"
#include "perp/system.h"
#include "random.h"
#include "stepping.h"

#include <stdlib.h>
#include <string.h>

static const int COUNTS[] = {2, 3, 16, 0};
enum { N_COUNTS = sizeof COUNTS / sizeof *COUNTS };

// Islands of many sizes: stacks of boxes, balls that bounce, chains that fall on the ground.
static void place_islands(PerpWorld *w, int scheme, int facets)
{
    static const double half[3] = {0.3, 0.3, 0.1}, moments[3] = {0.1, 0.1, 0.1};
    PerpRandom r = perp_random(7);
    perp_world_init(w);
    choose(w, scheme, 5e-3);
    w->settings.facets = facets;
    perp_world_plane(w, 0, 0, 1);
    w->materials[0].restitution = 0.3;
    for (int k = 0; k < 9; k++) {
        for (int level = 0; level <= k % 3; level++)
            perp_world_box(w, 1, half, 2 * k, 0, 0.1 + 0.2 * level);
        int ball = perp_world_sphere(w, 2, 0.2, 2 * k, 3, 0.21 + 0.02 * k);
        perp_world_turn(w, ball, perp_random_normal(&r), perp_random_normal(&r), 0.3);
        int upper = perp_world_solid(w, 1, moments, 2 * k, 6, 2);
        perp_world_hinge(w, -1, upper, 2 * k, 6, 2.5);
        int lower = perp_world_sphere(w, 1, 0.2, 2 * k + 0.5, 6, 1);
        perp_world_hinge(w, upper, lower, 2 * k, 6, 1.5);
    }
}

static void expect_same(const PerpWorld *a, const PerpWorld *b)
{
    int n, n_v;
    const double *q = perp_simulation_q(a->simulation, &n);
    assert_memory_equal(q, perp_simulation_q(b->simulation, &n), (size_t)n * sizeof *q);
    const double *v = perp_simulation_v(a->simulation, &n_v);
    assert_memory_equal(v, perp_simulation_v(b->simulation, &n_v), (size_t)n_v * sizeof *v);
    const PerpStepReport *x = perp_simulation_report(a->simulation);
    const PerpStepReport *y = perp_simulation_report(b->simulation);
    assert_int_equal(x->problems, y->problems);
    assert_int_equal(x->pivots, y->pivots);
    assert_int_equal(x->solved_by, y->solved_by);
    assert_string_equal(x->worst, y->worst);
    assert_memory_equal(&x->certificate.worst, &y->certificate.worst, sizeof(double));
    assert_memory_equal(&x->energy, &y->energy, sizeof x->energy);
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int facets = 0; facets <= 8; facets += 8)
            for (int k = 0; k < N_COUNTS; k++) {
                PerpWorld one, many;
                place_islands(&one, scheme, facets);
                place_islands(&many, scheme, facets);
                many.settings.threads = COUNTS[k];
                start(&one);
                start(&many);
                for (int i = 0; i < 8; i++) {
                    assert_int_equal(perp_world_step(&one, 0), PERP_OK);
                    assert_int_equal(perp_world_step(&many, 0), PERP_OK);
                    expect_same(&one, &many);
                }
                perp_world_end(&one);
                perp_world_end(&many);
            }
}

// a checkpoint of one thread goes on with three
static void test_another_number_after_a_checkpoint(void **state)
{
    (void)state;
    PerpWorld one, three;
    PerpError error;
    place_islands(&one, DEFAULT_SCHEME, 0);
    place_islands(&three, DEFAULT_SCHEME, 0);
    three.settings.threads = 3;
    start(&one);
    start(&three);
    run(&one, 15);
    size_t size = perp_simulation_state_size(one.simulation);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    perp_simulation_save(one.simulation, bytes);
    assert_int_equal(perp_simulation_restore(three.simulation, bytes, size, &error), PERP_OK);
    free(bytes);
    run(&one, 15);
    run(&three, 15);
    expect_same(&one, &three);
    perp_world_end(&one);
    perp_world_end(&three);
}

// What the first island to miss a tolerance that nothing meets says.
static void fail_strictly(int threads, PerpError *error)
{
    PerpWorld w;
    PerpStatus status = PERP_OK;
    place_islands(&w, DEFAULT_SCHEME, 8);
    w.settings.tolerance = 1e-300;
    w.settings.strict = true;
    w.settings.threads = threads;
    start(&w);
    for (int k = 0; k < 50 && !status; k++)
        status = perp_simulation_step(w.simulation, 0, error);
    assert_int_equal(status, PERP_NOT_SOLVED);
    perp_world_end(&w);
}

static void test_same_failure(void **state)
{
    (void)state;
    PerpError one = {0}, many = {0};
    fail_strictly(1, &one);
    for (int k = 0; k < N_COUNTS; k++) {
        fail_strictly(COUNTS[k], &many);
        assert_string_equal(one.message, many.message);
    }
}

// every allocation may fail, in whichever thread: nothing leaks
static void test_memory_runs_out(void **state)
{
    (void)state;
    PerpStatus status = PERP_NO_MEMORY;
    for (int fail_at = 1; status; fail_at++) {
        PerpWorld w;
        place_islands(&w, DEFAULT_SCHEME, 0);
        PerpFailingAllocator memory = {.fail_at = fail_at};
        w.settings.threads = 3;
        w.context = perp_failing_context(&memory);
        status = perp_world_start(&w);
        for (int k = 0; k < 3 && !status; k++)
            status = perp_world_step(&w, 0);
        assert_true(status == PERP_OK || status == PERP_NO_MEMORY);
        perp_world_end(&w);
        assert_int_equal(memory.live, 0);
    }
}

static void count_problem(void *user, const PerpSolvedProblem *solved)
{
    double **next = user;
    *(*next)++ = solved->problem->n_bodies + solved->result->v[0];
}

// those who watch see the problems in their order
static void test_watched_in_order(void **state)
{
    (void)state;
    enum { ROOM = 2000 };
    static double seen[2][ROOM];
    for (int k = 0; k < 2; k++) {
        PerpWorld w;
        double *next = seen[k];
        place_islands(&w, DEFAULT_SCHEME, 0);
        w.settings.threads = k == 0 ? 1 : 3;
        start(&w);
        perp_simulation_watch(w.simulation, count_problem, &next);
        run(&w, 5);
        assert_true(next > seen[k] + 20 && next < seen[k] + ROOM);
        perp_world_end(&w);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
}

static void test_refused_numbers(void **state)
{
    (void)state;
    static const int wrong[] = {-1, 1000000};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        PerpWorld w;
        place_islands(&w, DEFAULT_SCHEME, 0);
        w.settings.threads = wrong[k];
        assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
        assert_non_null(strstr(w.error.message, "threads"));
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_another_number_after_a_checkpoint),
        cmocka_unit_test(test_same_failure),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_watched_in_order),
        cmocka_unit_test(test_refused_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

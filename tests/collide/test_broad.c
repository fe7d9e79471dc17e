// The broad phase: against all pairs, without allocation, in n log n.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/broad.h"
#include "failing_allocator.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static PerpBounds random_box(PerpRandom *r, double room)
{
    PerpVec3 x = perp_random_pose(r, room).position;
    double s = perp_random_log_uniform(r, 0.05, 1);
    PerpVec3 half = {s, perp_random_uniform(r, 0, 1), s};
    PerpBounds box = {perp_vec3_sub(x, half), perp_vec3_add(x, half)};
    if (perp_random_int(r, 0, 30) == 0)
        box.lower.z = -INFINITY;
    if (perp_random_int(r, 0, 30) == 0)
        box = (PerpBounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    return box;
}

// All pairs, sorted, no more and no less.
static void check_against_brute_force(PerpBroad *broad, int n, const PerpBounds *box)
{
    const PerpPair *pairs;
    int n_pairs, k = 0;
    assert_int_equal(perp_broad_find(broad, n, box, &pairs, &n_pairs), PERP_OK);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (perp_bounds_overlap(&box[i], &box[j])) {
                assert_true(k < n_pairs && pairs[k].a == i && pairs[k].b == j);
                k++;
            }
    assert_int_equal(k, n_pairs);
}

static void test_against_brute_force(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    PerpContext context = perp_default_context();
    PerpBroad *broad;
    PerpBounds box[300];
    assert_int_equal(perp_broad_create(&context.allocator, &broad), PERP_OK);
    for (int n = 0; n < 100; n++) {
        int count = perp_random_int(&r, 0, 300);
        double room = perp_random_log_uniform(&r, 0.5, 20);
        for (int i = 0; i < count; i++)
            box[i] = random_box(&r, room);
        check_against_brute_force(broad, count, box);
    }
    for (int i = 0; i < 300; i++) // all in one place
        box[i] = (PerpBounds){{0, 0, 0}, {1, 1, 1}};
    check_against_brute_force(broad, 300, box);
    perp_broad_destroy(broad);
    perp_broad_destroy(NULL);
}

static void move(PerpBounds *box, PerpVec3 by)
{
    *box = (PerpBounds){perp_vec3_add(box->lower, by), perp_vec3_add(box->upper, by)};
}

// A search, and random boxes for it.
static PerpBroad *begin(PerpRandom *r, int n, PerpBounds *box)
{
    PerpContext context = perp_default_context();
    PerpBroad *broad;
    assert_int_equal(perp_broad_create(&context.allocator, &broad), PERP_OK);
    for (int i = 0; i < n; i++)
        box[i] = random_box(r, 5);
    return broad;
}

// boxes that move a little from search to search, some far, and grow and shrink
static void test_boxes_that_move(void **state)
{
    (void)state;
    enum { N = 200 };
    PerpRandom r = perp_random(2);
    PerpBounds box[N];
    PerpBroad *broad = begin(&r, N, box);
    for (int n = 0; n < 200; n++) {
        double way = n % 40 == 39 ? 1 : 0.01;
        for (int i = 0; i < N; i++) {
            move(&box[i], perp_random_pose(&r, way).position);
            box[i] = perp_bounds_grown(box[i], n % 2 ? 0.005 : -0.005);
        }
        check_against_brute_force(broad, N - (n % 50 == 0), box);
    }
    perp_broad_destroy(broad);
}

// few boxes jump, also onto each other and away to where nothing is, all others rest
static void test_few_boxes_that_jump(void **state)
{
    (void)state;
    enum { N = 300 };
    PerpRandom r = perp_random(4);
    PerpBounds box[N];
    PerpBroad *broad = begin(&r, N, box);
    for (int n = 0; n < 400; n++) {
        int few = perp_random_int(&r, 0, n % 20 == 19 ? 150 : 5);
        for (int k = 0; k < few; k++)
            box[perp_random_int(&r, 0, N - 1)] = random_box(&r, n % 7 == 0 ? 100 : 5);
        if (n % 10 == 3)
            box[perp_random_int(&r, 0, N - 1)] = box[0];
        check_against_brute_force(broad, N, box);
    }
    perp_broad_destroy(broad);
}

static void test_no_heap_calls_once_grown(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpRandom r = perp_random(2);
    PerpBroad *broad;
    PerpBounds box[200];
    const PerpPair *pairs;
    int n_pairs;
    for (int i = 0; i < 200; i++)
        box[i] = random_box(&r, 2);
    assert_int_equal(perp_broad_create(&context.allocator, &broad), PERP_OK);
    assert_int_equal(perp_broad_find(broad, 200, box, &pairs, &n_pairs), PERP_OK);
    int calls = memory.calls;
    assert_int_equal(perp_broad_find(broad, 200, box, &pairs, &n_pairs), PERP_OK);
    assert_int_equal(memory.calls, calls);
    perp_broad_destroy(broad);
    assert_int_equal(memory.live, 0);
}

static void test_memory_failures(void **state)
{
    (void)state;
    PerpBounds box[100];
    for (int i = 0; i < 100; i++)
        box[i] = (PerpBounds){{0, 0, 0}, {1, 1, 1}};
    PerpStatus status = PERP_NO_MEMORY;
    for (int fail_at = 1; status; fail_at++) {
        PerpFailingAllocator memory = {.fail_at = fail_at};
        PerpContext context = perp_failing_context(&memory);
        PerpBroad *broad = NULL;
        const PerpPair *pairs;
        int n_pairs = 0;
        status = perp_broad_create(&context.allocator, &broad);
        if (!status)
            status = perp_broad_find(broad, 100, box, &pairs, &n_pairs);
        assert_int_equal(n_pairs, status ? 0 : 4950);
        perp_broad_destroy(broad);
        assert_int_equal(memory.live, 0);
    }
}

// the cost of 10000 balls in a pile: below that of looking at all pairs
static void test_many_boxes(void **state)
{
    (void)state;
    enum { N = 10000 };
    PerpRandom r = perp_random(3);
    PerpContext context = perp_default_context();
    PerpBroad *broad;
    PerpBounds *box = malloc(N * sizeof *box);
    const PerpPair *pairs;
    int n_pairs;
    assert_non_null(box);
    for (int i = 0; i < N; i++) {
        PerpVec3 x = perp_random_pose(&r, 11).position;
        box[i] = perp_bounds_grown((PerpBounds){x, x}, 0.5);
    }
    box[0].lower.z = -INFINITY;
    assert_int_equal(perp_broad_create(&context.allocator, &broad), PERP_OK);
    clock_t start = clock();
    assert_int_equal(perp_broad_find(broad, N, box, &pairs, &n_pairs), PERP_OK);
    clock_t found = clock();
    assert_true(n_pairs > N);
    check_against_brute_force(broad, N, box); // which searches once more
    assert_true(2 * (found - start) < clock() - found);
    perp_broad_destroy(broad);
    free(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_brute_force), cmocka_unit_test(test_boxes_that_move),
        cmocka_unit_test(test_few_boxes_that_jump), cmocka_unit_test(test_no_heap_calls_once_grown),
        cmocka_unit_test(test_memory_failures),     cmocka_unit_test(test_many_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/worker.h"

static void count_up(void *user)
{
    ++*(int *)user;
}

static void test_work_is_done_after_waiting(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    PerpWorker *worker = perp_worker_create(&context.allocator);
    int count = 0;
    assert_non_null(worker);
    perp_worker_wait(worker); // nothing to wait for
    for (int k = 1; k <= 1000; k++) {
        perp_worker_start(worker, count_up, &count);
        perp_worker_wait(worker);
        assert_int_equal(count, k);
    }
    perp_worker_destroy(worker);
}

static void test_its_end_waits(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    int count = 0;
    for (int k = 1; k <= 100; k++) {
        PerpWorker *worker = perp_worker_create(&context.allocator);
        assert_non_null(worker);
        perp_worker_start(worker, count_up, &count);
        perp_worker_destroy(worker);
        assert_int_equal(count, k);
    }
    perp_worker_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_done_after_waiting),
        cmocka_unit_test(test_its_end_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

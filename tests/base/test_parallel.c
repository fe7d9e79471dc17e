// Work that is shared out: every item once, by threads that are counted, also where work asks for
// more, where several callers do at the same time, and in a process that forks meanwhile; and what
// only one thread may do at a time.
#define _POSIX_C_SOURCE 200809L // fork
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/threads.h"
#include "base/worker.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 1000, THREADS = 3, JOBS = 200, TIMES = 20, CHILDREN = 20 };

typedef struct Job {
    int times[ITEMS], thread[ITEMS], last[THREADS];
    int inner[ITEMS];
    int disorder[THREADS];
} Job;

static void note(void *user, int item, int thread)
{
    Job *job = user;
    job->times[item]++;
    job->thread[item] = thread;
    if (thread >= 0 && thread < THREADS) {
        job->disorder[thread] += item < job->last[thread];
        job->last[thread] = item;
    }
}

static void check(const Job *job, int n)
{
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(job->times[i], i < n);
        assert_in_range(job->thread[i], 0, THREADS - 1);
    }
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(job->disorder[k], 0);
}

static void test_every_item_once(void **state)
{
    (void)state;
    for (int k = 0; k < JOBS; k++) {
        Job job = {.disorder = {0}};
        int n = k < 5 ? k : ITEMS;
        perp_parallel(1 + k % THREADS, n, note, &job);
        check(&job, n);
    }
}

static void add_within(void *user, int item, int thread)
{
    *(int *)user += item >= 0 && thread == 0;
}

static void note_and_share(void *user, int item, int thread)
{
    Job *job = user;
    note(user, item, thread);
    perp_parallel(THREADS, 4, add_within, &job->inner[item]); // one thread's, hence no race
}

static void test_work_within_work(void **state)
{
    (void)state;
    Job job = {.disorder = {0}};
    perp_parallel(THREADS, ITEMS, note_and_share, &job);
    check(&job, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(job.inner[i], 4);
}

static void share_often(void *user)
{
    Job *jobs = user;
    for (int k = 0; k < JOBS; k++)
        perp_parallel(THREADS, ITEMS, note, &jobs[k]);
}

static void test_two_callers(void **state)
{
    (void)state;
    static Job here[JOBS], there[JOBS];
    PerpContext context = perp_default_context();
    PerpWorker *worker = perp_worker_create(&context.allocator);
    assert_non_null(worker);
    memset(here, 0, sizeof here);
    memset(there, 0, sizeof there);
    perp_worker_start(worker, share_often, there);
    share_often(here);
    perp_worker_wait(worker);
    perp_worker_destroy(worker);
    for (int k = 0; k < JOBS; k++) {
        check(&here[k], ITEMS);
        check(&there[k], ITEMS);
    }
}

// A number that is read, and written some time later: whoever comes between is lost.
static void count_slowly(volatile int *count)
{
    int read = *count;
    for (volatile int wait = 0; wait < 1000; wait++)
        continue;
    *count = read + 1;
}

static void count_alone(void *user, int item, int thread)
{
    (void)item;
    (void)thread;
    perp_enter_alone();
    count_slowly(user);
    perp_leave_alone();
}

static void test_one_at_a_time(void **state)
{
    (void)state;
    volatile int count = 0;
    for (int k = 0; k < TIMES; k++)
        perp_parallel(THREADS, ITEMS, count_alone, (void *)&count);
    assert_int_equal(count, TIMES * ITEMS);
}

static void count_often(void *user)
{
    for (int k = 0; k < TIMES; k++)
        perp_parallel(THREADS, ITEMS, count_alone, user);
}

// Neither locks nor helpers of the parent's other threads are missed by a child.
static void test_children_share_work(void **state)
{
    (void)state;
    volatile int count = 0;
    PerpContext context = perp_default_context();
    PerpWorker *worker = perp_worker_create(&context.allocator);
    assert_non_null(worker);
    perp_worker_start(worker, count_often, (void *)&count);
    for (int k = 0; k < CHILDREN; k++) {
        pid_t child = fork();
        if (child == 0) {
            volatile int own = 0;
            alarm(60); // instead of waiting for ever
            perp_parallel(THREADS, ITEMS, count_alone, (void *)&own);
            _exit(own != ITEMS);
        }
        int ended = -1;
        assert_true(child > 0 && waitpid(child, &ended, 0) == child);
        assert_int_equal(ended, 0);
    }
    perp_worker_wait(worker);
    perp_worker_destroy(worker);
    assert_int_equal(count, TIMES * ITEMS);
}

static void *count_resize(void *user, void *memory, size_t bytes)
{
    (void)bytes;
    count_slowly(user);
    return memory;
}

static void resize_nothing(void *user, int item, int thread)
{
    (void)item;
    (void)thread;
    const PerpAllocator *guarded = user;
    guarded->resize(guarded->user, NULL, 0);
}

static void test_guarded_allocator(void **state)
{
    (void)state;
    volatile int count = 0;
    PerpAllocator own = {.resize = count_resize, .user = (void *)&count};
    PerpAllocator guarded = perp_guarded_allocator(&own);
    for (int k = 0; k < TIMES; k++)
        perp_parallel(THREADS, ITEMS, resize_nothing, &guarded);
    assert_int_equal(count, TIMES * ITEMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_once),   cmocka_unit_test(test_work_within_work),
        cmocka_unit_test(test_two_callers),       cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_guarded_allocator), cmocka_unit_test(test_children_share_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#define _GNU_SOURCE // sched_getaffinity
#include "base/threads.h"

#if defined(PERP_THREADS) && !defined(__STDC_NO_THREADS__)
#include <pthread.h> // pthread_atfork
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <threads.h>

int perp_threads_available(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

// Helpers sleep until there is work, and whoever shares it out works, too: on a busy machine, where
// helpers come late or not at all, it waits for none that has not begun. (OpenMP's threads spin
// at every barrier; beside another program two of them take several times as long as one.) Before
// it sleeps, a thread looks around for some microseconds, and lets others have the processor
// meanwhile: short jobs come one behind the other.
enum { LOOKS = 100 };

static struct {
    once_flag once;
    mtx_t alone, memory; // of perp_enter_alone; of guarded allocators
    mtx_t lock;          // of all that follows, but for atomic ones
    cnd_t wake, done;
    int helpers;       // that there are
    bool is_open;      // work may be joined
    bool is_taken;     // by a caller
    bool is_broken;    // there are no locks to be had
    int seats, active; // helpers that may still join; that have joined and not ended
    int thread;        // of the last one that joined
    int n;             // items
    void (*work)(void *user, int item, int thread);
    void *user;
    atomic_int next;  // item
    atomic_ulong job; // counts; written under the lock
} pool = {.once = ONCE_FLAG_INIT};

static _Thread_local bool is_inside; // of parallel work

// A process that forks has its locks to itself, so that none is held for ever in the child by a
// thread that is not there; nor are the helpers.
static void before_fork(void)
{
    mtx_lock(&pool.alone);
    mtx_lock(&pool.memory);
    mtx_lock(&pool.lock);
}

static void after_fork(void)
{
    mtx_unlock(&pool.lock);
    mtx_unlock(&pool.memory);
    mtx_unlock(&pool.alone);
}

static void begin_child(void)
{
    pool.helpers = pool.active = 0;
    pool.is_open = pool.is_taken = false;
    cnd_init(&pool.wake);
    cnd_init(&pool.done);
    after_fork();
}

static void init_pool(void)
{
    pool.is_broken = mtx_init(&pool.lock, mtx_plain) != thrd_success ||
                     mtx_init(&pool.alone, mtx_plain) != thrd_success ||
                     mtx_init(&pool.memory, mtx_plain) != thrd_success ||
                     cnd_init(&pool.wake) != thrd_success || cnd_init(&pool.done) != thrd_success ||
                     pthread_atfork(before_fork, after_fork, begin_child) != 0;
}

static void take_items(int thread)
{
    for (int item; (item = atomic_fetch_add(&pool.next, 1)) < pool.n;)
        pool.work(pool.user, item, thread);
}

// The lock is let go meanwhile.
static void look_for_another(unsigned long seen)
{
    mtx_unlock(&pool.lock);
    for (int k = 0; k < LOOKS && atomic_load(&pool.job) == seen; k++)
        thrd_yield();
    mtx_lock(&pool.lock);
}

// For ever: joins each job once, if there is a seat.
static int help(void *unused)
{
    unsigned long seen = 0;
    (void)unused;
    is_inside = true;
    mtx_lock(&pool.lock);
    for (;;) {
        if (!pool.is_open || pool.seats == 0 || pool.job == seen) {
            cnd_wait(&pool.wake, &pool.lock);
            continue;
        }
        seen = pool.job;
        pool.seats--;
        pool.active++;
        int thread = ++pool.thread;
        mtx_unlock(&pool.lock);
        take_items(thread);
        mtx_lock(&pool.lock);
        if (--pool.active == 0)
            cnd_signal(&pool.done);
        look_for_another(seen);
    }
    return 0;
}

// With what helpers there are to be had.
static void add_helpers(int wanted)
{
    thrd_t thread;
    while (pool.helpers < wanted && thrd_create(&thread, help, NULL) == thrd_success) {
        thrd_detach(thread);
        pool.helpers++;
    }
}

// False if others have the pool.
static bool open_work(int threads, int n, void (*work)(void *user, int item, int thread),
                      void *user)
{
    call_once(&pool.once, init_pool);
    if (pool.is_broken)
        return false;
    mtx_lock(&pool.lock);
    bool free = !pool.is_taken;
    if (free) {
        add_helpers(threads - 1);
        pool.is_taken = pool.is_open = true;
        pool.seats = threads - 1;
        pool.thread = 0;
        pool.job++;
        pool.n = n;
        pool.work = work;
        pool.user = user;
        atomic_store(&pool.next, 0);
        cnd_broadcast(&pool.wake);
    }
    mtx_unlock(&pool.lock);
    return free;
}

static void close_work(void)
{
    mtx_lock(&pool.lock);
    pool.is_open = false;
    for (int k = 0; k < LOOKS && pool.active > 0; k++) {
        mtx_unlock(&pool.lock);
        thrd_yield();
        mtx_lock(&pool.lock);
    }
    while (pool.active > 0)
        cnd_wait(&pool.done, &pool.lock);
    pool.is_taken = false;
    mtx_unlock(&pool.lock);
}

void perp_parallel(int threads, int n, void (*work)(void *user, int item, int thread), void *user)
{
    if (threads > n)
        threads = n;
    if (threads <= 1 || is_inside || !open_work(threads, n, work, user)) {
        for (int item = 0; item < n; item++)
            work(user, item, 0);
        return;
    }
    is_inside = true;
    take_items(0);
    is_inside = false;
    close_work();
}

// Without locks there are no helpers, either.
static void lock(mtx_t *mutex)
{
    call_once(&pool.once, init_pool);
    if (!pool.is_broken)
        mtx_lock(mutex);
}

static void unlock(mtx_t *mutex)
{
    if (!pool.is_broken)
        mtx_unlock(mutex);
}

static void *resize_guarded(void *user, void *memory, size_t bytes)
{
    const PerpAllocator *of = user;
    lock(&pool.memory);
    void *resized = of->resize(of->user, memory, bytes);
    unlock(&pool.memory);
    return resized;
}

void perp_enter_alone(void)
{
    lock(&pool.alone);
}

void perp_leave_alone(void)
{
    unlock(&pool.alone);
}
#else
int perp_threads_available(void)
{
    return 1;
}

void perp_parallel(int threads, int n, void (*work)(void *user, int item, int thread), void *user)
{
    (void)threads;
    for (int item = 0; item < n; item++)
        work(user, item, 0);
}

static void *resize_guarded(void *user, void *memory, size_t bytes)
{
    const PerpAllocator *of = user;
    return of->resize(of->user, memory, bytes);
}

void perp_enter_alone(void)
{
}

void perp_leave_alone(void)
{
}
#endif

PerpAllocator perp_guarded_allocator(const PerpAllocator *of)
{
    return (PerpAllocator){.resize = resize_guarded, .user = (void *)of};
}

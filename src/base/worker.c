#include "base/worker.h"

#if defined(PERP_THREADS) && !defined(__STDC_NO_THREADS__)
#include <threads.h>

struct PerpWorker {
    PerpAllocator allocator;
    bool is_threaded, has_failed; // failed: there is no thread to be had
    thrd_t thread;
    mtx_t lock; // of all that follows
    cnd_t changed;
    void (*work)(void *user); // NULL: none to do
    void *user;
    bool ends;
};

PerpWorker *perp_worker_create(const PerpAllocator *allocator)
{
    PerpWorker *worker = perp_allocate(allocator, 1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->allocator = *allocator;
    if (mtx_init(&worker->lock, mtx_plain) != thrd_success) {
        perp_free(allocator, worker);
        return NULL;
    }
    if (cnd_init(&worker->changed) != thrd_success) {
        mtx_destroy(&worker->lock);
        perp_free(allocator, worker);
        return NULL;
    }
    return worker;
}

static int run(void *user)
{
    PerpWorker *worker = user;
    mtx_lock(&worker->lock);
    while (!worker->ends) {
        if (!worker->work) {
            cnd_wait(&worker->changed, &worker->lock);
            continue;
        }
        mtx_unlock(&worker->lock);
        worker->work(worker->user);
        mtx_lock(&worker->lock);
        worker->work = NULL;
        cnd_broadcast(&worker->changed);
    }
    mtx_unlock(&worker->lock);
    return 0;
}

static bool has_thread(PerpWorker *worker)
{
    if (!worker->is_threaded && !worker->has_failed) {
        worker->is_threaded = thrd_create(&worker->thread, run, worker) == thrd_success;
        worker->has_failed = !worker->is_threaded;
    }
    return worker->is_threaded;
}

void perp_worker_start(PerpWorker *worker, void (*work)(void *user), void *user)
{
    if (!has_thread(worker)) {
        work(user);
        return;
    }
    mtx_lock(&worker->lock);
    worker->work = work;
    worker->user = user;
    cnd_broadcast(&worker->changed);
    mtx_unlock(&worker->lock);
}

void perp_worker_wait(PerpWorker *worker)
{
    mtx_lock(&worker->lock);
    while (worker->work)
        cnd_wait(&worker->changed, &worker->lock);
    mtx_unlock(&worker->lock);
}

void perp_worker_destroy(PerpWorker *worker)
{
    if (!worker)
        return;
    perp_worker_wait(worker);
    mtx_lock(&worker->lock);
    worker->ends = true;
    cnd_broadcast(&worker->changed);
    mtx_unlock(&worker->lock);
    if (worker->is_threaded)
        thrd_join(worker->thread, NULL);
    cnd_destroy(&worker->changed);
    mtx_destroy(&worker->lock);
    PerpAllocator allocator = worker->allocator;
    perp_free(&allocator, worker);
}
#else
struct PerpWorker {
    PerpAllocator allocator;
};

PerpWorker *perp_worker_create(const PerpAllocator *allocator)
{
    PerpWorker *worker = perp_allocate(allocator, 1, sizeof *worker);
    if (worker)
        worker->allocator = *allocator;
    return worker;
}

void perp_worker_start(PerpWorker *worker, void (*work)(void *user), void *user)
{
    (void)worker;
    work(user);
}

void perp_worker_wait(PerpWorker *worker)
{
    (void)worker;
}

void perp_worker_destroy(PerpWorker *worker)
{
    PerpAllocator allocator;
    if (!worker)
        return;
    allocator = worker->allocator;
    perp_free(&allocator, worker);
}
#endif

#include "base/threads.h"

#ifdef _OPENMP
#include <omp.h>

int perp_threads_available(void)
{
    return omp_get_num_procs();
}

void perp_parallel(int threads, int n, void (*work)(void *user, int item, int thread), void *user)
{
    if (threads > n)
        threads = n;
    if (threads <= 1 || omp_in_parallel()) {
        for (int item = 0; item < n; item++)
            work(user, item, 0);
        return;
    }
    int chunk = 1 + n / (64 * threads);
#pragma omp parallel for num_threads(threads) schedule(monotonic : dynamic, chunk)
    for (int item = 0; item < n; item++)
        work(user, item, omp_get_thread_num());
}

static void *resize_guarded(void *user, void *memory, size_t bytes)
{
    const PerpAllocator *of = user;
    void *resized;
#pragma omp critical(perp_memory)
    resized = of->resize(of->user, memory, bytes);
    return resized;
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
#endif

PerpAllocator perp_guarded_allocator(const PerpAllocator *of)
{
    return (PerpAllocator){.resize = resize_guarded, .user = (void *)of};
}

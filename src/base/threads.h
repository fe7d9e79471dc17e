// Work on several threads. Built without OpenMP, all of it is done by the calling one.
#ifndef PERP_BASE_THREADS_H
#define PERP_BASE_THREADS_H

#include "perp/context.h"

int perp_threads_available(void); // 1 without OpenMP

// Calls work(user, item, thread) for item = 0 .. n - 1, with thread in 0 .. threads - 1; each
// thread takes items in rising order. With one thread, or from within other parallel work, in order
// by the caller as thread 0.
void perp_parallel(int threads, int n, void (*work)(void *user, int item, int thread), void *user);

// An allocator that may be called by several threads at once. `of` is borrowed.
PerpAllocator perp_guarded_allocator(const PerpAllocator *of);

// Before a statement that no two threads may be in at once, wherever it stands.
#ifdef _OPENMP
#define PERP_ONE_AT_A_TIME _Pragma("omp critical(perp_one_at_a_time)")
#else
#define PERP_ONE_AT_A_TIME
#endif

#endif

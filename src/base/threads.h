// Work on several threads. Built without them (PERP_THREADS in CMakeLists.txt), or where C has
// none, all of it is done by the calling one.
#ifndef PERP_BASE_THREADS_H
#define PERP_BASE_THREADS_H

#include "perp/context.h"

int perp_threads_available(void); // processors that this process may use; 1 without threads

// Calls work(user, item, thread) for item = 0 .. n - 1, with thread in 0 .. threads - 1; each
// thread takes items in rising order. With one thread, or from within other parallel work, in order
// by the caller as thread 0.
void perp_parallel(int threads, int n, void (*work)(void *user, int item, int thread), void *user);

// An allocator that may be called by several threads at once. `of` is borrowed.
PerpAllocator perp_guarded_allocator(const PerpAllocator *of);

// Between these two there is one thread of the process at a time, wherever they stand. Not nested.
void perp_enter_alone(void);
void perp_leave_alone(void);

#endif

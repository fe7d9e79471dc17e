// A thread that works beside its owner, one piece of work at a time.
#ifndef PERP_BASE_WORKER_H
#define PERP_BASE_WORKER_H

#include "base/memory.h"

typedef struct PerpWorker PerpWorker;

// NULL if memory is short. The thread begins with the first work. Where there are no threads, or no
// more of them, the owner does the work in perp_worker_start.
PerpWorker *perp_worker_create(const PerpAllocator *allocator);
void perp_worker_destroy(PerpWorker *worker); // waits; NULL is allowed

// work(user) is done until perp_worker_wait returns; the last work must have been waited for.
void perp_worker_start(PerpWorker *worker, void (*work)(void *user), void *user);
void perp_worker_wait(PerpWorker *worker);

#endif

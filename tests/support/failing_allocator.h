// An allocator that counts what it hands out and fails on demand. A test of a function that
// allocates lets it fail at call 1, 2, 3, ... until the function succeeds, and finds live = 0.
//
//     PerpFailingAllocator memory = {.fail_at = 3};
//     PerpContext context = perp_failing_context(&memory);
#ifndef PERP_TEST_FAILING_ALLOCATOR_H
#define PERP_TEST_FAILING_ALLOCATOR_H

#include "perp/context.h"

typedef struct PerpFailingAllocator {
    int fail_at;  // the request that fails, counted from 1, default 0: none
    int calls;    // requests for memory so far, the failed one included; frees do not count
    int live;     // pieces of memory handed out and not yet freed
    size_t bytes; // of these
} PerpFailingAllocator;

// The context borrows state; its log is silent.
PerpContext perp_failing_context(PerpFailingAllocator *state);

#endif

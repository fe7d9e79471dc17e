#include "failing_allocator.h"

#include <stdlib.h>

static void *resize_counted(void *user, void *memory, size_t bytes)
{
    PerpFailingAllocator *state = user;
    if (bytes == 0) {
        state->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (++state->calls == state->fail_at)
        return NULL;
    void *resized = realloc(memory, bytes);
    state->live += !memory && resized;
    return resized;
}

PerpContext perp_failing_context(PerpFailingAllocator *state)
{
    PerpContext context = perp_default_context();
    context.allocator = (PerpAllocator){.resize = resize_counted, .user = state};
    return context;
}

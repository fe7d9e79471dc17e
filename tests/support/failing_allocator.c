#include "failing_allocator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Before each piece, so that it is known how large it is.
typedef union Head {
    size_t bytes;
    max_align_t aligned;
} Head;

static void *resize_counted(void *user, void *memory, size_t bytes)
{
    PerpFailingAllocator *state = user;
    Head *head = memory ? (Head *)memory - 1 : NULL;
    size_t before = head ? head->bytes : 0;
    if (bytes == 0) {
        state->live -= memory != NULL;
        state->bytes -= before;
        free(head);
        return NULL;
    }
    if (++state->calls == state->fail_at)
        return NULL;
    Head *resized = bytes < SIZE_MAX - sizeof *head ? realloc(head, sizeof *head + bytes) : NULL;
    if (!resized)
        return NULL;
    resized->bytes = bytes;
    state->live += !memory;
    state->bytes += bytes - before;
    return resized + 1;
}

PerpContext perp_failing_context(PerpFailingAllocator *state)
{
    PerpContext context = perp_default_context();
    context.allocator = (PerpAllocator){.resize = resize_counted, .user = state};
    return context;
}

// The default context: memory of malloc and free, no log.

#include "perp/context.h"

#include <stdlib.h>

static void *resize_heap(void *user, void *memory, size_t bytes)
{
    (void)user;
    if (bytes)
        return realloc(memory, bytes);
    free(memory);
    return NULL;
}

PerpContext perp_default_context(void)
{
    return (PerpContext){.allocator = {.resize = resize_heap}};
}

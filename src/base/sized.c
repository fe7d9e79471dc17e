// Structs of callers who were compiled with a shorter version of them.
#include "base/sized.h"

#include "base/error.h"

#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void perp_fill_plain(void *made, size_t size, const void *defaults, size_t known)
{
    memset(made, 0, size);
    memcpy(made, defaults, smaller(size, known));
}

void perp_fill_sized(void *made, size_t size, const void *defaults, size_t known)
{
    perp_fill_plain(made, size, defaults, known);
    memcpy(made, &size, sizeof size);
}

PerpStatus perp_read_sized(void *read, size_t known, const void *given, const char *maker,
                           PerpError *error)
{
    size_t size;
    if (!given)
        return PERP_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return perp_fail(error, PERP_BAD_VALUE,
                         "a struct without its size: begin with %s(), which sets it", maker);
    if (size > known)
        return perp_fail(error, PERP_BAD_VALUE,
                         "%s() of a later version of perp: %zu bytes where this one has %zu", maker,
                         size, known);
    memcpy(read, given, size);
    memcpy(read, &known, sizeof known);
    return PERP_OK;
}

void perp_read_item(void *read, size_t known, const void *items, size_t size, int index)
{
    memcpy(read, (const char *)items + size * (size_t)index, smaller(size, known));
}

// Structs that a caller hands over, who may have been compiled with a shorter version of them.
#ifndef PERP_BASE_SIZED_H
#define PERP_BASE_SIZED_H

#include "perp/status.h"

#include <stddef.h>

// The first `size` bytes of the defaults, which have `known`; zeros behind them.
void perp_fill_plain(void *made, size_t size, const void *defaults, size_t known);
// The same for structs that begin with their size.
void perp_fill_sized(void *made, size_t size, const void *defaults, size_t known);

// Reads a struct that begins with its size over the defaults in `read`. BAD_VALUE if the caller did
// not begin with the function `maker`, or comes from a later version. given NULL: all defaults.
PerpStatus perp_read_sized(void *read, size_t known, const void *given, const char *maker,
                           PerpError *error);

// One item of an array whose items have `size` bytes, over the default in `read`.
void perp_read_item(void *read, size_t known, const void *items, size_t size, int index);

#endif

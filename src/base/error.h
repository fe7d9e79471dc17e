// Filling in a PerpError.
#ifndef PERP_BASE_ERROR_H
#define PERP_BASE_ERROR_H

#include "base/compiler.h"
#include "perp/status.h"

// Each returns status, so that a failing function ends in `return perp_fail(...)`. error may be
// NULL.
PerpStatus perp_fail(PerpError *error, PerpStatus status, const char *format, ...)
    PERP_PRINTF(3, 4);
PerpStatus perp_fail_at(PerpError *error, PerpStatus status, const char *file, int line, int column,
                        const char *format, ...) PERP_PRINTF(6, 7);
PerpStatus perp_fail_memory(PerpError *error); // memory is short

#endif

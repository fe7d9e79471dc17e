// Log lines, formatted and handed to the caller's callback.
#ifndef PERP_BASE_LOG_H
#define PERP_BASE_LOG_H

#include "base/error.h"
#include "perp/context.h"

void perp_log(const PerpLog *log, PerpLogLevel level, const char *format, ...) PERP_PRINTF(3, 4);

#endif

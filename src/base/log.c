#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void perp_log(const PerpLog *log, PerpLogLevel level, const char *format, ...)
{
    if (!log->write)
        return;
    char text[PERP_MESSAGE_SIZE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    log->write(log->user, level, text);
}

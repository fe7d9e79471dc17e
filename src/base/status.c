// Names and texts of status codes, and the filling in of errors.

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const names[] = {
#define PERP_STATUS_NAME(name, text) #name,
    PERP_STATUS_LIST(PERP_STATUS_NAME)
#undef PERP_STATUS_NAME
};

static const char *const texts[] = {
#define PERP_STATUS_TEXT(name, text) text,
    PERP_STATUS_LIST(PERP_STATUS_TEXT)
#undef PERP_STATUS_TEXT
};

const char *perp_status_name(PerpStatus status)
{
    return (unsigned)status < PERP_STATUS_COUNT ? names[status] : "?";
}

const char *perp_status_text(PerpStatus status)
{
    return (unsigned)status < PERP_STATUS_COUNT ? texts[status] : "?";
}

static void fill(PerpError *error, PerpStatus status, const char *file, int line, int column,
                 const char *format, va_list values)
{
    if (!error)
        return;
    error->status = status;
    error->line = line;
    error->column = column;
    snprintf(error->file, sizeof error->file, "%s", file);
    vsnprintf(error->message, sizeof error->message, format, values);
}

PerpStatus perp_fail(PerpError *error, PerpStatus status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fill(error, status, "", 0, 0, format, values);
    va_end(values);
    return status;
}

PerpStatus perp_fail_at(PerpError *error, PerpStatus status, const char *file, int line, int column,
                        const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fill(error, status, file, line, column, format, values);
    va_end(values);
    return status;
}

const char *perp_error_text(const PerpError *error, char *text, int size)
{
    char place[32] = "";
    if (error->line > 0)
        snprintf(place, sizeof place, ":%d:%d", error->line, error->column);
    const char *separator = error->file[0] ? ": " : "";
    snprintf(text, (size_t)size, "%s%s%s%s", error->file, place, separator, error->message);
    return text;
}

PerpStatus perp_fail_memory(PerpError *error)
{
    return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
}

// Checks of the values in a definition.
#include "model/check.h"

#include "math/vec3.h"

#include <stdarg.h>
#include <stdio.h>

enum { NAME_LENGTH = 100 }; // of a name in a message; the rest is cut

static void write_label(const PerpCheck *check, char *text, size_t size)
{
    if (!check->name)
        snprintf(text, size, "%s %d", check->kind, check->index);
    else if (check->name[0])
        snprintf(text, size, "%s \"%.*s\"", check->kind, NAME_LENGTH, check->name);
    else
        snprintf(text, size, "%s", check->kind);
}

void perp_check_fail(PerpCheck *check, PerpStatus status, const char *format, ...)
{
    if (check->status)
        return;
    char label[2 * NAME_LENGTH], message[PERP_MESSAGE_SIZE - 2 * NAME_LENGTH];
    write_label(check, label, sizeof label);
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    check->status = perp_fail(check->error, status, "%s: %s", label, message);
}

void perp_check_finite(PerpCheck *check, const char *what, const double *values, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(values[k]))
            perp_check_fail(check, PERP_BAD_VALUE, "%s[%d] is %g; it must be finite", what, k,
                            values[k]);
}

void perp_check_number(PerpCheck *check, const char *what, double value)
{
    if (!isfinite(value))
        perp_check_fail(check, PERP_BAD_VALUE, "%s is %g; it must be finite", what, value);
}

void perp_check_at_least(PerpCheck *check, const char *what, double value, double least)
{
    perp_check_number(check, what, value);
    if (value < least)
        perp_check_fail(check, PERP_BAD_VALUE, "%s is %g; it must be at least %g", what, value,
                        least);
}

void perp_check_fraction(PerpCheck *check, const char *what, double value)
{
    if (!(value >= 0 && value <= 1))
        perp_check_fail(check, PERP_BAD_VALUE, "%s is %g; it must be between 0 and 1", what, value);
}

void perp_check_times(PerpCheck *check, double start, double end)
{
    perp_check_number(check, "start", start);
    if (!(start < end))
        perp_check_fail(check, PERP_BAD_VALUE, "it exists from %g s to %g s; start must be less",
                        start, end);
}

void perp_check_index(PerpCheck *check, const char *what, int index, int first, int count)
{
    if (index < first || index >= count)
        perp_check_fail(check, PERP_BAD_VALUE, "%s is %d; it must be from %d to %d", what, index,
                        first, count - 1);
}

static void check_length(PerpCheck *check, const char *what, double square)
{
    if (!perp_square_is_safe(square))
        perp_check_fail(check, PERP_BAD_VALUE, "%s has the length %g; it gives no direction", what,
                        sqrt(square));
}

void perp_check_direction(PerpCheck *check, const char *what, const double axis[3])
{
    perp_check_finite(check, what, axis, 3);
    check_length(check, what, axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
}

void perp_check_rotation(PerpCheck *check, const char *what, const double q[4])
{
    perp_check_finite(check, what, q, 4);
    check_length(check, what, q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

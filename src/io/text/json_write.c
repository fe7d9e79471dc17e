// Numbers and vectors written as JSON.
#include "io/text/json_write.h"

#include <math.h>
#include <stdlib.h>

void perp_write_number(FILE *stream, double number)
{
    if (isinf(number)) {
        fputs(number > 0 ? "\"inf\"" : "\"-inf\"", stream);
        return;
    }
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, stream);
}

void perp_write_numbers(FILE *stream, const double *numbers, int count, int stride)
{
    fputc('[', stream);
    for (int k = 0; k < count; k++) {
        fputs(k ? ", " : "", stream);
        perp_write_number(stream, numbers[(size_t)k * (size_t)stride]);
    }
    fputc(']', stream);
}

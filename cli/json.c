#include "cli.h"

#include <math.h>

void json_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.17g", number);
    else
        fputs("null", out);
}

void json_numbers(FILE *out, const double *numbers, int count)
{
    fputc('[', out);
    for (int k = 0; k < count; k++) {
        fputs(k ? ", " : "", out);
        json_number(out, numbers[k]);
    }
    fputc(']', out);
}

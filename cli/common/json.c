// JSON: numbers, strings and members of objects.
#include "common/json.h"

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

void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

void json_member(FILE *out, const char *separator, const char *name, double number)
{
    fprintf(out, "%s\"%s\": ", separator, name);
    json_number(out, number);
}

void json_vector(FILE *out, const char *separator, const char *name, const double *numbers,
                 int count)
{
    fprintf(out, "%s\"%s\": ", separator, name);
    json_numbers(out, numbers, count);
}

void json_text(FILE *out, const char *separator, const char *name, const char *text)
{
    fprintf(out, "%s\"%s\": ", separator, name);
    json_string(out, text);
}

// Writing JSON to a stream.
#ifndef PERP_CLI_COMMON_JSON_H
#define PERP_CLI_COMMON_JSON_H

#include <stdio.h>

// JSON: NaN and infinity, which it does not have, become null.
void json_number(FILE *out, double number);
void json_numbers(FILE *out, const double *numbers, int count);

void json_string(FILE *out, const char *text);

// ,"name": value; the separator stands before it.
void json_member(FILE *out, const char *separator, const char *name, double number);
void json_vector(FILE *out, const char *separator, const char *name, const double *numbers,
                 int count);
void json_text(FILE *out, const char *separator, const char *name, const char *text);

#endif

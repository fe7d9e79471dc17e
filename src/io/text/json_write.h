// Numbers as JSON.
#ifndef PERP_IO_TEXT_JSON_WRITE_H
#define PERP_IO_TEXT_JSON_WRITE_H

#include <stddef.h>
#include <stdio.h>

// The shortest of %.15g, %.16g and %.17g that reads back to the same bits; infinities as "inf" and
// "-inf" in quotes, which bounds may be. Run under perp_c_locale_enter.
void perp_write_number(FILE *stream, double number);
// [x, y, ...], with the numbers stride apart
void perp_write_numbers(FILE *stream, const double *numbers, int count, int stride);

#endif

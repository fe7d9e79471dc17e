// A text that grows, and numbers in it that look the same in every locale.
#ifndef PERP_PLOT_TEXT_H
#define PERP_PLOT_TEXT_H

#include "base/compiler.h"
#include "perp/context.h"

#include <stdbool.h>
#include <stddef.h>

// After a failed allocation it takes nothing more and says so.
typedef struct PerpText {
    const PerpAllocator *allocator; // borrowed
    char *data;                     // owned, ended by '\0' once something was added
    size_t length, capacity;
    bool failed;
} PerpText;

void perp_text_add(PerpText *text, const char *more);
// No floating-point formats, which depend on the locale: see below.
void perp_text_print(PerpText *text, const char *format, ...) PERP_PRINTF(2, 3);
// For XML: its five signs escaped, control characters and broken UTF-8 replaced by U+FFFD.
void perp_text_escaped(PerpText *text, const char *words);

typedef struct PerpDigits {
    char text[64];
} PerpDigits;

PerpDigits perp_hundredths(double number);                 // 12.5, -0.07; |number| < 1e12
PerpDigits perp_decimal(long long mantissa, int exponent); // mantissa 10^exponent, |exponent| < 40
int perp_columns(const char *words);                       // characters of UTF-8
double perp_text_width(const char *words, double font_size); // px, estimated for a sans-serif

#endif

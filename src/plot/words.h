// Words and numbers of figures, which look the same in every locale.
#ifndef PERP_PLOT_WORDS_H
#define PERP_PLOT_WORDS_H

#include "base/text.h"

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

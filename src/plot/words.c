// UTF-8 text and numbers of figures, independent of the locale.
#include "plot/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --- characters ---------------------------------------------------------------------------------

static const char *escape(unsigned char sign)
{
    switch (sign) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return sign < 0x20 && sign != '\t' && sign != '\n' ? "\xEF\xBF\xBD" : NULL;
    }
}

void perp_text_escaped(PerpText *text, const char *words)
{
    while (*words) {
        int count = perp_character_bytes(words);
        const char *instead = count == 0 ? "\xEF\xBF\xBD" : escape((unsigned char)*words);
        if (instead)
            perp_text_add(text, instead);
        else
            perp_text_bytes(text, words, (size_t)count);
        words += count ? count : 1;
    }
}

int perp_columns(const char *words)
{
    int count = 0;
    for (; *words; words++)
        count += ((unsigned char)*words & 0xC0) != 0x80;
    return count;
}

double perp_text_width(const char *words, double font_size)
{
    double ems = 0;
    for (; *words; words++) {
        unsigned char sign = (unsigned char)*words;
        if ((sign & 0xC0) == 0x80)
            continue;
        if (strchr("ijl.,:;'|!()[]tfI /", sign))
            ems += 0.31;
        else if (strchr("mwMW@%", sign))
            ems += 0.86;
        else
            ems += sign >= 'A' && sign <= 'Z' ? 0.69 : 0.56;
    }
    return ems * font_size;
}

// --- numbers ------------------------------------------------------------------------------------

PerpDigits perp_decimal(long long mantissa, int exponent)
{
    PerpDigits digits = {{0}};
    char *text = digits.text;
    assert(exponent > -40 && exponent < 40);
    for (; exponent < 0 && mantissa % 10 == 0 && mantissa != 0; exponent++)
        mantissa /= 10;
    if (mantissa == 0)
        exponent = 0;
    // at least one digit before the point
    int length = snprintf(text, sizeof digits.text, "%s%0*lld", mantissa < 0 ? "-" : "",
                          exponent < 0 ? 1 - exponent : 1, mantissa < 0 ? -mantissa : mantissa);
    if (exponent < 0) {
        memmove(text + length + exponent + 1, text + length + exponent, (size_t)(1 - exponent));
        text[length + exponent] = '.';
    } else if (length + exponent < (int)sizeof digits.text) {
        memset(text + length, '0', (size_t)exponent);
    }
    return digits;
}

PerpDigits perp_hundredths(double number)
{
    assert(fabs(number) < 1e12);
    return perp_decimal(llround(number * 100), -2);
}

// Numbers in files are written with a point, whatever locale the caller has chosen. Between enter
// and leave this thread, and no other, formats and parses as in the "C" locale.
#ifndef PERP_IO_TEXT_C_LOCALE_H
#define PERP_IO_TEXT_C_LOCALE_H

#include <stdbool.h>

typedef struct PerpCLocale {
    void *ours, *before;
} PerpCLocale;

bool perp_c_locale_enter(PerpCLocale *locale); // false if memory is short
void perp_c_locale_leave(PerpCLocale *locale);

#endif

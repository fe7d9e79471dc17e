// The "C" locale for one thread.
#define _POSIX_C_SOURCE 200809L

#include "io/text/c_locale.h"

#include <locale.h>

bool perp_c_locale_enter(PerpCLocale *locale)
{
    locale_t ours = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!ours)
        return false;
    locale->ours = ours;
    locale->before = uselocale(ours);
    return true;
}

void perp_c_locale_leave(PerpCLocale *locale)
{
    uselocale((locale_t)locale->before);
    freelocale((locale_t)locale->ours);
}

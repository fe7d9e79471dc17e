// The list of schemes, and their names.

#include "step/schemes/scheme.h"

#include <string.h>

static const PerpScheme *const schemes[] = {
    &perp_scheme_default,     &perp_scheme_anitescu_potra,  &perp_scheme_trapezoidal_damped,
    &perp_scheme_trapezoidal, &perp_scheme_stewart_trinkle, &perp_scheme_paoli_schatzman,
    &perp_scheme_lotstedt,
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

int perp_scheme_count(void)
{
    return SCHEMES;
}

const char *perp_scheme_name(int scheme)
{
    return scheme >= 0 && scheme < SCHEMES ? schemes[scheme]->name : "?";
}

const char *perp_scheme_text(int scheme)
{
    return scheme >= 0 && scheme < SCHEMES ? schemes[scheme]->text : "?";
}

const PerpScheme *perp_scheme_find(const char *name)
{
    for (int i = 0; i < SCHEMES; i++)
        if (strcmp(name, schemes[i]->name) == 0)
            return schemes[i];
    return NULL;
}

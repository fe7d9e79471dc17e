// Settings in words, for reports.
#include "common/support.h"

const char *cli_cone(int facets)
{
    static char text[32];
    if (facets == 0)
        return "a circular cone";
    snprintf(text, sizeof text, "%d facets", facets);
    return text;
}

#include "base/version.h"

const char *perp_build_commit(void)
{
    return PERP_COMMIT;
}

const char *perp_build_flags(void)
{
    return PERP_BUILD;
}

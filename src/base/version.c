// What this library was built from, and how; CMakeLists.txt passes it in.
#include "perp/version.h"

#include "base/commit.h" // made by cmake/commit.cmake

const char *perp_build_commit(void)
{
    return PERP_COMMIT;
}

const char *perp_build_flags(void)
{
    return PERP_BUILD;
}

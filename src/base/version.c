// The version, and what this library was built from and how; CMakeLists.txt passes it in.
#include "perp/version.h"

#include "base/commit.h" // made by cmake/commit.cmake

#define TEXT_OF(number) #number
#define JOIN(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *perp_version(void)
{
    return JOIN(PERP_VERSION_MAJOR, PERP_VERSION_MINOR, PERP_VERSION_PATCH);
}

const char *perp_build_commit(void)
{
    return PERP_COMMIT;
}

const char *perp_build_flags(void)
{
    return PERP_BUILD;
}

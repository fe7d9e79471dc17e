// The version of perp, stated here and nowhere else (CMakeLists.txt reads this file).
// Semantic versioning: the public headers are the interface that the numbers speak of.
#ifndef PERP_VERSION_H
#define PERP_VERSION_H

#include "perp/api.h"

// Of these headers.
#define PERP_VERSION_MAJOR 0
// As above.
#define PERP_VERSION_MINOR 2
// As above.
#define PERP_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

// Of the library that is linked, such as "0.2.0"; the macros above are of the header.
PERP_API const char *perp_version(void);

// What this library was built from, and how.
PERP_API const char *perp_build_commit(void); // as git describes it; "unknown" outside git
PERP_API const char *perp_build_flags(void);  // compiler, its version and options

#ifdef __cplusplus
}
#endif

#endif

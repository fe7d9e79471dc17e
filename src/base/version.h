// What this library was built from, and how; CMakeLists.txt passes it in.
#ifndef PERP_BASE_VERSION_H
#define PERP_BASE_VERSION_H

const char *perp_build_commit(void); // "unknown" outside git
const char *perp_build_flags(void);  // compiler, its version and options

#endif

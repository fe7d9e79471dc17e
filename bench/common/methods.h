// The options --methods and --without of benchmarks that solve with perp.
#ifndef PERP_BENCH_COMMON_METHODS_H
#define PERP_BENCH_COMMON_METHODS_H

#include <stdbool.h>

#define BENCH_METHODS_USAGE "[--methods LIST] [--without LIST]"
#define BENCH_METHODS_HELP                                                                         \
    "  --methods LIST  of perp's ladder that may be used, default all; perp solve --help names\n"  \
    "                  them\n"                                                                     \
    "  --without LIST  of perp's ladder that may not be used\n"

// Takes them out of the command line. False after a complaint: exit 2.
bool bench_take_methods(int *argc, char **argv, unsigned *methods);

#endif

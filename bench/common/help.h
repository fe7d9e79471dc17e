// --help of benchmarks that have few options.
#ifndef PERP_BENCH_COMMON_HELP
#define PERP_BENCH_COMMON_HELP

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Is it asked for? Then it has been printed.
static inline bool bench_helped(int argc, char **argv, const char *text)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
            fputs(text, stdout);
            return true;
        }
    return false;
}

#endif

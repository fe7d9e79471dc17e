// Takes --methods and --without out of the command line of a benchmark.
#include "common/methods.h"

#include "cli/common/method_list.h"

#include <stdio.h>
#include <string.h>

// The value of --name VALUE or --name=VALUE at argv[0], which takes that many words; 0: it is
// another word, or the value is missing.
static int read_value(const char *name, int argc, char **argv, const char **value)
{
    size_t length = strlen(name);
    if (strncmp(argv[0], name, length) != 0)
        return 0;
    if (argv[0][length] == '=')
        *value = argv[0] + length + 1;
    else if (argv[0][length] == '\0' && argc > 1)
        *value = argv[1];
    else
        return 0;
    return argv[0][length] == '=' ? 1 : 2;
}

bool bench_take_methods(int *argc, char **argv, unsigned *methods)
{
    const char *with = NULL, *without = NULL;
    int kept = 1;
    for (int k = 1; k < *argc;) {
        int taken = read_value("--methods", *argc - k, argv + k, &with);
        if (taken == 0)
            taken = read_value("--without", *argc - k, argv + k, &without);
        if (taken == 0)
            argv[kept++] = argv[k++];
        k += taken;
    }
    *argc = kept;
    return cli_read_methods(with, without, methods);
}

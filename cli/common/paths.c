// Properties of files behind paths.
#define _POSIX_C_SOURCE 200809L

#include "common/support.h"

#include <sys/stat.h>

bool cli_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool cli_may_replace(const char *path)
{
    struct stat state;
    return stat(path, &state) != 0 || S_ISREG(state.st_mode);
}

// Whether two paths lead to the same file.
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <sys/stat.h>

bool cli_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

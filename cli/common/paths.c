// Properties of files behind paths.
#define _XOPEN_SOURCE 700

#include "common/support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool cli_is_hdf5(const char *path)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char start[8] = {0};
    struct stat state;
    // what is read from a pipe is gone, and nobody may ever write to it
    if (strcmp(path, "-") == 0 || stat(path, &state) != 0 || !S_ISREG(state.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t length = fread(start, 1, sizeof start, file);
    fclose(file);
    return length == sizeof start && memcmp(start, signature, sizeof start) == 0;
}

bool cli_may_replace(const char *path)
{
    struct stat state;
    return stat(path, &state) != 0 || S_ISREG(state.st_mode);
}

// Whether the mark stands in the first bytes of a file, or nothing does.
static bool begins_with(const char *path, const char *mark)
{
    char start[512];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(start, 1, sizeof start - 1, file), length = strlen(mark);
    bool found = size == 0 && !ferror(file);
    fclose(file);
    for (size_t k = 0; !found && k + length <= size; k++)
        found = memcmp(start + k, mark, length) == 0;
    return found;
}

bool cli_may_overwrite(const char *path, const char *mark, const char *what)
{
    struct stat state;
    if (stat(path, &state) != 0 || !S_ISREG(state.st_mode) || begins_with(path, mark))
        return true;
    fprintf(stderr, "perp: %s: is there already, and not %s that could be replaced\n", path, what);
    return false;
}

bool cli_make_folder(char path[PERP_PATH_SIZE])
{
    const char *place = getenv("TMPDIR");
    int length = snprintf(path, PERP_PATH_SIZE, "%s/perp-XXXXXX", place && *place ? place : "/tmp");
    if (length < PERP_PATH_SIZE && mkdtemp(path))
        return true;
    perror("perp: no folder for temporary files");
    return false;
}

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *cli_follow_links(const char *path, char target[PERP_PATH_SIZE])
{
    char resolved[PATH_MAX];
    if (!realpath(path, resolved) || strlen(resolved) >= PERP_PATH_SIZE)
        return path;
    memcpy(target, resolved, strlen(resolved) + 1);
    return target;
}

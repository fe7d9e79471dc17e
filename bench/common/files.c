// Finds the files below a folder.
#include "common/files.h"

#include "common/measure.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), own = strlen(ending);
    return length > own && strcmp(text + length - own, ending) == 0;
}

static void add_files(const char *folder, const char *ending, BenchFiles *files)
{
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[BENCH_PATH];
        struct stat state;
        if (entry->d_name[0] == '.' ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path ||
            stat(path, &state) != 0)
            continue;
        if (S_ISDIR(state.st_mode))
            add_files(path, ending, files);
        else if (ends_in(path, ending) && files->count < BENCH_FILES)
            strcpy(files->path[files->count++], path);
    }
    if (directory)
        closedir(directory);
}

BenchFiles bench_find_files(const char *folder, const char *ending)
{
    BenchFiles files = {.path = bench_memory(BENCH_FILES, BENCH_PATH)};
    add_files(folder, ending, &files);
    qsort(files.path, (size_t)files.count, BENCH_PATH, compare_text);
    return files;
}

void bench_free_files(BenchFiles *files)
{
    free(files->path);
    *files = (BenchFiles){0};
}

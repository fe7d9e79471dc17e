// The files below a folder.
#ifndef PERP_BENCH_COMMON_FILES_H
#define PERP_BENCH_COMMON_FILES_H

enum { BENCH_PATH = 1024, BENCH_FILES = 4096 };

typedef struct BenchFiles {
    int count;
    char (*path)[BENCH_PATH]; // sorted
} BenchFiles;

// Those whose names have the ending, of all folders below; at most BENCH_FILES.
BenchFiles bench_find_files(const char *folder, const char *ending);
void bench_free_files(BenchFiles *files);

#endif

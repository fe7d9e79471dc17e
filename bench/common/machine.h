// What a benchmark ran on: the words that go into every result.
#ifndef PERP_BENCH_COMMON_MACHINE
#define PERP_BENCH_COMMON_MACHINE

#include <stdio.h>

enum { BENCH_TEXT = 256 };

void bench_read_cpu(char text[BENCH_TEXT]);  // the processor's name, or "unknown"
void bench_read_date(char text[BENCH_TEXT]); // today, UTC

// DIRECTORY/NAME-DATE.EXTENSION for writing; NULL after a complaint.
FILE *bench_open_result(const char *directory, const char *name, const char *extension);

#endif

// What the benchmark tells: a table for people, JSON for programs.
#ifndef PERP_BENCH_LCP_LCP_REPORT
#define PERP_BENCH_LCP_LCP_REPORT

#include "common/measure.h"

#include <stdio.h>

void bench_print_heading(FILE *out);
void bench_print_row(FILE *out, const BenchRow *row);
void bench_write_json(FILE *out, const BenchRow *rows, int n_rows);

// Writes DIRECTORY/lcp-DATE.json, and says so on standard error.
void bench_save_json(const char *directory, const BenchRow *rows, int n_rows);

#endif

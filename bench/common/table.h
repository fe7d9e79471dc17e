// Tables, for terminals and as Markdown.
#ifndef PERP_BENCH_COMMON_TABLE
#define PERP_BENCH_COMMON_TABLE

#include <stdbool.h>
#include <stdio.h>

enum { BENCH_CELL = 48, BENCH_COLUMNS = 16 };

typedef struct BenchStyle {
    FILE *out;
    bool markdown;
} BenchStyle;

typedef struct BenchTableRow {
    char cell[BENCH_COLUMNS][BENCH_CELL];
    int count;
} BenchTableRow;

void bench_add(BenchTableRow *row, const char *format, ...);
void bench_add_number(BenchTableRow *row, double number); // - if it is not finite

void bench_print_title(const BenchStyle *style, const char *title);
void bench_print_head(const BenchStyle *style, const BenchTableRow *row);
void bench_print_row(const BenchStyle *style, const BenchTableRow *row);

#endif

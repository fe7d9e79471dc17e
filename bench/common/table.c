// Tables, written row by row.
#include "common/table.h"

#include <math.h>
#include <stdarg.h>

void bench_add(BenchTableRow *row, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(row->cell[row->count++], BENCH_CELL, format, values);
    va_end(values);
}

void bench_add_number(BenchTableRow *row, double number)
{
    bench_add(row, isfinite(number) ? "%.3g" : "-", number);
}

void bench_print_title(const BenchStyle *style, const char *title)
{
    fprintf(style->out, style->markdown ? "\n### %s\n\n" : "\n%s\n", title);
}

void bench_print_row(const BenchStyle *style, const BenchTableRow *row)
{
    for (int k = 0; k < row->count; k++)
        if (style->markdown)
            fprintf(style->out, "| %s ", row->cell[k]);
        else
            fprintf(style->out, k ? "  %11s" : "  %-14s", row->cell[k]);
    fputs(style->markdown ? "|\n" : "\n", style->out);
}

void bench_print_head(const BenchStyle *style, const BenchTableRow *row)
{
    bench_print_row(style, row);
    for (int k = 0; style->markdown && k < row->count; k++)
        fputs(k ? "|---:" : "|---", style->out);
    fputs(style->markdown ? "|\n" : "", style->out);
}

// The tables and the JSON of perp bench lcp.
#include "lcp/lcp_report.h"

#include "common/machine.h"
#include "perp/version.h"

#include <math.h>

void bench_print_heading(FILE *out)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(out, "perp %s, %s, %s, %s\n", perp_build_commit(), perp_build_flags(), cpu, date);
    fprintf(
        out,
        "CPU time, one thread: least of the repetitions, median of the cases solved. times: of\n"
        "the time of the group's first line; below 1 the first line loses. failed: certificate\n"
        "above %.0e.\n",
        bench_tolerance);
}

void bench_print_row(FILE *out, const BenchRow *row)
{
    fprintf(out, "\n%s, %d contacts", row->family, row->contacts);
    if (row->facets > 0)
        fprintf(out, ", %d facets", row->facets);
    fprintf(out, ", n = %d, %d cases\n", row->n, row->cases);
    fprintf(out, "  %-24s %12s %9s %9s %7s\n", "", "ms", "times", "pivots", "failed");
    for (int k = 0; k < row->n_columns; k++) {
        const BenchColumn *column = &row->columns[k];
        char pivots[32] = "-";
        if (column->pivots >= 0.0)
            snprintf(pivots, sizeof pivots, "%.0f", column->pivots);
        fprintf(out, "  %-24s %12.4f %9.3f %9s %7d\n", column->solver, 1e3 * column->seconds,
                column->ratio, pivots, column->failures);
    }
    fflush(out);
}

// NAN, which JSON does not know, becomes null
static void write_number(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, "\"%s\": %.9g, ", name, value);
    else
        fprintf(out, "\"%s\": null, ", name);
}

static void write_columns(FILE *out, const BenchRow *row)
{
    for (int k = 0; k < row->n_columns; k++) {
        const BenchColumn *column = &row->columns[k];
        fprintf(out, "%s\n      {\"solver\": \"%s\", ", k > 0 ? "," : "", column->solver);
        write_number(out, "seconds", column->seconds);
        write_number(out, "times", column->ratio);
        write_number(out, "pivots", column->pivots >= 0.0 ? column->pivots : NAN);
        fprintf(out, "\"failed\": %d}", column->failures);
    }
}

void bench_write_json(FILE *out, const BenchRow *rows, int n_rows)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(out, "{\"benchmark\": \"lcp\", \"date\": \"%s\", \"commit\": \"%s\",\n", date,
            perp_build_commit());
    fprintf(out, " \"compiler\": \"%s\", \"cpu\": \"%s\", \"tolerance\": %g,\n", perp_build_flags(),
            cpu, bench_tolerance);
    fprintf(out, " \"rows\": [");
    for (int k = 0; k < n_rows; k++) {
        const BenchRow *row = &rows[k];
        fprintf(out, "%s\n    {\"family\": \"%s\", \"contacts\": %d, \"facets\": %d, \"n\": %d, ",
                k > 0 ? "," : "", row->family, row->contacts, row->facets, row->n);
        fprintf(out, "\"cases\": %d, \"solvers\": [", row->cases);
        write_columns(out, row);
        fprintf(out, "]}");
    }
    fprintf(out, "]}\n");
}

void bench_save_json(const char *directory, const BenchRow *rows, int n_rows)
{
    FILE *file = bench_open_result(directory, "lcp", "json");
    if (!file)
        return;
    bench_write_json(file, rows, n_rows);
    fclose(file);
}

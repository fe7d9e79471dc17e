#include "lcp_report.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { TEXT_SIZE = 256 };

// the processor's name from /proc/cpuinfo, or "unknown"
static void read_cpu(char text[TEXT_SIZE])
{
    strcpy(text, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[TEXT_SIZE];
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        strcpy(text, colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

static void read_date(char text[TEXT_SIZE])
{
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, TEXT_SIZE, "%Y-%m-%d", gmtime_r(&now, &parts));
}

void bench_print_heading(FILE *out)
{
    char cpu[TEXT_SIZE], date[TEXT_SIZE];
    read_cpu(cpu);
    read_date(date);
    fprintf(out, "perp %s, %s, %s, %s\n", PERP_BENCH_COMMIT, PERP_BENCH_COMPILER, cpu, date);
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
    char cpu[TEXT_SIZE], date[TEXT_SIZE];
    read_cpu(cpu);
    read_date(date);
    fprintf(out, "{\"benchmark\": \"lcp\", \"date\": \"%s\", \"commit\": \"%s\",\n", date,
            PERP_BENCH_COMMIT);
    fprintf(out, " \"compiler\": \"%s\", \"cpu\": \"%s\", \"tolerance\": %g,\n",
            PERP_BENCH_COMPILER, cpu, bench_tolerance);
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
    char date[TEXT_SIZE], path[1024];
    read_date(date);
    snprintf(path, sizeof path, "%s/lcp-%s.json", directory, date);
    mkdir(directory, 0777);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "cannot write %s\n", path);
        return;
    }
    bench_write_json(file, rows, n_rows);
    fclose(file);
    fprintf(stderr, "written: %s\n", path);
}

// The tables and the JSON of perp bench ladder.
#include "ladder/report.h"

#include "cli/common/method_list.h"
#include "common/machine.h"
#include "perp/version.h"

// --- tables -------------------------------------------------------------------------------------

void bench_ladder_print_heading(FILE *out, const BenchLadderOptions *options)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(out, "perp %s, %s, %s, %s\n", perp_build_commit(), perp_build_flags(), cpu, date);
    fputs("The ladder with | without each rung, on the problems (of runs: steps) on which it ran;\n"
          "all: ratio of CPU times on all problems of the family.\n",
          out);
    if (options->methods != PERP_ALL_METHODS) {
        fputs("The full ladder is ", out);
        cli_print_method_names(out, options->methods);
        fputc('\n', out);
    }
}

static void print_columns(FILE *out)
{
    fprintf(out, "  %-26s %6s  %5s|%-5s %5s|%-5s  %8s|%-8s  %9s|%-9s  %10s|%-10s %6s %6s  %s\n",
            "rung", "ran", "miss", "w/o", "held", "w/o", "factors", "w/o", "sweeps", "w/o",
            "CPU ms", "w/o", "ratio", "all", "verdict");
}

static void print_row(FILE *out, const BenchLadderRow *row)
{
    const BenchLadderSum *with = &row->with, *without = &row->without;
    fprintf(out,
            "  %-26s %6d  %5d|%-5d %5d|%-5d  %8ld|%-8ld  %9ld|%-9ld  %10.2f|%-10.2f %6.2f %6.3f  "
            "%s%s\n",
            bench_ladder_rung_name(row->rung), with->problems, with->missed, without->missed,
            with->held, without->held, with->factorisations, without->factorisations, with->sweeps,
            without->sweeps, 1e3 * with->seconds, 1e3 * without->seconds, bench_ladder_ratio(row),
            bench_ladder_ratio_of_all(row), bench_ladder_verdict(row),
            row->cut ? " (cut: out of time)" : "");
}

static void print_rows(FILE *out, const BenchLadderRow *rows)
{
    print_columns(out);
    for (int k = 0; k < bench_ladder_rungs(); k++)
        if (rows[k].with.problems > 0)
            print_row(out, &rows[k]);
    fflush(out);
}

void bench_ladder_print(FILE *out, const BenchLadderResult *result)
{
    const BenchLadderSum *full = &result->full;
    fprintf(out,
            "\n%s to %g: %s\n  %d problems of up to %d contacts%s: %d missed, %ld factorisations, "
            "%ld sweeps, %.2f ms\n",
            result->family->name, result->tolerance, result->family->text, full->problems,
            result->contacts, result->cut ? " (cut: out of time)" : "", full->missed,
            full->factorisations, full->sweeps, 1e3 * full->seconds);
    if (result->too_long > 0)
        fprintf(out,
                "  and %d left out, on which the full ladder alone takes too long: --seconds\n",
                result->too_long);
    print_rows(out, result->rows);
}

// --- all families -------------------------------------------------------------------------------

void bench_ladder_print_all(FILE *out, const BenchLadderResult *results, int count)
{
    BenchLadderRow rows[BENCH_LADDER_RUNGS] = {0};
    for (int m = 0; m < bench_ladder_rungs(); m++) {
        rows[m].rung = m;
        for (int k = 0; k < count; k++) {
            const BenchLadderRow *row = &results[k].rows[m];
            rows[m].seconds_of_all += row->seconds_of_all;
            rows[m].cut = rows[m].cut || row->cut;
            bench_ladder_add(&rows[m].with, &row->with);
            bench_ladder_add(&rows[m].without, &row->without);
        }
    }
    fputs("\nall of the above\n", out);
    print_rows(out, rows);
}

// --- JSON ---------------------------------------------------------------------------------------

static void print_sum(FILE *out, const char *name, const BenchLadderSum *sum)
{
    fprintf(out,
            "\"%s\": {\"problems\": %d, \"missed\": %d, \"held\": %d, \"factorisations\": %ld, "
            "\"sweeps\": %ld, \"seconds\": %.6g, \"drift\": %.3g}",
            name, sum->problems, sum->missed, sum->held, sum->factorisations, sum->sweeps,
            sum->seconds, sum->drift);
}

static void print_row_json(FILE *out, const BenchLadderRow *row)
{
    fprintf(out, "\n   {\"rung\": \"%s\", \"method\": \"%s\", ", bench_ladder_rung_name(row->rung),
            perp_method_name(bench_ladder_rung_method(row->rung)));
    print_sum(out, "with", &row->with);
    fputs(", ", out);
    print_sum(out, "without", &row->without);
    fprintf(out, ", \"ratio\": %.4g, \"ratio_of_all\": %.4g, \"cut\": %s, \"verdict\": \"%s\"}",
            bench_ladder_ratio(row), bench_ladder_ratio_of_all(row), row->cut ? "true" : "false",
            bench_ladder_verdict(row));
}

static void print_result_json(FILE *out, const BenchLadderResult *result)
{
    const char *separator = "";
    fprintf(out,
            "\n {\"family\": \"%s\", \"tolerance\": %g, \"contacts\": %d, \"too_long\": %d, "
            "\"cut\": %s, ",
            result->family->name, result->tolerance, result->contacts, result->too_long,
            result->cut ? "true" : "false");
    print_sum(out, "full", &result->full);
    fputs(",\n  \"rungs\": [", out);
    for (int k = 0; k < bench_ladder_rungs(); k++) {
        if (result->rows[k].with.problems == 0)
            continue;
        fputs(separator, out);
        print_row_json(out, &result->rows[k]);
        separator = ",";
    }
    fputs("]}", out);
}

void bench_ladder_print_json(FILE *out, const BenchLadderResult *results, int count)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(out,
            "{\"benchmark\": \"ladder\", \"date\": \"%s\", \"commit\": \"%s\",\n \"build\": "
            "\"%s\", \"cpu\": \"%s\",\n \"families\": [",
            date, perp_build_commit(), perp_build_flags(), cpu);
    for (int k = 0; k < count; k++) {
        fputs(k ? "," : "", out);
        print_result_json(out, &results[k]);
    }
    fputs("]}\n", out);
}

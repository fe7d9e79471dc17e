// perp-bench-lcp: perp's LCP solvers against those of Siconos and ODE on the same matrices, in one
// process, in turns.
#include "common/help.h"
#include "lcp/lcp_cases.h"
#include "lcp/lcp_report.h"
#include "lcp/peers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Options {
    bool json, quick;
    const char *results; // directory; NULL: write no file
} Options;

static const char HELP[] =
    "Examples:\n"
    "  perp bench lcp --quick    small sizes, some seconds\n"
    "  perp bench lcp            all sizes; the results also go to a file\n"
    "  perp bench lcp --json     one JSON object, for a script to read\n\n"
    "usage: perp bench lcp [--json] [--quick] [--results DIR]\n\n"
    "  --json         JSON on standard output instead of tables\n"
    "  --quick        small sizes and few cases, no file\n"
    "  --results DIR  where lcp-DATE.json goes, default " PERP_BENCH_RESULTS "\n";

static bool read_options(int count, char **words, Options *o)
{
    *o = (Options){.results = PERP_BENCH_RESULTS};
    for (int k = 1; k < count; k++) {
        if (strcmp(words[k], "--json") == 0)
            o->json = true;
        else if (strcmp(words[k], "--quick") == 0)
            o->quick = true;
        else if (strcmp(words[k], "--results") == 0 && k + 1 < count)
            o->results = words[++k];
        else
            return false;
    }
    if (o->quick)
        o->results = NULL;
    return true;
}

// Peers may print: what they write to standard output ends in /dev/null, ours goes to a duplicate.
static FILE *keep_output_to_ourselves(void)
{
    FILE *out = fdopen(dup(STDOUT_FILENO), "w");
    int nowhere = open("/dev/null", O_WRONLY);
    if (!out || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        fputs("perp-bench-lcp: cannot redirect standard output\n", stderr);
        exit(1);
    }
    close(nowhere);
    return out;
}

enum { MAX_ROWS = 64 };

typedef struct Bench {
    Options options;
    FILE *out;
    BenchRow rows[MAX_ROWS];
    int n_rows;
} Bench;

static void run_size(Bench *b, BenchCases cases, int n_cases, const BenchSolver *solvers,
                     int n_solvers)
{
    BenchRow *row = &b->rows[b->n_rows++];
    *row = (BenchRow){.family = bench_family_text(cases.family),
                      .contacts = cases.contacts,
                      .facets = cases.facets,
                      .cases = b->options.quick ? 3 : n_cases};
    double budget = b->options.quick ? 0.02 : 0.1; // s a case
    bench_compete(row, solvers, n_solvers, budget, bench_make_case, &cases);
    bench_close_cases(&cases);
    if (!b->options.json)
        bench_print_row(b->out, row);
}

// n = contacts (facets + 2)
static void run_frictional(Bench *b)
{
    static const int contacts[] = {5, 10, 20, 40, 80}, n_cases[] = {30, 30, 15, 9, 3};
    BenchSolver solvers[] = {bench_perp_lcp("perp lemke", PERP_LCP_LEMKE),
                             bench_siconos_lemke(),
                             bench_perp_warm(),
                             bench_perp_certify(),
                             bench_perp_reduce(),
                             bench_perp_structured()};
    int sizes = b->options.quick ? 2 : 5;
    for (int k = 0; k < 2 * sizes; k++) {
        BenchCases cases = {
            .family = BENCH_FRICTIONAL, .contacts = contacts[k / 2], .facets = k % 2 ? 8 : 4};
        run_size(b, cases, n_cases[k / 2], solvers, 6);
    }
    bench_siconos_close(&solvers[1]);
    for (int k = 0; k < 6; k++)
        if (k != 1)
            bench_perp_close(&solvers[k]);
}

// n = contacts
static void run_frictionless(Bench *b, BenchFamily family)
{
    static const int contacts[] = {5, 10, 20, 40, 80, 160, 320};
    BenchSolver solvers[] = {bench_perp_lcp("perp block", PERP_LCP_BLOCK), bench_ode_dantzig(),
                             bench_perp_lcp("perp dantzig", PERP_LCP_DANTZIG),
                             bench_perp_lcp("perp lemke", PERP_LCP_LEMKE), bench_siconos_lemke()};
    int sizes = b->options.quick ? 3 : 7;
    for (int k = 0; k < sizes; k++) {
        BenchCases cases = {.family = family, .contacts = contacts[k]};
        run_size(b, cases, contacts[k] <= 80 ? 30 : 9, solvers, 5);
    }
    bench_perp_close(&solvers[0]);
    bench_ode_close(&solvers[1]);
    bench_perp_close(&solvers[2]);
    bench_perp_close(&solvers[3]);
    bench_siconos_close(&solvers[4]);
}

int main(int count, char **words)
{
    static Bench b;
    if (bench_helped(count, words, HELP))
        return 0;
    if (!read_options(count, words, &b.options)) {
        fputs(HELP, stderr);
        return 2;
    }
    b.out = keep_output_to_ourselves();
    if (!b.options.json)
        bench_print_heading(b.out);
    run_frictional(&b);
    run_frictionless(&b, BENCH_SPD);
    run_frictionless(&b, BENCH_PSD);
    if (b.options.json)
        bench_write_json(b.out, b.rows, b.n_rows);
    if (b.options.results)
        bench_save_json(b.options.results, b.rows, b.n_rows);
    fclose(b.out);
    return 0;
}

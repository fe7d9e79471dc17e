// perp-bench-ladder: what each rung of the ladder earns. Every one is left out in turn, on random
// problems, FCLIB files, problems of simulations and whole runs.
#include "common/methods.h"
#include "ladder/ablation.h"
#include "ladder/report.h"
#include "perp/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 64 };

#define USAGE                                                                                      \
    "usage: perp bench ladder [--family NAME] [--fclib FOLDER] [--count N] [--seconds S]\n"        \
    "                         [--rung NAME] [--tolerance T] [--json] " BENCH_METHODS_USAGE "\n"

static const char HELP[] =
    "Examples:\n"
    "  perp bench ladder                            all families; takes some minutes\n"
    "  perp bench ladder --family random            all that begin so: random-6 to random-100\n"
    "  perp bench ladder --family fclib --fclib FOLDER   all FCLIB files below FOLDER\n"
    "  perp bench ladder --family pile-150 --tolerance 1e-6 --count 5\n"
    "  perp bench ladder --without interior         what is missed once another one is "
    "gone\n\n" USAGE "\n"
    "Leaves each rung of the ladder (src/solve/rungs.c) out in turn and prints misses,\n"
    "factorisations, sweeps and CPU time beside those of the full ladder. Only problems on which\n"
    "the rung ran are solved again: it cannot matter for the others. Problems of simulations are\n"
    "solved from a cold start; families run-* are whole runs, with warm starts and slip held "
    "where\n"
    "the exact law is dear, and count steps. The verdict is\n"
    "  needed               more problems are missed without it\n"
    "  misses less without  fewer are\n"
    "  creeps without       what should stand moves twice as far without it\n"
    "  faster with          all problems together take 3 % longer without it, or more\n"
    "  faster without       they take 3 % less\n"
    "  no effect            neither\n\n"
    "  --family NAME   one, or all whose names begin so\n"
    "  --fclib FOLDER  of FCLIB files, default those that come with perp\n"
    "  --count N       problems of a family, at most\n"
    "  --seconds S     CPU time of a family and a rung, after which no further problem is "
    "begun;\n"
    "                  default 20\n"
    "  --rung NAME     leave out none but those whose names begin so; none: the full ladder alone\n"
    "  --tolerance T   instead of each family's own\n" BENCH_METHODS_HELP
    "  --json          one JSON object instead of tables\n\n"
    "Families:\n";

static int print_help(void)
{
    fputs(HELP, stdout);
    for (int k = 0; k < bench_ladder_family_count; k++) {
        const BenchLadderFamily *family = &bench_ladder_families[k];
        printf("  %-12s %5d  %s; to %g", family->name, family->count, family->text,
               family->tolerance[0]);
        for (int t = 1; t < BENCH_LADDER_TOLERANCES && family->tolerance[t] > 0; t++)
            printf(", %g", family->tolerance[t]);
        putchar('\n');
    }
    return 0;
}

// --- options ------------------------------------------------------------------------------------

static bool read_number(const char *option, const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && !*end && isfinite(*number) && *number > 0)
        return true;
    fprintf(stderr, "perp: %s must be a number above 0, not %s\n", option, text);
    return false;
}

static bool take_value(BenchLadderOptions *o, const char *option, const char *value)
{
    double count;
    if (strcmp(option, "--family") == 0)
        o->family = value;
    else if (strcmp(option, "--fclib") == 0)
        o->folder = value;
    else if (strcmp(option, "--rung") == 0)
        o->rung = value;
    else if (strcmp(option, "--seconds") == 0)
        return read_number(option, value, &o->seconds);
    else if (strcmp(option, "--tolerance") == 0)
        return read_number(option, value, &o->tolerance);
    else if (!read_number(option, value, &count))
        return false;
    else
        o->count = (int)fmax(1, fmin(count, 1e6));
    return true;
}

static bool read_options(int argc, char **argv, BenchLadderOptions *o)
{
    static const char *const known[] = {"--family",  "--fclib",     "--rung", "--count",
                                        "--seconds", "--tolerance", "--json", "--help"};
    enum { VALUED = 6, KNOWN = sizeof known / sizeof *known };
    for (int k = 1; k < argc; k++) {
        int which = 0;
        while (which < KNOWN && strcmp(known[which], argv[k]) != 0)
            which++;
        o->json = o->json || which == VALUED;
        if (which == KNOWN)
            fprintf(stderr, "perp: unknown option %s; did you mean %s?\n" USAGE, argv[k],
                    perp_nearest_word(argv[k], known, KNOWN));
        else if (which < VALUED && k + 1 == argc)
            fprintf(stderr, "perp: %s needs a value\n" USAGE, argv[k]);
        if (which == KNOWN || (which < VALUED && k + 1 == argc))
            return false;
        if (which < VALUED && !take_value(o, known[which], argv[++k]))
            return false;
    }
    return true;
}

static bool is_meant(const BenchLadderOptions *o, const BenchLadderFamily *family)
{
    return !o->family || strncmp(o->family, family->name, strlen(o->family)) == 0;
}

static bool check_family(const BenchLadderOptions *o)
{
    const char *names[MOST_RESULTS];
    for (int k = 0; k < bench_ladder_family_count; k++) {
        names[k] = bench_ladder_families[k].name;
        if (is_meant(o, &bench_ladder_families[k]))
            return true;
    }
    fprintf(stderr, "perp: no family %s; did you mean %s? --help names all\n", o->family,
            perp_nearest_word(o->family, names, bench_ladder_family_count));
    return false;
}

// --- running ------------------------------------------------------------------------------------

// To its tolerances; returns how many results were added.
static int run_family(const BenchLadderOptions *o, const BenchLadderFamily *family,
                      BenchLadderResult *results)
{
    void *state;
    int added = 0;
    int count =
        family->source->begin(family, o->count ? o->count : family->count, o->folder, &state);
    for (int t = 0; t < BENCH_LADDER_TOLERANCES; t++) {
        double tolerance = o->tolerance > 0 ? o->tolerance : family->tolerance[t];
        if (tolerance == 0 || (t > 0 && o->tolerance > 0))
            continue;
        results[added] = bench_ablate(o, family, state, count, tolerance);
        if (!o->json)
            bench_ladder_print(stdout, &results[added]);
        added++;
    }
    family->source->end(state);
    return added;
}

static int run_all(const BenchLadderOptions *o)
{
    static BenchLadderResult results[MOST_RESULTS];
    int count = 0;
    if (!o->json)
        bench_ladder_print_heading(stdout, o);
    for (int k = 0; k < bench_ladder_family_count; k++)
        if (is_meant(o, &bench_ladder_families[k]))
            count += run_family(o, &bench_ladder_families[k], &results[count]);
    if (o->json)
        bench_ladder_print_json(stdout, results, count);
    else if (count > 1)
        bench_ladder_print_all(stdout, results, count);
    return 0;
}

int main(int argc, char **argv)
{
    BenchLadderOptions o = {.folder = PERP_BENCH_PROBLEMS, .seconds = 20};
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0)
            return print_help();
    if (!bench_take_methods(&argc, argv, &o.methods) || !read_options(argc, argv, &o) ||
        !check_family(&o))
        return 2;
    return run_all(&o);
}

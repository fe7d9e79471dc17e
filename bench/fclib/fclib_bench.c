// perp-bench-fclib [FOLDER] [--json]: every local FCLIB problem of a folder of families, perp's
// exact circular law beside the fastest of Siconos' solvers that passes the same check, to 1e-4 and
// to 1e-8. A family is a folder of files.

#include "common/files.h"
#include "common/help.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/methods.h"
#include "fclib/peer_siconos_cones.h"
#include "perp/problem_file.h"
#include "perp/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLERANCES = 2 };
static unsigned methods = PERP_ALL_METHODS; // that perp may use
static const double tolerances[TOLERANCES] = {1e-4, 1e-8};
static const double LIMIT = 1,
                    MOST = 10; // s of a peer's CPU: ten times what perp took, within these

typedef struct Answer {
    double ms; // INFINITY: not solved
    double worst;
} Answer;

typedef struct Case {
    char path[BENCH_PATH];
    const char *family, *name; // within path
    int contacts, dimension;
    Answer perp[TOLERANCES], peer[TOLERANCES];
    const char *peer_name[TOLERANCES], *rung[TOLERANCES];
} Case;

// --- names --------------------------------------------------------------------------------------

static void name_case(Case *c)
{
    c->name = strrchr(c->path, '/');
    c->name = c->name ? c->name + 1 : c->path;
    const char *family = c->name - (c->name > c->path);
    while (family > c->path && family[-1] != '/')
        family--;
    c->family = family;
}

static int family_length(const Case *c)
{
    return c->name > c->family ? (int)(c->name - c->family - 1) : 0;
}

static bool same_family(const Case *a, const Case *b)
{
    return family_length(a) == family_length(b) &&
           strncmp(a->family, b->family, (size_t)family_length(a)) == 0;
}

// --- solves -------------------------------------------------------------------------------------

static Answer solve_with_perp(const PerpContactProblem *p, double tolerance, const char **rung)
{
    PerpSolver *solver;
    PerpContactResult result = {0};
    Answer answer = {INFINITY, INFINITY};
    double spent = 0;
    if (perp_solver_create(NULL, &solver))
        return answer;
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.tolerance = tolerance;
    settings.methods = methods;
    for (int k = 0; siconos_cone_goes_on(k, spent) && spent < LIMIT; k++) {
        double begin = siconos_cone_clock();
        PerpStatus status = perp_contact_problem_solve(solver, p, &settings, &result, NULL);
        double seconds = siconos_cone_clock() - begin;
        spent += seconds;
        if (!status && result.outcome == PERP_OUTCOME_SOLVED)
            answer.ms = fmin(answer.ms, 1e3 * seconds);
        answer.worst = result.certificate.worst;
    }
    *rung = perp_method_name(result.solved_by);
    perp_solver_destroy(solver);
    return answer;
}

static Answer solve_with_peers(const PerpContactProblem *p, double tolerance, double ms,
                               const char **name)
{
    Answer best = {INFINITY, INFINITY};
    double limit = fmin(MOST, fmax(LIMIT, 1e-2 * ms));
    *name = "-";
    for (int k = 0; k < siconos_cone_solvers(p->dimension); k++) {
        SiconosAnswer answer = siconos_solve_cones(p, k, tolerance, limit);
        if (answer.solved && 1e3 * answer.seconds < best.ms) {
            best = (Answer){1e3 * answer.seconds, answer.natural};
            *name = siconos_cone_name(p->dimension, k);
        }
    }
    return best;
}

static bool run_case(Case *c)
{
    PerpProblemFile *file;
    PerpError error;
    char text[PERP_PATH_SIZE + PERP_MESSAGE_SIZE];
    if (perp_problem_file_read(NULL, c->path, NULL, &file, &error)) {
        fprintf(stderr, "perp: %s\n", perp_error_text(&error, text, sizeof text));
        return false;
    }
    const PerpContactProblem *p = perp_problem_file_contact(file);
    for (int t = 0; p && t < TOLERANCES; t++) {
        c->contacts = p->contacts;
        c->dimension = p->dimension;
        c->perp[t] = solve_with_perp(p, tolerances[t], &c->rung[t]);
        c->peer[t] = solve_with_peers(p, tolerances[t], c->perp[t].ms, &c->peer_name[t]);
    }
    perp_problem_file_destroy(file);
    return p != NULL;
}

// --- reports ------------------------------------------------------------------------------------

static void print_ms(FILE *out, double ms)
{
    if (isfinite(ms))
        fprintf(out, " %10.4f", ms);
    else
        fprintf(out, " %10s", "-");
}

static void print_case(const Case *c)
{
    printf("%-48.48s %5d", c->name, c->contacts);
    for (int t = 0; t < TOLERANCES; t++) {
        print_ms(stdout, c->perp[t].ms);
        print_ms(stdout, c->peer[t].ms);
        printf(" %-15s", c->peer_name[t]);
    }
    printf(" %s\n", c->rung[TOLERANCES - 1]);
    fflush(stdout);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// solved, median and worst of the answers
static void print_answers(const Case *cases, int count, int t, bool peer)
{
    double ms[BENCH_FILES];
    int solved = 0;
    for (int k = 0; k < count; k++) {
        ms[k] = peer ? cases[k].peer[t].ms : cases[k].perp[t].ms;
        solved += isfinite(ms[k]);
    }
    qsort(ms, (size_t)count, sizeof *ms, compare_numbers);
    printf(" %3d/%d", solved, count);
    print_ms(stdout, solved ? ms[(solved - 1) / 2] : INFINITY);
    print_ms(stdout, solved ? ms[solved - 1] : INFINITY);
    printf(" |");
}

static void print_family(const Case *cases, int count)
{
    int won = 0;
    printf("%-22.*s|", family_length(cases), cases->family);
    for (int t = 0; t < TOLERANCES; t++) {
        print_answers(cases, count, t, false);
        print_answers(cases, count, t, true);
    }
    for (int k = 0; k < count; k++)
        won += isfinite(cases[k].perp[1].ms) && cases[k].perp[1].ms <= cases[k].peer[1].ms;
    printf(" %d/%d\n", won, count);
}

static void print_families(const Case *cases, int count)
{
    printf("\nCPU ms: solved, median, worst\n%-22s|%-57s|%-57s|faster at 1e-8\n", "family",
           " 1e-4: perp | best of Siconos", " 1e-8: perp | best of Siconos");
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && same_family(&cases[first], &cases[end]);)
            end++;
        print_family(cases + first, end - first);
    }
}

static void write_number(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, ", \"%s\": %.6g", name, value);
    else
        fprintf(out, ", \"%s\": null", name);
}

static void write_json(FILE *out, const Case *cases, int count)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(out,
            "{\"benchmark\": \"fclib\", \"date\": \"%s\", \"commit\": \"%s\",\n \"build\": \"%s\", "
            "\"cpu\": \"%s\",\n \"problems\": [",
            date, perp_build_commit(), perp_build_flags(), cpu);
    for (int k = 0; k < count; k++) {
        const Case *c = &cases[k];
        fprintf(out, "%s\n  {\"family\": \"%.*s\", \"name\": \"%s\", \"contacts\": %d",
                k ? "," : "", family_length(c), c->family, c->name, c->contacts);
        for (int t = 0; t < TOLERANCES; t++) {
            fprintf(out, ",\n   \"%g\": {\"rung\": \"%s\", \"peer\": \"%s\"", tolerances[t],
                    c->rung[t], c->peer_name[t]);
            write_number(out, "perp_ms", c->perp[t].ms);
            write_number(out, "perp_residual", c->perp[t].worst);
            write_number(out, "peer_ms", c->peer[t].ms);
            fputc('}', out);
        }
        fputc('}', out);
    }
    fputs("]}\n", out);
}

static void save_json(const Case *cases, int count)
{
    FILE *file = bench_open_result(PERP_BENCH_RESULTS, "fclib", "json");
    if (!file)
        return;
    write_json(file, cases, count);
    fclose(file);
}

static const char HELP[] =
    "Examples:\n"
    "  perp bench fclib                    the problems that come with perp\n"
    "  perp bench fclib FOLDER             all below FOLDER, a folder for each family\n"
    "  perp bench fclib FOLDER --json      one JSON object, for a script to read\n\n"
    "usage: perp bench fclib [FOLDER] [--json] " BENCH_METHODS_USAGE "\n\n" BENCH_METHODS_HELP "\n"
    "Each problem is solved to 1e-4 and to 1e-8 by perp and by the fastest of Siconos' solvers,\n"
    "in CPU time, and both answers pass the same check. Results also go to bench/results,\n"
    "unless methods are left out.\n";

// All below the folder; returns how many of them are local problems.
static int run_cases(const char *folder, bool json, Case *cases)
{
    BenchFiles files = bench_find_files(folder, ".hdf5");
    int count = 0;
    if (!json)
        printf("%-48s %5s%38s%38s\n", folder, "", "1e-4: perp, Siconos ms",
               "1e-8: perp, Siconos ms");
    for (int k = 0; k < files.count; k++) {
        memcpy(cases[count].path, files.path[k], sizeof cases[count].path);
        name_case(&cases[count]);
        if (!run_case(&cases[count]))
            continue;
        if (!json)
            print_case(&cases[count]);
        count++;
    }
    bench_free_files(&files);
    return count;
}

static void report(const Case *cases, int count, bool json)
{
    if (json)
        write_json(stdout, cases, count);
    else
        print_families(cases, count);
    if (methods == PERP_ALL_METHODS)
        save_json(cases, count);
}

int main(int argc, char **argv)
{
    static Case cases[BENCH_FILES];
    const char *folder = PERP_BENCH_PROBLEMS;
    bool json = false;
    if (bench_helped(argc, argv, HELP))
        return 0;
    if (!bench_take_methods(&argc, argv, &methods))
        return 2;
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--json") == 0)
            json = true;
        else
            folder = argv[k];
    int count = run_cases(folder, json, cases);
    if (count == 0) {
        fprintf(stderr, "perp: no local FCLIB problem in %s\n", folder);
        return 2;
    }
    report(cases, count, json);
    return 0;
}

// perp-bench-motion: things that move, by the hundreds and thousands, with default settings: what a
// step costs, how even its cost is, and how each was answered. The scenes are in
// bench/motion/scenes.
#include "common/help.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/methods.h"
#include "common/table.h"
#include "perp/perp.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SET = 3, MOST_STEPS = 100000, MOST_WANTED = 32 };

// A file of bench/motion/scenes and what of its parameters is set.
typedef struct Entry {
    const char *name, *file;
    PerpParameter set[MOST_SET];
    int n_set;
} Entry;

#define FILE_ALONE(name)                                                                           \
    {                                                                                              \
        name, name, {{0}}, 0                                                                       \
    }
#define LARGER(name, file, ...)                                                                    \
    {                                                                                              \
        name, file, {__VA_ARGS__}, sizeof((PerpParameter[]){__VA_ARGS__}) / sizeof(PerpParameter)  \
    }

static const Entry entries[] = {
    FILE_ALONE("rocks"),
    LARGER("rocks-large", "rocks", {"side", "14"}, {"layers", "14"}),
    FILE_ALONE("pouring"),
    LARGER("pouring-large", "pouring", {"layers", "80"}),
    FILE_ALONE("drum"),
    LARGER("drum-large", "drum", {"n", "18"}, {"layers", "16"}, {"r", "0.012"}),
    FILE_ALONE("towers"),
    LARGER("towers-large", "towers", {"towers", "10"}, {"floors", "36"}),
    FILE_ALONE("wall"),
    LARGER("wall-large", "wall", {"rows", "30"}, {"columns", "30"}),
    FILE_ALONE("conveyor"),
    LARGER("conveyor-large", "conveyor", {"layers", "30"}),
    FILE_ALONE("wrecking-ball"),
    FILE_ALONE("chain-mail"),
    LARGER("chain-mail-large", "chain-mail", {"n", "16"}),
    FILE_ALONE("dominoes"),
    FILE_ALONE("vehicle"),
};
enum { ENTRIES = sizeof entries / sizeof *entries };

typedef struct Options {
    bool json;
    double seconds, tolerance; // of CPU time a scene; 0: default settings
    int threads, n_wanted;
    unsigned methods;
    const char *wanted[MOST_WANTED]; // names or beginnings of them; none: all
} Options;

typedef struct Run {
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    double *cost; // s, of each step
    int steps, planned, contacts, missed, held, divided;
    double gap_error, overlap; // m, the largest
    double added;              // energy that appeared from nowhere, of the largest term so far
    double bytes;              // on the heap, the most after any step
    double worst_at;           // s, when the longest step began
} Run;

static bool complain(const PerpError *error)
{
    fprintf(stderr, "perp-bench-motion: %s\n", error->message);
    return false;
}

static double heap(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

// --- one run ------------------------------------------------------------------------------------

static bool open_run(Run *run, const Entry *entry, const Options *o)
{
    char path[512];
    PerpError error = {0};
    PerpSimulationSettings settings = perp_default_simulation_settings();
    snprintf(path, sizeof path, PERP_BENCH_FOLDER "/motion/scenes/%s.yaml", entry->file);
    if (perp_scene_read(NULL, path, entry->set, entry->n_set, &run->scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(run->scene), &run->model, &error))
        return complain(&error);
    const PerpRunDef *def = perp_scene_run(run->scene);
    settings.step = def->step;
    settings.threads = o->threads;
    settings.methods = o->methods;
    if (o->tolerance > 0)
        settings.tolerance = settings.held_tolerance = o->tolerance;
    run->planned = (int)(def->duration / def->step + 0.5);
    run->cost = bench_memory((size_t)run->planned + 1, sizeof *run->cost);
    return !perp_simulation_create(NULL, run->model, &settings, &run->simulation, &error) ||
           complain(&error);
}

static void close_run(Run *run)
{
    perp_simulation_destroy(run->simulation);
    perp_model_destroy(run->model);
    perp_scene_destroy(run->scene);
    free(run->cost);
}

static void note_step(Run *run, const PerpStepReport *report, double begin_heap)
{
    bool held = report->outcome == PERP_OUTCOME_HELD;
    run->held += held;
    run->missed += !held && report->outcome != PERP_OUTCOME_SOLVED;
    run->divided += report->substeps > 1;
    run->contacts = report->contacts > run->contacts ? report->contacts : run->contacts;
    run->gap_error = fmax(run->gap_error, report->gap_error);
    run->overlap = fmax(run->overlap, report->penetration);
    if (report->energy.scheme < 0)
        run->added = fmax(run->added, report->energy.balance);
    run->bytes = fmax(run->bytes, heap() - begin_heap);
}

static bool play(Run *run, const Options *o, double begin_heap)
{
    double spent = 0, longest = 0;
    PerpError error = {0};
    while (run->steps < run->planned && spent < o->seconds) {
        double start = bench_clock();
        if (perp_simulation_step(run->simulation, 0, &error))
            return complain(&error);
        double cost = bench_clock() - start;
        run->cost[run->steps++] = cost;
        spent += cost;
        if (cost > longest)
            run->worst_at = perp_simulation_time(run->simulation);
        longest = fmax(longest, cost);
        note_step(run, perp_simulation_report(run->simulation), begin_heap);
    }
    return true;
}

// --- telling ------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Costs {
    double sum, median, longest; // s
} Costs;

static Costs sum_up(Run *run)
{
    Costs c = {0};
    for (int k = 0; k < run->steps; k++)
        c.sum += run->cost[k];
    qsort(run->cost, (size_t)run->steps, sizeof *run->cost, compare_numbers);
    c.median = run->steps ? run->cost[run->steps / 2] : NAN;
    c.longest = run->steps ? run->cost[run->steps - 1] : NAN;
    return c;
}

static void print_head(const BenchStyle *style)
{
    static const char *const words[] = {
        "scene",     "bodies", "contacts", "steps",  "steps/s",    "median ms", "longest ms",
        "of median", "missed", "held",     "gap um", "overlap um", "energy +%", "kB a contact"};
    BenchTableRow row = {.count = 0};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        bench_add(&row, "%s", words[k]);
    bench_print_head(style, &row);
}

static void print_run(const BenchStyle *style, const Entry *entry, const Run *run, Costs c)
{
    BenchTableRow row = {.count = 0};
    bench_add(&row, "%s", entry->name);
    bench_add(&row, "%d", perp_model_body_count(run->model));
    bench_add(&row, "%d", run->contacts);
    bench_add(&row, "%d/%d", run->steps, run->planned);
    bench_add_number(&row, run->steps / c.sum);
    bench_add_number(&row, 1e3 * c.median);
    bench_add_number(&row, 1e3 * c.longest);
    bench_add_number(&row, c.longest / c.median);
    bench_add(&row, "%d", run->missed);
    bench_add(&row, "%d", run->held);
    bench_add_number(&row, 1e6 * run->gap_error);
    bench_add_number(&row, 1e6 * run->overlap);
    bench_add(&row, "%.2g", 100 * run->added);
    bench_add_number(&row, 1e-3 * run->bytes / run->contacts);
    bench_print_row(style, &row);
    fflush(stdout);
}

static void print_json(const Entry *entry, const Run *run, Costs c, bool first)
{
    printf("%s{\"scene\": \"%s\", \"bodies\": %d, \"contacts\": %d, \"steps\": %d, \"planned\": "
           "%d, \"seconds\": %.6g, \"median\": %.6g, \"longest\": %.6g, \"longest_at\": %.6g, "
           "\"missed\": %d, \"held\": %d, \"divided\": %d, \"gap_error\": %.6g, \"overlap\": %.6g, "
           "\"energy_added\": %.6g, \"heap_bytes\": %.0f}",
           first ? "" : ",\n", entry->name, perp_model_body_count(run->model), run->contacts,
           run->steps, run->planned, c.sum, c.median, c.longest, run->worst_at, run->missed,
           run->held, run->divided, run->gap_error, run->overlap, run->added, run->bytes);
    fflush(stdout);
}

// --- all runs -----------------------------------------------------------------------------------

static bool is_wanted(const Options *o, const char *name)
{
    for (int k = 0; k < o->n_wanted; k++)
        if (strcmp(name, o->wanted[k]) == 0)
            return true;
    return o->n_wanted == 0;
}

static bool run_entry(const Entry *entry, const Options *o, const BenchStyle *style, bool first)
{
    Run run = {0};
    double begin_heap = heap();
    bool good = open_run(&run, entry, o) && play(&run, o, begin_heap);
    if (good) {
        Costs c = sum_up(&run);
        if (o->json)
            print_json(entry, &run, c, first);
        else
            print_run(style, entry, &run, c);
    }
    close_run(&run);
    return good;
}

static bool run_all(const Options *o)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    BenchStyle style = {stdout, false};
    bool good = true, first = true;
    bench_read_cpu(cpu);
    bench_read_date(date);
    if (o->json)
        printf("{\"benchmark\": \"motion\", \"date\": \"%s\", \"commit\": \"%s\", \"compiler\": "
               "\"%s\", \"cpu\": \"%s\", \"runs\": [\n",
               date, perp_build_commit(), perp_build_flags(), cpu);
    else
        printf("perp %s, %s, %s, %s; CPU time, %g s a scene\n", perp_build_commit(),
               perp_build_flags(), cpu, date, o->seconds);
    if (!o->json)
        print_head(&style);
    for (int k = 0; k < ENTRIES; k++)
        if (is_wanted(o, entries[k].name)) {
            good = run_entry(&entries[k], o, &style, first) && good;
            first = false;
        }
    if (o->json)
        puts("]}");
    return good;
}

// --- options ------------------------------------------------------------------------------------

static const char HELP[] =
    "Examples:\n"
    "  perp bench motion                        all scenes, some minutes\n"
    "  perp bench motion --scene rocks          one of them\n"
    "  perp bench motion --json                 one JSON object, for a script to read\n\n"
    "usage: perp bench motion [--scene NAME]... [--list] [--seconds T] [--tolerance T]\n"
    "                         [--threads N] [--json] " BENCH_METHODS_USAGE "\n\n"
    "  --scene NAME   of the list; may be said again\n"
    "  --list         names of the scenes\n"
    "  --seconds T    of CPU time a scene, after which it ends, default 20\n"
    "  --tolerance T  of both laws, default as perp run\n"
    "  --threads N    default 1\n" BENCH_METHODS_HELP;

static bool take_value(Options *o, const char *option, const char *value)
{
    if (strcmp(option, "--seconds") == 0)
        return (o->seconds = atof(value)) > 0;
    if (strcmp(option, "--tolerance") == 0)
        return (o->tolerance = atof(value)) > 0;
    if (strcmp(option, "--threads") == 0)
        return (o->threads = atoi(value)) > 0;
    if (strcmp(option, "--scene") == 0 && o->n_wanted < MOST_WANTED) {
        o->wanted[o->n_wanted++] = value;
        return true;
    }
    return false;
}

static bool read_options(int argc, char **argv, Options *o)
{
    bool good = true;
    for (int k = 1; good && k < argc; k++)
        if (strcmp(argv[k], "--json") == 0)
            o->json = true;
        else
            good = k + 1 < argc && take_value(o, argv[k], argv[k + 1]) && k++;
    if (!good)
        fputs(strstr(HELP, "usage"), stderr);
    return good;
}

int main(int argc, char **argv)
{
    Options o = {.seconds = 20, .threads = 1};
    if (bench_helped(argc, argv, HELP))
        return 0;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int k = 0; k < ENTRIES; k++)
            puts(entries[k].name);
        return 0;
    }
    if (!bench_take_methods(&argc, argv, &o.methods) || !read_options(argc, argv, &o))
        return 2;
    return run_all(&o) ? 0 : 1;
}

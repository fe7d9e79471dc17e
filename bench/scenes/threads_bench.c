// perp-bench-threads: what more threads gain. The same scene on one thread and on several, some
// steps of each in turns, by wall time; and whether both come to the same state, bit by bit.
#include "common/machine.h"
#include "common/measure.h"
#include "common/methods.h"
#include "perp/version.h"
#include "perp/words.h"
#include "scenes/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 1000, MOST_STEPS = 1000, MOST_THREADS = 1024, SIDES = 2 };

typedef struct Options {
    bool help, quick, json;
    const char *scene;
    double tolerance, threads, pairs, steps; // 0: not said
    unsigned methods;                        // of perp's ladder
} Options;

// One thread and several, the same scene.
typedef struct Side {
    BenchEngine engine;
    void *world;
    BenchPose *poses;
    double wall[MOST_PAIRS]; // s
    double sum;              //
} Side;

typedef struct Bench {
    BenchScene scene;
    int pairs, steps, bodies, contacts; // steps of a pair
    bool same;
    Side side[SIDES];
} Bench;

static const char USAGE[] =
    "usage: perp bench threads [--scene NAME] [--threads N] [--tolerance T] [--pairs N]\n"
    "                          [--steps N] " BENCH_METHODS_USAGE " [--quick] [--json]\n";

static int print_help(void)
{
    printf("Examples:\n"
           "  perp bench threads                      two threads on a pile of 8000 spheres\n"
           "  perp bench threads --quick              a pile of 2000, some seconds\n"
           "  perp bench threads --threads 4 --scene pile-30000 --tolerance 1e-1\n\n%s\n"
           "  --scene NAME    of perp bench scenes --list, default pile-8000\n"
           "  --threads N     beside one, default 2\n"
           "  --tolerance T   of perp's steps, default 1e-2\n"
           "  --pairs N       how often each takes its turn, default 4\n"
           "  --steps N       of a turn, default 4\n" BENCH_METHODS_HELP
           "  --quick         pile-2000, two pairs of two steps\n"
           "  --json          JSON instead of text\n\n"
           "Times are wall times. Exit code 1 if the states differ in any bit.\n",
           USAGE);
    return 0;
}

// --- options ------------------------------------------------------------------------------------

static bool read_number(const char *option, const char *text, double least, double most, bool whole,
                        double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && *value >= least && *value <= most &&
        (!whole || *value == floor(*value)))
        return true;
    fprintf(stderr, "perp: %s must be a%s number from %g to %g, not %s\n", option,
            whole ? " whole" : "", least, most, text);
    return false;
}

static bool take_value(Options *o, const char *option, const char *text)
{
    if (strcmp(option, "--scene") == 0)
        o->scene = text;
    else if (strcmp(option, "--tolerance") == 0)
        return read_number(option, text, 1e-12, 1, false, &o->tolerance);
    else if (strcmp(option, "--threads") == 0)
        return read_number(option, text, 2, MOST_THREADS, true, &o->threads);
    else if (strcmp(option, "--pairs") == 0)
        return read_number(option, text, 1, MOST_PAIRS, true, &o->pairs);
    else
        return read_number(option, text, 1, MOST_STEPS, true, &o->steps);
    return true;
}

static bool read_options(int count, char **words, Options *o)
{
    static const char *const known[] = {"--scene", "--tolerance", "--threads", "--pairs",
                                        "--steps", "--help",      "--quick",   "--json"};
    enum { VALUED = 5, KNOWN = sizeof known / sizeof *known };
    bool *const flags[KNOWN - VALUED] = {&o->help, &o->quick, &o->json};
    for (int k = 1; k < count; k++) {
        int which = 0;
        while (which < KNOWN && strcmp(known[which], words[k]) != 0)
            which++;
        if (which == KNOWN)
            fprintf(stderr, "perp: unknown option %s; did you mean %s?\n%s", words[k],
                    perp_nearest_word(words[k], known, KNOWN), USAGE);
        else if (which < VALUED && k + 1 == count)
            fprintf(stderr, "perp: %s needs a value\n%s", words[k], USAGE);
        if (which == KNOWN || (which < VALUED && k + 1 == count))
            return false;
        if (which >= VALUED)
            *flags[which - VALUED] = true;
        else if (!take_value(o, known[which], words[++k]))
            return false;
    }
    return true;
}

static void fill_in(Options *o)
{
    if (!o->scene)
        o->scene = o->quick ? "pile-2000" : "pile-8000";
    if (o->tolerance == 0)
        o->tolerance = 1e-2;
    if (o->threads == 0)
        o->threads = 2;
    if (o->pairs == 0)
        o->pairs = o->quick ? 2 : 4;
    if (o->steps == 0)
        o->steps = o->quick ? 2 : 4;
}

static const BenchSceneEntry *find_scene(const char *name)
{
    const char **names = bench_memory((size_t)bench_scene_count, sizeof *names);
    const BenchSceneEntry *found = NULL;
    for (int k = 0; k < bench_scene_count; k++) {
        names[k] = bench_scenes[k].name;
        if (strcmp(name, names[k]) == 0)
            found = &bench_scenes[k];
    }
    if (!found)
        fprintf(stderr, "perp: no scene %s; did you mean %s? perp bench scenes --list names all\n",
                name, perp_nearest_word(name, names, bench_scene_count));
    free(names);
    return found;
}

// --- running ------------------------------------------------------------------------------------

static bool complain(const char *message)
{
    fprintf(stderr, "perp: %s\n", message);
    return false;
}

static bool open_side(Bench *bench, Side *side, const Options *o, int threads)
{
    char message[BENCH_MESSAGE] = "";
    side->engine = bench_engine_perp_exact;
    side->engine.setting = o->tolerance;
    side->engine.methods = o->methods;
    side->engine.threads = threads;
    side->world = side->engine.create(&side->engine, &bench->scene, message);
    if (!side->world)
        return complain(message);
    bench->bodies = side->engine.bodies(side->world);
    side->poses = bench_memory((size_t)bench->bodies + 1, sizeof *side->poses);
    return true;
}

static bool take_turn(Bench *bench, Side *side, int pair)
{
    char message[BENCH_MESSAGE] = "";
    double begin = bench_wall_clock();
    for (int k = 0; k < bench->steps; k++)
        if (!side->engine.step(side->world, message))
            return complain(message);
    side->wall[pair] = bench_wall_clock() - begin;
    side->sum += side->wall[pair];
    side->engine.poses(side->world, bench->bodies, side->poses);
    bench->contacts = side->engine.contacts(side->world);
    return true;
}

// Who begins changes from pair to pair.
static bool take_pair(Bench *bench, int pair)
{
    Side *side = bench->side;
    int first = pair % SIDES;
    bool good = take_turn(bench, &side[first], pair) && take_turn(bench, &side[!first], pair);
    size_t bytes = (size_t)bench->bodies * sizeof *side->poses;
    bench->same = bench->same && good && memcmp(side[0].poses, side[1].poses, bytes) == 0;
    return good;
}

// --- telling ------------------------------------------------------------------------------------

static void print_heading(const Bench *bench)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    printf("perp %s, %s, %s, %s\n%s (%s), tolerance %g; wall time of %d steps on 1 and on %d "
           "threads, in turns\n",
           perp_build_commit(), perp_build_flags(), cpu, date, bench->scene.name, bench->scene.text,
           bench->side[0].engine.setting, bench->steps, bench->side[1].engine.threads);
}

static double ratio(const Bench *bench, int pair)
{
    return bench->side[0].wall[pair] / bench->side[1].wall[pair];
}

static void print_pair(const Bench *bench, int pair)
{
    printf("pair %d: %.3f s, %.3f s: a factor of %.2f\n", pair + 1, bench->side[0].wall[pair],
           bench->side[1].wall[pair], ratio(bench, pair));
    fflush(stdout);
}

static void print_sums(const Bench *bench)
{
    double one = bench->side[0].sum, several = bench->side[1].sum, least = INFINITY, most = 0;
    for (int k = 0; k < bench->pairs; k++) {
        least = fmin(least, ratio(bench, k));
        most = fmax(most, ratio(bench, k));
    }
    printf("%d bodies, %d contacts: %.3f s, %.3f s: a factor of %.2f, single pairs from %.2f to "
           "%.2f; %s\n",
           bench->bodies, bench->contacts, one, several, one / several, least, most,
           bench->same ? "the same bits" : "THE STATES DIFFER");
}

static void print_walls(const char *name, const Side *side, int pairs)
{
    printf(" \"%s\": [", name);
    for (int k = 0; k < pairs; k++)
        printf("%s%.6g", k ? ", " : "", side->wall[k]);
    fputs("],\n", stdout);
}

static void print_json(const Bench *bench)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    printf("{\"benchmark\": \"threads\", \"date\": \"%s\", \"commit\": \"%s\", \"compiler\": "
           "\"%s\", \"cpu\": \"%s\",\n \"scene\": \"%s\", \"bodies\": %d, \"contacts\": %d, "
           "\"tolerance\": %g, \"threads\": %d, \"steps\": %d,\n",
           date, perp_build_commit(), perp_build_flags(), cpu, bench->scene.name, bench->bodies,
           bench->contacts, bench->side[0].engine.setting, bench->side[1].engine.threads,
           bench->steps);
    print_walls("wall_one", &bench->side[0], bench->pairs);
    print_walls("wall_several", &bench->side[1], bench->pairs);
    printf(" \"factor\": %.6g, \"same_bits\": %s}\n", bench->side[0].sum / bench->side[1].sum,
           bench->same ? "true" : "false");
}

static bool run(Bench *bench, const Options *o)
{
    bool good = open_side(bench, &bench->side[0], o, 1) &&
                open_side(bench, &bench->side[1], o, (int)o->threads);
    if (good && !o->json)
        print_heading(bench);
    for (int k = 0; good && k < bench->pairs; k++) {
        good = take_pair(bench, k);
        if (good && !o->json)
            print_pair(bench, k);
    }
    if (good)
        (o->json ? print_json : print_sums)(bench);
    return good && bench->same;
}

int main(int argc, char **argv)
{
    static Bench bench = {.same = true};
    Options o = {0};
    const BenchSceneEntry *entry;
    if (!bench_take_methods(&argc, argv, &o.methods) || !read_options(argc, argv, &o))
        return 2;
    if (o.help)
        return print_help();
    fill_in(&o);
    if (!(entry = find_scene(o.scene)))
        return 2;
    bench_scene_make(entry, &bench.scene);
    bench_settle(&bench.scene);
    bench.pairs = (int)o.pairs;
    bench.steps = (int)o.steps;
    bool good = run(&bench, &o);
    for (int k = 0; k < SIDES; k++) {
        if (bench.side[k].world)
            bench.side[k].engine.destroy(bench.side[k].world);
        free(bench.side[k].poses);
    }
    bench_scene_free(&bench.scene);
    return good ? 0 : 1;
}

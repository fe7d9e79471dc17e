// perp-bench-scenes: whole simulations, perp beside its peers, accuracy beside speed.
#include "common/machine.h"
#include "common/measure.h"
#include "common/methods.h"
#include "perp/words.h"
#include "scenes/contest.h"
#include "scenes/scenes_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 32, MOST_RESULTS = 64 };

static const BenchEngine *const all_engines[] = {
    &bench_engine_ode_quick,    &bench_engine_ode_step,   &bench_engine_bullet,
    &bench_engine_featherstone, &bench_engine_mujoco,
#ifdef PERP_BENCH_RAPIER
    &bench_engine_rapier,
#endif
    &bench_engine_perp_game,    &bench_engine_perp_rough, &bench_engine_perp_exact,
    &bench_engine_perp,
};
enum { ENGINES = sizeof all_engines / sizeof *all_engines };

typedef struct Names {
    const char *name[MOST_NAMES];
    int count;
} Names;

typedef struct Options {
    bool help, list, quick, markdown, json;
    unsigned methods; // of perp's ladder
    double seconds;   // 0: not said
    const char *results;
    Names scenes, engines;
} Options;

static const char USAGE[] =
    "usage: perp bench scenes [--scene NAME]... [--engine NAME]... [--seconds S] [--quick]\n"
    "                         [--markdown | --json] [--results DIR] [--list]\n"
    "                         " BENCH_METHODS_USAGE "\n";

static int print_help(void)
{
    printf("Examples:\n"
           "  perp bench scenes --quick               a selection, about a minute\n"
           "  perp bench scenes                       everything; takes a good part of an hour\n"
           "  perp bench scenes --scene wall          one scene, all engines\n"
           "  perp bench scenes --scene pile          a family: the scaling of settled piles\n"
           "  perp bench scenes --engine perp-1e-8 --scene stack --seconds 60\n"
           "  perp bench scenes --markdown            the tables of docs/performance.md\n"
           "  perp bench scenes --list                names of scenes and engines\n\n%s\n"
           "  --scene NAME    a scene, or all of a family, such as pile; may be repeated\n"
           "  --engine NAME   likewise\n"
           "  --seconds S     CPU time of each engine on each scene, default 10 (--quick: 1)\n"
           "  --quick         a selection of scenes\n" BENCH_METHODS_HELP
           "  --markdown      tables as Markdown\n"
           "  --json          JSON on standard output instead of tables\n"
           "  --results DIR   where the JSON and the plot go, default %s\n"
           "                  (with --quick, --scene, --engine, --methods or --without only if\n"
           "                  DIR is given)\n",
           USAGE, PERP_BENCH_RESULTS);
    return 0;
}

// --- options ------------------------------------------------------------------------------------

static bool read_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    if (end != text && !*end && isfinite(*seconds) && *seconds > 0)
        return true;
    fprintf(stderr, "perp: --seconds must be a number above 0, not %s\n", text);
    return false;
}

static bool add_name(Names *names, const char *name)
{
    if (names->count == MOST_NAMES) {
        fputs("perp: too many names\n", stderr);
        return false;
    }
    names->name[names->count++] = name;
    return true;
}

static bool take_value(Options *o, const char *option, const char *value)
{
    if (strcmp(option, "--scene") == 0)
        return add_name(&o->scenes, value);
    if (strcmp(option, "--engine") == 0)
        return add_name(&o->engines, value);
    if (strcmp(option, "--seconds") == 0)
        return read_seconds(value, &o->seconds);
    o->results = value;
    return true;
}

static bool take_flag(Options *o, const char *word)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--help", &o->help},
                 {"--list", &o->list},
                 {"--quick", &o->quick},
                 {"--markdown", &o->markdown},
                 {"--json", &o->json}};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (strcmp(flags[k].name, word) == 0)
            return *flags[k].flag = true;
    return false;
}

static bool read_options(int count, char **words, Options *o)
{
    static const char *const known[] = {"--scene", "--engine", "--seconds",  "--results", "--help",
                                        "--list",  "--quick",  "--markdown", "--json"};
    enum { VALUED = 4, KNOWN = sizeof known / sizeof *known };
    for (int k = 1; k < count; k++) {
        int which = 0;
        if (take_flag(o, words[k]))
            continue;
        while (which < VALUED && strcmp(known[which], words[k]) != 0)
            which++;
        if (which == VALUED) {
            fprintf(stderr, "perp: unknown option %s; did you mean %s?\n%s", words[k],
                    perp_nearest_word(words[k], known, KNOWN), USAGE);
            return false;
        }
        if (k + 1 == count) {
            fprintf(stderr, "perp: %s needs a value\n%s", words[k], USAGE);
            return false;
        }
        if (!take_value(o, known[which], words[k + 1]))
            return false;
        k++;
    }
    return true;
}

// --- choosing -----------------------------------------------------------------------------------

// pile means pile-500, but chain-100 does not mean chain-1000
static bool is_meant(const Names *names, const char *name)
{
    for (int k = 0; k < names->count; k++) {
        size_t length = strlen(names->name[k]);
        if (strncmp(names->name[k], name, length) == 0 && strchr("-", name[length]))
            return true;
    }
    return names->count == 0;
}

// every name that was given must mean something
static bool check_names(const Names *names, const char *what, const char *const *all, int count)
{
    for (int k = 0; k < names->count; k++) {
        Names one = {.name = {names->name[k]}, .count = 1};
        bool found = false;
        for (int e = 0; e < count; e++)
            found = found || is_meant(&one, all[e]);
        if (!found) {
            fprintf(stderr, "perp: no %s %s; did you mean %s? --list names all\n", what,
                    names->name[k], perp_nearest_word(names->name[k], all, count));
            return false;
        }
    }
    return true;
}

static bool check_choice(const Options *o)
{
    const char *scenes[MOST_RESULTS], *engines[BENCH_ENGINES];
    for (int k = 0; k < bench_scene_count; k++)
        scenes[k] = bench_scenes[k].name;
    for (int k = 0; k < ENGINES; k++)
        engines[k] = all_engines[k]->name;
    return check_names(&o->scenes, "scene", scenes, bench_scene_count) &&
           check_names(&o->engines, "engine", engines, ENGINES);
}

static int print_list(void)
{
    puts("scenes (* of --quick):");
    for (int k = 0; k < bench_scene_count; k++)
        printf("  %c %-16s %s\n", bench_scenes[k].quick ? '*' : ' ', bench_scenes[k].name,
               bench_scenes[k].text);
    puts("engines:");
    for (int k = 0; k < ENGINES; k++)
        printf("    %-16s %s\n", all_engines[k]->name, all_engines[k]->text);
    return 0;
}

// --- running ------------------------------------------------------------------------------------

static int choose_engines(const Options *o, const BenchScene *scene, const BenchEngine **chosen)
{
    static BenchEngine engines[BENCH_ENGINES];
    int count = 0;
    for (int k = 0; k < ENGINES; k++) {
        engines[k] = *all_engines[k];
        engines[k].methods = o->methods;
        if (is_meant(&o->engines, engines[k].name) && bench_can_play(&engines[k], scene))
            chosen[count++] = &engines[k];
    }
    return count;
}

static bool run_scene(const Options *o, const BenchSceneEntry *entry, BenchResult *result)
{
    const BenchEngine *engines[BENCH_ENGINES];
    BenchScene scene;
    bench_scene_make(entry, &scene);
    bench_settle(&scene);
    *result = (BenchResult){.text = scene.text,
                            .dt = scene.dt,
                            .steps = scene.steps,
                            .n_bodies = scene.n_bodies,
                            .pile = scene.pile,
                            .stands = scene.stands,
                            .has_joints = scene.n_joints > 0,
                            .touching = scene.touching,
                            .scores = bench_memory(BENCH_ENGINES, sizeof *result->scores)};
    memcpy(result->name, scene.name, sizeof result->name);
    result->n_scores = choose_engines(o, &scene, engines);
    bool good = bench_contest(&scene, engines, result->n_scores, o->seconds, result->scores);
    if (scene.file && result->n_scores > 0)
        result->n_bodies = result->scores[0].run.bodies;
    bench_scene_free(&scene);
    return good;
}

static bool save(const Options *o, const BenchResult *results, int count)
{
    FILE *json = bench_open_result(o->results, "scenes", "json");
    if (!json)
        return false;
    bench_scenes_json(json, results, count, o->seconds);
    bool good = !fclose(json);
    if (bench_count_piles(results, count) < 2)
        return good;
    FILE *svg = bench_open_result(o->results, "scaling", "svg");
    if (!svg)
        return false;
    good = bench_scaling_svg(svg, results, count) && good;
    return !fclose(svg) && good;
}

// All that was chosen, one after the other; on a terminal with its table at once.
static int run_chosen(const Options *o, const BenchStyle *style, BenchResult *results)
{
    int count = 0;
    for (int k = 0; k < bench_scene_count; k++) {
        const BenchSceneEntry *entry = &bench_scenes[k];
        if (!is_meant(&o->scenes, entry->name) || (o->quick && !entry->quick))
            continue;
        if (o->json || o->markdown)
            fprintf(stderr, "%s\n", entry->name);
        if (!run_scene(o, entry, &results[count])) {
            fputs("perp: no process or memory for a run\n", stderr);
            return -1;
        }
        if (!o->json && !o->markdown)
            bench_report_result(style, &results[count]);
        count++;
    }
    return count;
}

// Markdown begins with what it comes to.
static int run_all(const Options *o)
{
    static BenchResult results[MOST_RESULTS];
    BenchStyle style = {stdout, o->markdown};
    if (!o->json)
        bench_report_heading(&style, o->seconds);
    int count = run_chosen(o, &style, results);
    if (count < 0)
        return 1;
    if (o->json) {
        bench_scenes_json(stdout, results, count, o->seconds);
    } else {
        bench_report_summary(&style, results, count);
        bench_report_scaling(&style, results, count);
    }
    for (int k = 0; o->markdown && k < count; k++)
        bench_report_result(&style, &results[k]);
    return !o->results || save(o, results, count) ? 0 : 3;
}

int main(int argc, char **argv)
{
    Options o = {0};
    if (!bench_take_methods(&argc, argv, &o.methods) || !read_options(argc, argv, &o) ||
        !check_choice(&o))
        return 2;
    if (o.help)
        return print_help();
    if (o.list)
        return print_list();
    if (o.seconds == 0)
        o.seconds = o.quick ? 1 : 10;
    bool whole =
        !o.quick && o.scenes.count == 0 && o.engines.count == 0 && o.methods == PERP_ALL_METHODS;
    if (!o.results && whole)
        o.results = PERP_BENCH_RESULTS;
    return run_all(&o);
}

// Options of perp run and perp demo.
#include "common/method_list.h"
#include "run/run.h"

#include "perp/recording.h"
#include "perp/words.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 64 };

// As they were typed.
typedef struct Typed {
    const char *duration, *step, *tolerance, *facets, *every, *set, *jacobian, *stabilise;
    const char *impacts, *overlap, *accuracy;
    const char *record, *flush, *problems, *threads, *methods, *without, *data, *first_step;
} Typed;

static void print_run_options(void)
{
    puts("The run:\n"
         "  -t SECONDS       how long (default: as the scene says)\n"
         "  -h STEP          length of a step in seconds (as the scene says)\n"
         "  --accuracy A     instead of -h: the step is chosen so that positions at the end are\n"
         "                   estimated to be right within A metres\n"
         "  --set NAME=VALUE a parameter of the scene; may be repeated\n"
         "  --overlap W      of bodies at the start: refuse, separate (moved apart), allow\n"
         "  --impacts W      at several contacts at a time: simultaneous, sequential (pair by\n"
         "                   pair), scheme (sequential for the scheme default)\n"
         "  --strict         the first step that misses the tolerance ends the run: exit 4; so is\n"
         "                   the exit of a run whose verdict is not \"certified\"\n"
         "  --threads N      that solve islands at the same time (one a core); the results have\n"
         "                   the same bits for any number");
}

static void print_output_options(void)
{
    puts("\n"
         "What it leaves:\n"
         "  --json           the summary as one JSON object\n"
         "  --quiet          no progress bar and no summary: the exit code tells\n"
         "  --csv FILE       time series: energies, certificate, contacts, motion of all bodies\n"
         "  -o FILE          recording, HDF5 (docs/recording.md); survives a kill\n"
         "  --resume         go on with the recording, to the same bits\n"
         "  --force          -o may replace a recording\n"
         "  --live           follow the run in the browser, on this machine only, until Ctrl-C\n"
         "                   (docs/viewer.md); -o keeps the recording\n"
         "  --every N        a frame or row every N steps (1)\n"
         "  --flush SECONDS  how much of the recording a kill may lose (1)\n"
         "  --single         its poses, velocities and contact points in single precision\n"
         "  --record-problems all|worst|N\n"
         "                   and the complementarity problems of all steps, the worst so far, or\n"
         "                   every N steps, for perp check to verify their certificates\n"
         "  --record LIST    what goes into it (all), of");
    for (int k = 0; k < PERP_RECORD_GROUP_COUNT; k++)
        printf("           %13s %s\n", perp_record_group_name((PerpRecordGroup)k),
               perp_record_group_text((PerpRecordGroup)k));
}

static void print_solver_options(void)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    printf("\n"
           "How steps are solved:\n"
           "  --tolerance T    residual that counts as solved, on the exact law of friction or\n"
           "                   with slip held (%g, and %g with slip held)\n"
           "  --exact          no answers with slip held: dear where many bodies slide on each\n"
           "                   other\n"
           "  --methods LIST   of the ladder that may be used, with commas between (all); perp\n"
           "                   solve --help says what each is\n"
           "  --without LIST   of the ladder that may not be used\n",
           settings.tolerance, PERP_HELD_TOLERANCE);
}

static void print_scheme_options(void)
{
    puts("\nSchemes, and what readers of the papers may ask of them:");
    for (int k = 0; k < perp_scheme_count(); k++)
        printf("  %s %-18s %s\n", k ? "        " : "--scheme", perp_scheme_name(k),
               perp_scheme_text(k));
    puts("  --facets U       of the friction polygon, even, 4 to 64, or circular (as the scene\n"
         "                   says, else circular for the scheme default and 8 for the others)\n"
         "  --stabilise W    joint errors and overlaps: scheme (the scheme's own method), none,\n"
         "                   rows, project\n"
         "  --jacobian W     trapezoidal: switch, approximate, exact\n"
         "  --printed-coriolis       trapezoidal: as PAGT06 prints it, which costs an order\n"
         "  --linear                 stewart-trinkle: one LCP a step, no iteration\n"
         "  --one-phase              impacts by one problem, v+ = (1 + e) v^c - e v^-\n"
         "  --printed-decompression  friction of decompression as AP97 prints it\n"
         "  --printed-collisions     trapezoidal: impacts only where PAGT06 prints them\n"
         "  --data W         anitescu-potra: rows at the end, start or middle of the step\n"
         "  --first-step C   paoli-schatzman: z(h) = C h G in the first step, as printed");
}

void run_print_options(void)
{
    print_run_options();
    print_output_options();
    print_solver_options();
    print_scheme_options();
}

bool run_check_scheme(const char *scheme)
{
    const char *names[MAX_OPTIONS];
    int count = perp_scheme_count();
    assert(count <= MAX_OPTIONS);
    for (int k = 0; k < count; k++) {
        names[k] = perp_scheme_name(k);
        if (!scheme || strcmp(scheme, names[k]) == 0)
            return true;
    }
    fprintf(stderr, "perp: unknown scheme %s; did you mean %s? There are", scheme,
            perp_nearest_word(scheme, names, count));
    for (int k = 0; k < count; k++)
        fprintf(stderr, "%s %s", k ? "," : "", names[k]);
    fputc('\n', stderr);
    return false;
}

// The index of a word; -1 stays if nothing was typed.
static bool read_word(const char *option, const char *text, const char *const *words, int count,
                      int *index)
{
    for (int k = 0; k < count; k++)
        if (!text || strcmp(text, words[k]) == 0) {
            *index = text ? k : -1;
            return true;
        }
    fprintf(stderr, "perp: %s: unknown word %s; did you mean %s?\n", option, text,
            perp_nearest_word(text, words, count));
    return false;
}

static bool read_words(const Typed *typed, RunOptions *options)
{
    const char *jacobians[PERP_JACOBIAN_COUNT], *stabilisations[PERP_STABILISE_COUNT];
    const char *places[PERP_DATA_COUNT];
    for (int k = 0; k < PERP_DATA_COUNT; k++)
        places[k] = perp_data_name((PerpData)k);
    for (int k = 0; k < PERP_JACOBIAN_COUNT; k++)
        jacobians[k] = perp_jacobian_name((PerpJacobian)k);
    for (int k = 0; k < PERP_STABILISE_COUNT; k++)
        stabilisations[k] = perp_stabilisation_name((PerpStabilisation)k);
    const char *impacts[PERP_IMPACTS_COUNT], *overlaps[PERP_OVERLAP_COUNT];
    for (int k = 0; k < PERP_IMPACTS_COUNT; k++)
        impacts[k] = perp_impacts_name((PerpImpacts)k);
    for (int k = 0; k < PERP_OVERLAP_COUNT; k++)
        overlaps[k] = perp_overlap_name((PerpOverlap)k);
    return read_word("--impacts", typed->impacts, impacts, PERP_IMPACTS_COUNT, &options->impacts) &&
           read_word("--overlap", typed->overlap, overlaps, PERP_OVERLAP_COUNT,
                     &options->overlap) &&
           read_word("--jacobian", typed->jacobian, jacobians, PERP_JACOBIAN_COUNT,
                     &options->jacobian) &&
           read_word("--stabilise", typed->stabilise, stabilisations, PERP_STABILISE_COUNT,
                     &options->stabilise) &&
           read_word("--data", typed->data, places, PERP_DATA_COUNT, &options->data);
}

// c >= 0; -1 if nothing was typed.
static bool read_first_step(const char *text, double *c)
{
    char *end;
    *c = text ? strtod(text, &end) : -1;
    if (!text || (end != text && !*end && isfinite(*c) && *c >= 0))
        return true;
    fprintf(stderr, "perp: --first-step must be a number, 0 or above, not %s\n", text);
    return false;
}

// An even number, or "circular", which is 0; -1 if nothing was typed.
static bool read_facets(const char *text, int *facets)
{
    *facets = text && strcmp(text, "circular") == 0 ? 0 : -1;
    if (!text || *facets == 0)
        return true;
    if (!cli_read_count("--facets", text, facets))
        return false;
    if (*facets >= 4 && *facets <= 64 && *facets % 2 == 0)
        return true;
    fprintf(stderr, "perp: --facets must be an even number from 4 to 64 or circular, not %s\n",
            text);
    return false;
}

static bool read_group(const char *word, size_t length, unsigned *groups)
{
    const char *names[PERP_RECORD_GROUP_COUNT];
    char copy[64];
    for (int k = 0; k < PERP_RECORD_GROUP_COUNT; k++) {
        names[k] = perp_record_group_name((PerpRecordGroup)k);
        if (strlen(names[k]) == length && strncmp(names[k], word, length) == 0) {
            *groups |= 1u << k;
            return true;
        }
    }
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 63 ? length : 63), word);
    fprintf(stderr, "perp: --record: there is no %s; did you mean %s?\n", copy,
            perp_nearest_word(copy, names, PERP_RECORD_GROUP_COUNT));
    return false;
}

// Words with commas between them.
static bool read_groups(const char *list, unsigned *groups)
{
    if (!list)
        return true;
    *groups = 0;
    for (const char *word = list; word; word = strchr(word, ',')) {
        word += word != list;
        if (!read_group(word, strcspn(word, ","), groups))
            return false;
    }
    return true;
}

// all, worst, or a number of steps
static bool read_problems(const char *word, RunOptions *options)
{
    options->problems_every = 1;
    if (!word)
        return true;
    options->problems = PERP_PROBLEMS_EVERY;
    if (strcmp(word, "all") == 0)
        return true;
    if (strcmp(word, "worst") != 0)
        return cli_read_count("--record-problems", word, &options->problems_every);
    options->problems = PERP_PROBLEMS_WORST;
    return true;
}

static bool read_typed(const Typed *typed, RunOptions *options)
{
    options->chose_methods = typed->methods || typed->without;
    options->chose_every = typed->every;
    options->chose_groups = typed->record;
    options->chose_problems = typed->problems;
    return cli_read_number("-t", typed->duration, &options->duration) &&
           cli_read_number("-h", typed->step, &options->step) &&
           cli_read_number("--tolerance", typed->tolerance, &options->tolerance) &&
           cli_read_number("--accuracy", typed->accuracy, &options->accuracy) &&
           read_facets(typed->facets, &options->facets) &&
           cli_read_count("--every", typed->every, &options->every) &&
           cli_read_count("--threads", typed->threads, &options->threads) &&
           cli_read_number("--flush",
                           typed->flush    ? typed->flush
                           : options->live ? "0.25"
                                           : NULL,
                           &options->flush) &&
           read_groups(typed->record, &options->groups) &&
           cli_read_methods(typed->methods, typed->without, &options->methods) &&
           read_first_step(typed->first_step, &options->first_step) &&
           read_problems(typed->problems, options) && read_words(typed, options);
}

// Parses the options of two lists, and the one other argument as the path of the scene.
static bool parse_lists(int argc, char **argv, const CliOption *common, size_t n_common,
                        const CliOption *more, int n_more, const char *usage, SceneSource *source)
{
    CliOption all[MAX_OPTIONS];
    int count = (int)n_common + n_more;
    assert(count <= MAX_OPTIONS);
    memcpy(all, common, n_common * sizeof *common);
    if (n_more > 0)
        memcpy(all + n_common, more, (size_t)n_more * sizeof *more);
    int left = take_parameters(argc, argv, source);
    return left > 0 && cli_parse(left, argv, all, count, &source->path, 1, usage) >= 0;
}

CliExit run_read_options(int argc, char **argv, const CliOption *more, int n_more,
                         const char *usage, RunOptions *options)
{
    Typed typed = {0};
    *options =
        (RunOptions){.every = 1, .flush = 1, .groups = perp_default_recorder_options().groups};
    const CliOption common[] = {
        {"--help", &options->help, NULL},
        {"--json", &options->json, NULL},
        {"--quiet", &options->quiet, NULL},
        {"--strict", &options->strict, NULL},
        {"-t", NULL, &typed.duration},
        {"-h", NULL, &typed.step},
        {"--scheme", NULL, &options->scheme},
        {"--jacobian", NULL, &typed.jacobian},
        {"--stabilise", NULL, &typed.stabilise},
        {"--impacts", NULL, &typed.impacts},
        {"--overlap", NULL, &typed.overlap},
        {"--accuracy", NULL, &typed.accuracy},
        {"--printed-coriolis", &options->printed_coriolis, NULL},
        {"--linear", &options->linear, NULL},
        {"--one-phase", &options->one_phase, NULL},
        {"--printed-decompression", &options->printed_decompression, NULL},
        {"--printed-collisions", &options->printed_collisions, NULL},
        {"--data", NULL, &typed.data},
        {"--first-step", NULL, &typed.first_step},
        {"--facets", NULL, &typed.facets},
        {"--tolerance", NULL, &typed.tolerance},
        {"--exact", &options->exact, NULL},
        {"--methods", NULL, &typed.methods},
        {"--without", NULL, &typed.without},
        {"--csv", NULL, &options->csv},
        {"-o", NULL, &options->output},
        {"--record", NULL, &typed.record},
        {"--record-problems", NULL, &typed.problems},
        {"--single", &options->single, NULL},
        {"--flush", NULL, &typed.flush},
        {"--resume", &options->resume, NULL},
        {"--force", &options->force, NULL},
        {"--live", &options->live, NULL},
        {"--every", NULL, &typed.every},
        {"--threads", NULL, &typed.threads},
        {"--set", NULL, &typed.set}, // without value; the others have been taken
    };
    if (!parse_lists(argc, argv, common, sizeof common / sizeof *common, more, n_more, usage,
                     &options->source))
        return CLI_USAGE;
    if (options->help || read_typed(&typed, options))
        return CLI_OK;
    fprintf(stderr, "usage: %s\n", usage);
    return CLI_USAGE;
}

PerpSimulationSettings run_choose_settings(const RunOptions *options, const PerpRunDef *def)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    perp_run_settings(def, &settings);
    settings.scheme = options->scheme ? options->scheme : settings.scheme;
    settings.step = options->step > 0 ? options->step : settings.step;
    settings.facets = options->facets >= 0 ? options->facets : settings.facets;
    settings.strict = options->strict;
    settings.threads = options->threads;
    settings.methods = options->methods;
    if (options->jacobian >= 0)
        settings.jacobian = (PerpJacobian)options->jacobian;
    if (options->stabilise >= 0)
        settings.stabilise = (PerpStabilisation)options->stabilise;
    if (options->impacts >= 0)
        settings.impacts = (PerpImpacts)options->impacts;
    if (options->overlap >= 0)
        settings.overlap = (PerpOverlap)options->overlap;
    if (options->data >= 0)
        settings.data = (PerpData)options->data;
    if (options->first_step >= 0)
        settings.first_step = options->first_step;
    settings.printed_coriolis |= options->printed_coriolis;
    settings.linear |= options->linear;
    settings.one_phase |= options->one_phase;
    settings.printed_decompression |= options->printed_decompression;
    settings.printed_collisions |= options->printed_collisions;
    if (options->tolerance > 0) // of both laws, also where it is the default of the exact one
        settings.tolerance = settings.held_tolerance = options->tolerance;
    if (options->exact)
        settings.held_tolerance = 0;
    return settings;
}

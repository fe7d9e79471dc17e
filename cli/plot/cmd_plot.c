// perp plot: figures of recordings.
#include "plot/curves.h"

#include "common/terminal.h"
#include "sweep/plot/study_plot.h"
#include "sweep/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "perp plot RECORDING... QUANTITY... [--svg FILE] [--term] [--time A:B] [--title TEXT]\n"
    "                 [--size WxH] [--log] [--equal] [--list]";

typedef struct Arguments {
    bool help, list;
    const char *time, *size;
    double t[2];
    PlotStyle style;
    const char **others; // owned: recordings and quantities as they were typed
    int n_others;
} Arguments;

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp plot run.h5 energy                       the ledger, in the terminal\n"
        "  perp plot run.h5 energy --svg energy.svg      for a paper\n"
        "  perp plot run.h5 residuals penetration        below each other\n"
        "  perp plot run.h5 ball.x ball.y ball.z         three curves on the same axes\n"
        "  perp plot run.h5 ball.z:ball.vz               a phase portrait\n"
        "  perp plot run.h5 force:ball,world             normal force and friction, N\n"
        "  perp plot fine.h5 coarse.h5 ball.z            two runs\n"
        "  perp plot run.h5 --list                       what else there is\n"
        "  perp plot DIR x=mu y=distance colour=mass     a study (perp sweep), a dot a case, as "
        "SVG\n"
        "  perp plot DIR mean=stands x=tolerance         means with their standard errors\n"
        "  perp plot DIR heat=distance x=mu y=mass       a heat map; histogram=distance;\n"
        "                                                parallel=mu,mass,distance; log=xy\n"
        "\n"
        "usage: %s\n"
        "\n"
        "What ends in .h5 or .hdf5 is a recording, everything else a quantity. Quantities of the\n"
        "same kind share axes. A terminal gets a drawing in Braille, anything else SVG.\n"
        "\n"
        "Quantities:\n"
        "  energy           kinetic, gravity (above its lowest), springs, and what friction,\n"
        "                   impacts, dampers took out, on top of each other; dashed: put in\n"
        "  residuals        of each step's certificate, and the tolerance\n"
        "  contacts         how many stick, slip, are hit, are open\n"
        "  penetration, joint-gap, balance, certificate, pivots, wall\n"
        "  BODY.x .y .z .vx .vy .vz .speed .wx .wy .wz .spin .qw .qx .qy .qz\n"
        "  JOINT.q .q2      coordinates of a joint; .v .v2: their rates, by differences of frames\n"
        "  SENSOR .x .y .z  a sensor's numbers\n"
        "  force:A,B        between two bodies; force:A on one; world is a name too\n"
        "  contact:ID       at one contact point\n"
        "  A:B              A to the right, B up\n"
        "  \"2 * A - B\"      numbers and single quantities with + - * / ( ), blanks around them\n"
        "  energy/kinetic, step/problems, ...  any series of the recording\n"
        "\n"
        "  --svg FILE       write SVG there\n"
        "  --term           draw in the terminal, whatever standard output is\n"
        "  --time A:B       seconds A to B only; A: and :B are allowed\n"
        "  --title TEXT     above the first axes\n"
        "  --size WxH       pixels of each axes' drawing (640x400)\n"
        "  --log            logarithmic axis upwards\n"
        "  --equal          the same scale along both axes\n"
        "  --list           print what the recording holds\n"
        "\n"
        "Exit: 0 ok, 2 usage or unknown quantity, 3 a file cannot be read or written\n",
        USAGE);
    return CLI_OK;
}

// --- arguments ----------------------------------------------------------------------------------

static bool is_recording(const char *argument)
{
    const char *dot = strrchr(argument, '.');
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

// A number, or nothing, which leaves the limit as it is.
static bool read_limit(const char *text, const char *end, double *limit)
{
    char *stop;
    if (text == end)
        return true;
    *limit = strtod(text, &stop);
    return stop == end && isfinite(*limit);
}

static bool read_time(const char *text, double t[2])
{
    t[0] = -INFINITY;
    t[1] = INFINITY;
    if (!text)
        return true;
    const char *colon = strchr(text, ':');
    if (colon && read_limit(text, colon, &t[0]) &&
        read_limit(colon + 1, text + strlen(text), &t[1]) && t[0] < t[1])
        return true;
    fprintf(stderr, "perp: --time must be FROM:TO, seconds in this order, not %s\n", text);
    return false;
}

static bool read_size(const char *text, PlotStyle *style)
{
    char *end;
    if (!text)
        return true;
    long width = strtol(text, &end, 10);
    long height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (!*end && width >= 100 && width <= 10000 && height >= 80 && height <= 10000) {
        style->width = (int)width;
        style->height = (int)height;
        return true;
    }
    fprintf(stderr, "perp: --size must be WIDTHxHEIGHT, 100x80 to 10000x10000, not %s\n", text);
    return false;
}

static CliExit fail_with_usage(void)
{
    fprintf(stderr, "usage: %s\n", USAGE);
    return CLI_USAGE;
}

static CliExit read_arguments(int argc, char **argv, Arguments *arguments)
{
    const CliOption options[] = {
        {"--help", &arguments->help, NULL},         {"--list", &arguments->list, NULL},
        {"--svg", NULL, &arguments->style.svg},     {"--term", &arguments->style.terminal, NULL},
        {"--time", NULL, &arguments->time},         {"--title", NULL, &arguments->style.title},
        {"--size", NULL, &arguments->size},         {"--log", &arguments->style.log, NULL},
        {"--equal", &arguments->style.equal, NULL},
    };
    arguments->others = calloc((size_t)argc + 1, sizeof *arguments->others);
    if (!arguments->others)
        return CLI_FAILED;
    arguments->n_others = cli_parse(argc, argv, options, sizeof options / sizeof *options,
                                    arguments->others, argc, USAGE);
    if (arguments->n_others < 0)
        return CLI_USAGE;
    if (arguments->help)
        return CLI_OK;
    if (!read_time(arguments->time, arguments->t) || !read_size(arguments->size, &arguments->style))
        return fail_with_usage();
    bool drawn_elsewhere = arguments->style.svg || arguments->style.terminal;
    if (!drawn_elsewhere)
        arguments->style.terminal = terminal_of(stdout).present;
    return CLI_OK;
}

// --- the whole ----------------------------------------------------------------------------------

static CliExit complain_of_quantity(const Plot *plot, int bad, const char *quantity)
{
    const PlotRun *run = &plot->runs[bad];
    char *word = plot_suggestion(run, quantity);
    if (plot_is_force(quantity))
        fprintf(stderr,
                "perp: %s: %s needs recorded contacts and names of its bodies, or world; see "
                "perp plot %s --list\n",
                run->path, quantity, run->path);
    else if (word && strcmp(word, quantity) == 0)
        fprintf(stderr, "perp: %s: %s was not recorded; perp run --record chooses what is\n",
                run->path, quantity);
    else
        fprintf(stderr, "perp: %s: no quantity %s; did you mean %s? See perp plot %s --list\n",
                run->path, quantity, word ? word : "energy", run->path);
    free(word);
    return CLI_USAGE;
}

static CliExit draw_quantities(const Arguments *arguments, Plot *plot)
{
    PerpError error = {0};
    int bad = 0;
    for (int k = 0; k < arguments->n_others; k++) {
        const char *quantity = arguments->others[k];
        if (is_recording(quantity) || plot_add(plot, quantity, &bad, &error))
            continue;
        return error.status ? cli_complain_of_error(&error)
                            : complain_of_quantity(plot, bad, quantity);
    }
    return plot_draw(plot, &arguments->style);
}

static CliExit open_runs(const Arguments *arguments, Plot *plot)
{
    PerpError error = {0};
    for (int k = 0; k < arguments->n_others; k++) {
        if (!is_recording(arguments->others[k]))
            continue;
        PlotRun *run = &plot->runs[plot->n_runs++];
        if (plot_open(arguments->others[k], arguments->t, run, &error))
            return cli_complain_of_error(&error);
        if (run->frames == 0 || run->frames > INT_MAX) {
            fprintf(stderr, "perp: %s: no frame lies in the time that --time gives\n", run->path);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

static CliExit plot_recordings(const Arguments *arguments)
{
    Plot plot = {.runs = calloc((size_t)arguments->n_others + 1, sizeof *plot.runs)};
    if (!plot.runs)
        return CLI_FAILED;
    CliExit code = open_runs(arguments, &plot);
    bool nothing = plot.n_runs == 0 || (plot.n_runs == arguments->n_others && !arguments->list);
    if (!code && nothing) {
        fprintf(stderr, plot.n_runs == 0 ? "perp: plot needs a recording, a file that ends in .h5\n"
                                         : "perp: plot needs a quantity; --list tells which\n");
        code = fail_with_usage();
    } else if (!code && arguments->list) {
        for (int k = 0; k < plot.n_runs; k++)
            plot_list(&plot.runs[k]);
    } else if (!code) {
        code = draw_quantities(arguments, &plot);
    }
    for (int k = 0; k < plot.n_runs; k++)
        plot_close(&plot.runs[k]);
    plot_free(&plot);
    free(plot.runs);
    return code;
}

CliExit cmd_plot(int argc, char **argv)
{
    Arguments arguments = {0};
    CliExit code = read_arguments(argc, argv, &arguments);
    const PlotStyle *style = &arguments.style;
    if (!code && arguments.help)
        code = print_help();
    else if (!code && arguments.n_others > 0 && sweep_is_folder(arguments.others[0]))
        code = study_plot(arguments.others, arguments.n_others, style->svg, style->title,
                          style->width, style->height, style->log);
    else if (!code)
        code = plot_recordings(&arguments);
    free(arguments.others);
    return code;
}

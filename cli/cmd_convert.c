// perp convert: exports a recording to the formats of other programs.
#include "common/support.h"

#include "perp/export.h"
#include "perp/words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "perp convert RECORDING FILE [--to FORMAT] [--steps FIRST:LAST] [--every N]";

typedef struct Arguments {
    bool help;
    const char *files[2];
    const char *to, *steps, *every;
    PerpExportFormat format;
    PerpExportOptions options;
} Arguments;

static CliExit print_help(void)
{
    printf("Examples:\n"
           "  perp convert run.h5 run.csv                     a table, a row a frame\n"
           "  perp convert run.h5 run.contacts.csv            a row a contact and frame\n"
           "  perp convert run.h5 run.npz                     numpy.load(\"run.npz\")\n"
           "  perp convert run.h5 run.pvd --every 10          ParaView opens run.pvd\n"
           "  perp convert run.h5 run.glb --steps 0:2000      Blender, browsers, slides\n"
           "  perp convert run.h5 run.mcap                    Foxglove\n"
           "  perp convert run.h5 problem.hdf5 --steps 120    the problem of a step, for solvers\n"
           "\n"
           "usage: %s\n"
           "\n"
           "The ending of FILE tells the format, or --to does:\n",
           USAGE);
    for (int k = 0; k < PERP_EXPORT_FORMAT_COUNT; k++)
        printf("  %-8s %-13s %s\n", perp_export_name(k), perp_export_ending(k),
               perp_export_text(k));
    puts("\n"
         "  --steps A:B      steps A to B of the run; A: from A on, :B up to B, A that one\n"
         "  --every N        every N-th frame of these (1)\n"
         "\n"
         "A file of that name is replaced, once the new one is complete. docs/convert.md tells "
         "what\n"
         "is in each.\n"
         "\n"
         "Exit: 0 ok, 2 usage, 3 a file cannot be read or written");
    return CLI_OK;
}

// --- arguments ----------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool choose_by_name(const char *name, PerpExportFormat *format)
{
    const char *names[PERP_EXPORT_FORMAT_COUNT];
    for (int k = 0; k < PERP_EXPORT_FORMAT_COUNT; k++) {
        names[k] = perp_export_name(k);
        if (strcmp(name, names[k]) == 0) {
            *format = (PerpExportFormat)k;
            return true;
        }
    }
    fprintf(stderr, "perp: unknown format %s; did you mean %s?\n", name,
            perp_nearest_word(name, names, PERP_EXPORT_FORMAT_COUNT));
    return false;
}

static bool choose_format(Arguments *arguments)
{
    if (arguments->to)
        return choose_by_name(arguments->to, &arguments->format);
    for (int k = 0; k < PERP_EXPORT_FORMAT_COUNT; k++)
        if (ends_with(arguments->files[1], perp_export_ending(k))) {
            arguments->format = (PerpExportFormat)k;
            return true;
        }
    fprintf(stderr, "perp: %s: the ending tells no format; end it with", arguments->files[1]);
    for (int k = 0; k < PERP_EXPORT_FORMAT_COUNT; k++)
        fprintf(stderr, " %s", perp_export_ending(k));
    fputs(", or give --to\n", stderr);
    return false;
}

static bool read_step(const char **text, long *step)
{
    char *end;
    errno = 0;
    long number = strtol(*text, &end, 10);
    bool digits = **text >= '0' && **text <= '9';
    if (digits && end != *text && errno == 0)
        *step = number;
    bool good = !digits ? **text == ':' || **text == '\0' : errno == 0;
    *text = digits ? end : *text;
    return good;
}

// A:B, A:, :B or A
static bool read_steps(const char *text, PerpExportOptions *options)
{
    const char *rest = text;
    if (!text)
        return true;
    bool good = *text != '\0' && read_step(&rest, &options->first);
    if (good && *rest == ':') {
        rest++;
        good = read_step(&rest, &options->last);
    } else {
        options->last = options->first;
    }
    if (good && *rest == '\0' && options->first <= options->last)
        return true;
    fprintf(stderr, "perp: --steps must be FIRST:LAST, whole numbers in this order, not %s\n",
            text);
    return false;
}

static bool read_every(const char *text, PerpExportOptions *options)
{
    char *end;
    if (!text)
        return true;
    long number = strtol(text, &end, 10);
    options->every = number > 0 && number <= INT_MAX ? (int)number : 0;
    if (end != text && !*end && options->every > 0)
        return true;
    fprintf(stderr, "perp: --every must be a whole number above 0, not %s\n", text);
    return false;
}

static CliExit read_arguments(int argc, char **argv, Arguments *arguments)
{
    *arguments = (Arguments){.options = perp_default_export_options()};
    const CliOption options[] = {
        {"--help", &arguments->help, NULL},
        {"--to", NULL, &arguments->to},
        {"--steps", NULL, &arguments->steps},
        {"--every", NULL, &arguments->every},
    };
    int count = cli_parse(argc, argv, options, sizeof options / sizeof *options, arguments->files,
                          2, USAGE);
    if (count < 0)
        return CLI_USAGE;
    if (arguments->help)
        return CLI_OK;
    bool good = count == 2;
    if (!good)
        fprintf(stderr, "perp: convert needs a recording and a file to write\n");
    if (good && choose_format(arguments) && read_steps(arguments->steps, &arguments->options) &&
        read_every(arguments->every, &arguments->options))
        return CLI_OK;
    fprintf(stderr, "usage: %s\n", USAGE);
    return CLI_USAGE;
}

// --- the whole ----------------------------------------------------------------------------------

static void warn(void *user, PerpLogLevel level, const char *text)
{
    (void)user;
    if (level == PERP_LOG_WARNING)
        fprintf(stderr, "perp: warning: %s\n", text);
}

static CliExit convert(const Arguments *arguments)
{
    PerpContext context = perp_default_context();
    context.log.write = warn;
    PerpError error;
    PerpRecording *recording;
    int files = 0;
    const char *from = arguments->files[0], *to = arguments->files[1];
    if (perp_recording_open(NULL, from, &recording, &error))
        return cli_complain_of_error(&error);
    PerpStatus status = perp_export(&context, recording, to, arguments->format, &arguments->options,
                                    &files, &error);
    perp_recording_close(recording);
    if (status) {
        if (!error.file[0])
            snprintf(error.file, sizeof error.file, "%s", from);
        return cli_complain_of_error(&error);
    }
    if (files > 1 && arguments->format == PERP_EXPORT_FCLIB)
        fprintf(stderr, "perp: wrote %d files, each with its step in its name\n", files);
    else if (files > 1)
        fprintf(stderr, "perp: wrote %s and %d files\n", to, files - 1);
    else
        fprintf(stderr, "perp: wrote %s\n", to);
    return CLI_OK;
}

CliExit cmd_convert(int argc, char **argv)
{
    Arguments arguments;
    CliExit code = read_arguments(argc, argv, &arguments);
    if (code)
        return code;
    if (arguments.help)
        return print_help();
    if (cli_same_file(arguments.files[0], arguments.files[1])) {
        fprintf(stderr, "perp: %s: would replace the recording itself\n", arguments.files[1]);
        return CLI_USAGE;
    }
    return convert(&arguments);
}

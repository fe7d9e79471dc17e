// perp info: the contents of a recording.
#include "common/cli.h"
#include "common/json.h"
#include "common/step_outcomes.h"
#include "common/support.h"

#include "perp/recording.h"

#include <string.h>

static const char USAGE[] = "perp info RECORDING [--scene] [--json]";

static CliExit print_help(void)
{
    printf("Examples:\n"
           "  perp info run.h5              where it comes from, how far it goes, what it holds\n"
           "  perp info run.h5 --scene      the text of its scene\n"
           "  perp info run.h5 --json       for a script to read\n"
           "\n"
           "usage: %s\n"
           "\n"
           "Exit: 0 ok, 2 usage, 3 not a recording, or one that cannot be read\n",
           USAGE);
    return CLI_OK;
}

static const char *describe_end(const PerpRecordingInfo *info)
{
    if (info->finished)
        return "finished";
    return info->closed ? "ended early" : "cut off, or still running";
}

static double last_time(PerpRecording *recording)
{
    double t = 0;
    long frames = perp_recording_info(recording)->frames;
    if (frames > 0)
        perp_recording_series(recording, "time", frames - 1, 1, &t, NULL);
    return t;
}

static void print_series_text(const PerpRecording *recording)
{
    printf("series       ");
    for (int k = 0; k < perp_recording_series_count(); k++)
        if (perp_recording_has(recording, perp_recording_series_name(k)))
            printf(" %s", perp_recording_series_name(k));
    printf("\nfields       ");
    static const char *const wide[] = {"q",          "v",           "pose",        "velocity",
                                       "coordinate", "contacts/id", "events/time", "sensors/value",
                                       "loads/joint"};
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        if (perp_recording_has(recording, wide[k]))
            printf(" %s", wide[k]);
    putchar('\n');
}

static void print_text(PerpRecording *recording, const char *path, const StepOutcomes *outcomes)
{
    char text[256];
    const PerpRecordingInfo *info = perp_recording_info(recording);
    PerpSimulationSettings settings = perp_recording_settings(recording);
    printf("recording     %s: %s, format %d\n", path, describe_end(info), info->format);
    printf("scene         %s%s%s\n", info->scene_path, info->about[0] ? ": " : "", info->about);
    printf("sha256        %s\n", info->scene_sha);
    printf("run           %.9g s, %ld", last_time(recording), info->steps);
    if (info->planned > info->steps) // a resume may go further
        printf(" of %ld", info->planned);
    printf(" steps of %g s, scheme %s, %s, seed %llu\n", info->step, settings.scheme,
           cli_cone(settings.facets), info->seed);
    printf("frames        %ld, every %d steps\n", info->frames, info->every);
    printf("steps         ");
    cli_print_outcomes(stdout, outcomes);
    printf("\nverdict       %s\n", cli_verdict_words(outcomes, text, sizeof text));
    printf("model         %d bodies, %d shapes, %d joints\n", info->bodies, info->shapes,
           info->joints);
    printf("events        %ld\n", perp_recording_events(recording));
    printf("problems      %ld\n", perp_recording_problems(recording));
    printf("made by       perp %s, commit %s, %s\n", info->perp, info->commit, info->build);
    print_series_text(recording);
}

static void print_json(PerpRecording *recording, const char *path, const StepOutcomes *outcomes)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    json_text(stdout, "{", "recording", path);
    printf(", \"format\": %d", info->format);
    json_text(stdout, ", ", "status",
              info->finished ? "finished"
              : info->closed ? "ended"
                             : "open");
    json_text(stdout, ",\n ", "scene", info->scene_path);
    json_text(stdout, ", ", "about", info->about);
    json_text(stdout, ", ", "sha256", info->scene_sha);
    json_member(stdout, ",\n ", "t", last_time(recording));
    json_member(stdout, ", ", "h", info->step);
    printf(", \"steps\": %ld, \"planned_steps\": %ld, \"frames\": %ld, \"every\": %d", info->steps,
           info->planned, info->frames, info->every);
    cli_print_outcomes_json(stdout, outcomes);
    printf(",\n \"bodies\": %d, \"shapes\": %d, \"joints\": %d, \"events\": %ld, \"problems\": %ld",
           info->bodies, info->shapes, info->joints, perp_recording_events(recording),
           perp_recording_problems(recording));
    json_text(stdout, ",\n ", "perp", info->perp);
    json_text(stdout, ", ", "commit", info->commit);
    json_text(stdout, ", ", "build", info->build);
    printf(",\n \"options\": %s, \"series\": [", info->options);
    const char *separator = "";
    for (int k = 0; k < perp_recording_series_count(); k++)
        if (perp_recording_has(recording, perp_recording_series_name(k))) {
            fputs(separator, stdout);
            json_string(stdout, perp_recording_series_name(k));
            separator = ", ";
        }
    puts("]}");
}

CliExit cmd_info(int argc, char **argv)
{
    bool help = false, json = false, scene = false;
    const char *path = NULL;
    const CliOption options[] = {
        {"--help", &help, NULL}, {"--json", &json, NULL}, {"--scene", &scene, NULL}};
    if (cli_parse(argc, argv, options, 3, &path, 1, USAGE) < 0)
        return CLI_USAGE;
    if (help)
        return print_help();
    if (!path) {
        fprintf(stderr, "perp: info needs a recording\nusage: %s\n", USAGE);
        return CLI_USAGE;
    }
    PerpRecording *recording;
    PerpError error = {0};
    StepOutcomes outcomes;
    if (perp_recording_open(NULL, path, &recording, &error))
        return cli_complain_of_error(&error);
    PerpStatus status = cli_count_outcomes(recording, &outcomes, &error);
    if (status)
        cli_complain_of_error(&error);
    else if (scene)
        fputs(perp_recording_info(recording)->scene, stdout);
    else if (json)
        print_json(recording, path, &outcomes);
    else
        print_text(recording, path, &outcomes);
    perp_recording_close(recording);
    return status ? CLI_BAD_INPUT : CLI_OK;
}

// perp check: the parts of a scene and its likely mistakes, or the verification of a recording.
#include "check/check.h"
#include "check/recording.h"

#include <stdlib.h>

static const char USAGE[] = "perp check SCENE [--set NAME=VALUE ...] [--strict] [--json]\n"
                            "       perp check RECORDING [--json]";

typedef struct Arguments {
    bool help, json, strict;
    SceneSource source;
} Arguments;

static CliExit print_help(void)
{
    printf("Examples:\n"
           "  perp check scenes/examples/joints.yaml            bodies, joints, shapes, warnings\n"
           "  perp check scenes/examples/wall.yaml --strict     exit 4 if there is a warning\n"
           "  perp check scenes/examples/wall.yaml --set rows=9 --json\n"
           "  perp check run.h5                                 certificates and energies, again\n"
           "\n"
           "usage: %s\n"
           "\n"
           "Warns of overlaps at the start, of limits that exclude where a joint starts, of\n"
           "velocities that joints do not allow, of steps too long for a spring, of inertias that\n"
           "no body of that shape has, of bodies that nothing holds or touches, of masses more\n"
           "than 1e6 apart and of materials that nothing is made of. perp run prints them, too.\n"
           "\n"
           "Of a recording, the certificates of the stored problems (perp run --record-problems)\n"
           "are computed anew from the problems alone, on the exact law of friction and, where a\n"
           "step was answered with slip held, on that one; the stored energies from the states,\n"
           "and the margins of the papers' inequalities from both; docs/recording.md says which\n"
           "of them, and how well they must agree.\n"
           "\n"
           "Exit: 0 ok, 2 usage, 3 the file is wrong, 4 warnings under --strict, 5 a recording\n"
           "      that does not hold what it says\n",
           USAGE);
    return CLI_OK;
}

static CliExit read_arguments(int argc, char **argv, Arguments *arguments)
{
    const char *set = NULL;
    *arguments = (Arguments){0};
    const CliOption options[] = {
        {"--help", &arguments->help, NULL},
        {"--json", &arguments->json, NULL},
        {"--strict", &arguments->strict, NULL},
        {"--set", NULL, &set}, // without value; the others have been taken
    };
    int left = take_parameters(argc, argv, &arguments->source);
    if (left == 0 || cli_parse(left, argv, options, sizeof options / sizeof *options,
                               &arguments->source.path, 1, USAGE) < 0)
        return CLI_USAGE;
    if (arguments->help || arguments->source.path)
        return CLI_OK;
    fprintf(stderr, "perp: check needs a scene\nusage: %s\n", USAGE);
    return CLI_USAGE;
}

static PerpStatus open_check(const SceneSource *source, Check *check, PerpError *error)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpStatus status = open_scene(source, &check->opened, error);
    settings.overlap = PERP_OVERLAP_ALLOW; // they are told
    if (!status) {
        settings.scheme = perp_scene_run(check->opened.scene)->scheme;
        settings.step = perp_scene_run(check->opened.scene)->step;
    }
    if (!status)
        status = start_simulation(&check->opened, &settings, &check->probe, error);
    if (status)
        return status;
    size_t bodies = (size_t)perp_model_body_count(check->opened.model);
    check->bodies = calloc(bodies + 1, sizeof *check->bodies);
    if (!check->bodies)
        error->status = PERP_NO_MEMORY;
    return check->bodies ? PERP_OK : PERP_NO_MEMORY;
}

static void close_check(Check *check)
{
    perp_simulation_destroy(check->probe);
    close_scene(&check->opened);
    free(check->bodies);
    free(check->warnings);
}

static CliExit check_opened(const Arguments *arguments, Check *check)
{
    check_measure_bodies(check);
    if (!check_find_warnings(check)) {
        fprintf(stderr, "perp: %s: %s\n", check->path, perp_status_text(PERP_NO_MEMORY));
        return CLI_FAILED;
    }
    if (arguments->json)
        check_print_json(stdout, check);
    else
        check_print_text(stdout, check);
    return arguments->strict && check->n_warnings > 0 ? CLI_INACCURATE : CLI_OK;
}

CliExit cmd_check(int argc, char **argv)
{
    Arguments arguments;
    PerpError error;
    CliExit code = read_arguments(argc, argv, &arguments);
    if (code)
        return code;
    if (arguments.help)
        return print_help();
    if (cli_is_hdf5(arguments.source.path))
        return check_recording(arguments.source.path, arguments.json);
    Check check = {.path = arguments.source.path};
    code = open_check(&arguments.source, &check, &error) ? cli_complain_of_error(&error)
                                                         : check_opened(&arguments, &check);
    close_check(&check);
    return code;
}

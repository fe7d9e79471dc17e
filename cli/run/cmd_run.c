// perp run: a scene from a file, simulated step by step, each step certified.
#include "run/run.h"

static const char USAGE[] =
    "perp run SCENE [-t SECONDS] [-h STEP | --accuracy A] [--set NAME=VALUE ...] [-o FILE]\n"
    "                [--record-problems all|worst|N] [--strict] [--json] [OPTIONS]\n"
    "       perp run --resume RECORDING [-t SECONDS] [--threads N] [--flush SECONDS]";

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp run scenes/examples/ball.yaml                      run it, print a summary\n"
        "  perp run scenes/examples/ball.yaml -t 5 -h 1e-4         longer, finer\n"
        "  perp run scenes/examples/wall.yaml --set rows=12        another parameter\n"
        "  perp run scenes/examples/chain.yaml --csv chain.csv --every 10\n"
        "  perp run scenes/examples/pile.yaml -o pile.h5           record it\n"
        "  perp run --resume pile.h5                               go on after Ctrl-C or a kill\n"
        "  perp run scenes/examples/pile.yaml --live               watch it in the browser\n"
        "  perp run scenes/examples/pile.yaml --strict --json      for a script to read\n"
        "\n"
        "usage: %s\n"
        "\n"
        "SCENE is a YAML file (docs/scenes.md), or - for standard input.\n"
        "\n",
        USAGE);
    run_print_options();
    puts("\n"
         "Exit: 0 ok, 1 a step failed (its last good state is saved), 2 usage, 3 bad input,\n"
         "      4 --accuracy not reached, or under --strict a tolerance or the verdict missed,\n"
         "      5 the scene's expectations were not met,\n"
         "      130 interrupted by Ctrl-C, SIGTERM or SIGHUP: what was written is complete");
    return CLI_OK;
}

CliExit cmd_run(int argc, char **argv)
{
    RunOptions options;
    CliExit code = run_read_options(argc, argv, NULL, 0, USAGE, &options);
    if (code)
        return code;
    if (options.help)
        return print_help();
    if (!options.source.path) {
        fprintf(stderr, "perp: run needs a scene\nusage: %s\n", USAGE);
        return CLI_USAGE;
    }
    return run_check_scheme(options.scheme) ? run_scene(&options) : CLI_USAGE;
}

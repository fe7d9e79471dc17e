// perp COMMAND ...: finds the command in the table and runs it.
#include "common/cli.h"

#include "perp/version.h"
#include "perp/words.h"

#include <string.h>

static const CliCommand commands[] = {
    {"demo", "run a built-in scene", cmd_demo},
    {"run", "simulate a scene and certify every step", cmd_run},
    {"sweep", "run a scene many times, its parameters varied", cmd_sweep},
    {"view", "show a recording in the browser", cmd_view},
    {"check", "find mistakes in a scene, or verify the certificates of a recording", cmd_check},
    {"info", "what a recording holds", cmd_info},
    {"replay", "simulate a recording again and compare it bit for bit", cmd_replay},
    {"diff", "where two recordings part, and by how much", cmd_diff},
    {"plot", "draw a recording: energies, residuals, motion, forces", cmd_plot},
    {"convert", "write a recording for other programs", cmd_convert},
    {"soak", "run random scenes and hold their verdicts against measurements", cmd_soak},
    {"solve", "solve one complementarity problem from a file and certify the solution", cmd_solve},
    {"order", "measure the order of accuracy of schemes on a scene", cmd_order},
    {"paper", "reproduce tables and figures of the papers, beside their numbers", cmd_paper},
    {"bench", "measure against peer solvers (after make bench)", cmd_bench},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static CliExit print_help(void)
{
    puts(
        "Examples:\n"
        "  perp demo                                   contact, friction, joints and impact\n"
        "  perp run scenes/examples/ball.yaml          a scene, with summary and certificate\n"
        "  perp order scenes/four-bar.yaml             how fast errors fall with the step\n"
        "  perp sweep study.yaml -o DIR -j 8           many runs, one table\n"
        "  perp paper                                  tables and figures of the papers\n"
        "  perp view run.h5                            a recording in the browser\n"
        "  perp check scenes/examples/joints.yaml      mistakes in a scene, before it is run\n"
        "  perp plot run.h5 energy --svg energy.svg    a figure of a recording\n"
        "  perp convert run.h5 run.glb                 a recording for Blender, ParaView, NumPy "
        "...\n"
        "  perp solve scenes/problems/table.json       a table on four legs, with its certificate\n"
        "  perp solve problem.hdf5 --facets 16 --json  an FCLIB problem, for a script to read\n"
        "  perp solve --help                           what else solve can do\n"
        "\n"
        "usage: perp COMMAND [ARGUMENTS]\n"
        "\n"
        "Commands:");
    for (int k = 0; k < COMMANDS; k++)
        printf("  %-10s %s\n", commands[k].name, commands[k].text);
    puts("  help       this text; perp help COMMAND: that of a command\n"
         "\n"
         "Options: --help, --version; every command has its own --help\n"
         "Exit: 0 ok, 1 simulation failed, 2 usage, 3 bad input, 4 accuracy not met,\n"
         "      5 verification mismatch, 130 interrupted");
    return CLI_OK;
}

static CliExit print_version(void)
{
    printf("perp %s\n", perp_version());
    return CLI_OK;
}

static CliExit complain_of_command(const char *name)
{
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++)
        names[k] = commands[k].name;
    fprintf(stderr, "perp: unknown command %s; did you mean %s? See perp --help\n", name,
            perp_nearest_word(name, names, COMMANDS));
    return CLI_USAGE;
}

static CliExit print_help_of(char *name)
{
    char option[] = "--help", *arguments[] = {name, option, NULL};
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(name, commands[k].name) == 0)
            return commands[k].run(2, arguments);
    return complain_of_command(name);
}

static CliExit run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return CLI_USAGE;
    }
    const char *name = argv[1];
    bool asks_help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (strcmp(name, "help") == 0 && argc > 2)
        return print_help_of(argv[2]);
    if (asks_help || strcmp(name, "help") == 0)
        return print_help();
    if (argc == 3 && strcmp(argv[2], "-h") == 0) // elsewhere it is the step of a run
        return print_help_of(argv[1]);
    if (strcmp(name, "--version") == 0)
        return print_version();
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(name, commands[k].name) == 0)
            return commands[k].run(argc - 1, argv + 1);
    return complain_of_command(name);
}

// Output that did not reach its destination (a full disk, say) must not look like success.
int main(int argc, char **argv)
{
    CliExit code = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("perp: standard output");
        return code ? code : CLI_FAILED;
    }
    return code;
}

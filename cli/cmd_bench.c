// perp bench: the benchmarks are programs of their own, since they link peers that perp does not.
#define _POSIX_C_SOURCE 200809L

#include "common/cli.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char USAGE[] = "perp bench [NAME [OPTION...]] [--json]";

// Which benchmarks there are; those with a quick selection make up plain `perp bench`.
typedef struct Benchmark {
    const char *name, *text;
    bool has_quick;
} Benchmark;

static const Benchmark known[] = {
    {"lcp", "the solvers on families of LCPs, beside Siconos and ODE", true},
    {"scenes", "whole simulations beside ODE, Bullet and MuJoCo", true},
    {"motion", "rocks, drums, towers, nets: what each step costs, how it is answered", false},
    {"cones", "circular friction cones beside polygons", false},
    {"ladder", "what each method of the ladder earns: each left out in turn", false},
    {"fclib", "a folder of FCLIB problems beside the solvers of Siconos", false},
    {"threads", "one scene on one thread and on several, in turns", true},
    {"python", "what Python costs; batches of robots beside mujoco.rollout", false},
    {"recording", "10 000 balls without and with a recording", false},
};
enum { KNOWN = sizeof known / sizeof *known };

extern char **environ;

static CliExit print_help(void)
{
    puts("Examples:\n"
         "  perp bench                      a quick selection, about a minute\n"
         "  perp bench scenes               all scenes, about half an hour\n"
         "  perp bench scenes --list        the scenes and engines\n"
         "  perp bench scenes --scene wall  one scene, all engines\n"
         "  perp bench fclib FOLDER         FCLIB problems, a folder for each family\n"
         "  perp bench ladder               each method of the ladder left out in turn\n"
         "  perp bench threads              what a second thread gains on a large pile\n"
         "  perp bench lcp --json           one JSON object, for a script to read\n");
    printf("usage: %s\n\nThe benchmarks are built by make bench. Options after NAME are its own "
           "(perp bench\nscenes --help). NAME is one of:\n",
           USAGE);
    for (int k = 0; k < KNOWN; k++)
        printf("  %-9s  %s\n", known[k].name, known[k].text);
    return CLI_OK;
}

// perp-bench-NAME in the folder of this very program.
static bool find_program(const char *name, char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    if (length < 0 || strchr(name, '/'))
        return false;
    path[length] = '\0';
    char *file = strrchr(path, '/') + 1;
    size_t room = PATH_SIZE - (size_t)(file - path);
    return (size_t)snprintf(file, room, "perp-bench-%s", name) < room && access(path, X_OK) == 0;
}

// arguments[0] is replaced by the program's path
static CliExit run_program(char *path, char **arguments)
{
    arguments[0] = path;
    pid_t child;
    int state;
    fflush(stdout);
    int cause = posix_spawn(&child, path, NULL, NULL, arguments, environ);
    if (cause) {
        fprintf(stderr, "perp: %s: %s\n", path, strerror(cause));
        return CLI_FAILED;
    }
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return CLI_FAILED;
    return WIFEXITED(state) ? (CliExit)WEXITSTATUS(state) : CLI_FAILED;
}

static CliExit run_bench(const char *name, char **arguments)
{
    char path[PATH_SIZE];
    if (find_program(name, path))
        return run_program(path, arguments);
    fprintf(stderr, "perp: there is no program perp-bench-%s beside perp; run `make bench`\n",
            name);
    return CLI_USAGE;
}

static CliExit run_quick_ones(bool json)
{
    CliExit code = CLI_OK;
    for (int k = 0; k < KNOWN && code == CLI_OK; k++) {
        char *arguments[] = {NULL, "--quick", json ? "--json" : NULL, NULL};
        if (known[k].has_quick)
            code = run_bench(known[k].name, arguments);
    }
    return code;
}

CliExit cmd_bench(int argc, char **argv)
{
    bool help = false, json = false;
    const CliOption options[] = {{"--help", &help, NULL}, {"--json", &json, NULL}};
    if (argc > 1 && argv[1][0] != '-')
        return run_bench(argv[1], argv + 1);
    if (cli_parse(argc, argv, options, 2, NULL, 0, USAGE) < 0)
        return CLI_USAGE;
    return help ? print_help() : run_quick_ones(json);
}

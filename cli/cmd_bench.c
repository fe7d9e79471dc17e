// perp bench: the benchmarks are programs of their own, since they link peers that perp does not.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char USAGE[] = "perp bench [NAME] [--json]";
static const char *const known[] = {"lcp", "round", "recording"};
enum { KNOWN = sizeof known / sizeof *known };

extern char **environ;

static CliExit print_help(void)
{
    puts("Examples:\n"
         "  perp bench            all benchmarks\n"
         "  perp bench lcp        the solvers on families of LCPs, beside their peers\n"
         "  perp bench round      round friction cones beside polygons\n"
         "  perp bench recording  10 000 balls without and with a recording\n"
         "  perp bench lcp --json one JSON object, for a script to read\n");
    printf("usage: %s\n\nThe benchmarks are built by make bench. NAME is one of:", USAGE);
    for (int k = 0; k < KNOWN; k++)
        printf(" %s", known[k]);
    putchar('\n');
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

static CliExit run_program(const char *path, bool json)
{
    char *arguments[] = {(char *)path, json ? "--json" : NULL, NULL};
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

static CliExit run_bench(const char *name, bool json)
{
    char path[PATH_SIZE];
    if (find_program(name, path))
        return run_program(path, json);
    fprintf(stderr, "perp: there is no program perp-bench-%s beside perp; run `make bench`\n",
            name);
    return CLI_USAGE;
}

CliExit cmd_bench(int argc, char **argv)
{
    bool help = false, json = false;
    const char *name = NULL;
    const CliOption options[] = {{"--help", &help, NULL}, {"--json", &json, NULL}};
    if (cli_parse(argc, argv, options, 2, &name, 1, USAGE) < 0)
        return CLI_USAGE;
    if (help)
        return print_help();
    if (name)
        return run_bench(name, json);
    CliExit code = CLI_OK;
    for (int k = 0; k < KNOWN && code == CLI_OK; k++)
        code = run_bench(known[k], json);
    return code;
}

// Commands, exit codes and options, shared by all commands.
#ifndef PERP_CLI_COMMON_CLI_H
#define PERP_CLI_COMMON_CLI_H

#include <stdbool.h>
#include <stdio.h>

// The exit codes that scripts rely on.
typedef enum CliExit {
    CLI_OK = 0,
    CLI_FAILED = 1,     // the simulation failed; its last good state was saved
    CLI_USAGE = 2,      // the command line is wrong
    CLI_BAD_INPUT = 3,  // a file is wrong, or cannot be read or written
    CLI_INACCURATE = 4, // no solution within the tolerance
    CLI_MISMATCH = 5,   // a verification found a difference
    CLI_INTERRUPTED = 130,
} CliExit;

typedef struct CliCommand {
    const char *name;
    const char *text;                      // one line
    CliExit (*run)(int argc, char **argv); // argv[0] is the name of the command
} CliCommand;

CliExit cmd_bench(int argc, char **argv);
CliExit cmd_check(int argc, char **argv);
CliExit cmd_convert(int argc, char **argv);
CliExit cmd_demo(int argc, char **argv);
CliExit cmd_order(int argc, char **argv);
CliExit cmd_paper(int argc, char **argv);
CliExit cmd_diff(int argc, char **argv);
CliExit cmd_info(int argc, char **argv);
CliExit cmd_plot(int argc, char **argv);
CliExit cmd_replay(int argc, char **argv);
CliExit cmd_run(int argc, char **argv);
CliExit cmd_soak(int argc, char **argv);
CliExit cmd_solve(int argc, char **argv);
CliExit cmd_sweep(int argc, char **argv);
CliExit cmd_view(int argc, char **argv);

// An option: a flag if is_set is given, else it takes a value, as --name value or --name=value.
typedef struct CliOption {
    const char *name;   // with its dashes
    bool *is_set;       //
    const char **value; //
} CliOption;

// Sorts arguments into options and up to limit others. Returns how many others there were; after an
// error, which it prints with the usage line, -1. Everything after -- counts as other.
int cli_parse(int argc, char **argv, const CliOption *options, int count, const char **others,
              int limit, const char *usage);

// What was typed for an option, if anything was: a number > 0. False after a complaint.
bool cli_read_number(const char *option, const char *text, double *number);
bool cli_read_count(const char *option, const char *text, int *count);

#endif

// Other programs, such as those of Slurm.
#ifndef PERP_CLI_SWEEP_COMMAND_H
#define PERP_CLI_SWEEP_COMMAND_H

#include <stdbool.h>

// Runs a program of the path to its end; its output, to be freed, or NULL. code: 127 if there is no
// such program. quiet: its messages are not shown.
char *command_output(char *const *argv, bool quiet, int *code);

#endif

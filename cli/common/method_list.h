// Lists of the ladder's methods, as they are typed: --methods A,B and --without A,B.
#ifndef PERP_CLI_COMMON_METHOD_LIST_H
#define PERP_CLI_COMMON_METHOD_LIST_H

#include <stdbool.h>
#include <stdio.h>

// Bits of PerpMethod: those of the one list, or all, but for those of the other. NULL: not typed.
// False after a complaint, which names the nearest word and all that there are.
bool cli_read_methods(const char *methods, const char *without, unsigned *bits);

void cli_print_methods(FILE *out); // for --help: a line each

// The names of those in the set, with commas between.
void cli_print_method_names(FILE *out, unsigned bits);

#endif

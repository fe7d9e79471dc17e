// Size and colours of the terminal behind a stream.
#ifndef PERP_CLI_COMMON_TERMINAL_H
#define PERP_CLI_COMMON_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Terminal {
    bool present, coloured;
    int columns, rows; // 80 x 24 if nobody knows; COLUMNS and LINES of the environment count
} Terminal;

Terminal terminal_of(FILE *stream);

#endif

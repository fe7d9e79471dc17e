// Size and colours of the terminal behind a stream.
#define _DEFAULT_SOURCE // TIOCGWINSZ

#include "common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_COLUMNS = 24, LEAST_ROWS = 8, MOST = 500 };

static int limit(long number, int least)
{
    return number < least ? least : number > MOST ? MOST : (int)number;
}

static int read_size(const char *variable, int measured, int usual, int least)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;
    return limit(number > 0 ? number : measured > 0 ? measured : usual, least);
}

static bool wants_colours(void)
{
    const char *no_color = getenv("NO_COLOR"), *name = getenv("TERM");
    return !(no_color && no_color[0]) && name && strcmp(name, "dumb") != 0;
}

Terminal terminal_of(FILE *stream)
{
    struct winsize size = {0};
    Terminal terminal = {.present = isatty(fileno(stream))};
    if (terminal.present)
        ioctl(fileno(stream), TIOCGWINSZ, &size);
    terminal.coloured = terminal.present && wants_colours();
    terminal.columns = read_size("COLUMNS", size.ws_col, 80, LEAST_COLUMNS);
    terminal.rows = read_size("LINES", size.ws_row, 24, LEAST_ROWS);
    return terminal;
}

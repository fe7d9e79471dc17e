// A progress bar on standard error.
#define _POSIX_C_SOURCE 200809L

#include "common/progress.h"

#include "common/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 20, LINE = 79 };  // of a terminal that is 80 wide
static const double PAUSE = 0.1; // s between two drawings
static const double RECENT = 5;  // s: the time left is estimated from the last one to two of these

static bool has_colours(void)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no_color && no_color[0]) && terminal && strcmp(terminal, "dumb") != 0;
}

Progress progress_begin(bool quiet)
{
    double now = cli_seconds();
    return (Progress){.shown = !quiet && isatty(STDERR_FILENO),
                      .coloured = has_colours(),
                      .start = now,
                      .drawn = now,
                      .when = {now, now},
                      .done = {-1, -1}};
}

static void draw_bar(const Progress *progress, double part)
{
    static const char full[CELLS + 1] = "####################";
    static const char empty[CELLS + 1] = "....................";
    int cells = (int)(part * CELLS);
    fprintf(stderr, "\r[%s%.*s%s%.*s]", progress->coloured ? "\033[32m" : "", cells, full,
            progress->coloured ? "\033[0m" : "", CELLS - cells, empty);
}

void progress_show(Progress *progress, long done, long planned, double t)
{
    double now = progress->shown ? cli_seconds() : 0;
    if (progress->done[0] < 0) // a resumed run begins late
        progress->done[0] = progress->done[1] = done - 1;
    if (!progress->shown || now - progress->drawn < PAUSE)
        return;
    double part = (double)done / (double)planned;
    double rate = (double)(done - progress->done[0]) / (now - progress->when[0]);
    progress->drawn = now;
    draw_bar(progress, part);
    fprintf(stderr, " %3.0f %%  t = %.4g s  %.4g steps/s  %.0f s left   ", 100 * part, t, rate,
            ceil((double)(planned - done) / rate));
    fflush(stderr);
    if (now - progress->when[1] < RECENT)
        return;
    progress->when[0] = progress->when[1];
    progress->done[0] = progress->done[1];
    progress->when[1] = now;
    progress->done[1] = done;
}

void progress_end(const Progress *progress)
{
    if (progress->shown && progress->drawn > progress->start)
        fprintf(stderr, "\r%*s\r", LINE, "");
}

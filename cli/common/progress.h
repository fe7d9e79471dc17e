// A progress bar on standard error, if that is a terminal.
#ifndef PERP_CLI_COMMON_PROGRESS_H
#define PERP_CLI_COMMON_PROGRESS_H

#include <stdbool.h>

typedef struct Progress {
    bool shown, coloured;
    double start;   // s, when it began
    double drawn;   // s, when the bar was last drawn
    double when[2]; // s, two moments some seconds ago, the earlier first,
    long done[2];   // and what was done then
} Progress;

Progress progress_begin(bool quiet);
void progress_show(Progress *progress, long done, long planned, double t);
void progress_end(const Progress *progress); // takes the bar away

#endif

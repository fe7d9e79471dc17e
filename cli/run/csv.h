// The time series of a run: a row of numbers every few steps.
#ifndef PERP_CLI_RUN_CSV_H
#define PERP_CLI_RUN_CSV_H

#include "run/run.h"

typedef struct RunCsv {
    FILE *file; // NULL if none was asked for
    const char *path;
    double flushed; // s, when what was written last left the buffer
    bool failed;
} RunCsv;

bool run_csv_open(RunCsv *csv, const Run *run); // writes the header; false after a complaint
void run_csv_row(RunCsv *csv, const Run *run);  // if it is the turn of this step
bool run_csv_close(RunCsv *csv);                // false after a complaint

#endif

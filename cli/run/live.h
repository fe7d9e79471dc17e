// perp run --live: the page of perp view, which follows the run.
#ifndef PERP_CLI_RUN_LIVE_H
#define PERP_CLI_RUN_LIVE_H

#include "run/run.h"

// Another process serves the recording: the run never waits for the page, and nothing of it is
// shared but the file. The two end together.
typedef struct RunLive {
    int server;                   // its process, 0: none
    int line;                     // to it
    char folder[PERP_PATH_SIZE];  // for a recording that nobody asked for, "" if there is none
    char path[PERP_PATH_SIZE];    // of the recording
    char address[PERP_PATH_SIZE]; // of the page, "" until it is served
} RunLive;

// Starts the process, before there are threads and open files. Without -o it chooses a path for the
// recording. False after a complaint.
bool run_live_begin(RunLive *live, RunOptions *options);

// The recording has its first frame: tells where the page is.
void run_live_show(RunLive *live);

// After a run that came to its end the page stays until Ctrl-C.
void run_live_end(RunLive *live, bool stays);

#endif

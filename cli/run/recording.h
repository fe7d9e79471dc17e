// The recording of a run: opened, fed after every step, flushed in time, closed.
#ifndef PERP_CLI_RUN_RECORDING_H
#define PERP_CLI_RUN_RECORDING_H

#include "run/run.h"

#include "perp/recording.h"

typedef struct RunRecording {
    PerpRecorder *recorder; // NULL if none was asked for
    double flushed;         // s, when
    char *user;             // tally and outcomes, which go with checkpoints; owned
    size_t user_size;
    size_t outcomes_size;
    PerpError error; // of what went wrong first
} RunRecording;

bool run_recording_open(RunRecording *recording, Run *run);        // false after a complaint
bool run_recording_step(RunRecording *recording, const Run *run);  // false: the run must end
bool run_recording_close(RunRecording *recording, const Run *run); // false after a complaint

#endif

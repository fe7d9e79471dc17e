// The papers' promises in a recording: the margins that the run wrote, and those computed again
// from the stored problems and from the states.
#ifndef PERP_CLI_CHECK_BOUNDS_H
#define PERP_CLI_CHECK_BOUNDS_H

#include "check/margins.h"

#include <stdio.h>

typedef struct PromiseMargin {
    long count; // frames, problems or steps that it was seen in
    double least;
    long step;    // of the least
    double slack; // by which it may be negative
} PromiseMargin;

typedef struct PromiseSeries {
    PromiseMargin recorded, computed;
    double *frames;  // computed of each frame's step, to be compared; NaN: not
    long compared;   // frames whose margin was computed
    double most;     // largest difference of the two
    const char *why; // others were not, of the first
    long wrong;      // frames whose recorded margin is another one
    long wrong_step;
    double wrong_recorded, wrong_computed; // of the first
} PromiseSeries;

typedef struct PromiseCheck {
    PerpRecording *recording; // borrowed
    const char *scheme;       // of the run
    double h;                 // s, its step
    long n_frames;
    double *steps;  // n_frames: their numbers
    double *margin; // n_frames x PERP_BOUND_COUNT as recorded, NaN: does not apply
    PromiseSeries of[PERP_BOUND_COUNT];
    Compressions compressions;
} PromiseCheck;

// Is it computed again from stored problems, not from states?
bool promise_is_of_problems(int kind);

// Reads what the run wrote. To be freed also after a failure.
PerpStatus promise_check_begin(PromiseCheck *check, PerpRecording *recording, PerpError *error);

// A stored problem with its certificate, computed anew; in the order of the recording.
PerpStatus promise_check_problem(PromiseCheck *check, const PerpRecordedProblem *stored,
                                 const PerpCertificate *certificate, PerpError *error);

// All steps whose two ends are recorded, and then the comparison.
PerpStatus promise_check_steps(PromiseCheck *check, PerpError *error);

bool promise_check_holds(const PromiseCheck *check);
void promise_check_print(FILE *out, const PromiseCheck *check);
void promise_check_json(FILE *out, const PromiseCheck *check);
void promise_check_free(PromiseCheck *check);

#endif

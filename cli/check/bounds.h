// The papers' a-priori bounds in a recording: the margins that the run wrote, and those computed
// again from the stored problems and from the states.
#ifndef PERP_CLI_CHECK_BOUNDS_H
#define PERP_CLI_CHECK_BOUNDS_H

#include "check/margins.h"

#include <stdio.h>

typedef struct BoundMargin {
    long count; // frames, problems or steps that it was seen in
    double least;
    long step;    // of the least
    double slack; // by which it may be negative
} BoundMargin;

typedef struct BoundSeries {
    BoundMargin recorded, computed;
    double *frames;  // computed of each frame's step, to be compared; NaN: not
    long compared;   // frames whose margin was computed
    double most;     // largest difference of the two
    const char *why; // others were not, of the first
    long wrong;      // frames whose recorded margin is another one
    long wrong_step;
    double wrong_recorded, wrong_computed; // of the first
} BoundSeries;

typedef struct BoundCheck {
    PerpRecording *recording; // borrowed
    const char *scheme;       // of the run
    double h;                 // s, its step
    long n_frames;
    double *steps;  // n_frames: their numbers
    double *margin; // n_frames x PERP_BOUND_COUNT as recorded, NaN: does not apply
    BoundSeries of[PERP_BOUND_COUNT];
    Compressions compressions;
} BoundCheck;

// Is it computed again from stored problems, not from states?
bool bound_is_of_problems(int kind);

// Reads what the run wrote. To be freed also after a failure.
PerpStatus bound_check_begin(BoundCheck *check, PerpRecording *recording, PerpError *error);

// A stored problem with its certificate, computed anew; in the order of the recording.
PerpStatus bound_check_problem(BoundCheck *check, const PerpRecordedProblem *stored,
                               const PerpCertificate *certificate, PerpError *error);

// All steps whose two ends are recorded, and then the comparison.
PerpStatus bound_check_steps(BoundCheck *check, PerpError *error);

bool bound_check_holds(const BoundCheck *check);
void bound_check_print(FILE *out, const BoundCheck *check);
void bound_check_json(FILE *out, const BoundCheck *check);
void bound_check_free(BoundCheck *check);

#endif

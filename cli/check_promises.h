// The papers' promises in a recording: the margins that the run wrote, and what can be computed
// again from the stored problems alone.
#ifndef PERP_CLI_CHECK_PROMISES_H
#define PERP_CLI_CHECK_PROMISES_H

#include "perp/recording.h"

#include <stdio.h>

typedef struct PromiseMargin {
    long count; // frames or problems that it was seen in
    double least;
    long step; // of the least
} PromiseMargin;

typedef struct Compression Compression;

typedef struct PromiseCheck {
    const char *scheme; // of the run
    double h;           // s, its step
    PromiseMargin recorded[PERP_PROMISE_COUNT], computed[PERP_PROMISE_COUNT];
    Compression *open; // compressions of a step that may still find their decompression
    int n_open, room;
} PromiseCheck;

// A stored problem with its certificate, computed anew; in the order of the recording. False if
// memory is short.
bool promise_check_problem(PromiseCheck *check, const PerpRecordedProblem *stored,
                           const PerpCertificate *certificate);
PerpStatus promise_check_recorded(PromiseCheck *check, PerpRecording *recording, PerpError *error);
bool promise_check_holds(const PromiseCheck *check);
void promise_check_print(FILE *out, const PromiseCheck *check);
void promise_check_json(FILE *out, const PromiseCheck *check);
void promise_check_free(PromiseCheck *check);

#endif

// A file that appears whole or not at all: written under a temporary name in the same folder, then
// renamed.
#ifndef PERP_IO_OUTPUT_H
#define PERP_IO_OUTPUT_H

#include "perp/status.h"

#include <stdio.h>

typedef struct PerpOutput {
    char path[PERP_PATH_SIZE];
    char temporary[PERP_PATH_SIZE]; // exists, and is empty at first
} PerpOutput;

PerpStatus perp_output_begin(PerpOutput *output, const char *path, PerpError *error);
// Gives the file its name if status is OK, and removes it if not. Returns what went wrong first.
PerpStatus perp_output_end(PerpOutput *output, PerpStatus status, PerpError *error);

// Calls write with a stream to the temporary file, then ends it; a full disk is an error.
PerpStatus perp_output_text(const char *path, void (*write)(FILE *stream, const void *what),
                            const void *what, PerpError *error);

#endif

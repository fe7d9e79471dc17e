// The bytes of a file.
#ifndef PERP_IO_TEXT_INPUT_H
#define PERP_IO_TEXT_INPUT_H

#include "perp/context.h"
#include "perp/status.h"

#include <stdbool.h>

// Owns its bytes.
typedef struct PerpInput {
    PerpAllocator allocator;
    bool hdf5;   // the file starts with HDF5's signature, and nothing more was read
    char *bytes; // else: all of them
    size_t size;
} PerpInput;

// Works on pipes too. Files larger than limit are refused. On failure there is nothing to free.
PerpStatus perp_input_read(const PerpAllocator *allocator, const char *path, size_t limit,
                           PerpInput *input, PerpError *error);
void perp_input_free(PerpInput *input);
bool perp_input_is_special(const char *path); // a folder, pipe, socket or device

#endif

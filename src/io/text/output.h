// A file that appears whole or not at all: written under a temporary name in the same folder, then
// renamed.
#ifndef PERP_IO_TEXT_OUTPUT_H
#define PERP_IO_TEXT_OUTPUT_H

#include "perp/status.h"

#include <stdio.h>

// Calls write with a stream to the temporary file, under the "C" locale. A write that fails, such
// as on a full disk, is an error, and nothing is left behind. Whatever is no regular file is
// refused, since renaming would replace it.
PerpStatus perp_output(const char *path, void (*write)(FILE *stream, const void *what),
                       const void *what, PerpError *error);
// The same for a write that may fail by itself; nothing is left behind then either.
PerpStatus perp_output_checked(const char *path,
                               PerpStatus (*write)(FILE *stream, void *what, PerpError *error),
                               void *what, PerpError *error);

#endif

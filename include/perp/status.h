// Status codes and errors. A status tells whether a call could do its work at all; numerical
// outcomes (a ray, a missed tolerance) are results with a certificate, see lcp.h and problem.h.
#ifndef PERP_STATUS_H
#define PERP_STATUS_H

#include "perp/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// X(name, text): one list gives the codes and their texts.
#define PERP_STATUS_LIST(X)                                                                        \
    X(OK, "ok")                                                                                    \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(BAD_VALUE, "a value is out of its range")                                                    \
    X(BAD_SIZE, "sizes do not fit together, or exceed the size limit")                             \
    X(BAD_MASS, "a mass block is not positive definite")                                           \
    X(BAD_SYNTAX, "the file is malformed")                                                         \
    X(NO_FILE, "the file cannot be read or written")                                               \
    X(NO_ROOM, "there is no room left on the disk")                                                \
    X(NOT_SUPPORTED, "not supported")                                                              \
    X(NOT_SOLVED, "a step could not be solved to its tolerance")                                   \
    X(EXISTS, "a file of that name is there already")                                              \
    X(INTERRUPTED, "interrupted by the caller")

typedef enum PerpStatus {
#define PERP_STATUS_CODE(name, text) PERP_##name,
    PERP_STATUS_LIST(PERP_STATUS_CODE)
#undef PERP_STATUS_CODE
        PERP_STATUS_COUNT
} PerpStatus;

PERP_API const char *perp_status_name(PerpStatus status); // "NO_MEMORY"; "?" if out of range
PERP_API const char *perp_status_text(PerpStatus status); // "out of memory"; "?" if out of range

enum { PERP_MESSAGE_SIZE = 512, PERP_PATH_SIZE = 1024 };

// What went wrong and where. Functions that can fail take a PerpError pointer, which may be NULL.
typedef struct PerpError {
    PerpStatus status;               // what the function returned
    int line, column;                // 1-based; 0 if the error has no place in a text
    char file[PERP_PATH_SIZE];       // empty if no file is to blame
    char message[PERP_MESSAGE_SIZE]; // one sentence: what was wrong, and what would be right
} PerpError;

// Writes "file:line:column: message" into text (size bytes, always terminated); returns text.
PERP_API const char *perp_error_text(const PerpError *error, char *text, int size);

#ifdef __cplusplus
}
#endif
#endif

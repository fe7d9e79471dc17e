// What a caller may lend the library: memory and a place for log lines. No globals: every owner
// (such as PerpSolver) is created with a context and keeps a copy of it.
#ifndef PERP_CONTEXT_H
#define PERP_CONTEXT_H

#include "perp/api.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// resize(user, p, n) behaves like realloc(p, n); n = 0 frees p and returns NULL.
typedef struct PerpAllocator {
    void *(*resize)(void *user, void *memory, size_t bytes); // like realloc and free
    void *user;                                              // its first argument
} PerpAllocator;

// How much a line of the log matters.
typedef enum PerpLogLevel { PERP_LOG_DEBUG, PERP_LOG_INFO, PERP_LOG_WARNING } PerpLogLevel;

// The library never prints. What it has to say goes to write; NULL means silence.
typedef struct PerpLog {
    void (*write)(void *user, PerpLogLevel level, const char *text); // called with each line
    void *user;                                                      // its first argument
} PerpLog;

// Memory and log of an owner. Keeps its layout.
typedef struct PerpContext {
    PerpAllocator allocator; // default: realloc and free
    PerpLog log;             // default: silent
} PerpContext;

// realloc and free, no log.
PERP_API PerpContext perp_default_context(void);

#ifdef __cplusplus
}
#endif
#endif

// A caller's wish that work ends early, asked for now and then by whatever may take long.
#ifndef PERP_BASE_INTERRUPT_H
#define PERP_BASE_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct PerpInterrupt {
    bool (*asked)(void *user); // from any thread; NULL: never
    void *user;
} PerpInterrupt;

static inline bool perp_interrupted(const PerpInterrupt *interrupt)
{
    return interrupt && interrupt->asked && interrupt->asked(interrupt->user);
}

#endif

// Names in the order in which they were given, each with its place, found by hashing.
#ifndef PERP_IO_TEXT_NAME_TABLE_H
#define PERP_IO_TEXT_NAME_TABLE_H

#include "perp/context.h"
#include "perp/scene.h"

#include <stdbool.h>

typedef struct PerpName {
    const char *text; // borrowed
    PerpPlace place;
} PerpName;

// Owns its two tables, not the texts. Start with {.allocator = ...} and zeros.
typedef struct PerpNames {
    PerpAllocator allocator;
    PerpName *names; // count of room
    int count, room;
    int *slots; // n_slots, a power of two: index + 1 of the name that hashes there, 0 if none
    int n_slots;
} PerpNames;

int perp_names_find(const PerpNames *names, const char *text); // its index, -1 if there is none
bool perp_names_add(PerpNames *names, const char *text, PerpPlace place); // false: no memory
void perp_names_free(PerpNames *names);

// The name nearest to word, or to begin with `best`, which may be NULL. Of very many names only
// the first thousand are compared.
const char *perp_names_nearest(const PerpNames *names, const char *word, const char *best);

// The nearer of two words; best may be NULL.
const char *perp_nearer_word(const char *word, const char *best, const char *candidate);

#endif

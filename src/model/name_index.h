// Names to numbers, by hashing.
#ifndef PERP_MODEL_NAME_INDEX_H
#define PERP_MODEL_NAME_INDEX_H

#include "base/memory.h"

typedef struct PerpNameSlot {
    const char *name; // borrowed; NULL: empty
    int item;
} PerpNameSlot;

typedef struct PerpNameIndex {
    size_t n_slots;     // a power of two, at least twice the number of names
    PerpNameSlot *slot; // owned
} PerpNameIndex;

// Room for n names; false if memory is short.
bool perp_name_index_create(const PerpAllocator *allocator, int n, PerpNameIndex *index);
void perp_name_index_free(const PerpAllocator *allocator, PerpNameIndex *index);

// Returns item, or the item that has the name already. The name must live as long as the index.
int perp_name_index_add(PerpNameIndex *index, const char *name, int item);
int perp_name_index_find(const PerpNameIndex *index, const char *name); // -1 if there is none

#endif

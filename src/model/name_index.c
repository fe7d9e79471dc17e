// A hash table from names to indices.
#include "model/name_index.h"

#include <stdint.h>
#include <string.h>

bool perp_name_index_create(const PerpAllocator *allocator, int n, PerpNameIndex *index)
{
    size_t n_slots = 2;
    while (n_slots < 2 * (size_t)n)
        n_slots *= 2;
    *index = (PerpNameIndex){n_slots, perp_allocate(allocator, n_slots, sizeof(PerpNameSlot))};
    return index->slot != NULL;
}

void perp_name_index_free(const PerpAllocator *allocator, PerpNameIndex *index)
{
    perp_free(allocator, index->slot);
    *index = (PerpNameIndex){0};
}

// hash <- (hash xor byte) prime                                    [Fowler, Noll, Vo: FNV-1a]
static uint64_t hash(const char *name)
{
    uint64_t value = 14695981039346656037u;
    for (; *name; name++)
        value = (value ^ (unsigned char)*name) * 1099511628211u;
    return value;
}

// The slot of the name, or the empty one where it would be: the first of either from its hash on.
static PerpNameSlot *slot_of(const PerpNameIndex *index, const char *name)
{
    size_t last = index->n_slots - 1, k = (size_t)hash(name) & last;
    while (index->slot[k].name && strcmp(index->slot[k].name, name) != 0)
        k = (k + 1) & last;
    return &index->slot[k];
}

int perp_name_index_add(PerpNameIndex *index, const char *name, int item)
{
    PerpNameSlot *slot = slot_of(index, name);
    if (!slot->name)
        *slot = (PerpNameSlot){name, item};
    return slot->item;
}

int perp_name_index_find(const PerpNameIndex *index, const char *name)
{
    const PerpNameSlot *slot = slot_of(index, name);
    return slot->name ? slot->item : -1;
}

// A hash table of names with the places where they were given.
#include "io/text/name_table.h"

#include "base/memory.h"
#include "perp/words.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_ROOM = 16, COMPARED = 1000 };

// FNV-1a, 32 bits
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

// The slot that holds text, or the empty one where it belongs.
static int find_slot(const PerpNames *names, const char *text)
{
    int last = names->n_slots - 1;
    int slot = (int)(hash_of(text) & (uint32_t)last);
    while (names->slots[slot] && strcmp(names->names[names->slots[slot] - 1].text, text) != 0)
        slot = (slot + 1) & last;
    return slot;
}

int perp_names_find(const PerpNames *names, const char *text)
{
    return names->n_slots ? names->slots[find_slot(names, text)] - 1 : -1;
}

// Slots are at least twice as many as names, so that runs of full slots stay short.
static bool make_room(PerpNames *names)
{
    int room = names->room ? 2 * names->room : FIRST_ROOM;
    PerpName *entries =
        perp_resize(&names->allocator, names->names, (size_t)room, sizeof *names->names);
    if (!entries)
        return false;
    names->names = entries;
    int *slots = perp_allocate(&names->allocator, (size_t)room * 2, sizeof *slots);
    if (!slots)
        return false;
    perp_free(&names->allocator, names->slots);
    names->slots = slots;
    names->n_slots = 2 * room;
    names->room = room;
    for (int k = 0; k < names->count; k++)
        slots[find_slot(names, entries[k].text)] = k + 1;
    return true;
}

bool perp_names_add(PerpNames *names, const char *text, PerpPlace place)
{
    if (names->count == names->room && !make_room(names))
        return false;
    names->names[names->count] = (PerpName){.text = text, .place = place};
    names->count++;
    names->slots[find_slot(names, text)] = names->count;
    return true;
}

void perp_names_free(PerpNames *names)
{
    perp_free(&names->allocator, names->names);
    perp_free(&names->allocator, names->slots);
    *names = (PerpNames){.allocator = names->allocator};
}

const char *perp_nearer_word(const char *word, const char *best, const char *candidate)
{
    const char *const pair[] = {best, candidate};
    return best ? perp_nearest_word(word, pair, 2) : candidate;
}

const char *perp_names_nearest(const PerpNames *names, const char *word, const char *best)
{
    for (int k = 0; k < names->count && k < COMPARED; k++)
        best = perp_nearer_word(word, best, names->names[k].text);
    return best;
}

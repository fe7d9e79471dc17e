// Memory: the allocator of a context, and the arena that per-step work comes from.
#ifndef PERP_BASE_MEMORY_H
#define PERP_BASE_MEMORY_H

#include "perp/context.h"

#include <stdbool.h>

// All return NULL when memory is short, also when count * size overflows.
void *perp_allocate(const PerpAllocator *allocator, size_t count, size_t size); // zeroed
void *perp_resize(const PerpAllocator *allocator, void *memory, size_t count, size_t size);
void perp_free(const PerpAllocator *allocator, void *memory); // NULL is allowed

// Room for `needed` elements in an array that has *room, and for some more if it must grow. False
// if memory is short; then all is as it was.
bool perp_make_room(const PerpAllocator *allocator, void **memory, int *room, int needed,
                    size_t size);

// A stack of scratch memory, 64-byte aligned. Take what a step needs, then rewind: blocks are kept
// and merged into one, so that after the first steps no heap call remains.
typedef struct PerpArenaBlock PerpArenaBlock;
typedef struct PerpArena {
    PerpAllocator allocator;
    PerpArenaBlock *block; // newest, owned; each links to the one before
    size_t taken;          // bytes handed out since the last rewind and not given back
    size_t most;           // that ever were: what one block needs
    size_t rewinds;        // so far: tells those who keep something in it whether it is still there
} PerpArena;

void perp_arena_init(PerpArena *arena, const PerpAllocator *allocator);
void perp_arena_free(PerpArena *arena);
void *perp_arena_take(PerpArena *arena, size_t count, size_t size); // not zeroed; NULL if short
// Gives back what was taken since the mark, as far as it lies in one block; the rest goes with the
// rewind. For probes that are made many times in a step.
typedef struct PerpArenaMark {
    PerpArenaBlock *block;
    size_t used, taken;
} PerpArenaMark;

PerpArenaMark perp_arena_mark(const PerpArena *arena);
void perp_arena_release(PerpArena *arena, PerpArenaMark mark);

void perp_arena_rewind(PerpArena *arena); // forgets everything taken

// Typed and zeroed. PERP_TAKE(&arena, double, n)
#define PERP_TAKE(arena, type, count)                                                              \
    ((type *)perp_arena_take_zeroed(arena, (size_t)(count), sizeof(type)))
void *perp_arena_take_zeroed(PerpArena *arena, size_t count, size_t size);
// The same without zeros, for arrays that are written before they are read.
#define PERP_TAKE_RAW(arena, type, count)                                                          \
    ((type *)perp_arena_take(arena, (size_t)(count), sizeof(type)))
// A copy of `count` elements of an array.
#define PERP_COPY(arena, array, count)                                                             \
    perp_arena_copy(arena, array, (size_t)(count), sizeof *(array))
void *perp_arena_copy(PerpArena *arena, const void *array, size_t count, size_t size);

// A context whose memory comes from the arena; freeing is left to release or rewind.
PerpContext perp_arena_context(PerpArena *arena);

#endif

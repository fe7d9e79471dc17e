#include "base/memory.h"

#include <stdint.h>
#include <string.h>

static bool product_overflows(size_t count, size_t size)
{
    const size_t HALF = (size_t)1 << (4 * sizeof(size_t) - 1); // no division for what is smaller
    return (count >= HALF || size >= HALF) && size != 0 && count > SIZE_MAX / 2 / size;
}

void *perp_resize(const PerpAllocator *allocator, void *memory, size_t count, size_t size)
{
    if (product_overflows(count, size))
        return NULL;
    size_t bytes = count * size;
    return allocator->resize(allocator->user, memory, bytes ? bytes : 1);
}

void *perp_allocate(const PerpAllocator *allocator, size_t count, size_t size)
{
    void *memory = perp_resize(allocator, NULL, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void perp_free(const PerpAllocator *allocator, void *memory)
{
    if (memory)
        allocator->resize(allocator->user, memory, 0);
}

// --- room ahead ---------------------------------------------------------------------------------

enum { LEAST = 1 << 12, LITTLE = 1 << 16 }; // bytes

// So that needs that grow slowly cause few calls: as much again, but of much a quarter.
static size_t room_ahead(size_t bytes)
{
    size_t again = bytes < LEAST ? LEAST : bytes < LITTLE ? bytes : LITTLE;
    return bytes / 4 > again ? bytes / 4 : again;
}

bool perp_make_room(const PerpAllocator *allocator, void **memory, int *room, int needed,
                    size_t size)
{
    if (needed <= *room)
        return true;
    size_t wanted = (size_t)needed + room_ahead((size_t)needed * size) / size;
    void *larger = perp_resize(allocator, *memory, wanted, size);
    if (!larger)
        return false;
    *memory = larger;
    *room = (int)wanted;
    return true;
}

// --- arenas -------------------------------------------------------------------------------------

enum { ALIGNMENT = 64 };

struct PerpArenaBlock {
    PerpArenaBlock *before; // owned
    size_t size, used;      // bytes of payload, which starts at the first aligned address behind
};

void perp_arena_init(PerpArena *arena, const PerpAllocator *allocator)
{
    *arena = (PerpArena){.allocator = *allocator};
}

void perp_arena_free(PerpArena *arena)
{
    while (arena->block) {
        PerpArenaBlock *before = arena->block->before;
        perp_free(&arena->allocator, arena->block);
        arena->block = before;
    }
    arena->taken = 0;
}

static char *payload(PerpArenaBlock *block)
{
    uintptr_t address = (uintptr_t)(block + 1);
    return (char *)((address + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

static bool add_block(PerpArena *arena, size_t size)
{
    PerpArenaBlock *block =
        perp_resize(&arena->allocator, NULL, 1, sizeof(PerpArenaBlock) + ALIGNMENT + size);
    if (!block)
        return false;
    *block = (PerpArenaBlock){.before = arena->block, .size = size};
    arena->block = block;
    return true;
}

static size_t room_of(const PerpArena *arena)
{
    size_t room = 0;
    for (const PerpArenaBlock *block = arena->block; block; block = block->before)
        room += block->size;
    return room;
}

void *perp_arena_take(PerpArena *arena, size_t count, size_t size)
{
    if (product_overflows(count, size))
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->block || arena->block->size - arena->block->used < bytes) {
        size_t ahead = room_ahead(room_of(arena));
        if (!add_block(arena, bytes > ahead ? bytes : ahead))
            return NULL;
    }
    char *memory = payload(arena->block) + arena->block->used;
    arena->block->used += bytes;
    arena->taken += bytes;
    arena->most = arena->taken > arena->most ? arena->taken : arena->most;
    return memory;
}

void *perp_arena_take_zeroed(PerpArena *arena, size_t count, size_t size)
{
    void *memory = perp_arena_take(arena, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void *perp_arena_copy(PerpArena *arena, const void *array, size_t count, size_t size)
{
    void *copy = perp_arena_take(arena, count, size);
    if (copy && count > 0)
        memcpy(copy, array, count * size);
    return copy;
}

PerpArenaMark perp_arena_mark(const PerpArena *arena)
{
    size_t used = arena->block ? arena->block->used : 0;
    return (PerpArenaMark){arena->block, used, arena->taken};
}

void perp_arena_release(PerpArena *arena, PerpArenaMark mark)
{
    if (!arena->block)
        return;
    arena->block->used = arena->block == mark.block ? mark.used : 0;
    arena->taken = mark.taken;
}

// Several blocks become one.
void perp_arena_rewind(PerpArena *arena)
{
    if (arena->block && arena->block->before) {
        perp_arena_free(arena);
        // if that fails, the next take tries again
        add_block(arena, arena->most + room_ahead(arena->most));
    }
    if (arena->block)
        arena->block->used = 0;
    arena->taken = 0;
    arena->rewinds++;
}

static void *resize_in_arena(void *user, void *memory, size_t bytes)
{
    (void)memory;
    return bytes ? perp_arena_take(user, bytes, 1) : NULL;
}

PerpContext perp_arena_context(PerpArena *arena)
{
    return (PerpContext){.allocator = {.resize = resize_in_arena, .user = arena}};
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "failing_allocator.h"

#include <string.h>

static bool is_filled(const void *memory, size_t bytes, unsigned char value)
{
    const unsigned char *byte = memory;
    for (size_t i = 0; i < bytes; i++)
        if (byte[i] != value)
            return false;
    return true;
}

static void test_default_context(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    assert_null(context.log.write);
    double *a = perp_allocate(&context.allocator, 10, sizeof *a);
    assert_non_null(a);
    assert_true(is_filled(a, 10 * sizeof *a, 0));
    a[9] = 5;
    a = perp_resize(&context.allocator, a, 1000, sizeof *a);
    assert_non_null(a);
    assert_true(a[9] == 5);
    perp_free(&context.allocator, a);
    perp_free(&context.allocator, NULL);
}

static void test_products_that_overflow_are_refused(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    assert_null(perp_allocate(&context.allocator, SIZE_MAX / 4, 8));
    assert_null(perp_allocate(&context.allocator, SIZE_MAX, SIZE_MAX));
    assert_null(perp_resize(&context.allocator, NULL, SIZE_MAX / 2 + 1, 1));
    assert_null(perp_arena_take(&arena, SIZE_MAX / 8, 8));
    assert_null(PERP_TAKE(&arena, double, SIZE_MAX / 8));
    assert_int_equal(memory.calls, 0);
    perp_arena_free(&arena);
}

static void test_nothing_is_still_memory(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    void *none = perp_allocate(&context.allocator, 0, 8);
    void *of_nothing = perp_allocate(&context.allocator, 8, 0);
    assert_non_null(none);
    assert_non_null(of_nothing);
    assert_int_equal(memory.live, 2);
    perp_free(&context.allocator, none);
    perp_free(&context.allocator, of_nothing);
    assert_int_equal(memory.live, 0);
}

static void test_failed_resize_keeps_the_old_memory(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {.fail_at = 2};
    PerpContext context = perp_failing_context(&memory);
    char *text = perp_allocate(&context.allocator, 4, 1);
    memcpy(text, "old", 4);
    assert_null(perp_resize(&context.allocator, text, 100, 1));
    assert_string_equal(text, "old");
    text = perp_resize(&context.allocator, text, 100, 1);
    assert_string_equal(text, "old");
    assert_int_equal(memory.live, 1);
    perp_free(&context.allocator, text);
    assert_int_equal(memory.live, 0);
    assert_int_equal(memory.calls, 3);
}

static void test_failed_allocation(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {.fail_at = 1};
    PerpContext context = perp_failing_context(&memory);
    assert_null(perp_allocate(&context.allocator, 1, 1));
    memory = (PerpFailingAllocator){.fail_at = 1};
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    assert_null(perp_arena_take(&arena, 1, 1));
    memory.fail_at = 2;
    assert_null(PERP_TAKE(&arena, int, 1));
    assert_non_null(PERP_TAKE(&arena, int, 1));
    perp_arena_free(&arena);
    assert_int_equal(memory.live, 0);
}

// Takes pieces of many sizes, fills each with its number and finds all of them intact at the end.
static void fill_arena(PerpArena *arena)
{
    enum { PIECES = 40 };
    unsigned char *piece[PIECES];
    for (int i = 0; i < PIECES; i++) {
        size_t bytes = (size_t)(i * i * i);
        piece[i] = perp_arena_take(arena, bytes, 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        memset(piece[i], i, bytes);
    }
    for (int i = 0; i < PIECES; i++)
        assert_true(is_filled(piece[i], (size_t)(i * i * i), (unsigned char)i));
}

static void test_arena_pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    fill_arena(&arena);
    assert_true(memory.live > 1);
    perp_arena_free(&arena);
    assert_int_equal(memory.live, 0);
}

// after the first round everything is in one block, and no heap call remains
static void test_rewind_merges_the_blocks(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    perp_arena_rewind(&arena);
    assert_int_equal(memory.calls, 0);
    fill_arena(&arena);
    perp_arena_rewind(&arena);
    assert_int_equal(memory.live, 1);
    int calls = memory.calls;
    for (int step = 0; step < 5; step++) {
        fill_arena(&arena);
        perp_arena_rewind(&arena);
    }
    assert_int_equal(memory.calls, calls);
    perp_arena_free(&arena);
    assert_int_equal(memory.live, 0);
}

// What is given back is not needed again: the one block holds what was taken at once, and a little.
static void test_released_memory_is_not_held(void **state)
{
    enum { PIECE = 10000, ROUNDS = 100 };
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    for (int k = 0; k < ROUNDS; k++) {
        PerpArenaMark mark = perp_arena_mark(&arena);
        for (int i = 0; i < 5; i++)
            assert_non_null(perp_arena_take(&arena, PIECE, 1));
        perp_arena_release(&arena, mark);
    }
    perp_arena_rewind(&arena);
    assert_int_equal(memory.live, 1);
    assert_in_range(memory.bytes, 5 * PIECE, 11 * PIECE);
    for (int k = 0; k < 200; k++) // of much little is held ahead
        assert_non_null(perp_arena_take(&arena, PIECE, 1));
    perp_arena_rewind(&arena);
    assert_in_range(memory.bytes, 200 * PIECE, 255 * PIECE);
    perp_arena_free(&arena);
    assert_int_equal(memory.bytes, 0);
}

static void test_copies(void **state)
{
    (void)state;
    const int numbers[] = {3, 1, 4};
    PerpContext context = perp_default_context();
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    int *copy = PERP_COPY(&arena, numbers, 3);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_non_null(PERP_COPY(&arena, numbers, 0));
    perp_arena_free(&arena);
}

// An array that grows element by element asks rarely, keeps what it has, and has little too much.
static void test_room_of_arrays(void **state)
{
    enum { COUNT = 100000 };
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    int *array = NULL, room = 0;
    for (int k = 0; k < COUNT; k++) {
        void *larger = array;
        assert_true(perp_make_room(&context.allocator, &larger, &room, k + 1, sizeof *array));
        array = larger;
        array[k] = k;
    }
    for (int k = 0; k < COUNT; k++)
        assert_int_equal(array[k], k);
    assert_in_range(memory.calls, 2, 20);
    assert_in_range(memory.bytes, COUNT * sizeof *array, 5 * COUNT * sizeof *array / 4);
    void *same = array;
    int had = room;
    memory.fail_at = memory.calls + 1;
    assert_false(perp_make_room(&context.allocator, &same, &room, 2 * COUNT, sizeof *array));
    assert_ptr_equal(same, array);
    assert_int_equal(room, had);
    perp_free(&context.allocator, array);
}

static void test_rewind_without_memory(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    fill_arena(&arena);
    memory.fail_at = memory.calls + 1;
    perp_arena_rewind(&arena);
    assert_int_equal(memory.live, 0);
    fill_arena(&arena);
    perp_arena_free(&arena);
    assert_int_equal(memory.live, 0);
}

static void test_take_is_zeroed(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    PerpArena arena;
    perp_arena_init(&arena, &context.allocator);
    memset(perp_arena_take(&arena, 100, 8), 255, 800);
    perp_arena_rewind(&arena);
    double *a = PERP_TAKE(&arena, double, 100);
    assert_true(is_filled(a, 800, 0));
    perp_arena_free(&arena);
    assert_null(arena.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_context),
        cmocka_unit_test(test_products_that_overflow_are_refused),
        cmocka_unit_test(test_nothing_is_still_memory),
        cmocka_unit_test(test_failed_resize_keeps_the_old_memory),
        cmocka_unit_test(test_failed_allocation),
        cmocka_unit_test(test_arena_pieces_are_aligned_and_apart),
        cmocka_unit_test(test_rewind_merges_the_blocks),
        cmocka_unit_test(test_released_memory_is_not_held),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_room_of_arrays),
        cmocka_unit_test(test_rewind_without_memory),
        cmocka_unit_test(test_take_is_zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

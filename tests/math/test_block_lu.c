// Sparse L U in blocks against the dense product with the known solution.
#include "math/block_lu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

#include <math.h>

enum { BLOCKS = 12, LARGEST = 6 * BLOCKS };

static int set_up(void **state)
{
    static PerpArena arena;
    PerpContext context = perp_default_context();
    perp_arena_init(&arena, &context.allocator);
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    perp_arena_free(*state);
    return 0;
}

// Adds a random block to the factors' matrix and to the dense one.
static void add_block(PerpRandom *random, PerpBlockLu *lu, int i, int j, double diagonal,
                      double dense[LARGEST][LARGEST])
{
    bool transposed;
    double *block = perp_block_lu_block(lu, i, j, &transposed);
    for (int a = 0; a < lu->size; a++)
        for (int b = 0; b < lu->size; b++) {
            double value = perp_random_uniform(random, -1, 1) + (a == b ? diagonal : 0);
            block[transposed ? lu->pad * a + b : lu->pad * b + a] += value;
            dense[lu->size * i + a][lu->size * j + b] += value;
        }
}

// A matrix with a random graph, far from symmetric; A x of a random x, solved back.
static void check_matrix(PerpArena *arena, uint64_t seed, int n, int size, double density)
{
    static double dense[LARGEST][LARGEST];
    PerpRandom random = perp_random(seed);
    int i[BLOCKS * BLOCKS], j[BLOCKS * BLOCKS], pairs = 0, rows = n * size;
    double x[LARGEST], y[LARGEST] = {0};
    PerpBlockLu lu;
    perp_arena_rewind(arena);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            if (perp_random_uniform(&random, 0, 1) < density) {
                i[pairs] = perp_random_coin(&random) ? a : b;
                j[pairs] = i[pairs] == a ? b : a;
                pairs++;
            }
    assert_true(perp_block_lu_analyse(arena, n, size, pairs, i, j, &lu));
    perp_block_lu_clear(&lu);
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < rows; b++)
            dense[a][b] = 0;
    for (int a = 0; a < n; a++)
        add_block(&random, &lu, a, a, 3.0 * n, dense);
    for (int k = 0; k < pairs; k++) {
        add_block(&random, &lu, i[k], j[k], 0, dense);
        add_block(&random, &lu, j[k], i[k], 0, dense);
    }
    for (int a = 0; a < rows; a++)
        x[a] = perp_random_uniform(&random, -1, 1);
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < rows; b++)
            y[a] += dense[a][b] * x[b];
    assert_true(perp_block_lu_factor(&lu));
    perp_block_lu_solve(&lu, y);
    for (int a = 0; a < rows; a++)
        assert_true(fabs(y[a] - x[a]) < 1e-12);
}

static void random_matrices(void **state)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        int n = 1 + (int)(seed % BLOCKS);
        check_matrix(*state, seed, n, seed % 2 ? 3 : 6, (double)(seed % 7) / 6);
    }
}

// The diagonal block needs row exchanges.
static void swaps_rows_within_blocks(void **state)
{
    PerpBlockLu lu;
    bool unused;
    double x[3] = {1, 2, 3};
    assert_true(perp_block_lu_analyse(*state, 1, 3, 0, NULL, NULL, &lu));
    perp_block_lu_clear(&lu);
    double *block = perp_block_lu_block(&lu, 0, 0, &unused);
    block[1] = block[lu.pad + 2] = block[2 * lu.pad] = 1; // a cyclic shift
    assert_true(perp_block_lu_factor(&lu));
    perp_block_lu_solve(&lu, x);
    assert_true(x[0] == 2 && x[1] == 3 && x[2] == 1);
}

static void singular_blocks_are_told(void **state)
{
    PerpBlockLu lu;
    assert_true(perp_block_lu_analyse(*state, 2, 6, 0, NULL, NULL, &lu));
    perp_block_lu_clear(&lu);
    assert_false(perp_block_lu_factor(&lu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(swaps_rows_within_blocks),
        cmocka_unit_test(singular_blocks_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

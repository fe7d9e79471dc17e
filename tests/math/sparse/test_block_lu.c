// Sparse L U in blocks against dense LAPACK and known solutions; bits whatever the threads.
#include "math/sparse/block_lu.h"

#include "math/lapack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

#include <math.h>
#include <string.h>

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

// --- graphs -------------------------------------------------------------------------------------

typedef struct Pairs {
    int n, count;
    int *i, *j;
} Pairs;

static Pairs take_pairs(PerpArena *arena, int n, int most)
{
    return (Pairs){n, 0, PERP_TAKE(arena, int, most), PERP_TAKE(arena, int, most)};
}

static void add_pair(Pairs *pairs, int i, int j)
{
    pairs->i[pairs->count] = i;
    pairs->j[pairs->count++] = j;
}

static Pairs random_pairs(PerpArena *arena, PerpRandom *random, int n, double density)
{
    Pairs pairs = take_pairs(arena, n, n * n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            if (perp_random_uniform(random, 0, 1) < density) {
                bool swapped = perp_random_coin(random);
                add_pair(&pairs, swapped ? b : a, swapped ? a : b);
                if (perp_random_uniform(random, 0, 1) < 0.1)
                    add_pair(&pairs, a, b); // named twice
            }
    return pairs;
}

// Neighbours in a box of a x b x c, with one bond in six missing.
static Pairs box_pairs(PerpArena *arena, PerpRandom *random, int a, int b, int c)
{
    Pairs pairs = take_pairs(arena, a * b * c, 3 * a * b * c);
    for (int k = 0; k < a * b * c; k++) {
        if (k % a > 0 && perp_random_int(random, 0, 5))
            add_pair(&pairs, k, k - 1);
        if (k / a % b > 0 && perp_random_int(random, 0, 5))
            add_pair(&pairs, k - a, k);
        if (k / a / b > 0 && perp_random_int(random, 0, 5))
            add_pair(&pairs, k, k - a * b);
    }
    return pairs;
}

// --- matrices -----------------------------------------------------------------------------------

// A matrix, and y = A x formed with it.
typedef struct Matrix {
    PerpBlockLu lu;
    const double *x;
    double *y;
    double *dense; // by columns; NULL: none
    int rows;
} Matrix;

// A random block, far from symmetric.
static void add_block(PerpRandom *random, Matrix *m, int i, int j, double diagonal)
{
    bool transposed;
    int size = m->lu.size, pad = m->lu.pad;
    double *block = perp_block_lu_block(&m->lu, i, j, &transposed);
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            double value = perp_random_uniform(random, -1, 1) + (a == b ? diagonal : 0);
            block[transposed ? pad * a + b : pad * b + a] += value;
            m->y[size * i + a] += value * m->x[size * j + b];
            if (m->dense)
                m->dense[size * i + a + (size_t)m->rows * (size_t)(size * j + b)] += value;
        }
}

// Rows are about as large on the diagonal as besides it: without that, exchanges of rows within
// blocks only would not do.
static void fill(PerpRandom *random, const Pairs *pairs, Matrix *m)
{
    double besides = m->lu.size * (1 + 2.0 * pairs->count / pairs->n) / 2;
    perp_block_lu_clear(&m->lu);
    memset(m->y, 0, (size_t)m->rows * sizeof(double));
    for (int a = 0; a < pairs->n; a++)
        add_block(random, m, a, a, besides);
    for (int k = 0; k < pairs->count; k++) {
        add_block(random, m, pairs->i[k], pairs->j[k], 0);
        add_block(random, m, pairs->j[k], pairs->i[k], 0);
    }
}

static Matrix make_matrix(PerpArena *arena, PerpRandom *random, const Pairs *pairs, int size,
                          bool dense)
{
    Matrix m = {.rows = pairs->n * size};
    double *x = PERP_TAKE(arena, double, m.rows);
    for (int a = 0; a < m.rows; a++)
        x[a] = perp_random_uniform(random, -1, 1);
    m.x = x;
    m.y = PERP_TAKE(arena, double, m.rows);
    m.dense = dense ? PERP_TAKE(arena, double, (size_t)m.rows *(size_t)m.rows) : NULL;
    assert_true(
        perp_block_lu_analyse(arena, pairs->n, size, pairs->count, pairs->i, pairs->j, &m.lu));
    fill(random, pairs, &m);
    return m;
}

static double largest_difference(int n, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

// As accurate as LAPACK, up to a factor.
static void check_against_lapack(PerpArena *arena, uint64_t seed, int n, int size, double density)
{
    PerpRandom random = perp_random(seed);
    perp_arena_rewind(arena);
    Pairs pairs = random_pairs(arena, &random, n, density);
    Matrix m = make_matrix(arena, &random, &pairs, size, true);
    int *pivots = PERP_TAKE(arena, int, m.rows);
    double *x = PERP_TAKE(arena, double, m.rows);
    memcpy(x, m.y, (size_t)m.rows * sizeof(double));
    assert_true(perp_lu_factor(m.rows, m.dense, m.rows, pivots));
    perp_lu_solve(m.rows, m.dense, m.rows, pivots, 1, x, m.rows);
    assert_true(perp_block_lu_factor(&m.lu));
    perp_block_lu_solve(&m.lu, m.y);
    double lapack = largest_difference(m.rows, x, m.x);
    double ours = largest_difference(m.rows, m.y, m.x);
    if (!(ours <= 1e-14 + 100 * lapack))
        fail_msg("seed %d, %d blocks: error %.1e, LAPACK's %.1e", (int)seed, n, ours, lapack);
}

static void dense_lapack(void **state)
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        check_against_lapack(*state, seed, 1 + (int)(seed % 24), seed % 2 ? 3 : 6,
                             (double)(seed % 7) / 6);
    check_against_lapack(*state, 301, 60, 6, 0.05);
    check_against_lapack(*state, 302, 120, 3, 0.02);
}

// Graphs of all sizes, also such that are dissected and that fall into pieces.
static void known_solutions(void **state)
{
    static const int box[][3] = {{300, 1, 1}, {17, 17, 1}, {7, 6, 7}, {60, 30, 1}, {13, 12, 11}};
    PerpRandom random = perp_random(7);
    for (size_t k = 0; k < sizeof box / sizeof *box; k++)
        for (int size = 3; size <= 6; size += 3) {
            perp_arena_rewind(*state);
            Pairs pairs = box_pairs(*state, &random, box[k][0], box[k][1], box[k][2]);
            Matrix m = make_matrix(*state, &random, &pairs, size, false);
            assert_true(perp_block_lu_factor(&m.lu));
            perp_block_lu_solve(&m.lu, m.y);
            assert_true(largest_difference(m.rows, m.y, m.x) < 1e-12);
        }
}

// A symmetric block pair: value at (a, b) of (i, j) and at (b, a) of (j, i). Off the diagonal it
// stands in `upper` only.
static void add_symmetric(PerpRandom *random, Matrix *m, int i, int j, double diagonal)
{
    const int *place = m->lu.pattern->place;
    int size = m->lu.size, pad = m->lu.pad, row = place[i] > place[j] ? i : j, column = i + j - row;
    size_t at = (size_t)(size * pad) * perp_block_pattern_block(m->lu.pattern, i, j);
    double *block = (i == j ? m->lu.lower : m->lu.upper) + at;
    for (int a = 0; a < size; a++)
        for (int b = 0; b <= (i == j ? a : size - 1); b++) {
            double value = perp_random_uniform(random, -1, 1) + (i == j && a == b ? diagonal : 0);
            block[pad * b + a] += value;
            m->y[size * row + a] += value * m->x[size * column + b];
            if (i == j && a == b)
                continue;
            if (i == j)
                block[pad * a + b] += value;
            m->y[size * column + b] += value * m->x[size * row + a];
        }
}

static void fill_symmetric(PerpRandom *random, const Pairs *pairs, Matrix *m)
{
    m->lu.symmetric = true;
    perp_block_lu_clear(&m->lu);
    memset(m->y, 0, (size_t)m->rows * sizeof(double));
    for (int a = 0; a < pairs->n; a++)
        add_symmetric(random, m, a, a, m->lu.size * (1 + 2.0 * pairs->count / pairs->n));
    for (int k = 0; k < pairs->count; k++)
        add_symmetric(random, m, pairs->i[k], pairs->j[k], 0);
}

// L D L' of the same graphs, the same bits for any number of threads.
static void symmetric_matrices(void **state)
{
    static const int box[][3] = {{300, 1, 1}, {17, 17, 1}, {7, 6, 7}, {13, 12, 11}};
    for (size_t k = 0; k < sizeof box / sizeof *box; k++)
        for (int size = 3; size <= 6; size += 3) {
            PerpRandom random = perp_random(21);
            perp_arena_rewind(*state);
            Pairs pairs = box_pairs(*state, &random, box[k][0], box[k][1], box[k][2]);
            Matrix m = make_matrix(*state, &random, &pairs, size, false);
            double *first = PERP_TAKE(*state, double, m.rows);
            for (int threads = 1; threads <= 3; threads++) {
                PerpRandom same = perp_random(22);
                fill_symmetric(&same, &pairs, &m);
                m.lu.threads = threads;
                assert_true(perp_block_lu_factor(&m.lu));
                perp_block_lu_solve(&m.lu, m.y);
                assert_true(largest_difference(m.rows, m.y, m.x) < 1e-12);
                if (threads == 1)
                    memcpy(first, m.y, (size_t)m.rows * sizeof(double));
                assert_memory_equal(first, m.y, (size_t)m.rows * sizeof(double));
            }
        }
}

// Factors of one thread and of many are the same, bit for bit.
static void same_bits_for_any_threads(void **state)
{
    static const int threads[] = {1, 2, 3, 16};
    double *first = NULL;
    perp_arena_rewind(*state);
    PerpRandom random = perp_random(11);
    Pairs pairs = box_pairs(*state, &random, 13, 12, 11);
    Matrix m = make_matrix(*state, &random, &pairs, 3, false);
    size_t bytes = m.lu.pattern->blocks * 12 * sizeof(double);
    assert_true(m.lu.pattern->n_branches > 0);
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        PerpRandom same = perp_random(12);
        fill(&same, &pairs, &m);
        m.lu.threads = threads[k];
        assert_true(perp_block_lu_factor(&m.lu));
        if (k == 0) {
            first = PERP_TAKE(*state, double, 2 * bytes / sizeof(double));
            memcpy(first, m.lu.lower, bytes);
            memcpy(first + bytes / sizeof(double), m.lu.upper, bytes);
        }
        assert_memory_equal(first, m.lu.lower, bytes);
        assert_memory_equal(first + bytes / sizeof(double), m.lu.upper, bytes);
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
    PerpRandom random = perp_random(3);
    assert_true(perp_block_lu_analyse(*state, 2, 6, 0, NULL, NULL, &lu));
    perp_block_lu_clear(&lu);
    assert_false(perp_block_lu_factor(&lu));
    Pairs pairs = box_pairs(*state, &random, 13, 12, 11);
    for (int threads = 1; threads <= 2; threads++) {
        Matrix m = make_matrix(*state, &random, &pairs, 3, false);
        bool unused;
        m.lu.threads = threads;
        memset(m.lu.lower, 0, m.lu.pattern->blocks * 12 * sizeof(double));
        memset(m.lu.upper, 0, m.lu.pattern->blocks * 12 * sizeof(double));
        for (int k = 0; k < pairs.n; k++) // only the last to be eliminated
            for (int a = 0; a < 3 && m.lu.pattern->place[k] < pairs.n - 1; a++)
                perp_block_lu_block(&m.lu, k, k, &unused)[m.lu.pad * a + a] = 1;
        assert_false(perp_block_lu_factor(&m.lu));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_lapack),
        cmocka_unit_test(known_solutions),
        cmocka_unit_test(symmetric_matrices),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(swaps_rows_within_blocks),
        cmocka_unit_test(singular_blocks_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

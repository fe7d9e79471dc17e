// Pivots of a basis: after each, the inverse and the values are those of a factorisation from
// scratch.
#include "pivoting/basis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { SIZE = 70 };

typedef struct Fixture {
    PerpArena arena;
    PerpRandom random;
    PerpBasis basis, fresh; // fresh: the same problem and core, factorised anew
} Fixture;

static void copy_problem(const PerpBasis *from, PerpBasis *to)
{
    size_t n = (size_t)from->n;
    to->free = from->free;
    memcpy(to->Md, from->Md, n * (n + 1) * sizeof(double));
    memcpy(to->q, from->q, 2 * n * sizeof(double));
}

static void fill_problem(Fixture *f, int free)
{
    PerpBasis *basis = &f->basis;
    int n = basis->n;
    basis->free = free;
    for (int k = 0; k < n * (n + 1); k++)
        basis->Md[k] = perp_random_normal(&f->random);
    for (int k = 0; k < 2 * n; k++)
        basis->q[k] = perp_random_normal(&f->random);
    copy_problem(basis, &f->fresh);
}

static void set_up(Fixture *f, uint64_t seed, int n, int free)
{
    PerpContext context = perp_default_context();
    *f = (Fixture){.random = perp_random(seed)};
    perp_arena_init(&f->arena, &context.allocator);
    assert_true(perp_basis_take(&f->arena, n, &f->basis));
    assert_true(perp_basis_take(&f->arena, n, &f->fresh));
    fill_problem(f, free);
}

static void tear_down(Fixture *f)
{
    perp_arena_free(&f->arena);
}

// --- comparing ----------------------------------------------------------------------------------

static double inverse_at(const PerpBasis *basis, int i, int j)
{
    return basis->inverse[i + basis->ld * j];
}

static void assert_same_inverse(const PerpBasis *a, const PerpBasis *b)
{
    double size = 0;
    for (int j = 0; j < b->k; j++)
        for (int i = 0; i < b->k; i++)
            size = fmax(size, fabs(inverse_at(b, i, j)));
    for (int j = 0; j < b->k; j++)
        for (int i = 0; i < b->k; i++)
            assert_true(fabs(inverse_at(a, i, j) - inverse_at(b, i, j)) <= 1e-9 * size);
}

static void assert_same_numbers(int count, const double *a, const double *b)
{
    double size = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++)
        assert_true(fabs(a[i] - b[i]) <= 1e-9 * size);
}

static void assert_places_match(const PerpBasis *basis)
{
    int rows = 0, columns = 0;
    for (int c = 0; c < basis->k; c++) {
        assert_int_equal(basis->row_place[basis->row[c]], c);
        assert_int_equal(basis->column_place[basis->column[c]], c);
    }
    for (int i = 0; i < basis->n; i++)
        rows += basis->row_place[i] >= 0;
    for (int j = 0; j <= basis->n; j++)
        columns += basis->column_place[j] >= 0;
    assert_int_equal(rows, basis->k);
    assert_int_equal(columns, basis->k);
    for (int i = 0; i < basis->free; i++)
        assert_int_equal(basis->column[i], i);
}

static void assert_same_as_fresh(Fixture *f)
{
    PerpBasis *basis = &f->basis, *fresh = &f->fresh;
    int n = basis->n;
    assert_true(perp_basis_set_core(fresh, basis->k, basis->row, basis->column));
    assert_places_match(basis);
    assert_same_inverse(basis, fresh);
    for (int side = 0; side < 2; side++) {
        assert_same_numbers(basis->k, basis->core_value + side * n, fresh->core_value + side * n);
        assert_same_numbers(n, basis->row_value + side * n, fresh->row_value + side * n);
    }
}

// --- random pivots ------------------------------------------------------------------------------

static bool is_basic(const PerpBasis *basis, int variable)
{
    return variable < basis->n ? basis->row_place[variable] < 0
                               : basis->column_place[variable - basis->n] >= 0;
}

// any nonbasic variable but the w of equations
static int pick_entering(Fixture *f)
{
    int variable;
    do
        variable = perp_random_int(&f->random, f->basis.free, 2 * f->basis.n);
    while (is_basic(&f->basis, variable));
    return variable;
}

static double step_at(const PerpBasis *basis, PerpPlace place)
{
    return place.in_core ? basis->core_step[place.index] : basis->row_step[place.index];
}

static double value_at(const PerpBasis *basis, PerpPlace place, int side)
{
    const double *value = place.in_core ? basis->core_value : basis->row_value;
    return value[side * basis->n + place.index];
}

// a place of the wanted kind with a step that is not small, so that the core stays well conditioned
static PerpPlace pick_leaving(Fixture *f, int in_core)
{
    const PerpBasis *basis = &f->basis;
    int first = in_core ? basis->free : 0, end = in_core ? basis->k : basis->n;
    PerpPlace best = {-1, 0};
    for (int i = first; i < end; i++) {
        PerpPlace place = {in_core, i};
        double size = fabs(step_at(basis, place)) * perp_random_uniform(&f->random, 0.5, 1);
        if (size > 0.1 && (best.in_core < 0 || size > fabs(step_at(basis, best))))
            best = place;
    }
    return best;
}

// One pivot; counts[0 .. 3]: grow, replace column, replace row, shrink.
static void pivot_once(Fixture *f, int counts[4])
{
    PerpBasis *basis = &f->basis;
    int entering = pick_entering(f), in_core = perp_random_coin(&f->random);
    assert_true(perp_basis_direction(basis, entering));
    PerpPlace place = pick_leaving(f, in_core);
    if (place.in_core < 0)
        return;
    double step = -step_at(basis, place);
    double length[2] = {value_at(basis, place, 0) / step, value_at(basis, place, 1) / step};
    int leaving = perp_basis_variable(basis, place);
    assert_true(is_basic(basis, leaving));
    perp_basis_pivot(basis, entering, place, length);
    assert_true(is_basic(basis, entering) && !is_basic(basis, leaving));
    counts[(entering < basis->n ? 2 : 0) + in_core]++;
}

static void check_random_pivots(uint64_t seed, int free)
{
    Fixture f;
    int counts[4] = {0}, most = 0;
    set_up(&f, seed, SIZE, free);
    assert_true(perp_basis_clear(&f.basis));
    for (int pivot = 0; pivot < 600; pivot++) {
        pivot_once(&f, counts);
        assert_same_as_fresh(&f);
        most = f.basis.k > most ? f.basis.k : most;
    }
    for (int kind = 0; kind < 4; kind++)
        assert_true(counts[kind] > 50);
    assert_true(most > 32); // the inverse had to move to a larger leading dimension
    tear_down(&f);
}

static void pivots_keep_the_inverse_and_the_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_random_pivots(seed, 0);
}

static void equations_stay_in_front(void **state)
{
    (void)state;
    for (uint64_t seed = 5; seed <= 8; seed++)
        check_random_pivots(seed, 6);
}

// the whole matrix, one row and column at a time
static void core_grows_to_the_whole_matrix_and_back(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 9, SIZE, 0);
    perp_basis_clear(&f.basis);
    for (int k = 0; k < SIZE; k++) {
        assert_true(perp_basis_direction(&f.basis, SIZE + k));
        PerpPlace place = pick_leaving(&f, 0);
        perp_basis_pivot(&f.basis, SIZE + k, place, (double[2]){0, 0});
    }
    assert_int_equal(f.basis.k, SIZE);
    assert_true(perp_basis_set_core(&f.fresh, SIZE, f.basis.row, f.basis.column));
    assert_same_inverse(&f.basis, &f.fresh);
    for (int k = SIZE; k > 0; k--) {
        int row = f.basis.row[perp_random_int(&f.random, 0, k - 1)];
        assert_true(perp_basis_direction(&f.basis, row));
        perp_basis_pivot(&f.basis, row, pick_leaving(&f, 1), (double[2]){0, 0});
    }
    assert_int_equal(f.basis.k, 0);
    tear_down(&f);
}

// --- values -------------------------------------------------------------------------------------

// -A^-1 q on the core and q + M x on the rows, with M = [2 1; 1 3] and row 0 in the core
static void values_follow_from_the_core(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 10, 2, 0);
    memcpy(f.basis.Md, (double[]){2, 1, 1, 3, 1, 1}, 6 * sizeof(double));
    memcpy(f.basis.q, (double[]){-4, -5, 1, 2}, 4 * sizeof(double));
    assert_true(perp_basis_set(&f.basis, (signed char[]){1, 0}));
    assert_true(f.basis.core_value[0] == 2 && f.basis.core_value[2] == -0.5);
    assert_true(f.basis.row_value[0] == 0 && f.basis.row_value[1] == -3);
    assert_true(f.basis.row_value[3] == 1.5);
    assert_true(perp_basis_variable(&f.basis, (PerpPlace){1, 0}) == 2);
    assert_true(perp_basis_variable(&f.basis, (PerpPlace){0, 1}) == 1);
    tear_down(&f);
}

static void set_random_core(Fixture *f)
{
    signed char active[SIZE];
    for (int i = 0; i < SIZE; i++)
        active[i] = perp_random_coin(&f->random);
    assert_true(perp_basis_set(&f->basis, active));
}

static void assert_unit_values(Fixture *f, int j)
{
    PerpBasis *basis = &f->basis, *fresh = &f->fresh;
    memset(fresh->q, 0, 2 * SIZE * sizeof(double));
    fresh->q[j] = 1;
    assert_true(perp_basis_set_core(fresh, basis->k, basis->row, basis->column));
    for (int c = 0; c < basis->k; c++) {
        double value = perp_basis_unit_value(basis, (PerpPlace){1, c}, j);
        assert_true(fabs(value - fresh->core_value[c]) <= 1e-9);
    }
    for (int i = 0; i < SIZE; i++) {
        if (basis->row_place[i] >= 0)
            continue;
        double value = perp_basis_unit_value(basis, (PerpPlace){0, i}, j);
        assert_true(fabs(value - fresh->row_value[i]) <= 1e-9);
    }
}

static void unit_values_are_values_for_a_unit_vector(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 11, SIZE, 3);
    set_random_core(&f);
    for (int j = 0; j < SIZE; j++)
        assert_unit_values(&f, j);
    tear_down(&f);
}

static void empty_basis_has_the_values_of_q(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 12, SIZE, 0);
    assert_true(perp_basis_clear(&f.basis));
    assert_int_equal(f.basis.k, 0);
    assert_int_equal(f.basis.factorisations, 0);
    assert_memory_equal(f.basis.row_value, f.basis.q, 2 * SIZE * sizeof(double));
    tear_down(&f);
}

// --- lost digits --------------------------------------------------------------------------------

static void scribble(Fixture *f, double size)
{
    for (int j = 0; j < f->basis.k; j++)
        for (int i = 0; i < f->basis.k; i++)
            f->basis.inverse[i + f->basis.ld * j] *= 1 + size * perp_random_normal(&f->random);
}

static void assert_direction_is_mended(double error, int factorisations)
{
    Fixture f;
    set_up(&f, 13, SIZE, 0);
    set_random_core(&f);
    int entering = pick_entering(&f);
    scribble(&f, error);
    assert_true(perp_basis_direction(&f.basis, entering));
    assert_int_equal(f.basis.factorisations, 1 + factorisations);
    assert_true(perp_basis_set_core(&f.fresh, f.basis.k, f.basis.row, f.basis.column));
    assert_true(perp_basis_direction(&f.fresh, entering));
    assert_same_numbers(f.basis.k, f.basis.core_step, f.fresh.core_step);
    assert_same_numbers(SIZE, f.basis.row_step, f.fresh.row_step);
    tear_down(&f);
}

static void small_errors_of_the_inverse_are_refined_away(void **state)
{
    (void)state;
    assert_direction_is_mended(1e-7, 0);
}

static void large_errors_of_the_inverse_make_it_anew(void **state)
{
    (void)state;
    assert_direction_is_mended(1, 1);
}

static void values_that_are_better_than_q_are_kept(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 14, SIZE, 0);
    set_random_core(&f);
    f.basis.keep_values = true;
    f.basis.core_value[0] = 77;
    scribble(&f, 1);
    assert_true(perp_basis_refactor(&f.basis));
    assert_true(f.basis.core_value[0] == 77);
    assert_true(perp_basis_set_core(&f.fresh, f.basis.k, f.basis.row, f.basis.column));
    assert_same_inverse(&f.basis, &f.fresh);
    tear_down(&f);
}

// --- singular cores -----------------------------------------------------------------------------

static void clear_row(PerpBasis *basis, int i)
{
    for (int j = 0; j <= basis->n; j++)
        basis->Md[i + basis->n * j] = 0;
}

static void singular_cores_are_refused(void **state)
{
    (void)state;
    Fixture f;
    signed char all[SIZE];
    memset(all, 1, SIZE);
    set_up(&f, 15, SIZE, 0);
    assert_true(perp_basis_set(&f.basis, all));
    clear_row(&f.basis, 3);
    assert_false(perp_basis_set(&f.basis, all));
    all[3] = 0;
    assert_true(perp_basis_set(&f.basis, all));
    tear_down(&f);
}

static void singular_equations_are_refused(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 16, SIZE, 4);
    assert_true(perp_basis_clear(&f.basis));
    clear_row(&f.basis, 1);
    assert_false(perp_basis_clear(&f.basis));
    tear_down(&f);
}

// diag(1, 1e-20) is regular but its condition number is beyond what doubles can tell
static void hopeless_condition_is_refused(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 17, 2, 0);
    memcpy(f.basis.Md, (double[]){1, 0, 0, 1e-20, 1, 1}, 6 * sizeof(double));
    assert_false(perp_basis_set(&f.basis, (signed char[]){1, 1}));
    f.basis.Md[3] = 1e-10;
    assert_true(perp_basis_set(&f.basis, (signed char[]){1, 1}));
    tear_down(&f);
}

// numbers that overflow in the product do not pass for a solution
static void overflow_is_refused(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 18, 2, 0);
    memcpy(f.basis.Md, (double[]){1, 1, 1, 2, 1, 1}, 6 * sizeof(double));
    memcpy(f.basis.q, (double[]){1e308, -1e308, 0, 0}, 4 * sizeof(double));
    assert_false(perp_basis_set(&f.basis, (signed char[]){1, 1}));
    tear_down(&f);
}

// no x makes a row of zeros cancel the 1 of the entering column
static void direction_on_a_core_turned_singular_fails(void **state)
{
    (void)state;
    Fixture f;
    set_up(&f, 19, SIZE, 0);
    set_random_core(&f);
    int column = 0;
    while (is_basic(&f.basis, SIZE + column))
        column++;
    clear_row(&f.basis, f.basis.row[0]);
    f.basis.Md[f.basis.row[0] + SIZE * column] = 1;
    assert_false(perp_basis_direction(&f.basis, SIZE + column));
    tear_down(&f);
}

static void short_memory_is_told(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {.fail_at = 1};
    PerpContext context = perp_failing_context(&memory);
    PerpArena arena;
    PerpBasis basis;
    bool taken = false;
    for (; !taken; memory.fail_at++) {
        memory.calls = 0;
        perp_arena_init(&arena, &context.allocator);
        taken = perp_basis_take(&arena, SIZE, &basis);
        assert_true(taken || memory.calls >= memory.fail_at);
        perp_arena_free(&arena);
        assert_int_equal(memory.live, 0);
    }
    assert_true(memory.fail_at > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivots_keep_the_inverse_and_the_values),
        cmocka_unit_test(equations_stay_in_front),
        cmocka_unit_test(core_grows_to_the_whole_matrix_and_back),
        cmocka_unit_test(values_follow_from_the_core),
        cmocka_unit_test(unit_values_are_values_for_a_unit_vector),
        cmocka_unit_test(empty_basis_has_the_values_of_q),
        cmocka_unit_test(small_errors_of_the_inverse_are_refined_away),
        cmocka_unit_test(large_errors_of_the_inverse_make_it_anew),
        cmocka_unit_test(values_that_are_better_than_q_are_kept),
        cmocka_unit_test(singular_cores_are_refused),
        cmocka_unit_test(singular_equations_are_refused),
        cmocka_unit_test(hopeless_condition_is_refused),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(direction_on_a_core_turned_singular_fails),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

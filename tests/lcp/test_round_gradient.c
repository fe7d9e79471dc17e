// Projected gradients on the exact law: where they arrive, what they say of it, before and after
// the order of elimination is known.
#include "lcp/round.h"
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

enum { SCENES = 60, CONTACTS = 120 };

static PerpSample *make_scene(uint64_t seed)
{
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, CONTACTS);
    options.round = true;
    options.integer = false;
    options.mass_ratio = 1;
    options.asymmetry = 0;
    return perp_sample_scene(seed, &options);
}

static double find_residual(PerpArena *arena, const PerpRound *round, const double *r)
{
    double *v = PERP_TAKE(arena, double, round->n_state);
    double *u = PERP_TAKE(arena, double, 3 * round->n_cells);
    perp_round_velocity(round, r, v);
    perp_round_speeds(round, v, u);
    return perp_round_residual(round, r, u);
}

static void assert_in_cones(const PerpRound *round, const double *r)
{
    for (int c = 0; c < round->n_cells; c++)
        if (round->cell[c].kind == PERP_CELL_CONE)
            assert_true(hypot(r[3 * c + 1], r[3 * c + 2]) <= r[3 * c] * (1 + 1e-14));
}

// What is returned is the residual of r; most random scenes are solved to 1e-3.
static void test_arrives(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        PerpSample *sample = make_scene(seed);
        PerpProblem p = perp_sample_problem(sample);
        PerpContext context = perp_default_context();
        PerpArena arena;
        PerpRound round;
        int steps = 3000;
        perp_arena_init(&arena, &context.allocator);
        assert_true(perp_round_build(&arena, &p, &round));
        double *r = PERP_TAKE(&arena, double, 3 * round.n_cells);
        double residual = perp_round_gradient(&arena, &round, 1e-3, &steps, r);
        assert_in_cones(&round, r);
        assert_true(fabs(residual - find_residual(&arena, &round, r)) <= 1e-10);
        assert_in_range(steps, 0, 3000);
        solved += residual <= 1e-3;
        perp_arena_free(&arena);
        perp_sample_free(sample);
    }
    assert_true(solved >= SCENES * 9 / 10);
}

// The order of elimination changes where bodies stand in vectors, not what comes out.
static void test_needs_no_order(void **state)
{
    (void)state;
    PerpSample *sample = make_scene(7);
    PerpProblem p = perp_sample_problem(sample);
    PerpContext context = perp_default_context();
    PerpArena arena;
    PerpRound round;
    perp_arena_init(&arena, &context.allocator);
    assert_true(perp_round_build_kept(&arena, NULL, &p, &round));
    assert_false(round.analysed);
    int steps = 50, steps_ordered = 50;
    double *r = PERP_TAKE(&arena, double, 3 * round.n_cells);
    double *r_ordered = PERP_TAKE(&arena, double, 3 * round.n_cells);
    double residual = perp_round_gradient(&arena, &round, 1e-9, &steps, r);
    assert_true(perp_round_analyse(&round));
    double ordered = perp_round_gradient(&arena, &round, 1e-9, &steps_ordered, r_ordered);
    assert_memory_equal(&residual, &ordered, sizeof residual);
    assert_memory_equal(r, r_ordered, (size_t)(3 * round.n_cells) * sizeof(double));
    perp_arena_free(&arena);
    perp_sample_free(sample);
}

// A good start is kept as it is.
static void test_keeps_what_is_good(void **state)
{
    (void)state;
    PerpSample *sample = make_scene(3);
    PerpProblem p = perp_sample_problem(sample);
    PerpContext context = perp_default_context();
    PerpArena arena;
    PerpRound round;
    perp_arena_init(&arena, &context.allocator);
    assert_true(perp_round_build_kept(&arena, NULL, &p, &round));
    int steps = 3000, none = 3000;
    double *r = PERP_TAKE(&arena, double, 3 * round.n_cells);
    double *kept = PERP_TAKE(&arena, double, 3 * round.n_cells);
    double residual = perp_round_gradient(&arena, &round, 1e-2, &steps, r);
    assert_true(residual <= 1e-2 && steps > 0);
    memcpy(kept, r, (size_t)(3 * round.n_cells) * sizeof(double));
    assert_true(perp_round_gradient(&arena, &round, 1e-2, &none, r) == residual);
    assert_int_equal(none, 0);
    assert_memory_equal(r, kept, (size_t)(3 * round.n_cells) * sizeof(double));
    perp_arena_free(&arena);
    perp_sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrives),
        cmocka_unit_test(test_needs_no_order),
        cmocka_unit_test(test_keeps_what_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// What the tests of methods on round cones share: a random problem with bodies in cells, and how
// far impulses are from its law.
#ifndef PERP_TEST_ROUNDING_H
#define PERP_TEST_ROUNDING_H

#include "lcp/round.h"
#include "solving.h"

#include "generate.h"

#include <math.h>

typedef struct Setup {
    PerpSample *sample;
    PerpProblem problem;
    PerpArena arena;
    PerpRound round; // without an order of elimination
    double *r;       // zeros
} Setup;

static inline void begin_scene(uint64_t seed, const PerpSceneOptions *options, Setup *setup)
{
    PerpContext context = perp_default_context();
    setup->sample = perp_sample_scene(seed, options);
    setup->problem = perp_sample_problem(setup->sample);
    perp_arena_init(&setup->arena, &context.allocator);
    assert_true(perp_round_build_kept(&setup->arena, NULL, &setup->problem, &setup->round));
    setup->r = PERP_TAKE(&setup->arena, double, 3 * setup->round.n_cells);
}

// A random scene of round cones.
static inline void begin_round(uint64_t seed, int contacts, double mass_ratio, double asymmetry,
                               Setup *setup)
{
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, contacts);
    options.round = true;
    options.integer = false;
    options.mass_ratio = mass_ratio;
    options.asymmetry = asymmetry;
    begin_scene(seed, &options, setup);
}

static inline void end(Setup *setup)
{
    perp_arena_free(&setup->arena);
    perp_sample_free(setup->sample);
}

static inline double find_residual(Setup *setup)
{
    const PerpRound *round = &setup->round;
    double *v = PERP_TAKE(&setup->arena, double, round->n_state);
    double *u = PERP_TAKE(&setup->arena, double, 3 * round->n_cells);
    perp_round_velocity(round, setup->r, v);
    perp_round_speeds(round, v, u);
    return perp_round_residual(round, setup->r, u);
}

static inline void assert_in_cones(const PerpRound *round, const double *r)
{
    for (int c = 0; c < round->n_cells; c++)
        if (round->cell[c].kind == PERP_CELL_CONE)
            assert_true(hypot(r[3 * c + 1], r[3 * c + 2]) <= r[3 * c] * (1 + 1e-14));
}

#endif

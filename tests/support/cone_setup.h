// What the tests of methods on cones share: a random problem with bodies in constraints, and how
// far impulses are from its law.
#ifndef CONE_SETUP_H
#define CONE_SETUP_H

#include "cones/cone.h"
#include "cones/operator/delassus.h"
#include "solving.h"

#include "generate.h"

#include <math.h>

typedef struct Setup {
    PerpSample *sample;
    PerpProblem problem;
    PerpArena arena;
    PerpConeProblem cones; // without an order of elimination
    double *r;             // zeros
} Setup;

static inline void begin_scene(uint64_t seed, const PerpSceneOptions *options, Setup *setup)
{
    PerpContext context = perp_default_context();
    setup->sample = perp_sample_scene(seed, options);
    setup->problem = perp_sample_problem(setup->sample);
    perp_arena_init(&setup->arena, &context.allocator);
    assert_true(perp_cones_build(&setup->arena, NULL, &setup->problem, &setup->cones));
    setup->r = PERP_TAKE(&setup->arena, double, 3 * setup->cones.n_constraints);
}

// A random scene of circular cones.
static inline void begin_circular(uint64_t seed, int contacts, double mass_ratio, double asymmetry,
                                  Setup *setup)
{
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, contacts);
    options.circular = true;
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
    const PerpConeProblem *cones = &setup->cones;
    double *v = PERP_TAKE(&setup->arena, double, cones->n_state);
    double *u = PERP_TAKE(&setup->arena, double, 3 * cones->n_constraints);
    perp_delassus_velocity(cones, setup->r, v);
    perp_delassus_speeds(cones, v, u);
    return perp_cones_residual(cones, setup->r, u);
}

static inline void assert_in_cones(const PerpConeProblem *cones, const double *r)
{
    for (int c = 0; c < cones->n_constraints; c++)
        if (cones->constraint[c].cone->is_contact)
            assert_true(hypot(r[3 * c + 1], r[3 * c + 2]) <= r[3 * c] * (1 + 1e-14));
}

#endif

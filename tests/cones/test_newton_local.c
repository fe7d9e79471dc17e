// Newton's method on the local solution maps, for problems with bodies.
#include "cones/methods/methods.h"
#include "cones/methods/newton_local.h"
#include "cones/operator/delassus.h"
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

enum { SCENES = 40, CONTACTS = 100, STEPS = 60 };

typedef struct Setup {
    PerpSample *sample;
    PerpProblem problem;
    PerpArena arena;
    PerpConeProblem cones;
    double *r, *v, *u; // zeros
} Setup;

static void begin(uint64_t seed, double asymmetry, Setup *setup)
{
    PerpContext context = perp_default_context();
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, CONTACTS);
    options.circular = true;
    options.integer = false;
    options.mass_ratio = 1;
    options.asymmetry = asymmetry;
    setup->sample = perp_sample_scene(seed, &options);
    setup->problem = perp_sample_problem(setup->sample);
    perp_arena_init(&setup->arena, &context.allocator);
    assert_true(perp_cones_build(&setup->arena, NULL, &setup->problem, &setup->cones));
    assert_true(perp_delassus_analyse(&setup->cones));
    setup->r = PERP_TAKE(&setup->arena, double, 3 * setup->cones.n_constraints);
    setup->v = PERP_TAKE(&setup->arena, double, setup->cones.n_state);
    setup->u = PERP_TAKE(&setup->arena, double, 3 * setup->cones.n_constraints);
}

static void end(Setup *setup)
{
    perp_arena_free(&setup->arena);
    perp_sample_free(setup->sample);
}

static const double *find_speeds(Setup *setup)
{
    perp_delassus_velocity(&setup->cones, setup->r, setup->v);
    perp_delassus_speeds(&setup->cones, setup->v, setup->u);
    return setup->u;
}

// A_ij is what a unit of impulse j changes in speed i of its own constraint, whatever the symmetry.
static void test_diagonal_blocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        Setup setup;
        begin(seed, 0.3, &setup);
        for (int c = 0; c < setup.cones.n_constraints; c++) {
            double A[9] = {0}, still[3];
            perp_delassus_block(&setup.cones, c, A);
            memcpy(still, find_speeds(&setup) + 3 * c, sizeof still);
            for (int j = 0; j < 3; j++) {
                setup.r[3 * c + j] = 1;
                const double *u = find_speeds(&setup) + 3 * c;
                for (int i = 0; i < 3; i++)
                    assert_true(fabs(u[i] - still[i] - A[3 * i + j]) <=
                                1e-9 * (1 + fabs(still[i])));
                setup.r[3 * c + j] = 0;
            }
        }
        end(&setup);
    }
}

// Of random large islands, from nothing: what it says of itself is true, it takes no more steps
// than it may and is no worse than where it began, and a third of them is solved, however far away.
static void test_arrives_from_far_away(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        Setup setup;
        begin(seed, 0, &setup);
        int steps = STEPS;
        double before = perp_cones_residual(&setup.cones, setup.r, find_speeds(&setup));
        double residual =
            perp_newton_local(&setup.arena, &setup.cones, 1e-10, 1e-10, &steps, setup.r);
        double found = perp_cones_residual(&setup.cones, setup.r, find_speeds(&setup));
        assert_true(fabs(found - residual) <= 1e-12 && residual <= before);
        assert_true(steps >= (before > 1e-10) && steps <= STEPS);
        solved += residual <= 1e-10;
        end(&setup);
    }
    assert_true(solved >= SCENES / 3);
}

// At a solution there is nothing to do, which one step at most shows.
static void test_stays_at_a_solution(void **state)
{
    (void)state;
    int seen = 0;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        Setup setup;
        begin(seed, 0, &setup);
        int steps = STEPS, again = STEPS;
        double residual =
            perp_newton_local(&setup.arena, &setup.cones, 1e-10, 1e-10, &steps, setup.r);
        if (residual <= 1e-10) {
            assert_true(perp_newton_local(&setup.arena, &setup.cones, 1e-10, 1e-10, &again,
                                          setup.r) <= residual);
            assert_true(again <= 1);
            seen++;
        }
        end(&setup);
    }
    assert_true(seen > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_diagonal_blocks),
                                       cmocka_unit_test(test_arrives_from_far_away),
                                       cmocka_unit_test(test_stays_at_a_solution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

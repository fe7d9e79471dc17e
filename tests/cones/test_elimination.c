// Factorisations over the constraints that join alone: the same changes as with all constraints in
// the graph.
#include "cones/cone_problem.h"
#include "cones/operator/delassus.h"
#include "math/sparse/graph.h"
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

enum { SCENES = 20, CONTACTS = 200, FEWEST = 64 };

typedef struct Setup {
    PerpSample *sample;
    PerpProblem problem;
    PerpArena arena;
    PerpGraphCache graphs;
    PerpConeProblem all, some; // the second has graphs that are kept, and follows
} Setup;

static PerpSample *make_scene(uint64_t seed)
{
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, CONTACTS);
    options.circular = true;
    options.integer = false;
    options.mass_ratio = 10;
    return perp_sample_scene(seed, &options);
}

static void begin(uint64_t seed, Setup *setup)
{
    PerpContext context = perp_default_context();
    setup->sample = make_scene(seed);
    setup->problem = perp_sample_problem(setup->sample);
    perp_arena_init(&setup->arena, &context.allocator);
    perp_graph_cache_init(&setup->graphs, &context.allocator);
    assert_true(perp_cones_build(&setup->arena, NULL, &setup->problem, &setup->all));
    assert_true(perp_delassus_analyse(&setup->all));
    assert_true(perp_cones_build(&setup->arena, &setup->graphs, &setup->problem, &setup->some));
    assert_true(perp_delassus_analyse(&setup->some));
}

static void end(Setup *setup)
{
    perp_graph_cache_free(&setup->graphs);
    perp_arena_free(&setup->arena);
    perp_sample_free(setup->sample);
}

// A positive C, not symmetric, for one constraint in `every` behind the first, and none for the
// others.
static void respond(Setup *setup, int first, int every)
{
    PerpConeProblem *rounds[] = {&setup->all, &setup->some};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < rounds[k]->n_constraints; c++) {
            double *C = rounds[k]->newton.C + 9 * c;
            memset(C, 0, 9 * sizeof(double));
            if (c < first || c % every != 0)
                continue;
            C[0] = C[4] = C[8] = 1 + c % 3;
            C[1] = 0.5;
        }
}

static void assert_same_change(Setup *setup)
{
    int numbers = 3 * setup->all.n_constraints;
    double *g = PERP_TAKE(&setup->arena, double, numbers);
    double *by_all = PERP_TAKE(&setup->arena, double, numbers);
    double *by_some = PERP_TAKE(&setup->arena, double, numbers);
    for (int i = 0; i < numbers; i++)
        g[i] = sin(i);
    assert_true(perp_delassus_factor(&setup->all));
    assert_true(perp_delassus_factor(&setup->some));
    perp_delassus_solve(&setup->all, g, by_all);
    perp_delassus_solve(&setup->some, g, by_some);
    for (int i = 0; i < numbers; i++)
        assert_true(fabs(by_all[i] - by_some[i]) <= 1e-9 * (1 + fabs(by_all[i])));
}

static void changes_are_the_same(void **state)
{
    int large = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        Setup s;
        begin(seed, &s);
        for (int every = 1; every <= 4; every++) {
            respond(&s, 0, every);
            assert_same_change(&s);
        }
        large += s.some.n_constraints >= FEWEST && !s.some.product;
        end(&s);
    }
    assert_in_range(large, SCENES / 2, SCENES);
}

// The first large scene.
static void begin_large(Setup *setup)
{
    for (uint64_t seed = 1;; seed++) {
        begin(seed, setup);
        if (setup->some.n_constraints >= FEWEST && !setup->some.product)
            return;
        end(setup);
    }
}

// A graph stays while it has all constraints that join and not many others.
static void graphs_follow_when_they_must(void **state)
{
    Setup s;
    (void)state;
    begin_large(&s);
    respond(&s, 0, 2);
    assert_same_change(&s);
    assert_int_equal(s.graphs.found, 1);
    respond(&s, 2, 2); // one less
    assert_same_change(&s);
    assert_int_equal(s.graphs.found, 1);
    respond(&s, 0, 1); // as many again
    assert_same_change(&s);
    assert_int_equal(s.graphs.found, 2);
    respond(&s, 0, 2); // the others left: the first one, which is kept
    assert_same_change(&s);
    assert_int_equal(s.graphs.found, 2);
    assert_int_equal(s.graphs.reused, 1);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_the_same),
        cmocka_unit_test(graphs_follow_when_they_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

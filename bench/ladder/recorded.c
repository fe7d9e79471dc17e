// Runs a scene and keeps the largest island of every so many steps.
#include "ladder/recorded.h"

#include "common/measure.h"
#include "engines/perp_model.h"
#include "ladder/problem.h"
#include "perp/simulation.h"
#include "scenes/contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-3; // of the steps: motion is as good, and made sooner

static void keep_largest(void *user, const PerpSolvedProblem *solved)
{
    PerpProblem **largest = user;
    if (solved->problem->n_contacts <= (*largest ? (*largest)->n_contacts : 0))
        return;
    bench_free_problem(*largest);
    *largest = bench_copy_problem(solved->problem);
}

static bool run_steps(PerpSimulation *simulation, int steps, BenchRecorded *recorded, int most)
{
    PerpProblem *largest = NULL;
    PerpError error;
    for (int k = 0; k < steps; k++) {
        bool wanted = (long)(k + 1) * most / steps > (long)k * most / steps;
        perp_simulation_watch(simulation, wanted ? keep_largest : NULL, &largest);
        if (perp_simulation_step(simulation, 0, &error)) {
            fprintf(stderr, "perp: step %d: %s\n", k, error.message);
            bench_free_problem(largest);
            return false;
        }
        if (largest)
            recorded->problems[recorded->count++] = largest;
        largest = NULL;
    }
    return true;
}

static bool run(const BenchScene *scene, BenchRecorded *recorded, int most)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpModel *model = NULL;
    PerpSimulation *simulation = NULL;
    PerpError error;
    settings.facets = PERP_FACETS_CIRCULAR;
    settings.overlap = PERP_OVERLAP_ALLOW;
    settings.step = scene->dt;
    settings.tolerance = TOLERANCE;
    bool good = !bench_perp_model(scene, &model, &error) &&
                !perp_simulation_create(NULL, model, &settings, &simulation, &error);
    if (!good)
        fprintf(stderr, "perp: %s: %s\n", scene->name, error.message);
    good = good && run_steps(simulation, scene->steps, recorded, most);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
    return good;
}

BenchRecorded bench_record(const char *name, int count)
{
    BenchRecorded recorded = {.problems = bench_memory((size_t)count + 1, sizeof(PerpProblem *))};
    for (int k = 0; k < bench_scene_count; k++) {
        if (strcmp(bench_scenes[k].name, name) != 0)
            continue;
        BenchScene scene;
        bench_scene_make(&bench_scenes[k], &scene);
        bench_settle(&scene);
        run(&scene, &recorded, count);
        bench_scene_free(&scene);
    }
    return recorded;
}

void bench_free_recorded(BenchRecorded *recorded)
{
    for (int k = 0; k < recorded->count; k++)
        bench_free_problem(recorded->problems[k]);
    free(recorded->problems);
    *recorded = (BenchRecorded){0};
}

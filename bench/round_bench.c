// perp-bench-round: round cones beside polygons. Random step problems, then scenes that run: how
// many were certified on the exact law, by which rung, and the CPU time of a step.

#include "generate.h"
#include "measure.h"
#include "perp/perp.h"

#include <stdio.h>
#include <string.h>

static const double TOLERANCE = 1e-8;

// --- random problems ----------------------------------------------------------------------------

typedef struct Tally {
    int solved, rung[PERP_RUNG_COUNT];
    long iterations;
    double seconds;
} Tally;

static bool solve_one(PerpSolver *solver, int seed, int max_contacts, Tally *tally)
{
    PerpRandom random = perp_random((uint64_t)seed);
    PerpSceneOptions options = perp_random_scene_options(&random, max_contacts);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpError error;
    options.round = true;
    options.integer = false;
    settings.tolerance = TOLERANCE;
    PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
    PerpProblem p = perp_sample_problem(sample);
    double start = bench_clock();
    PerpStatus status = perp_problem_solve(solver, &p, &settings, &result, &error);
    tally->seconds += bench_clock() - start;
    perp_sample_free(sample);
    if (status) {
        fprintf(stderr, "perp: seed %d: %s\n", seed, error.message);
        return false;
    }
    tally->solved += result.outcome == PERP_LCP_SOLVED;
    tally->rung[result.rung]++;
    tally->iterations += result.iterations;
    return true;
}

static bool solve_many(int count, int first_seed, int max_contacts)
{
    PerpSolver *solver;
    Tally tally = {0};
    bool good = !perp_solver_create(NULL, &solver);
    for (int k = 0; good && k < count; k++)
        good = solve_one(solver, first_seed + k, max_contacts, &tally);
    if (!good)
        return false;
    printf("%6d problems of up to %3d contacts: %6d certified at %g; interior %d, polygon %d; "
           "%.1f iterations, %.3f ms each\n",
           count, max_contacts, tally.solved, TOLERANCE, tally.rung[PERP_RUNG_INTERIOR],
           tally.rung[PERP_RUNG_POLYGON], (double)tally.iterations / count,
           1e3 * tally.seconds / count);
    perp_solver_destroy(solver);
    return true;
}

// --- scenes -------------------------------------------------------------------------------------

typedef struct Run {
    int steps, certified, contacts;
    double milliseconds; // a step
} Run;

static bool run_scene(const PerpModel *model, const PerpRunDef *def, int facets, double duration,
                      Run *run)
{
    PerpSimulation *simulation;
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpError error;
    settings.facets = facets;
    settings.step = def->step;
    settings.tolerance = TOLERANCE;
    settings.restitution_threshold = def->restitution_threshold;
    if (perp_simulation_create(NULL, model, &settings, &simulation, &error))
        return false;
    *run = (Run){.steps = (int)(duration / def->step + 0.5)};
    double start = bench_clock();
    bool good = true;
    for (int k = 0; good && k < run->steps; k++) {
        good = !perp_simulation_step(simulation, 0, &error);
        const PerpStepReport *report = perp_simulation_report(simulation);
        run->certified += good && report->outcome == PERP_LCP_SOLVED;
        run->contacts = report->contacts > run->contacts ? report->contacts : run->contacts;
    }
    run->milliseconds = 1e3 * (bench_clock() - start) / run->steps;
    if (!good)
        fprintf(stderr, "perp: %s\n", error.message);
    perp_simulation_destroy(simulation);
    return good;
}

static bool compare_on(const char *name, double duration)
{
    char path[256];
    PerpScene *scene;
    PerpModel *model = NULL;
    PerpError error;
    Run polygon, round;
    snprintf(path, sizeof path, PERP_BENCH_SCENES "/%s.yaml", name);
    if (perp_scene_read(NULL, path, NULL, 0, &scene, &error)) {
        fprintf(stderr, "perp: %s\n", error.message);
        return false;
    }
    bool good = !perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) &&
                run_scene(model, perp_scene_run(scene), 8, duration, &polygon) &&
                run_scene(model, perp_scene_run(scene), 0, duration, &round);
    if (good)
        printf("%-12s %5d contacts, %4d steps: 8 facets %4d certified, %8.3f ms a step; round %4d "
               "certified, %8.3f ms\n",
               name, round.contacts, round.steps, polygon.certified, polygon.milliseconds,
               round.certified, round.milliseconds);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
    return good;
}

int main(void)
{
    static const struct {
        const char *name;
        double duration;
    } scenes[] = {{"brick-wall", 0.3}, {"pyramid", 0.3}, {"stack", 0.5},    {"arch", 0.5},
                  {"card-house", 0.3}, {"table", 0.5},   {"dominoes", 0.6}, {"pile", 1}};
    bool good =
        solve_many(10000, 1, 6) && solve_many(1000, 20001, 15) && solve_many(500, 30001, 40);
    for (size_t k = 0; good && k < sizeof scenes / sizeof *scenes; k++)
        good = compare_on(scenes[k].name, scenes[k].duration);
    return good ? 0 : 1;
}

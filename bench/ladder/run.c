// Steps of a simulation by a ladder of the benchmark's: starts are warm, slip may be held, and what
// one step leaves the next one meets.
#include "ladder/run.h"

#include "common/measure.h"
#include "engines/perp_model.h"
#include "perp/simulation.h"
#include "scenes/judge.h"
#include "step/simulation_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void see_problem(void *user, const PerpSolvedProblem *solved)
{
    BenchLadderSum *sum = user;
    sum->factorisations += solved->result->iterations;
    sum->sweeps += solved->result->sweeps;
}

static void play(PerpSimulation *simulation, int steps, BenchLadderSum *sum)
{
    PerpError error;
    double begin = bench_clock();
    for (int k = 0; k < steps; k++) {
        sum->problems++;
        if (perp_simulation_step(simulation, 0, &error)) {
            fprintf(stderr, "perp: step %d: %s\n", k, error.message);
            sum->missed++;
            break;
        }
        PerpOutcome outcome = perp_simulation_report(simulation)->outcome;
        sum->held += outcome == PERP_OUTCOME_HELD;
        sum->missed += outcome != PERP_OUTCOME_HELD && outcome != PERP_OUTCOME_SOLVED;
    }
    sum->seconds = bench_clock() - begin;
}

static double find_drift(const BenchScene *scene, const PerpSimulation *simulation)
{
    double farthest = 0;
    for (int k = 0; k < scene->n_bodies && scene->stands; k++) {
        double x[3], q[4], squares = 0;
        perp_simulation_pose(simulation, k, x, q);
        for (int d = 0; d < 3; d++)
            squares += pow(x[d] - scene->bodies[k].position[d], 2);
        farthest = fmax(farthest, sqrt(squares));
    }
    return farthest;
}

BenchLadderSum bench_run_scene(const BenchScene *scene, const PerpProblemSettings *of_problems,
                               const BenchLadderTable *table, uint64_t *ran)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    BenchLadderSum sum = {0};
    PerpModel *model = NULL;
    PerpSimulation *simulation = NULL;
    PerpError error;
    settings.facets = PERP_FACETS_CIRCULAR;
    settings.overlap = PERP_OVERLAP_ALLOW;
    settings.step = scene->dt;
    settings.threads = 1;
    settings.tolerance = of_problems->tolerance;
    settings.methods = of_problems->methods;
    if (bench_perp_model(scene, &model, &error) ||
        perp_simulation_create(NULL, model, &settings, &simulation, &error)) {
        fprintf(stderr, "perp: %s: %s\n", scene->name, error.message);
    } else {
        PerpSolver *solver = simulation->workers.solver;
        solver->rungs = table->rungs;
        solver->n_rungs = table->count;
        perp_simulation_watch(simulation, see_problem, &sum);
        play(simulation, scene->steps, &sum);
        sum.drift = find_drift(scene, simulation);
        *ran = solver->rungs_run;
    }
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
    return sum;
}

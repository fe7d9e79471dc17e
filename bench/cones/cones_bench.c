// perp-bench-cones: circular friction cones beside polygons. Random step problems, then random
// small piles and scenes that run: how many were certified on the exact law, by which rung, and the
// CPU time of a step.

#include "common/help.h"
#include "common/measure.h"
#include "common/methods.h"
#include "cones/small_pile.h"
#include "generate.h"
#include "perp/perp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-8;
static unsigned methods = PERP_ALL_METHODS; // that may be used

// --- random problems ----------------------------------------------------------------------------

typedef struct Tally {
    int solved, rung[PERP_METHOD_COUNT];
    long iterations;
    double seconds, longest;
} Tally;

static void print_methods(const int *rung)
{
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        if (rung[k] > 0)
            printf(" %s %d", perp_method_name((PerpMethod)k), rung[k]);
    printf("\n");
}

static bool solve_one(PerpSolver *solver, int seed, int max_contacts, Tally *tally)
{
    PerpRandom random = perp_random((uint64_t)seed);
    PerpSceneOptions options = perp_random_scene_options(&random, max_contacts);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpError error;
    options.circular = true;
    options.integer = false;
    settings.tolerance = TOLERANCE;
    settings.methods = methods;
    PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
    PerpProblem p = perp_sample_problem(sample);
    double start = bench_clock();
    PerpStatus status = perp_problem_solve(solver, &p, &settings, &result, &error);
    double seconds = bench_clock() - start;
    tally->seconds += seconds;
    tally->longest = seconds > tally->longest ? seconds : tally->longest;
    perp_sample_free(sample);
    if (status) {
        fprintf(stderr, "perp: seed %d: %s\n", seed, error.message);
        return false;
    }
    tally->solved += result.outcome == PERP_OUTCOME_SOLVED;
    tally->rung[result.solved_by]++;
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
    printf("%6d problems of up to %3d contacts: %6d certified at %g; %.1f iterations, %.3f ms "
           "each, at most %.0f ms;",
           count, max_contacts, tally.solved, TOLERANCE, (double)tally.iterations / count,
           1e3 * tally.seconds / count, 1e3 * tally.longest);
    print_methods(tally.rung);
    perp_solver_destroy(solver);
    return true;
}

// --- random piles -------------------------------------------------------------------------------

typedef struct PileTally {
    int problems, missed, large, large_missed; // up to LARGE contacts, and with more
    int contacts;                              // most
    int rung[PERP_METHOD_COUNT];
} PileTally;

enum { LARGE = 100, PILE_STEPS = 300 };

static void count_problem(void *user, const PerpSolvedProblem *solved)
{
    PileTally *tally = user;
    int contacts = solved->problem->n_contacts;
    bool missed = solved->result->outcome != PERP_OUTCOME_SOLVED;
    if (contacts == 0)
        return;
    *(contacts > LARGE ? &tally->large : &tally->problems) += 1;
    *(contacts > LARGE ? &tally->large_missed : &tally->missed) += missed;
    tally->contacts = contacts > tally->contacts ? contacts : tally->contacts;
    tally->rung[solved->result->solved_by]++;
}

static bool run_pile(int seed, PileTally *tally, int *certified)
{
    PerpWorld *pile = bench_small_pile_create(seed);
    if (pile)
        pile->settings.methods = methods;
    bool good = pile && !perp_world_start(pile);
    if (good)
        perp_simulation_watch(pile->simulation, count_problem, tally);
    for (int k = 0; good && k < PILE_STEPS; k++) {
        good = !perp_world_step(pile, 0);
        *certified +=
            good && perp_simulation_report(pile->simulation)->outcome == PERP_OUTCOME_SOLVED;
    }
    if (!good)
        fprintf(stderr, "perp: pile %d: %s\n", seed, pile ? pile->error.message : "no memory");
    bench_small_pile_destroy(pile);
    return good;
}

static bool run_piles(int count, int first_seed)
{
    PileTally tally = {0};
    int certified = 0;
    double start = bench_clock();
    for (int k = 0; k < count; k++)
        if (!run_pile(first_seed + k, &tally, &certified))
            return false;
    int steps = count * PILE_STEPS;
    printf("%6d piles, %d steps, %d certified, %.3f ms a step; islands of up to %d contacts %d, "
           "missed %d; larger (to %d) %d, missed %d;",
           count, steps, certified, 1e3 * (bench_clock() - start) / steps, LARGE, tally.problems,
           tally.missed, tally.contacts, tally.large, tally.large_missed);
    print_methods(tally.rung);
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
    settings.methods = methods;
    settings.restitution_threshold = def->restitution_threshold;
    if (perp_simulation_create(NULL, model, &settings, &simulation, &error))
        return false;
    *run = (Run){.steps = (int)(duration / def->step + 0.5)};
    double start = bench_clock();
    bool good = true;
    for (int k = 0; good && k < run->steps; k++) {
        good = !perp_simulation_step(simulation, 0, &error);
        const PerpStepReport *report = perp_simulation_report(simulation);
        run->certified += good && report->outcome == PERP_OUTCOME_SOLVED;
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
    Run polygon, circle;
    snprintf(path, sizeof path, PERP_BENCH_SCENES "/%s.yaml", name);
    if (perp_scene_read(NULL, path, NULL, 0, &scene, &error)) {
        fprintf(stderr, "perp: %s\n", error.message);
        return false;
    }
    bool good = !perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) &&
                run_scene(model, perp_scene_run(scene), 8, duration, &polygon) &&
                run_scene(model, perp_scene_run(scene), 0, duration, &circle);
    if (good)
        printf(
            "%-12s %5d contacts, %4d steps: 8 facets %4d certified, %8.3f ms a step; circular %4d "
            "certified, %8.3f ms\n",
            name, circle.contacts, circle.steps, polygon.certified, polygon.milliseconds,
            circle.certified, circle.milliseconds);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
    return good;
}

// perp bench cones --piles N [SEED]: N random piles alone, from that seed on.
static int run_piles_alone(int count, int first_seed)
{
    if (count < 1 || first_seed < 0) {
        fprintf(stderr, "perp: bench cones: expected --piles N [SEED], N >= 1, SEED >= 0\n");
        return 2;
    }
    return run_piles(count, first_seed) ? 0 : 1;
}

static const char HELP[] =
    "Examples:\n"
    "  perp bench cones                     random problems, piles and scenes, about a minute\n"
    "  perp bench cones --piles 10000       that many random piles alone, 300 steps each\n"
    "  perp bench cones --piles 5000 5001   the same from seed 5001 on\n\n"
    "usage: perp bench cones [--piles N [SEED]] " BENCH_METHODS_USAGE "\n\n" BENCH_METHODS_HELP "\n"
    "How many problems with circular friction cones are certified on the exact law at 1e-8, by "
    "which\n"
    "rung, in how much CPU time; and scenes with circular cones beside polygons of 8 facets.\n";

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double duration;
    } scenes[] = {{"brick-wall", 0.3}, {"pyramid", 0.3}, {"stack", 0.5},    {"arch", 0.5},
                  {"card-house", 0.3}, {"table", 0.5},   {"dominoes", 0.6}, {"pile", 1}};
    if (bench_helped(argc, argv, HELP))
        return 0;
    if (!bench_take_methods(&argc, argv, &methods))
        return 2;
    if (argc > 1)
        return run_piles_alone(argc > 2 && !strcmp(argv[1], "--piles") ? atoi(argv[2]) : 0,
                               argc > 3 ? atoi(argv[3]) : 1);
    bool good = solve_many(10000, 1, 6) && solve_many(3000, 20001, 15) &&
                solve_many(2000, 30001, 40) && solve_many(300, 60001, 100) && run_piles(500, 1);
    for (size_t k = 0; good && k < sizeof scenes / sizeof *scenes; k++)
        good = compare_on(scenes[k].name, scenes[k].duration);
    return good ? 0 : 1;
}

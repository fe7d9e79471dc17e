// perp, default scheme, circular cones.
#include "common/measure.h"
#include "engines/engine.h"
#include "engines/perp_model.h"
#include "perp/perp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct World {
    PerpScene *scene; // if it came from a file
    PerpModel *model;
    PerpSimulation *simulation;
    BenchProof proof;
} World;

// --- the model ----------------------------------------------------------------------------------

static PerpStatus read_model(World *w, const char *name, PerpError *error)
{
    char path[512];
    snprintf(path, sizeof path, PERP_BENCH_SCENES "/%s.yaml", name);
    PerpStatus status = perp_scene_read(NULL, path, NULL, 0, &w->scene, error);
    return status ? status
                  : perp_model_create(NULL, perp_scene_model_def(w->scene), &w->model, error);
}

// --- the run ------------------------------------------------------------------------------------

static void destroy(void *world)
{
    World *w = world;
    perp_simulation_destroy(w->simulation);
    perp_model_destroy(w->model);
    perp_scene_destroy(w->scene);
    free(w);
}

static void see_problem(void *user, const PerpSolvedProblem *solved)
{
    BenchProof *proof = &((World *)user)->proof;
    proof->problems++;
    proof->iterations += solved->result->iterations;
    proof->pivots += solved->result->pivots;
    if ((int)solved->result->solved_by < BENCH_METHODS)
        proof->method[solved->result->solved_by]++;
}

static void *create(const BenchEngine *engine, const BenchScene *scene, char message[BENCH_MESSAGE])
{
    World *w = bench_memory(1, sizeof *w);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpError error = {0};
    settings.facets = 0;
    settings.overlap = PERP_OVERLAP_ALLOW; // settled piles hold the overlaps of who settled them
    settings.step = scene->dt;
    if (engine->setting > 0)
        settings.tolerance = settings.held_tolerance = engine->setting;
    settings.threads = engine->threads > 0 ? engine->threads : 1;
    settings.methods = engine->methods ? engine->methods : PERP_ALL_METHODS;
    PerpStatus status = scene->file ? read_model(w, scene->file, &error)
                                    : bench_perp_model(scene, &w->model, &error);
    if (!status)
        status = perp_simulation_create(NULL, w->model, &settings, &w->simulation, &error);
    if (status) {
        snprintf(message, BENCH_MESSAGE, "%.150s", error.message);
        destroy(w);
        return NULL;
    }
    perp_simulation_watch(w->simulation, see_problem, w);
    return w;
}

static bool step(void *world, char message[BENCH_MESSAGE])
{
    World *w = world;
    PerpError error;
    if (perp_simulation_step(w->simulation, 0, &error)) {
        snprintf(message, BENCH_MESSAGE, "%.150s", error.message);
        return false;
    }
    const PerpStepReport *report = perp_simulation_report(w->simulation);
    w->proof.steps++;
    w->proof.held += report->outcome == PERP_OUTCOME_HELD;
    w->proof.certified +=
        report->outcome == PERP_OUTCOME_SOLVED || report->outcome == PERP_OUTCOME_HELD;
    w->proof.gap_error = fmax(w->proof.gap_error, report->gap_error);
    if ((int)report->outcome < BENCH_OUTCOMES)
        w->proof.outcome[report->outcome]++;
    w->proof.worst = fmax(w->proof.worst, report->certificate.worst);
    w->proof.penetration = report->penetration;
    w->proof.gap = report->joint_gap;
    return true;
}

static int bodies(const void *world)
{
    return perp_model_body_count(((const World *)world)->model);
}

static void poses(void *world, int count, BenchPose *p)
{
    const World *w = world;
    for (int k = 0; k < count; k++) {
        perp_simulation_pose(w->simulation, k, p[k].position, p[k].rotation);
        perp_simulation_velocity(w->simulation, k, p[k].velocity, p[k].spin);
    }
}

static int contacts(const void *world)
{
    return perp_simulation_report(((const World *)world)->simulation)->contacts;
}

static void prove(const void *world, BenchProof *proof)
{
    *proof = ((const World *)world)->proof;
}

static bool can_play(const BenchScene *scene)
{
    (void)scene;
    return true;
}

#define ENGINE(engine, words, tolerance)                                                           \
    {                                                                                              \
        .name = engine, .text = "perp, circular cones, " words, .can_play = can_play,              \
        .create = create, .step = step, .bodies = bodies, .poses = poses, .contacts = contacts,    \
        .prove = prove, .destroy = destroy, .setting = tolerance                                   \
    }

const BenchEngine bench_engine_perp_exact = ENGINE("perp-1e-8", "tolerance 1e-8", 1e-8);
const BenchEngine bench_engine_perp_rough = ENGINE("perp-1e-3", "tolerance 1e-3", 1e-3);
const BenchEngine bench_engine_perp_game = ENGINE("perp-1e-1", "tolerance 1e-1", 1e-1);
const BenchEngine bench_engine_perp = ENGINE("perp", "default settings", 0);

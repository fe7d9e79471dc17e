// The list of families, and how their problems are made or read.
#include "ladder/families.h"

#include "common/files.h"
#include "common/measure.h"
#include "generate.h"
#include "ladder/recorded.h"
#include "perp/problem_file.h"
#include "scenes/contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- random step problems -----------------------------------------------------------------------

typedef struct Random {
    PerpSample *sample;
    PerpProblem problem;
} Random;

static int begin_random(const BenchLadderFamily *family, int count, const char *folder,
                        void **state)
{
    (void)family, (void)folder;
    *state = NULL;
    return count;
}

static bool open_scene(const BenchLadderFamily *family, int k, bool product, BenchProblem *problem)
{
    uint64_t seed = (uint64_t)(family->first_seed + k);
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, family->contacts);
    Random *own = bench_memory(1, sizeof *own);
    options.circular = true;
    options.product = product;
    options.integer = false;
    own->sample = perp_sample_scene(seed, &options);
    own->problem = perp_sample_problem(own->sample);
    *problem = (BenchProblem){.step = &own->problem, .owner = own};
    return true;
}

static bool open_random(const BenchLadderFamily *family, void *state, int k, BenchProblem *problem)
{
    (void)state;
    return open_scene(family, k, false, problem);
}

static bool open_product(const BenchLadderFamily *family, void *state, int k, BenchProblem *problem)
{
    (void)state;
    return open_scene(family, k, true, problem);
}

static void close_random(BenchProblem *problem)
{
    Random *own = problem->owner;
    perp_sample_free(own->sample);
    free(own);
}

static void end_random(void *state)
{
    (void)state;
}

// --- FCLIB --------------------------------------------------------------------------------------

static int begin_files(const BenchLadderFamily *family, int count, const char *folder, void **state)
{
    BenchFiles *files = bench_memory(1, sizeof *files);
    (void)family;
    *files = bench_find_files(folder, ".hdf5");
    *state = files;
    return files->count < count ? files->count : count;
}

static bool open_file(const BenchLadderFamily *family, void *state, int k, BenchProblem *problem)
{
    const BenchFiles *files = state;
    PerpProblemFile *file;
    PerpError error;
    char text[PERP_PATH_SIZE + PERP_MESSAGE_SIZE];
    (void)family;
    if (perp_problem_file_read(NULL, files->path[k], NULL, &file, &error)) {
        fprintf(stderr, "perp: %s\n", perp_error_text(&error, text, sizeof text));
        return false;
    }
    *problem = (BenchProblem){.step = perp_problem_file_step(file),
                              .contact = perp_problem_file_contact(file),
                              .owner = file};
    return true;
}

static void close_file(BenchProblem *problem)
{
    perp_problem_file_destroy(problem->owner);
}

static void end_files(void *state)
{
    bench_free_files(state);
    free(state);
}

// --- simulations --------------------------------------------------------------------------------

static int begin_recorded(const BenchLadderFamily *family, int count, const char *folder,
                          void **state)
{
    BenchRecorded *recorded = bench_memory(1, sizeof *recorded);
    (void)folder;
    *recorded = bench_record(family->scene, count);
    *state = recorded;
    return recorded->count;
}

static bool open_recorded(const BenchLadderFamily *family, void *state, int k,
                          BenchProblem *problem)
{
    (void)family;
    *problem = (BenchProblem){.step = ((const BenchRecorded *)state)->problems[k]};
    return true;
}

static void close_recorded(BenchProblem *problem)
{
    (void)problem;
}

static void end_recorded(void *state)
{
    bench_free_recorded(state);
    free(state);
}

// --- whole runs ---------------------------------------------------------------------------------

static int begin_run(const BenchLadderFamily *family, int count, const char *folder, void **state)
{
    BenchScene *scene = bench_memory(1, sizeof *scene);
    (void)folder;
    for (int k = 0; k < bench_scene_count; k++)
        if (strcmp(bench_scenes[k].name, family->scene) == 0)
            bench_scene_make(&bench_scenes[k], scene);
    bench_settle(scene);
    scene->steps = count < scene->steps ? count : scene->steps;
    scene->mu = family->frictionless ? 0 : scene->mu;
    *state = scene;
    return 1;
}

static bool open_run(const BenchLadderFamily *family, void *state, int k, BenchProblem *problem)
{
    (void)family, (void)k;
    *problem = (BenchProblem){.run = state};
    return true;
}

static void end_run(void *state)
{
    bench_scene_free(state);
    free(state);
}

// --- the list -----------------------------------------------------------------------------------

static const BenchLadderSource circular = {begin_random, open_random, close_random, end_random};
static const BenchLadderSource product = {begin_random, open_product, close_random, end_random};
static const BenchLadderSource files = {begin_files, open_file, close_file, end_files};
static const BenchLadderSource recorded = {begin_recorded, open_recorded, close_recorded,
                                           end_recorded};
static const BenchLadderSource runs = {begin_run, open_run, close_recorded, end_run};

#define RANDOM(size, seed, many)                                                                   \
    {                                                                                              \
        .name = "random-" #size, .text = "random bodies, joints, motors; circular cones",          \
        .source = &circular, .count = many, .tolerance = {1e-8}, .contacts = size,                 \
        .first_seed = seed                                                                         \
    }
#define PRODUCT(size, seed, many)                                                                  \
    {                                                                                              \
        .name = "product-" #size,                                                                  \
        .text = "the same with torsion, rolling, cohesion: product cones", .source = &product,     \
        .count = many, .tolerance = {1e-8}, .contacts = size, .first_seed = seed                   \
    }
#define RECORDED(scene_name, many, what)                                                           \
    {                                                                                              \
        .name = scene_name, .text = what, .source = &recorded, .count = many,                      \
        .tolerance = {1e-8, 1e-3}, .scene = scene_name                                             \
    }

// 1e-8 is the default, with slip held to 1e-3; else it is held to the same tolerance.
#define RUN(scene_name, many)                                                                      \
    {                                                                                              \
        .name = "run-" scene_name, .text = "steps of the scene, one after the other",              \
        .source = &runs, .count = many, .tolerance = {1e-8, 1e-7, 1e-3, 1e-1}, .scene = scene_name \
    }

const BenchLadderFamily bench_ladder_families[] = {
    RANDOM(6, 1, 2000),
    RANDOM(15, 20001, 1000),
    RANDOM(40, 30001, 400),
    RANDOM(100, 60001, 100),
    PRODUCT(6, 1, 1000),
    PRODUCT(30, 70001, 200),
    {.name = "fclib",
     .text = "FCLIB files, with bodies and without",
     .source = &files,
     .count = BENCH_FILES,
     .tolerance = {1e-8, 1e-4}},
    RECORDED("pile-50", 30, "a settled pile of 50 spheres"),
    RECORDED("pile-150", 20, "a settled pile of 150 spheres"),
    RECORDED("pile-500", 10, "a settled pile of 500 spheres"),
    RECORDED("fall-500", 20, "500 spheres fall into a walled box"),
    RECORDED("mixed-500", 10, "a settled pile of 500 spheres, boxes, capsules"),
    RECORDED("ragdolls", 30, "16 ragdolls dropped in fours"),
    RUN("pile-50", 60),
    {.name = "run-frictionless",
     .text = "steps of pile-500 with mu = 0",
     .source = &runs,
     .count = 30,
     .tolerance = {1e-8, 1e-3},
     .scene = "pile-500",
     .frictionless = true},
    RUN("pile-150", 60),
    RUN("pile-500", 30),
    RUN("fall-500", 240),
    RUN("mixed-500", 15),
    RUN("ragdolls", 200),
    RUN("quadruped", 300),
    RUN("stack", 300),
    RUN("wall", 60),
    RUN("mass-ratio-1e4", 300),
};
const int bench_ladder_family_count = sizeof bench_ladder_families / sizeof *bench_ladder_families;

// perp-bench-recording: what recording costs. The same scene runs without a recording and with one
// of everything, in turns. Wall time, and CPU time of the process, all threads: the recording packs
// beside the run, so that it may cost less of the first than of the second.
#define _POSIX_C_SOURCE 200809L

#include "common/help.h"
#include "common/measure.h"
#include "perp/perp.h"
#include "perp/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double FLUSH = 1; // s between flushes, as perp run does it
enum { MOST_REPEATS = 100 };

typedef struct Wish {
    bool json;
    double seconds; // simulated
    char rise[32];  // m: how much higher each ball begins than the one before
    int repeats;
} Wish;

typedef struct Bench {
    PerpScene *scene;
    PerpModel *model;
    PerpSimulationSettings settings;
    long steps;
    int contacts;     // in the last step
    double megabytes; // of the recording
} Bench;

// What a run took.
typedef struct Cost {
    double wall, cpu; // s
} Cost;

static bool complain(const PerpError *error)
{
    fprintf(stderr, "perp-bench-recording: %s\n", error->message);
    return false;
}

static bool open_bench(Bench *bench, const Wish *wish)
{
    PerpError error = {0};
    const PerpParameter set = {"rise", wish->rise};
    if (perp_scene_read(NULL, PERP_BENCH_FOLDER "/recording.yaml", &set, 1, &bench->scene, &error))
        return complain(&error);
    bench->settings = perp_default_simulation_settings();
    bench->settings.step = perp_scene_run(bench->scene)->step;
    bench->steps = (long)(wish->seconds / bench->settings.step + 0.5);
    if (perp_model_create(NULL, perp_scene_model_def(bench->scene), &bench->model, &error))
        return complain(&error);
    return true;
}

static bool take_steps(Bench *bench, PerpSimulation *simulation, PerpRecorder *recorder)
{
    PerpError error = {0};
    double flushed = bench_wall_clock();
    PerpStatus status = recorder ? perp_recorder_append(recorder, 0, &error) : PERP_OK;
    for (long k = 0; !status && k < bench->steps; k++) {
        double start = bench_wall_clock();
        status = perp_simulation_step(simulation, 0, &error);
        if (!status && recorder)
            status = perp_recorder_append(recorder, bench_wall_clock() - start, &error);
        if (!status && recorder && bench_wall_clock() - flushed >= FLUSH) {
            status = perp_recorder_flush(recorder, &error);
            flushed = bench_wall_clock();
        }
    }
    return !status || complain(&error);
}

// All steps, with the recording's beginning and end.
static bool run_once(Bench *bench, const char *path, Cost *cost)
{
    PerpSimulation *simulation;
    PerpRecorder *recorder = NULL;
    PerpRecorderOptions options = perp_default_recorder_options();
    PerpError error = {0};
    options.scene = bench->scene;
    if (perp_simulation_create(NULL, bench->model, &bench->settings, &simulation, &error))
        return complain(&error);
    Cost start = {bench_wall_clock(), bench_clock()};
    bool good =
        !path ||
        !perp_recorder_create(NULL, path, bench->model, simulation, &options, &recorder, &error) ||
        complain(&error);
    good = good && take_steps(bench, simulation, recorder);
    good = (!perp_recorder_close(recorder, good, &error) || complain(&error)) && good;
    *cost = (Cost){bench_wall_clock() - start.wall, bench_clock() - start.cpu};
    bench->contacts = perp_simulation_contact_count(simulation);
    perp_simulation_destroy(simulation);
    return good;
}

static void measure_file(Bench *bench, const char *path)
{
    struct stat file;
    bench->megabytes = stat(path, &file) == 0 ? 1e-6 * (double)file.st_size : 0;
}

static Cost least(const Cost *costs, int count)
{
    Cost best = costs[0];
    for (int k = 1; k < count; k++) {
        best.wall = costs[k].wall < best.wall ? costs[k].wall : best.wall;
        best.cpu = costs[k].cpu < best.cpu ? costs[k].cpu : best.cpu;
    }
    return best;
}

static void print_text(const Bench *bench, const Cost *without, const Cost *with, int count)
{
    for (int k = 0; k < count; k++)
        printf("run %d: without %.3f s, %.3f s CPU; with recording %.3f s, %.3f s CPU: %+.1f %%, "
               "CPU %+.1f %%\n",
               k + 1, without[k].wall, without[k].cpu, with[k].wall, with[k].cpu,
               100 * (with[k].wall / without[k].wall - 1),
               100 * (with[k].cpu / without[k].cpu - 1));
    Cost base = least(without, count), whole = least(with, count);
    double per_step = 1e3 / (double)bench->steps;
    printf("%d balls, %ld steps, %d contacts at the end: recording costs %.1f %% of the run, "
           "%.2f ms a step of %.2f ms; of its CPU time %.1f %%, %.2f ms of %.2f ms; %.1f MB\n",
           perp_model_body_count(bench->model), bench->steps, bench->contacts,
           100 * (whole.wall / base.wall - 1), per_step * (whole.wall - base.wall),
           per_step * base.wall, 100 * (whole.cpu / base.cpu - 1),
           per_step * (whole.cpu - base.cpu), per_step * base.cpu, bench->megabytes);
}

static void print_json(const Bench *bench, const Cost *without, const Cost *with, int count)
{
    Cost base = least(without, count), whole = least(with, count);
    printf("{\"bodies\": %d, \"steps\": %ld, \"contacts\": %d, \"repeats\": %d, \"without\": %.6g, "
           "\"with\": %.6g, \"cost\": %.6g, \"cpu_without\": %.6g, \"cpu_with\": %.6g, "
           "\"cpu_cost\": %.6g, \"megabytes\": %.6g}\n",
           perp_model_body_count(bench->model), bench->steps, bench->contacts, count, base.wall,
           whole.wall, whole.wall / base.wall - 1, base.cpu, whole.cpu, whole.cpu / base.cpu - 1,
           bench->megabytes);
}

static bool compare(Bench *bench, const Wish *wish)
{
    Cost without[MOST_REPEATS], with[MOST_REPEATS];
    char path[] = "/tmp/perp-bench-XXXXXX";
    int file = mkstemp(path);
    bool good = file >= 0;
    for (int k = 0; good && k < wish->repeats; k++)
        good = run_once(bench, NULL, &without[k]) && run_once(bench, path, &with[k]);
    if (good) {
        measure_file(bench, path);
        (wish->json ? print_json : print_text)(bench, without, with, wish->repeats);
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return good;
}

static bool read_wish(int argc, char **argv, Wish *wish)
{
    bool good = true;
    for (int k = 1; good && k < argc; k++) {
        bool has_value = k + 1 < argc;
        if (strcmp(argv[k], "--json") == 0)
            wish->json = true;
        else if (has_value && strcmp(argv[k], "--seconds") == 0)
            wish->seconds = atof(argv[++k]);
        else if (has_value && strcmp(argv[k], "--rise") == 0)
            snprintf(wish->rise, sizeof wish->rise, "%s", argv[++k]);
        else if (has_value && strcmp(argv[k], "--repeats") == 0)
            wish->repeats = atoi(argv[++k]);
        else
            good = false;
    }
    return good && wish->seconds > 0 && wish->repeats > 0 && wish->repeats <= MOST_REPEATS;
}

static const char HELP[] =
    "Examples:\n"
    "  perp bench recording                     10 000 balls for a second, without and with\n"
    "  perp bench recording --seconds 0.2       shorter\n"
    "  perp bench recording --json              one JSON object, for a script to read\n\n"
    "usage: perp bench recording [--json] [--seconds T] [--rise METRES] [--repeats N]\n\n"
    "  --seconds T    of simulated time, default 1\n"
    "  --rise METRES  how much higher each ball begins than the one before, default 2e-3\n"
    "  --repeats N    in turns, default 3\n";

int main(int argc, char **argv)
{
    Wish wish = {.seconds = 1, .rise = "2e-3", .repeats = 3};
    Bench bench = {0};
    if (bench_helped(argc, argv, HELP))
        return 0;
    if (!read_wish(argc, argv, &wish)) {
        fputs("perp: bench recording: an option that it does not know, or a value that does not "
              "fit; see perp bench recording --help\n",
              stderr);
        return 2;
    }
    bool good = open_bench(&bench, &wish) && compare(&bench, &wish);
    perp_model_destroy(bench.model);
    perp_scene_destroy(bench.scene);
    return good ? 0 : 1;
}

// Contests: each run in a process of its own, in turns, under a budget of CPU time.
#define _GNU_SOURCE // mallinfo2: all engines' heaps counted in the same way
#include "scenes/contest.h"

#include "common/measure.h"

#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RUNS = 3, LARGEST_BLOCK = 64 };
static const rlim_t MOST_BYTES = 12ull << 30; // of a run, so that none brings the machine down
static const double SHORT_BLOCK =
    1e-3; // s: shorter ones are doubled, so that the clock costs nothing

bool bench_can_play(const BenchEngine *engine, const BenchScene *scene)
{
    return engine->can_play ? engine->can_play(scene) : !scene->file && !bench_is_mechanism(scene);
}

// --- one run ------------------------------------------------------------------------------------

static double heap(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static void note_block(BenchRun *run, int steps, double seconds)
{
    double before = run->spent[run->steps];
    for (int k = 1; k <= steps; k++)
        run->spent[run->steps + k] = before + seconds * k / steps;
    run->steps += steps;
}

// false: the engine failed; the block's steps that went well count
static bool play_block(const BenchEngine *engine, void *world, int steps, BenchRun *run)
{
    int done = 0;
    double begin = bench_clock();
    while (done < steps && engine->step(world, run->message))
        done++;
    double seconds = bench_clock() - begin;
    if (done > 0)
        note_block(run, done, seconds);
    run->contacts = engine->contacts(world);
    run->most_contacts = run->contacts > run->most_contacts ? run->contacts : run->most_contacts;
    return done == steps;
}

// joints are looked at between blocks, not on the clock
static void play_all(const BenchEngine *engine, void *world, const BenchScene *scene,
                     double seconds, BenchPose *poses, BenchRun *run)
{
    int block = 1;
    while (run->steps < scene->steps) {
        double before = run->spent[run->steps];
        int steps = block < scene->steps - run->steps ? block : scene->steps - run->steps;
        if (!play_block(engine, world, steps, run)) {
            run->ending = BENCH_FAILED;
            return;
        }
        if (scene->n_joints > 0) {
            engine->poses(world, scene->n_bodies, poses);
            run->gap_max = fmax(run->gap_max, bench_joint_gap(scene, poses));
        }
        if (run->spent[run->steps] - before < SHORT_BLOCK && block < LARGEST_BLOCK)
            block *= 2;
        if (run->steps < scene->steps && run->spent[run->steps] > seconds) {
            run->ending = BENCH_BUDGET;
            return;
        }
    }
    run->ending = BENCH_WHOLE;
}

static void play(const BenchEngine *engine, const BenchScene *scene, double seconds, BenchRun *run)
{
    double before = heap();
    run->ending = BENCH_KILLED; // until it is known better
    void *world = engine->create(engine, scene, run->message);
    if (!world) {
        run->ending = BENCH_REFUSED;
        return;
    }
    int count = engine->bodies ? engine->bodies(world) : scene->n_bodies;
    run->bodies = count;
    BenchPose *start = bench_memory(2 * (size_t)count + 1, sizeof *start), *now = start + count;
    double own = (2 * (double)count + 1) * sizeof *start;
    engine->poses(world, count, start);
    play_all(engine, world, scene, seconds, now, run);
    run->bytes = heap() - before - own;
    if (engine->prove)
        engine->prove(world, &run->proof);
    engine->poses(world, count, now);
    run->verdict = bench_judge(scene, count, start, now);
    run->judged = true;
    engine->destroy(world);
    free(start);
}

// A step that does not end is ended from outside. (A limit on CPU time would do it too, but makes
// Linux count the process's time in ticks of 4 ms.)
static bool wait_for(pid_t child, double seconds, int *state)
{
    struct timespec pause = {0, 1000000}, used = {0};
    clockid_t clock;
    bool has_clock = clock_getcpuclockid(child, &clock) == 0;
    pid_t ended;
    while ((ended = waitpid(child, state, WNOHANG)) == 0) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 50000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
        if (has_clock && clock_gettime(clock, &used) == 0 && (double)used.tv_sec > 2 * seconds + 2)
            kill(child, SIGKILL);
    }
    return ended == child;
}

// in a process of its own: crashes stay there, and memory is fresh
static bool run_apart(const BenchEngine *engine, const BenchScene *scene, double seconds,
                      BenchRun *run)
{
    int state;
    memset(run, 0, sizeof *run);
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        setrlimit(RLIMIT_AS, &(struct rlimit){MOST_BYTES, MOST_BYTES});
        play(engine, scene, seconds, run);
        _exit(0);
    }
    if (!wait_for(child, seconds, &state))
        return false;
    bool too_long = WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL;
    if (run->ending == BENCH_KILLED && !too_long) {
        run->ending = BENCH_FAILED;
        if (!run->message[0])
            snprintf(run->message, sizeof run->message, "ended by signal %d",
                     WIFSIGNALED(state) ? WTERMSIG(state) : 0);
    }
    return true;
}

// --- all runs -----------------------------------------------------------------------------------

static double spent_a_step(const BenchRun *run, int from)
{
    return run->steps > from ? (run->spent[run->steps] - run->spent[from]) / (run->steps - from)
                             : NAN;
}

static void take_score(BenchScore *score, const BenchRun *run)
{
    double whole = spent_a_step(run, 0), late = spent_a_step(run, run->steps / 2);
    score->whole = score->runs ? fmin(score->whole, whole) : whole;
    score->late = score->runs ? fmin(score->late, late) : late;
    score->run = *run;
    score->longest = 0;
    for (int k = 1; k <= run->steps; k++)
        score->longest = fmax(score->longest, run->spent[k] - run->spent[k - 1]);
    score->runs++;
}

// again only what did all its steps, and if that fits into the budget
static bool is_worth_another(const BenchScore *score, double seconds)
{
    if (score->runs == 0)
        return true;
    double used = score->runs * score->run.spent[score->run.steps];
    return score->run.ending == BENCH_WHOLE && used + score->run.spent[score->run.steps] <= seconds;
}

bool bench_contest(const BenchScene *scene, const BenchEngine *const *engines, int n_engines,
                   double seconds, BenchScore *scores)
{
    BenchRun *run =
        mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED)
        return false;
    bool good = true;
    for (int k = 0; k < n_engines; k++)
        scores[k] = (BenchScore){.engine = engines[k], .whole = NAN, .late = NAN};
    for (int round = 0; good && round < MOST_RUNS; round++)
        for (int k = 0; good && k < n_engines; k++)
            if (is_worth_another(&scores[k], seconds)) {
                good = run_apart(engines[k], scene, seconds, run);
                take_score(&scores[k], run);
            }
    munmap(run, sizeof *run);
    return good;
}

// --- the state in which all begin ---------------------------------------------------------------

// the end with more iterations, which leaves less overlap for the others to deal with
bool bench_settle(BenchScene *scene)
{
    int steps = (int)(scene->settle / scene->dt);
    BenchEngine careful = bench_engine_ode_quick;
    BenchPose *poses = bench_memory((size_t)scene->n_bodies + 1, sizeof *poses);
    for (int phase = 0; phase < 2 && steps > 0; phase++) {
        char message[BENCH_MESSAGE] = "";
        careful.setting = phase ? 100 : 20;
        void *world = careful.create(&careful, scene, message);
        for (int k = 0; k < (phase ? steps / 20 : steps); k++)
            careful.step(world, message);
        careful.poses(world, scene->n_bodies, poses);
        careful.destroy(world);
        for (int k = 0; k < scene->n_bodies; k++) {
            memcpy(scene->bodies[k].position, poses[k].position, sizeof poses[k].position);
            memcpy(scene->bodies[k].rotation, poses[k].rotation, sizeof poses[k].rotation);
        }
    }
    free(poses);
    return true;
}

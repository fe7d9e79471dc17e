// Contests: engines on one scene, in turns, each run in a process of its own with a budget of CPU
// time.
#ifndef PERP_BENCH_SCENES_CONTEST
#define PERP_BENCH_SCENES_CONTEST

#include "engines/engine.h"
#include "scenes/judge.h"

enum { BENCH_STEPS = 6000, BENCH_ENGINES = 10 };

typedef enum BenchEnding {
    BENCH_REFUSED, // no step: the engine cannot play the scene, the message says why
    BENCH_WHOLE,   // all steps
    BENCH_BUDGET,  // stopped after a step, the budget was spent
    BENCH_KILLED,  // stopped within a step that took longer than all of the budget
    BENCH_FAILED   // the engine gave up, the message says why
} BenchEnding;

// A run, as the process that runs it leaves it in shared memory.
typedef struct BenchRun {
    BenchEnding ending;
    int bodies, steps; // steps: done
    int contacts;      // in the last step's problem, by the engine's own count
    int most_contacts;
    double spent[BENCH_STEPS + 1]; // s of CPU time of the steps so far
    double gap_max;                // m, the largest joint error seen
    double bytes;                  // of heap that the run holds at its end
    bool judged;
    BenchVerdict verdict;
    BenchProof proof;
    char message[BENCH_MESSAGE];
} BenchRun;

// The result of an engine: its last run, times the least of all runs.
typedef struct BenchScore {
    const BenchEngine *engine;
    int runs;
    double whole; // s a step, over the whole run
    double late;  // s a step, over the second half of the steps done
    double
        longest; // s, of the longest step of the last run (a mean over a few where steps are short)
    BenchRun run;
} BenchScore;

// Poses in which all engines begin, made by ODE; nothing if the scene asks for none.
bool bench_settle(BenchScene *scene);

// seconds: the budget of each engine; fills in n_engines scores.
bool bench_contest(const BenchScene *scene, const BenchEngine *const *engines, int n_engines,
                   double seconds, BenchScore *scores);

bool bench_can_play(const BenchEngine *engine, const BenchScene *scene);

#endif

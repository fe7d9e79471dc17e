// A scene played by perp with the ladder that is given: what its steps cost and how they end.
#ifndef PERP_BENCH_LADDER_RUN_H
#define PERP_BENCH_LADDER_RUN_H

#include "perp/problem.h"
#include "scenes/scene.h"
#include "solve/ladder.h"

enum { BENCH_LADDER_RUNGS = 64 }; // at most

typedef struct BenchLadderTable {
    PerpRung rungs[BENCH_LADDER_RUNGS];
    int count;
} BenchLadderTable;

// Sums over problems; of runs, over steps.
typedef struct BenchLadderSum {
    int problems, missed;
    int held;                    // of them: answered with slip held
    long factorisations, sweeps; // PerpProblemResult.iterations, .sweeps
    double seconds;              // CPU time
    double drift;                // m, the farthest of bodies that should stand
} BenchLadderSum;

// settings: its tolerance and methods. ran: bits of the rungs that did.
BenchLadderSum bench_run_scene(const BenchScene *scene, const PerpProblemSettings *settings,
                               const BenchLadderTable *table, uint64_t *ran);

#endif

// Problems of simulations: of a scene's steps, every so often, the largest island.
#ifndef PERP_BENCH_LADDER_RECORDED_H
#define PERP_BENCH_LADDER_RECORDED_H

#include "perp/problem.h"

typedef struct BenchRecorded {
    int count;
    PerpProblem **problems;
} BenchRecorded;

// scene: of perp bench scenes --list, not from a file; up to count problems, evenly over its steps.
// Its steps are solved to 1e-3.
BenchRecorded bench_record(const char *scene, int count);
void bench_free_recorded(BenchRecorded *recorded);

#endif

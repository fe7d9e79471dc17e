// The families of problems on which the ladder is measured: random, of files, of simulations.
#ifndef PERP_BENCH_LADDER_FAMILIES_H
#define PERP_BENCH_LADDER_FAMILIES_H

#include "ladder/problem.h"

enum { BENCH_LADDER_TOLERANCES = 4 };

typedef struct BenchLadderFamily BenchLadderFamily;

// Where the problems of a family come from.
typedef struct BenchLadderSource {
    // How many there are, at most count. folder: of files.
    int (*begin)(const BenchLadderFamily *family, int count, const char *folder, void **state);
    bool (*open)(const BenchLadderFamily *family, void *state, int k, BenchProblem *problem);
    void (*close)(BenchProblem *problem);
    void (*end)(void *state);
} BenchLadderSource;

struct BenchLadderFamily {
    const char *name, *text;
    const BenchLadderSource *source;
    int count;                                 // default; of runs: steps
    double tolerance[BENCH_LADDER_TOLERANCES]; // 0: none
    int contacts, first_seed;                  // of random ones: at most
    const char *scene;                         // of simulations
    bool frictionless;                         // of runs: mu = 0
};

extern const BenchLadderFamily bench_ladder_families[];
extern const int bench_ladder_family_count;

#endif

// What each rung of the ladder earns on a family of problems: the ladder with and without it.
#ifndef PERP_BENCH_LADDER_ABLATION_H
#define PERP_BENCH_LADDER_ABLATION_H

#include "ladder/families.h"
#include "ladder/run.h"

// One rung left out, on the problems on which it ran in the full ladder; it cannot matter for the
// others, which are not solved again.
typedef struct BenchLadderRow {
    int rung; // of the table
    BenchLadderSum with, without;
    double seconds_of_all; // full ladder, on all problems looked at
    bool cut;              // the limit on time ended it
} BenchLadderRow;

typedef struct BenchLadderResult {
    const BenchLadderFamily *family;
    double tolerance;
    int contacts; // most
    int too_long; // problems left out of all sums: the full ladder takes a quarter of the limit
    bool cut;     // the full ladder's limit on time ended it
    BenchLadderSum full;
    BenchLadderRow rows[BENCH_LADDER_RUNGS];
} BenchLadderResult;

typedef struct BenchLadderOptions {
    const char *family, *folder; // NULL: all; those that come with perp
    const char *rung;            // NULL: each is left out
    int count;                   // 0: each family's
    double seconds, tolerance;   // of a family and rung; 0: each family's
    unsigned methods;            // of the full ladder
    bool json;
} BenchLadderOptions;

// The ladder's table, and the name of a rung in it.
int bench_ladder_rungs(void);
const char *bench_ladder_rung_name(int rung);
PerpMethod bench_ladder_rung_method(int rung);

// count: of problems that the family's source has.
BenchLadderResult bench_ablate(const BenchLadderOptions *options, const BenchLadderFamily *family,
                               void *state, int count, double tolerance);

void bench_ladder_add(BenchLadderSum *to, const BenchLadderSum *from);

// CPU time without the rung over that with it: on the problems on which it ran, and on all.
double bench_ladder_ratio(const BenchLadderRow *row);
double bench_ladder_ratio_of_all(const BenchLadderRow *row);

// needed, creeps without, faster with, no effect, faster without, misses less without
const char *bench_ladder_verdict(const BenchLadderRow *row);

#endif

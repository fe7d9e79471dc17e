// Competitions between solvers: every solver on every problem, in turns, judged and timed.
#ifndef PERP_BENCH_COMMON_MEASURE
#define PERP_BENCH_COMMON_MEASURE

#include "perp/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

double bench_clock(void);      // s of CPU time of this process
double bench_wall_clock(void); // s since some moment

// One problem in both forms: as a step problem, and as the LCP that perp_problem_reduce makes of
// it.
typedef struct BenchCase {
    const PerpProblem *problem;
    PerpLcp lcp;
} BenchCase;

typedef struct BenchAnswer {
    double seconds; // of the solve alone
    int pivots;     // -1: the solver does not tell
    double worst;   // residual of the certificate
} BenchAnswer;

// A contestant. start, which may be NULL, prepares for a case outside the timing.
typedef struct BenchSolver {
    const char *name;
    void *self;
    void (*start)(void *self, const BenchCase *c);
    BenchAnswer (*solve)(void *self, const BenchCase *c);
} BenchSolver;

enum { BENCH_MAX_SOLVERS = 8 };

// Medians over the cases of a size that this solver and the first one solved, NAN if there is none;
// a case's time is the least of its repetitions.
typedef struct BenchColumn {
    const char *solver;
    double seconds;
    double ratio;  // seconds over those of the first solver, median of the cases' ratios
    double pivots; // -1: not told
    int failures;  // certificate above bench_tolerance
} BenchColumn;

typedef struct BenchRow {
    const char *family;
    int contacts, facets, n, cases, n_columns;
    BenchColumn columns[BENCH_MAX_SOLVERS];
} BenchRow;

extern const double bench_tolerance;

// Fills row->columns. make(user, k, &c) prepares case k; it stays valid until the next call.
void bench_compete(BenchRow *row, const BenchSolver *solvers, int n_solvers, double budget,
                   void (*make)(void *user, int k, BenchCase *c), void *user);

void *bench_memory(size_t count, size_t size); // zeroed; ends the program if there is none

#ifdef __cplusplus
}
#endif
#endif

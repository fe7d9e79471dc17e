// The problems of the LCP benchmark, by size.
#ifndef PERP_BENCH_LCP_LCP_CASES
#define PERP_BENCH_LCP_LCP_CASES

#include "common/measure.h"
#include "generate.h"

// X(name, text): kinds of problems.
#define BENCH_FAMILY_LIST(X)                                                                       \
    X(FRICTIONAL, "frictional")            /* piles at rest, sliding and impacting, in turns */    \
    X(SPD, "frictionless, M definite")     /* as many bodies as contacts */                        \
    X(PSD, "frictionless, M semidefinite") /* ten contacts a body: more rows than velocities */

typedef enum BenchFamily {
#define BENCH_FAMILY_CODE(name, text) BENCH_##name,
    BENCH_FAMILY_LIST(BENCH_FAMILY_CODE)
#undef BENCH_FAMILY_CODE
        BENCH_FAMILY_COUNT
} BenchFamily;

const char *bench_family_text(BenchFamily family);

// Holds the current case. Zero it, set family, contacts and facets, and close it at the end.
typedef struct BenchCases {
    BenchFamily family;
    int contacts, facets;
    PerpSample *sample;
    PerpProblem problem;
    PerpSolver *reducer;
} BenchCases;

void bench_make_case(void *cases, int k, BenchCase *c); // ends the program if it cannot
void bench_close_cases(BenchCases *cases);

#endif

// One problem of the ladder's benchmark: with bodies, or as FCLIB's local ones without.
#ifndef PERP_BENCH_LADDER_PROBLEM_H
#define PERP_BENCH_LADDER_PROBLEM_H

#include "perp/contact_problem.h"
#include "perp/problem.h"

// One of the two.
typedef struct BenchProblem {
    const PerpProblem *step;
    const PerpContactProblem *contact;
    void *owner; // of the arrays
} BenchProblem;

// A step problem with arrays of its own.
PerpProblem *bench_copy_problem(const PerpProblem *p);
void bench_free_problem(PerpProblem *p); // NULL is allowed

#endif

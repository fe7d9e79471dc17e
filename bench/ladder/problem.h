// One problem of the ladder's benchmark: with bodies, as FCLIB's local ones without, or a whole
// run.
#ifndef PERP_BENCH_LADDER_PROBLEM_H
#define PERP_BENCH_LADDER_PROBLEM_H

#include "perp/contact_problem.h"
#include "perp/problem.h"
#include "scenes/scene.h"

// One of the three.
typedef struct BenchProblem {
    const PerpProblem *step;
    const PerpContactProblem *contact;
    const BenchScene *run; // all steps of it
    void *owner;           // of the arrays
} BenchProblem;

// A step problem with arrays of its own.
PerpProblem *bench_copy_problem(const PerpProblem *p);
void bench_free_problem(PerpProblem *p); // NULL is allowed

#endif

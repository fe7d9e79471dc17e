// What a study measures of a run: expressions of final(x), largest(x), first(condition) ..., each
// taken up step by step.
#ifndef PERP_STUDY_METER_H
#define PERP_STUDY_METER_H

#include "study/quantity.h"
#include "study/study.h"

enum { PERP_METER_QUANTITIES = 128, PERP_METER_REDUCTIONS = 256 };

// One of the functions of the whole run, and what it has seen so far.
typedef struct PerpReduction {
    PerpReduce kind;
    PerpProgram program; // of t and the quantities; owned. Without code: the quantity itself
    int quantity;
    double time;  // of at(time, x)
    double value; // NaN: nothing yet
    double t, x;  // of the last sample
} PerpReduction;

typedef struct PerpMeter {
    const PerpStudy *study;
    const PerpModel *model;
    const double *parameters;
    PerpQuantity quantities[PERP_METER_QUANTITIES];
    PerpReduction reductions[PERP_METER_REDUCTIONS];
    PerpProgram measures[PERP_STUDY_NAMES]; // of the reductions' values
    int n_quantities, n_reductions, n_measures;
    bool runs_along; // something must be looked at after every step
} PerpMeter;

// Compiles all measures. Errors say where in the study; then there is nothing to free.
PerpStatus perp_meter_create(const PerpStudy *study, const PerpModel *model,
                             const double *parameters, PerpMeter *meter, PerpError *error);
void perp_meter_free(PerpMeter *meter);

void perp_meter_sample(PerpMeter *meter, const PerpSimulation *simulation); // start, each step
void perp_meter_finish(PerpMeter *meter, const PerpSimulation *simulation, bool certified,
                       double *measures);

#endif

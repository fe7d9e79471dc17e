// CPU time of the stages of a step, measured on request: a stage is entered, and what runs until
// the next one is entered counts for it.
#ifndef PERP_STEP_TIMING_H
#define PERP_STEP_TIMING_H

#include "base/clock.h"
#include "step/simulation_data.h"

// Enters a stage and returns the one that it interrupts, to be entered again behind it.
static inline PerpTiming perp_timing_enter(PerpSimulation *sim, PerpTiming stage)
{
    PerpTimings *t = &sim->timings;
    PerpTiming last = t->now;
    if (!t->on)
        return last;
    double now = perp_thread_seconds();
    t->seconds[last] += now - t->since;
    t->since = now;
    t->now = stage;
    return last;
}

#endif

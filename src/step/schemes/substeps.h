// Substeps of the default scheme. A step is divided where the geometric stiffness of joints limits
// its length (stiffness_limit.h), where bounces are located, and where a large island is not
// solved. With half the length that island has other contacts and another free motion: its speeds
// weigh more against what gravity adds to them, and fewer contacts are undecided between sticking,
// sliding and opening.
#ifndef PERP_STEP_SCHEMES_SUBSTEPS_H
#define PERP_STEP_SCHEMES_SUBSTEPS_H

#include "step/scheme_tools.h"

typedef struct PerpSubsteps {
    double h;              // s, of the step
    double rest;           // s, what is left of it
    double longest;        // s, that a substep may have
    double shortest;       // s, that step limits may ask for
    double last;           // s, of the substep before; 0: none
    int halvings;          // of the step, to the substep at hand
    int count;             // of substeps, if misses divide the step; else 0
    bool is_missed;        // a shortest substep was: the rest is made at once
    PerpStepReport report; // as it was before the problem at hand
    int cache;             // likewise the island cache in use
} PerpSubsteps;

// Begins with twice the length that the last step ended with.
PerpSubsteps perp_substeps_begin(const PerpSimulation *sim, double h);
double perp_substeps_next(const PerpSubsteps *substeps); // s, the longest that comes next

// Before the problem of a substep of this length: may large islands be missed?
bool perp_substeps_attempt(PerpSimulation *sim, PerpSubsteps *substeps, double length);
// After it: was one, and is half the length to be tried? Report and island cache are reset then.
bool perp_substeps_halve(PerpSimulation *sim, PerpSubsteps *substeps, const PerpStage *stage,
                         double length);

// The problem of a substep of this length is solved: those that follow are no longer.
void perp_substeps_limit(PerpSubsteps *substeps, double length);
// The state has moved by a substep of this length.
PerpStatus perp_substeps_done(PerpSimulation *sim, PerpSubsteps *substeps, const PerpStage *stage,
                              double length, PerpError *error);
// After the last one.
PerpStatus perp_substeps_end(PerpSimulation *sim, const PerpSubsteps *substeps, PerpError *error);

#endif

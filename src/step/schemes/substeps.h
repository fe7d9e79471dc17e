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
    double limit;          // s, likewise, by step limits; h: none
    double shortest;       // s, that they may ask for
    double stable;         // s, that all substeps so far might have had by step limits
    double last;           // s, of the substep before; 0: none
    int halvings;          // of the step, to the substep at hand
    int count;             // of substeps, if misses or step limits divide the step; else 0
    int misses;            // problems that were missed, and cost all that the ladder may
    int held;              // problems answered with slip held, which may cost as much
    bool is_missed;        // a shortest substep was: the rest is made at once
    PerpStepReport report; // as it was before the problem at hand
    int cache;             // likewise the island cache in use
} PerpSubsteps;

// Begins with twice the length that the last step ended with, or what step limits allowed then.
PerpSubsteps perp_substeps_begin(const PerpSimulation *sim, double h);
double perp_substeps_next(const PerpSubsteps *substeps); // s, the longest that comes next

// Before the problem of a substep of this length: may large islands be missed?
bool perp_substeps_attempt(PerpSimulation *sim, PerpSubsteps *substeps, double length);
// Are problems left to slip held that only the last methods of the ladder would solve exactly?
// After 1, 2, 4, ... answers with slip held they are tried again.
bool perp_substeps_leave_to_held(const PerpSubsteps *substeps);
// After it: was one, and is half the length to be tried?
bool perp_substeps_halve(PerpSubsteps *substeps, const PerpStage *stage, double length);
// A shorter substep takes its place: report and island cache are as before it.
void perp_substeps_retry(PerpSimulation *sim, PerpSubsteps *substeps);

// Every step ends, at a bounded price: problems that are solved are cheap, and there may be many;
// after some that are not, the rest is made at once.
bool perp_substeps_may_divide(const PerpSubsteps *substeps);
// s: what takes the place of this length where step limits allow less, at most `longest`, and of
// those that follow; the same length if that cannot be.
double perp_substeps_shorten(PerpSubsteps *substeps, double length, double longest);

// The state has moved by a substep of this length.
PerpStatus perp_substeps_done(PerpSimulation *sim, PerpSubsteps *substeps, const PerpStage *stage,
                              double length, PerpError *error);
// After the last one.
PerpStatus perp_substeps_end(PerpSimulation *sim, const PerpSubsteps *substeps, PerpError *error);

#endif

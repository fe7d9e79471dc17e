// A step is made in parts where taut joints ask for shorter ones (taut.h), where bounces are
// located, and where the problem of a heap of contacts is not solved as a whole: with half the
// length it has other contacts and other free motion, and mostly is. Speeds that a heap has count
// for more in a shorter problem, what gravity adds to them for less, and so fewer contacts are
// undecided between sticking, sliding and opening.
#ifndef PERP_STEP_PARTS_H
#define PERP_STEP_PARTS_H

#include "step/step.h"

enum { PERP_HALVINGS = 4 }; // at most

typedef struct PerpParts {
    double h;              // s, of the step
    double rest;           // s, what is left of it
    double longest;        // s, that a part may have
    double last;           // s, of the part before; 0: none
    int halvings;          // of the step, to the part at hand
    int count;             // of parts, if misses divide the step; else 0
    bool is_missed;        // a shortest part was: the rest is made at once
    PerpStepReport report; // as it was before the problem at hand
    int kept;              // likewise kept_in_use
} PerpParts;

// Begins with twice the length that the last step ended with.
PerpParts perp_parts_begin(const PerpSimulation *sim, double h);
double perp_parts_next(const PerpParts *parts); // s, the longest part that comes next

// Has a heap of so many contacts a chance to be solved in parts, at a cost that is worth it?
bool perp_parts_is_heap(const PerpSimulation *sim, int contacts);

// Before the problem of a part of this length: may heaps be missed?
bool perp_parts_try(PerpSimulation *sim, PerpParts *parts, double length);
// After it: was one, and is half of it to be tried? What came of it is forgotten then.
bool perp_parts_halve(PerpSimulation *sim, PerpParts *parts, const PerpStage *stage, double length);

// The problem of a part of this length is solved: those that follow are no longer.
void perp_parts_bound(PerpParts *parts, double length);
// The state has moved by a part of this length.
PerpStatus perp_parts_done(PerpSimulation *sim, PerpParts *parts, const PerpStage *stage,
                           double length, PerpError *error);
// After the last part.
PerpStatus perp_parts_end(PerpSimulation *sim, const PerpParts *parts, PerpError *error);

#endif

// One island of a stage: solved, certified, its answer written to its places in the whole.
#ifndef PERP_STEP_ISLANDS_SOLVE_ISLAND_H
#define PERP_STEP_ISLANDS_SOLVE_ISLAND_H

#include "step/islands/islands.h"
#include "step/scheme_tools.h"

// What came of an island with rows.
typedef struct PerpIslandAnswer {
    const PerpCachedIsland *cached; // of an earlier step; NULL: none
    uint64_t layout, problem;
    PerpStatus status;
    int contacts;
    PerpOutcome outcome;
    PerpMethod solved_by;
    int pivots;
    int basis_size;
    const signed char *basis; // in the worker's arena, or the cache
    PerpCertificate certificate;
    PerpGap gap;
    PerpHeld held;
} PerpIslandAnswer;

typedef struct PerpStageWork {
    PerpSimulation *sim;
    PerpStage *stage;
    PerpIslands islands;
    PerpIslandAnswer *found; // islands
    int *order;              // islands, in the order in which they are dealt
} PerpStageWork;

// Has it rows? Else it is a block that moves freely.
bool perp_island_has_rows(const PerpIslands *islands, int island);

// On the exact law, or on the one with slip held.
bool perp_island_is_answered(const PerpIslandAnswer *found);
// One that is not solved divides the step: with fewer contacts every problem is solved, with more a
// shorter step costs more than it gains.
bool perp_island_divides_step(const PerpStageWork *work, int island);
// Is it missed, so that shorter substeps take its place?
bool perp_island_is_tried_again(const PerpStageWork *work, int island);

// Solves it. Several threads may do so at once, each with its worker.
PerpStatus perp_island_solve(const PerpStageWork *work, PerpWorker *worker, int island,
                             PerpError *error);

#endif

// The owner of scratch memory and results.
#ifndef PERP_SOLVE_SOLVER_H
#define PERP_SOLVE_SOLVER_H

#include "base/memory.h"
#include "linear/joints_solve.h"
#include "math/sparse/graph.h"
#include "perp/lcp.h"

#include <stdint.h>

struct PerpRung;

struct PerpSolver {
    PerpContext context;
    const struct PerpRung *rungs; // the ladder's table if it is another, as perp bench ladder's;
    int n_rungs;                  // NULL: that of rungs.c
    uint64_t rungs_run;           // bits of those that ever ran: for it
    PerpArena arena;              // everything of the last call, rewound by the next
    PerpJointsCache joints;       // in it: the factors of joints alone, until it is rewound
    PerpGraphCache graphs;        // outlive it
    int threads;                  // for one large problem, 1 unless set; no bit depends on it
};

#endif

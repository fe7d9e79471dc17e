// The owner of scratch memory and results.
#ifndef PERP_SOLVE_SOLVER_H
#define PERP_SOLVE_SOLVER_H

#include "base/memory.h"
#include "linear/joints_solve.h"
#include "math/sparse/graph.h"
#include "perp/lcp.h"

struct PerpSolver {
    PerpContext context;
    PerpArena arena;        // everything of the last call, rewound by the next
    PerpJointsCache joints; // in it: the factors of joints alone, until it is rewound
    PerpGraphCache graphs;  // outlive it
    int threads;            // for one large problem, 1 unless set; no bit depends on it
};

#endif

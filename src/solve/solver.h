// The owner of scratch memory and results.
#ifndef PERP_SOLVE_SOLVER_H
#define PERP_SOLVE_SOLVER_H

#include "base/memory.h"
#include "cones/operator/graph.h"
#include "perp/lcp.h"

struct PerpSolver {
    PerpContext context;
    PerpArena arena;           // everything of the last call, rewound by the next
    struct PerpJoints *joints; // in it: the factors of joints alone, until it is rewound
    size_t joints_rewinds;     // that it had seen when they were made
    PerpGraphCache graphs;     // outlive it
    int threads;               // for one large problem, 1 unless set; no bit depends on it
};

// BAD_VALUE unless all of x are finite; the message names `what` and the index.
PerpStatus perp_require_finite(const double *x, int n, const char *what, PerpError *error);

#endif

// Springs, dampers and armatures as compliant rows of the step problem (implicit_force.h), with
// their gradients at the middle of the step: u_new is that at the end, J v_new + (J - J(q))'v.
#ifndef PERP_STEP_ROWS_LINK_ROWS_H
#define PERP_STEP_ROWS_LINK_ROWS_H

#include "step/rows/implicit_force.h"
#include "step/simulation_data.h"

// Lies in the step's arena.
struct PerpLinkRows {
    int count;             // rows
    int *link;             // count: which link
    PerpLinks at;          // the links at the middle
    PerpImplicitRow *row;  // count: of J v_new
    double *value, *speed; // count: psi and u at the beginning
    double *turn;          // count: (J - J(q))'v
};

// The rows of a step of length h from the state. v_free, of motion without links, becomes about
// that with links, for those who look ahead; NULL: nobody does. h = 0, an impact: armatures alone,
// at the state.
PerpStatus perp_link_rows_find(PerpSimulation *sim, double h, const double *middle, double *v_free,
                               PerpLinkRows *rows, PerpError *error);

// Adds them behind the rows of the joints; false if memory is short.
bool perp_link_rows_insert(const PerpLinkRows *rows, PerpAssembly *assembly);

// After the motion: moves the state, as little as possible in the metric of M, until stiff springs
// are as long as the forces in their rows say, psi*, or damped ones as their speeds: neither what
// the motion misses of that, O(h^3), nor the way of a speed that they stop at once may become
// energy in them.
PerpStatus perp_link_rows_close(PerpSimulation *sim, const PerpStage *stage, PerpError *error);

// J that the dampers of a solved stage take.
double perp_link_rows_damped(const PerpStage *stage);

#endif

// The mobility J M^-1 J' of rows: the inverse of the mass that they move.
#ifndef PERP_STEP_ROWS_MOBILITY_H
#define PERP_STEP_ROWS_MOBILITY_H

#include "step/simulation_data.h"

// Factors of the mass matrix of a problem, in the arena; false if memory is short or it is
// singular.
bool perp_mobility_factor(PerpArena *arena, const PerpProblem *p, PerpBlockDiagonal *mass);
// The same at the state.
PerpStatus perp_mobility_at_state(PerpSimulation *sim, PerpBlockDiagonal *mass, PerpError *error);

// Of a row with entries of these bodies and numbers. x: scratch, as long as a body has velocities.
double perp_mobility(const PerpBlockDiagonal *mass, int entries, const int *body, const double *J,
                     double *x);

#endif

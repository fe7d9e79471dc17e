// The start of a simulation: states that no run may begin with.
#ifndef PERP_STEP_START_H
#define PERP_STEP_START_H

#include "step/simulation_data.h"

// Refuses numbers out of range, and bodies that overlap, or moves those apart: settings.overlap.
PerpStatus perp_start_check(PerpSimulation *sim, PerpError *error);

#endif

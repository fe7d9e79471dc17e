// Joints that pull hard at light bodies, for schemes whose rows stand at a predicted configuration.
#ifndef PERP_STEP_TAUT_H
#define PERP_STEP_TAUT_H

#include "step/step.h"

// The longest step, at most h, that follows how bodies swing between their joints, by the impulses
// in the solution of a stage of h. Of rigid systems. NAN if memory is short.
double perp_taut_step(PerpSimulation *sim, const PerpStage *stage, double h);

#endif

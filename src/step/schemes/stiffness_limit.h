// The step limit of geometric stiffness: joints under tension at light bodies, of schemes whose
// rows stand at a predicted configuration.
#ifndef PERP_STEP_SCHEMES_STIFFNESS_LIMIT_H
#define PERP_STEP_SCHEMES_STIFFNESS_LIMIT_H

#include "step/scheme_tools.h"

// The longest step at which bodies that swing between their joints are stable, by the impulses in
// the solution of a stage of h: INFINITY if nothing pulls. Of rigid systems. NAN if memory is
// short.
double perp_stiffness_step_limit(PerpSimulation *sim, const PerpStage *stage, double h);

#endif

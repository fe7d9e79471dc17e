// The angle condition of PS02: when several constraints are active, how their gradients may meet.
#ifndef PERP_STEP_SCHEMES_ANGLE_CONDITION_H
#define PERP_STEP_SCHEMES_ANGLE_CONDITION_H

#include "step/scheme_tools.h"

// grad f_a' M^-1 grad f_b <= 0 if e = 0, = 0 if e > 0, for every pair of constraints that are
// closed at the beginning of the step (`start`) or at its end (`stage`); the first pair that does
// not obey is warned of. With joints, M^-1 is that of the motions that they leave.
PerpStatus perp_check_angles(PerpSimulation *sim, const PerpStage *start, const PerpStage *stage,
                             PerpError *error);

#endif

// The rows of ball joints, of which chains and ragdolls are made, written where they belong.
#ifndef PERP_STEP_ROWS_BALL_ROWS_H
#define PERP_STEP_ROWS_BALL_ROWS_H

#include "step/rows/assembly.h"

// Adds the rows of a ball joint. False, and nothing is added, if one of its bodies is held in some
// directions, or both are in all.
bool perp_ball_rows_add(PerpAssembly *assembly, const PerpPose *pose, int joint);

#endif

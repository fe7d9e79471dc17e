// Problems that nothing touches: the motion without any impulse keeps all contacts open and asks
// nothing of joints. Rest is one of them, v = 0 and c = 0, where no scale is left by which the
// rounding of another solution could be judged.
#ifndef PERP_LINEAR_FREE_FLIGHT_H
#define PERP_LINEAR_FREE_FLIGHT_H

#include "base/memory.h"
#include "problem/judge.h"

// flies: no row asks for an impulse, and the point is the motion without any, in the arena. Fails
// only if memory is short.
PerpStatus perp_free_flight(PerpArena *arena, const PerpProblem *p, PerpPoint *point, bool *flies,
                            PerpError *error);

#endif

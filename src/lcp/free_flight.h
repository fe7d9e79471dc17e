// Problems that nothing touches: the motion without any impulse keeps all contacts open.
#ifndef PERP_LCP_FREE_FLIGHT_H
#define PERP_LCP_FREE_FLIGHT_H

#include "base/memory.h"
#include "perp/problem.h"

// False if something is touched, or if memory is short; else the result with its certificate.
bool perp_free_flight(PerpArena *arena, const PerpProblem *p, const PerpProblemSettings *settings,
                      PerpProblemResult *result);

#endif

// Of all impulses with the same J'c that obey the law at the same velocities, the shortest.
//
// Which rows may be nonzero and which cones are full follows from the slacks at the solution, so
// that what is left is linear: E c = E c0 keeps J'c, the closed rows and the full cones, B c >= b
// the signs, the bounds and the other cones.                         [L82 lemma 5.2, part 4]
#ifndef PERP_PIVOTING_MINIMUM_NORM_IMPULSES_H
#define PERP_PIVOTING_MINIMUM_NORM_IMPULSES_H

#include "problem/judge.h"
#include "problem/recovery.h"

// False if memory is short.
bool perp_minimum_norm_impulses(PerpArena *arena, const PerpLcpJudge *judge, PerpRecovery *recovery,
                                const PerpRecoveredPoint *solution, PerpRecoveredPoint *minimum);

#endif

// Compliant rows, y = J v + C c + d, as rigid ones: each acts on a body of its own, too, with one
// velocity w that nothing else moves,
//
//     m w = a c,     y = J v + a w + d,     a^2/m = C
//
// so that J Mt^-1 J' has C on its diagonal, and solvers know nothing of compliance.
#ifndef PERP_PROBLEM_COMPLIANCE_H
#define PERP_PROBLEM_COMPLIANCE_H

#include "base/memory.h"
#include "perp/problem.h"

// Rows with C > 0.
int perp_compliance_count(const PerpProblem *p);

// The rigid problem with the same impulses, in the arena; arrays that stay as they are are p's. Its
// velocities begin with those of p. False if memory is short.
bool perp_compliance_expand(PerpArena *arena, const PerpProblem *p, PerpProblem *rigid);

#endif

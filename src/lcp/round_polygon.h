// Round friction groups as polygons, and back.
#ifndef PERP_LCP_ROUND_POLYGON_H
#define PERP_LCP_ROUND_POLYGON_H

#include "base/memory.h"
#include "perp/problem.h"

// The problem with polygons; first[g]: the angle of the first direction of group g, rad. False if
// memory is short, as below.
bool perp_round_to_polygons(PerpArena *arena, const PerpProblem *p, const double *first,
                            PerpProblem *polygons);
// The impulses of its solution, as the round problem counts them.
void perp_round_from_polygons(const PerpProblem *p, const PerpProblem *polygons,
                              const double *first, const double *c, double *c_round);

// The angles against the slip at v, and the slip speeds, of round groups.
bool perp_round_turn_polygons(PerpArena *arena, const PerpProblem *p, const double *v,
                              double *first, double *lambda);

#endif

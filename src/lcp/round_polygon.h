// Round friction groups as polygons, and back.
#ifndef PERP_LCP_ROUND_POLYGON_H
#define PERP_LCP_ROUND_POLYGON_H

#include "base/memory.h"
#include "perp/problem.h"

// The directions of the polygons: those of group g at the angles angle[start[g]] .. [start[g+1] -
// 1], rad. Of groups that are not round, which stay as they are, only the number counts.
typedef struct PerpFan {
    int *start;    // n_groups + 1
    double *angle; //
} PerpFan;

// Eight directions, evenly, of each round group, the first at first[g]. False if memory is short,
// as below.
bool perp_round_even_fan(PerpArena *arena, const PerpProblem *p, const double *first, PerpFan *fan);

// The problem with polygons. It borrows the fan.
bool perp_round_to_polygons(PerpArena *arena, const PerpProblem *p, const PerpFan *fan,
                            PerpProblem *polygons);
// The impulses of its solution, as the round problem counts them.
void perp_round_from_polygons(const PerpProblem *p, const PerpFan *fan, const double *c,
                              double *c_round);

// The angles against the slip at v, and the slip speeds, of round groups.
bool perp_round_turn_polygons(PerpArena *arena, const PerpProblem *p, const double *v,
                              double *first, double *lambda);

#endif

// Circular friction groups as inscribed polygons [ST97], and back.
#ifndef PERP_CONES_METHODS_INSCRIBED_POLYGON_H
#define PERP_CONES_METHODS_INSCRIBED_POLYGON_H

#include "base/memory.h"
#include "perp/problem.h"

// The directions of the polygons: those of group g at the angles angle[start[g]] .. [start[g+1] -
// 1], rad. Of groups that are not circular, which stay as they are, only the number counts.
typedef struct PerpDirectionSet {
    int *start;    // n_groups + 1
    double *angle; //
} PerpDirectionSet;

// Eight directions, evenly, of each circular group, the first at first[g]. False if memory is
// short, as below.
bool perp_inscribed_even(PerpArena *arena, const PerpProblem *p, const double *first,
                         PerpDirectionSet *directions);

// The problem with polygons. It borrows the direction set.
bool perp_inscribed_make(PerpArena *arena, const PerpProblem *p, const PerpDirectionSet *directions,
                         PerpProblem *polygons);
// The impulses of its solution, as the problem with circular groups counts them.
void perp_inscribed_impulses(const PerpProblem *p, const PerpDirectionSet *directions,
                             const double *c, double *c_round);

// The angles against the slip at v, and the slip speeds, of circular groups.
bool perp_inscribed_turn(PerpArena *arena, const PerpProblem *p, const double *v, double *first,
                         double *lambda);

#endif

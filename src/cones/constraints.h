// From the rows of a problem to constraints.
#ifndef PERP_CONES_CONSTRAINTS_H
#define PERP_CONES_CONSTRAINTS_H

#include "cones/cone_problem.h"

// Where the numbers of each row begin in p->J, rows + 1; NULL if memory is short.
const int *perp_cones_values(PerpArena *arena, const PerpProblem *p);

// Joints by threes, boxes, contacts with their friction groups: kinds, rows, bounds, floors and
// facets, not scaled. value: where the numbers of each row begin in p->J. There is room for as many
// constraints as joints, boxes, contacts and groups, and for a facet a direction.
void perp_cones_list(PerpConeProblem *cones, const int *value);

#endif

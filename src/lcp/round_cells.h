// From the rows of a problem to cells.
#ifndef PERP_LCP_ROUND_CELLS_H
#define PERP_LCP_ROUND_CELLS_H

#include "lcp/round.h"

// Where the numbers of each row begin in p->J, rows + 1; NULL if memory is short.
const int *perp_round_values(PerpArena *arena, const PerpProblem *p);

// Joints by threes, boxes, contacts with their friction groups: kinds, rows, bounds, floors and
// facets, not scaled. value: where the numbers of each row begin in p->J. There is room for as many
// cells as joints, boxes, contacts and groups, and for a facet a direction.
void perp_round_list_cells(PerpRound *round, const int *value);

#endif

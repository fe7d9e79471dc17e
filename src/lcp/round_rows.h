// Between the numbers of cells and the rows of the problem.
#ifndef PERP_LCP_ROUND_ROWS_H
#define PERP_LCP_ROUND_ROWS_H

#include "lcp/round.h"

// Impulses c of all rows; and r of them, as a start. Of a polygon c has at most two of a group's
// directions, neighbours, and may have any sign as a start.
void perp_round_to_rows(const PerpRound *round, const double *r, double *c);
void perp_round_from_rows(const PerpRound *round, const double *c, double *r);

// Velocities of the problem's bodies from the state v
void perp_round_to_velocities(const PerpRound *round, const double *v, double *to);

// lambda of all groups at the state v
void perp_round_slips(const PerpRound *round, const double *v, double *lambda);

#endif

// Between the numbers of constraints and the rows of the problem.
#ifndef PERP_CONES_ROWS_H
#define PERP_CONES_ROWS_H

#include "cones/cone_problem.h"

// Impulses c of all rows; and r of them, as a start. Of a polygon c has at most two of a group's
// directions, neighbours, and may have any sign as a start.
void perp_cones_to_rows(const PerpConeProblem *cones, const double *r, double *c);
void perp_cones_from_rows(const PerpConeProblem *cones, const double *c, double *r);

// Velocities of the problem's bodies from the state v
void perp_cones_to_velocities(const PerpConeProblem *cones, const double *v, double *to);

// lambda of all groups at the state v
void perp_cones_slips(const PerpConeProblem *cones, const double *v, double *lambda);

#endif

// Sets of friction directions [ST97], refined about those in which contacts slide.
#ifndef PERP_CONES_METHODS_DIRECTION_SET_H
#define PERP_CONES_METHODS_DIRECTION_SET_H

#include "cones/methods/inscribed_polygon.h"

enum { PERP_DIRECTION_SET_SIZE = 32 }; // at most of a group; what direction sets need room for

// Even polygons to begin with.
typedef struct PerpDirectionSetStart {
    int facets;
    double first; // angle of a vertex, rad
} PerpDirectionSetStart;

void perp_direction_set_begin(const PerpProblem *p, const PerpDirectionSetStart *start,
                              PerpDirectionSet *directions);

// The next direction set: the vertices in use (one number a direction, NULL: none), the even ones,
// and about the centre of each group others at distances that shrink by a constant factor, so that
// the next answer is nearer by about that factor wherever it lies among them. Centre NAN: all of
// the group's vertices stay.
void perp_direction_set_refine(const PerpProblem *p, const PerpDirectionSetStart *start,
                               const PerpDirectionSet *directions, const signed char *in_use,
                               const double *centre, PerpDirectionSet *next);

// A basis of the direction set's problem as one of the next one's: head pairs before those of the
// directions, tail pairs behind them. Returns its size.
int perp_direction_set_carry(const PerpProblem *p, const PerpDirectionSet *directions,
                             const PerpDirectionSet *next, int head, int tail,
                             const signed char *basis, signed char *next_basis);

#endif

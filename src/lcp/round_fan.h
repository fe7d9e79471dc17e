// Polygons that are refined about the directions that matter.
#ifndef PERP_LCP_ROUND_FAN_H
#define PERP_LCP_ROUND_FAN_H

#include "lcp/round_polygon.h"

enum { PERP_FAN_DIRECTIONS = 32 }; // at most of a group; what fans need room for

// Even polygons to begin with.
typedef struct PerpFanStart {
    int facets;
    double first; // angle of a vertex, rad
} PerpFanStart;

void perp_fan_begin(const PerpProblem *p, const PerpFanStart *start, PerpFan *fan);

// The next fan: the vertices in use (one number a direction, NULL: none), the even ones, and about
// the centre of each group others at distances that shrink by a constant factor, so that the next
// answer is nearer by about that factor wherever it lies among them. Centre NAN: all of the group's
// vertices stay.
void perp_fan_refine(const PerpProblem *p, const PerpFanStart *start, const PerpFan *fan,
                     const signed char *in_use, const double *centre, PerpFan *next);

// A basis of the fan's problem as one of the next one's: head pairs before those of the directions,
// tail pairs behind them. Returns its size.
int perp_fan_carry(const PerpProblem *p, const PerpFan *fan, const PerpFan *next, int head,
                   int tail, const signed char *basis, signed char *next_basis);

#endif

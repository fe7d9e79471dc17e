// The nearest points of two cores that are apart [Gilbert, Johnson, Keerthi 1988].
#ifndef PERP_COLLIDE_DISTANCE_GJK_H
#define PERP_COLLIDE_DISTANCE_GJK_H

#include "collide/distance/core.h"

// A point w = a - b of the difference of the two cores, from a point of each.
typedef struct PerpDifference {
    PerpVec3 w, a, b;
    int vertex_a, vertex_b; // -1: not a vertex of a polyhedron
} PerpDifference;

PerpDifference perp_core_difference(const PerpCore *a, const PerpCore *b, PerpVec3 direction);

// v = a - b, the shortest vector between the cores, up to the tolerance, relative, of its square;
// at first a guess of its direction. False if they touch or overlap, or are closer than rounding
// lets one tell. Where they are farther apart than `reach`, v may be any direction that shows it.
bool perp_gjk(const PerpCore *a, const PerpCore *b, double reach, double tolerance, PerpVec3 *v,
              PerpVec3 *point_a, PerpVec3 *point_b);
#define PERP_GJK_EXACT 1e-13 // what rounding lets one tell

#endif

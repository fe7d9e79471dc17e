// The axis along which two polyhedra are farthest apart, or overlap least: all faces of both, and
// all pairs of edges.
#ifndef PERP_COLLIDE_DISTANCE_SAT_H
#define PERP_COLLIDE_DISTANCE_SAT_H

#include "collide/distance/core.h"

// The largest separation over the normals of the faces and of the pairs of edges that can touch. If
// it is not positive, it is the signed distance; else a lower bound of the distance, attained
// unless a vertex is nearest to a vertex or an edge. -INFINITY if there is no such normal.
double perp_sat(const PerpCore *a, const PerpCore *b, PerpVec3 *normal);

// The same of two boxes, whose faces and edges have but three directions each.
double perp_sat_boxes(const PerpCore *a, const PerpCore *b, PerpVec3 *normal);

#endif

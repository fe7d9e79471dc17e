// A point of contact between two shapes.
#ifndef PERP_COLLIDE_MANIFOLD_CONTACT_POINT_H
#define PERP_COLLIDE_MANIFOLD_CONTACT_POINT_H

#include "math/vec3.h"

#include <stdint.h>

// The gap is (point_a - point_b)'normal; its gradient along any motion is
// the relative velocity at the point times the normal.
typedef struct PerpContactPoint {
    PerpVec3 point_a, point_b; // m, world: nearest points on the two surfaces
    PerpVec3 normal;           // unit, world, from b to a
    double gap;                // m, negative: overlap
    uint32_t feature;          // the same from step to step for the same corner, edge or face
} PerpContactPoint;

enum { PERP_CONTACT_POINTS = 64 }; // at most for one pair of shapes

#endif

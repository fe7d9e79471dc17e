// How far two cores are apart, along which normal, and between which points.
#ifndef PERP_COLLIDE_DISTANCE_SEPARATION_H
#define PERP_COLLIDE_DISTANCE_SEPARATION_H

#include "math/vec3.h"

#include <stdbool.h>

typedef struct PerpSeparation {
    double gap;                // m, between the cores; negative: how deep they overlap
    PerpVec3 normal;           // unit, from b to a
    PerpVec3 point_a, point_b; // on the cores, point_a - point_b = gap normal
    bool is_far;               // the points are those of a search, to be put right still
    bool is_final;             // gap and normal are
    bool has_points;           // they are
} PerpSeparation;

#endif

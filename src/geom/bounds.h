// Axis-aligned bounding boxes: union, growth, overlap.
#ifndef PERP_GEOM_BOUNDS_H
#define PERP_GEOM_BOUNDS_H

#include "math/vec3.h"

#include <math.h>
#include <stdbool.h>

typedef struct PerpBounds {
    PerpVec3 lower, upper;
} PerpBounds;

static inline double perp_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double perp_larger(double a, double b)
{
    return a > b ? a : b;
}

// lower = INFINITY, upper = -INFINITY
static inline PerpBounds perp_bounds_empty(void)
{
    return (PerpBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline PerpBounds perp_bounds_union(PerpBounds a, PerpBounds b)
{
    return (PerpBounds){{perp_smaller(a.lower.x, b.lower.x), perp_smaller(a.lower.y, b.lower.y),
                         perp_smaller(a.lower.z, b.lower.z)},
                        {perp_larger(a.upper.x, b.upper.x), perp_larger(a.upper.y, b.upper.y),
                         perp_larger(a.upper.z, b.upper.z)}};
}

static inline PerpBounds perp_bounds_with(PerpBounds box, PerpVec3 point)
{
    return perp_bounds_union(box, (PerpBounds){point, point});
}

static inline PerpBounds perp_bounds_grown(PerpBounds box, double by)
{
    PerpVec3 d = {by, by, by};
    return (PerpBounds){perp_vec3_sub(box.lower, d), perp_vec3_add(box.upper, d)};
}

static inline PerpVec3 perp_bounds_centre(PerpBounds box)
{
    return perp_vec3_scale(0.5, perp_vec3_add(box.lower, box.upper));
}

// upper - lower
static inline PerpVec3 perp_bounds_extent(PerpBounds box)
{
    return perp_vec3_sub(box.upper, box.lower);
}

static inline bool perp_bounds_overlap(const PerpBounds *a, const PerpBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

#endif

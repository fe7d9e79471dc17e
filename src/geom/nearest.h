// The nearest points of segments and triangles.
#ifndef PERP_GEOM_NEAREST_H
#define PERP_GEOM_NEAREST_H

#include "math/vec3.h"

// The segment x + s u, 0 <= s <= 1.
typedef struct PerpSegment {
    PerpVec3 x, u;
} PerpSegment;

static inline PerpVec3 perp_segment_at(const PerpSegment *g, double s)
{
    return perp_vec3_add_scaled(g->x, s, g->u);
}

static inline double perp_segment_nearest(const PerpSegment *g, PerpVec3 x)
{
    double square = perp_vec3_dot(g->u, g->u);
    if (!(square > 0))
        return 0;
    double s = perp_vec3_dot(g->u, perp_vec3_sub(x, g->x)) / square;
    return fmin(1, fmax(0, s));
}

// The minimum of |a(s) - b(t)|: of the lines if it is inside, else with one end of a segment.
static inline void perp_segments_nearest(const PerpSegment *a, const PerpSegment *b, PerpVec3 *on_a,
                                         PerpVec3 *on_b)
{
    PerpVec3 across = perp_vec3_cross(a->u, b->u), apart = perp_vec3_sub(b->x, a->x);
    double square = perp_vec3_dot(across, across), s = 0;
    if (square > 0)
        s = fmin(1, fmax(0, perp_vec3_dot(across, perp_vec3_cross(apart, b->u)) / square));
    // each step is the exact minimum over one segment with the other's point held; after an end
    // was cut off, two more reach the minimum
    double t = perp_segment_nearest(b, perp_segment_at(a, s));
    s = perp_segment_nearest(a, perp_segment_at(b, t));
    t = perp_segment_nearest(b, perp_segment_at(a, s));
    *on_a = perp_segment_at(a, s);
    *on_b = perp_segment_at(b, t);
}

// normal: unit, the corners counter-clockwise about it
static inline PerpVec3 perp_triangle_nearest(const PerpVec3 corner[3], PerpVec3 normal, PerpVec3 x)
{
    double height = perp_vec3_dot(normal, perp_vec3_sub(x, corner[0])), least = INFINITY;
    PerpVec3 best = perp_vec3_add_scaled(x, -height, normal);
    for (int k = 0; k < 3; k++) {
        PerpSegment side = {corner[k], perp_vec3_sub(corner[(k + 1) % 3], corner[k])};
        PerpVec3 inward = perp_vec3_cross(normal, side.u);
        if (perp_vec3_dot(inward, perp_vec3_sub(x, side.x)) >= 0)
            continue;
        PerpVec3 foot = perp_segment_at(&side, perp_segment_nearest(&side, x));
        PerpVec3 off = perp_vec3_sub(x, foot);
        double square = perp_vec3_dot(off, off);
        best = square < least ? foot : best;
        least = fmin(least, square);
    }
    return best;
}

#endif

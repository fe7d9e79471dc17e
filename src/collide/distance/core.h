// A convex shape at its place in the world, as the distance algorithms see it: a core, of which the
// support function is known, and all that is within `rounding` of it.
#ifndef PERP_COLLIDE_DISTANCE_CORE_H
#define PERP_COLLIDE_DISTANCE_CORE_H

#include "geom/nearest.h"
#include "geom/shape.h"

typedef struct PerpCore {
    const PerpPolyhedron *polyhedron; // borrowed; NULL: an ellipsoid or a cylinder
    PerpShapeKind kind;
    double size[3];
    double rounding;
    double extent; // m, about its largest from its position
    PerpMat3 R;
    PerpVec3 position;
} PerpCore;

PerpCore perp_core(const PerpShape *shape, PerpPose pose); // of a convex shape

static inline PerpVec3 perp_core_point(const PerpCore *c, PerpVec3 local)
{
    return perp_vec3_add(c->position, perp_mat3_times(c->R, local));
}

static inline PerpVec3 perp_core_vertex(const PerpCore *c, int i)
{
    return perp_core_point(c, c->polyhedron->vertex[i]);
}

static inline PerpVec3 perp_core_normal(const PerpCore *c, int face)
{
    return perp_mat3_times(c->R, c->polyhedron->normal[face]);
}

// The point of the core farthest along the direction, which need not be unit. `vertex` gets its
// number if the core is a polyhedron, else -1.
PerpVec3 perp_core_support(const PerpCore *c, PerpVec3 direction, int *vertex);

// The point of the core nearest to x, which is outside of it. False: there is no formula for it.
bool perp_core_nearest(const PerpCore *c, PerpVec3 x, PerpVec3 *nearest);

// The edge of a polyhedron or the side of a cylinder that is farthest along a unit direction as a
// whole, from the farthest point on; of length zero if there is none.
PerpSegment perp_core_side(const PerpCore *c, PerpVec3 direction);

// How far apart the two cores are along n, a unit vector from b to a: min n'x_a - max n'x_b. The
// signed distance is the largest of these over all n.
double perp_core_separation(const PerpCore *a, const PerpCore *b, PerpVec3 n);

// The face whose normal is nearest to the direction, of all faces or of those about a vertex; -1:
// there is none.
int perp_core_face_towards(const PerpCore *c, PerpVec3 direction);
int perp_core_face_at(const PerpCore *c, int vertex, PerpVec3 direction);

// Is there just one point of the core farthest along d, with curvature all around or along a rim?
bool perp_core_is_curved(const PerpCore *c, PerpVec3 d);

#endif

// A compiled shape: convex pieces, meshes and height fields, with what contact and mass need.
#ifndef PERP_GEOM_SHAPE_H
#define PERP_GEOM_SHAPE_H

#include "geom/bounds.h"
#include "geom/polyhedron.h"
#include "math/pose.h"
#include "perp/shape.h"

// Triangles with a tree of boxes over them, see geom/triangles.h. Owned.
typedef struct PerpTriangles PerpTriangles;

// Points, spheres, capsules, boxes and hulls are a polyhedron, the core, and all that is within
// `rounding` of it: spheres and capsules are exactly a point and a segment made round.
typedef struct PerpShape {
    PerpShapeKind kind;
    double size[3];
    PerpPolyhedron *polyhedron; // point, sphere, capsule, box, hull; NULL: the others
    double rounding;            // m, radius of spheres and capsules, 0: all others
    PerpTriangles *triangles;   // mesh and height field; NULL: the others
    double radius; // of the ball about the origin that holds the shape; INFINITY: plane
} PerpShape;

// Copies what def says (size, vertices, triangles, heights; not pose and density).
PerpStatus perp_shape_create(const PerpAllocator *allocator, const PerpShapeDef *def,
                             PerpShape *shape, PerpError *error);
void perp_shape_free(const PerpAllocator *allocator, PerpShape *shape);

// Mass, centre of mass and inertia about the centre, of a solid of density 1. Points, planes,
// meshes and height fields have none.
typedef struct PerpMassProperties {
    double mass;
    PerpVec3 centre;
    PerpMat3 inertia; // about the centre
} PerpMassProperties;

PerpMassProperties perp_shape_mass(const PerpShape *shape);

// The same of several parts together, and of a part moved by a pose.
PerpMassProperties perp_mass_moved(PerpMassProperties part, PerpPose pose, double density);
PerpMassProperties perp_mass_sum(PerpMassProperties a, PerpMassProperties b);

// m: a point without size that is no farther behind a triangle of the shape has sunk through it.
double perp_shape_sunk(const PerpShape *shape);

// An axis-aligned box that holds the shape, in the world.
PerpBounds perp_shape_bounds(const PerpShape *shape, PerpPose pose);

#endif

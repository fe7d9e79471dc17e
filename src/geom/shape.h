// A compiled shape: convex pieces, meshes and height fields, with what contact and mass need.
#ifndef PERP_GEOM_SHAPE_H
#define PERP_GEOM_SHAPE_H

#include "base/memory.h"
#include "math/mat3.h"
#include "math/pose.h"
#include "perp/shape.h"
#include "perp/status.h"

// An edge between two faces: face[0] runs along it from vertex[0] to vertex[1], face[1] back.
typedef struct PerpEdge {
    int vertex[2];
    int face[2]; // -1: none
} PerpEdge;

// A convex polyhedron: faces as loops of vertices, counter-clockwise from outside. Points and
// segments are polyhedra without faces. Owned.
typedef struct PerpPolyhedron {
    int n_vertices, n_faces, n_loop, n_edges;
    PerpVec3 *vertex; // n_vertices
    PerpVec3 *normal; // n_faces, unit, outward
    double *offset;   // n_faces: normal'x = offset on the face
    int *face_start;  // n_faces + 1: into loop
    int *loop;        // n_loop: vertices
    PerpEdge *edge;   // n_edges
} PerpPolyhedron;

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

// An axis-aligned box that holds the shape, in the world.
typedef struct PerpBounds {
    PerpVec3 lower, upper;
} PerpBounds;

PerpBounds perp_shape_bounds(const PerpShape *shape, PerpPose pose);

#endif

// Convex polyhedra: memory, the simple ones, and what follows from vertices and faces.
#ifndef PERP_GEOM_POLYHEDRON_H
#define PERP_GEOM_POLYHEDRON_H

#include "base/memory.h"
#include "math/mat3.h"
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
    PerpVec3 *vertex;    // n_vertices
    PerpVec3 *normal;    // n_faces, unit, outward
    double *offset;      // n_faces: normal'x = offset on the face
    int *face_start;     // n_faces + 1: into loop
    int *loop;           // n_loop: vertices
    PerpEdge *edge;      // n_edges
    int *incident_start; // n_vertices + 1: into incident
    int *incident;       // n_loop: the faces about each vertex
} PerpPolyhedron;

// Room for the sizes given, in one piece of memory; all zero. NULL if memory is short.
PerpPolyhedron *perp_polyhedron_create(const PerpAllocator *allocator, int n_vertices, int n_faces,
                                       int n_loop, int n_edges);

PerpPolyhedron *perp_polyhedron_point(const PerpAllocator *allocator);
PerpPolyhedron *perp_polyhedron_segment(const PerpAllocator *allocator, double half_length);
PerpPolyhedron *perp_polyhedron_box(const PerpAllocator *allocator, const double half[3]);

// The convex hull of points: coplanar triangles are joined into one face, and only vertices of the
// hull are kept, in their given order. Points in a plane are refused.
PerpStatus perp_polyhedron_hull(const PerpAllocator *allocator, int n, const double *points,
                                PerpPolyhedron **polyhedron, PerpError *error);

double perp_polyhedron_extent(const PerpPolyhedron *p); // m, of its farthest vertex from the origin

// From vertices and loops: normals and offsets of the faces, the edges, n_edges = n_loop / 2, and
// the faces about the vertices.
// False if the faces do not close a surface.
bool perp_polyhedron_complete(PerpPolyhedron *p);

#endif

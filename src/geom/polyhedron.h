// Convex polyhedra: memory, the simple ones, and what follows from vertices and faces.
#ifndef PERP_GEOM_POLYHEDRON_H
#define PERP_GEOM_POLYHEDRON_H

#include "geom/shape.h"

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

// From vertices and loops: normals and offsets of the faces, and the edges, n_edges = n_loop / 2.
// False if the faces do not close a surface.
bool perp_polyhedron_complete(PerpPolyhedron *p);

#endif

// Triangles of meshes and height fields: neighbours, flat patches, and a tree of boxes over them.
#ifndef PERP_GEOM_TRIANGLES_H
#define PERP_GEOM_TRIANGLES_H

#include "base/memory.h"
#include "geom/box_tree.h"
#include "perp/shape.h"
#include "perp/status.h"

typedef struct PerpTriangles PerpTriangles;

typedef struct PerpTriangle {
    int vertex[3];    // counter-clockwise seen from outside
    int neighbour[3]; // across the edge from vertex[k] to vertex[k + 1]; -1: none
    int patch;        // the first triangle of the flat patch that this one lies in
    PerpVec3 normal;  // unit, outward
} PerpTriangle;

struct PerpTriangles {
    int n_vertices, n_triangles;
    PerpVec3 *vertex;       // n_vertices
    PerpTriangle *triangle; // n_triangles
    int *incident_start;    // n_vertices + 1: into incident
    int *incident;          // 3 n_triangles: the triangles about each vertex
    PerpBounds *box;        // n_triangles
    PerpBoxTree tree;       // over the boxes; owns its arrays here
};

// Triangles without area are left out. The indices must be in range.
PerpStatus perp_triangles_create(const PerpAllocator *allocator, int n_vertices,
                                 const double *vertices, int n_triangles, const int *indices,
                                 PerpTriangles **triangles, PerpError *error);
// Two triangles a cell, parted along the diagonal from lower left to upper right.
PerpStatus perp_triangles_height_field(const PerpAllocator *allocator, const PerpShapeDef *def,
                                       PerpTriangles **triangles, PerpError *error);
void perp_triangles_free(const PerpAllocator *allocator, PerpTriangles *triangles);

PerpBounds perp_triangles_bounds(const PerpTriangles *t);

#endif

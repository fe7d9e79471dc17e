// Triangles of meshes and height fields: neighbours, flat patches, and a tree of boxes over them.
#ifndef PERP_GEOM_TRIANGLES_H
#define PERP_GEOM_TRIANGLES_H

#include "geom/shape.h"

typedef struct PerpTriangle {
    int vertex[3];    // counter-clockwise seen from outside
    int neighbour[3]; // across the edge from vertex[k] to vertex[k + 1]; -1: none
    int patch;        // the first triangle of the flat patch that this one lies in
    PerpVec3 normal;  // unit, outward
} PerpTriangle;

// A node of the tree. Inner nodes have their children at `first` and first + 1, leaves their
// triangles at order[first] .. order[first + count - 1].
typedef struct PerpTreeNode {
    PerpBounds bounds;
    int first, count; // count = 0: an inner node
} PerpTreeNode;

struct PerpTriangles {
    int n_vertices, n_triangles, n_nodes;
    PerpVec3 *vertex;        // n_vertices
    PerpTriangle *triangle;  // n_triangles
    int *fan_start;          // n_vertices + 1: into fan
    int *fan;                // 3 n_triangles: the triangles about each vertex
    int *order;              // n_triangles
    PerpTreeNode *node;      // n_nodes, the root first
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

// Calls visit for every triangle whose box meets `box` (both in the frame of the triangles), in a
// fixed order.
void perp_triangles_visit(const PerpTriangles *t, PerpBounds box,
                          void (*visit)(void *user, int triangle), void *user);

// Private to the module: orders the triangles into a tree.
enum { PERP_TREE_LEAF = 4 }; // triangles in a leaf at most
void perp_triangles_build_tree(PerpTriangles *t);

#endif

// Triangles of recorded shapes, for programs that know no shapes.
#ifndef PERP_IO_EXPORT_MESH_H
#define PERP_IO_EXPORT_MESH_H

#include "io/export/export.h"

typedef struct PerpMesh {
    int n_vertices, n_triangles;
    float *vertex, *normal; // owned, 3 each, in the shape's frame
    int *triangle;          // owned, 3 each, counter-clockwise seen from outside
} PerpMesh;

// plane: half the side of the square that stands for a plane, m. segments: around an axis.
PerpStatus perp_mesh_create(const PerpContext *context, const PerpRecordedShape *shape,
                            double plane, int segments, PerpMesh *mesh, PerpError *error);
void perp_mesh_free(const PerpContext *context, PerpMesh *mesh);

// Round enough for the eye: fewer segments if there are many shapes.
int perp_mesh_segments(const PerpExport *x);
// Large enough for all that moves at the first chosen frame and the last.
PerpStatus perp_mesh_plane(PerpExport *x, double *plane, PerpError *error);

#endif

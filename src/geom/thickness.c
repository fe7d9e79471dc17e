#include "geom/thickness.h"

#include <math.h>

enum { MOST_PRODUCTS = 1 << 20 }; // of hulls with many faces some are left out

// From the nearest face to its farthest vertex.
static double polyhedron_thickness(const PerpPolyhedron *p)
{
    double least = INFINITY;
    int stride = 1 + (int)((double)p->n_faces * p->n_vertices / MOST_PRODUCTS);
    for (int f = 0; f < p->n_faces; f += stride) {
        double depth = 0;
        for (int v = 0; v < p->n_vertices; v++)
            depth = fmax(depth, p->offset[f] - perp_vec3_dot(p->normal[f], p->vertex[v]));
        least = fmin(least, depth);
    }
    return least;
}

double perp_shape_thickness(const PerpShape *shape)
{
    switch (shape->kind) {
    case PERP_SHAPE_SPHERE:
    case PERP_SHAPE_CAPSULE:
        return 2 * shape->rounding;
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_HULL:
        return polyhedron_thickness(shape->polyhedron);
    case PERP_SHAPE_CYLINDER:
        return 2 * fmin(shape->size[0], shape->size[1]);
    case PERP_SHAPE_ELLIPSOID:
        return 2 * fmin(shape->size[0], fmin(shape->size[1], shape->size[2]));
    default:
        return INFINITY;
    }
}

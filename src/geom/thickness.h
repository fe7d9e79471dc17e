// How thin a shape is.
#ifndef PERP_GEOM_THICKNESS_H
#define PERP_GEOM_THICKNESS_H

#include "geom/shape.h"

// m: the least distance between two parallel planes that hold the shape, for polyhedra between a
// face and the vertex opposite; INFINITY of planes, and of points, meshes and height fields, which
// have no inside.
double perp_shape_thickness(const PerpShape *shape);

#endif

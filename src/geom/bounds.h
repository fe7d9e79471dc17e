// Axis-aligned boxes: growing, joining, testing.
#ifndef PERP_GEOM_BOUNDS_H
#define PERP_GEOM_BOUNDS_H

#include "geom/shape.h"

PerpBounds perp_bounds_empty(void); // lower = INFINITY, upper = -INFINITY
PerpBounds perp_bounds_with(PerpBounds box, PerpVec3 point);
PerpBounds perp_bounds_union(PerpBounds a, PerpBounds b);
PerpBounds perp_bounds_grown(PerpBounds box, double by);
PerpVec3 perp_bounds_centre(PerpBounds box);
PerpVec3 perp_bounds_extent(PerpBounds box); // upper - lower
bool perp_bounds_overlap(PerpBounds a, PerpBounds b);

#endif

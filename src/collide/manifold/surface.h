// Whether a contact with a triangle of a mesh is one with the surface, or a bump at an edge where
// the surface goes on.
#ifndef PERP_COLLIDE_MANIFOLD_SURFACE_H
#define PERP_COLLIDE_MANIFOLD_SURFACE_H

#include "collide/manifold/manifold.h"
#include "geom/triangles.h"

// x on the triangle and the normal n of the contact are in the frame of the triangles. A contact
// with an edge or a corner counts only if the surface falls away from it on all sides, as seen
// along n; otherwise the neighbour that rises has its own contact. `part` gets the number of the
// patch, edge or vertex, the same from whichever triangle it is seen.
bool perp_surface_accepts(const PerpTriangles *t, int triangle, PerpFeature kind, PerpVec3 x,
                          PerpVec3 n, uint32_t *part);

// A point below a valley may be over neither of its sides: seen along its own normal each begins
// beyond the edge. What has sunk there is held by both. True: x, in the frame of the triangles, is
// below the triangle, and below each neighbour that rises beyond an edge which x is beyond, too.
bool perp_surface_holds(const PerpTriangles *t, int triangle, PerpVec3 x);

#endif

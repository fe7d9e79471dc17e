// The functions of the table of pairs in collide.c. Each finds all points with gap <= margin; the
// shapes come in the order of the name.
#ifndef PERP_COLLIDE_PAIRS_H
#define PERP_COLLIDE_PAIRS_H

#include "collide/manifold/contact_point.h"
#include "geom/shape.h"

typedef int PerpCollidePair(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                            PerpPose pose_b, double margin, PerpContactPoint *points);

PerpCollidePair perp_collide_round_round; // points, spheres and capsules

PerpCollidePair perp_collide_ball_box; // a ball is a point or a sphere
PerpCollidePair perp_collide_ball_cylinder;

PerpCollidePair perp_collide_polyhedron_plane; // all with a polyhedron as their core
PerpCollidePair perp_collide_curved_plane;     // cylinder and ellipsoid

PerpCollidePair perp_collide_convex_convex;    // any two convex shapes
PerpCollidePair perp_collide_convex_triangles; // mesh, height field

#endif

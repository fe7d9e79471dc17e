// The part of a core that faces a direction: its corners, sides and face, as far as they can
// touch something flat.
#ifndef PERP_COLLIDE_MANIFOLD_PATCH_H
#define PERP_COLLIDE_MANIFOLD_PATCH_H

#include "collide/distance/core.h"

#include <stdint.h>

// Corners are the vertices of a polyhedron's face (all of a point or segment), chosen points on the
// rims of a cylinder, or the one farthest point of an ellipsoid.
enum { PERP_PATCH_ROOM = 4 };
typedef struct PerpPatch {
    const PerpCore *core;
    int n, n_sides;                   // corners; sides from corner k to corner k + 1
    const int *loop;                  // n, of a polyhedron, borrowed
    PerpVec3 corner[PERP_PATCH_ROOM]; // in the world, unless there are more of a polyhedron
    int own_number[PERP_PATCH_ROOM];  // of other cores
    bool is_face;                     // flat towards the direction: a face or the cap of a cylinder
    bool is_disc;                     // a cap
    PerpVec3 normal;                  // outward, of a face
    PerpVec3 middle;                  // a point in the plane of a face; of a disc its centre
} PerpPatch;

// Within this angle, rad, of a direction a face or an edge counts as normal or parallel to it.
#define PERP_PARALLEL 1e-3
// Up to this angle, rad, what leans may come to lie flat: all its points may touch within a step,
// though only one does.
#define PERP_LEANING 0.1
// Up to this angle, rad, from the normal of the contact, crossing edges have a normal of their own.
#define PERP_STEEP 0.02

// A side: all that is `radius` from x + s u, 0 <= s <= 1, towards the other core.
typedef struct PerpSide {
    PerpVec3 x, u;
    double radius; // of a cylinder, whose side is seen as its axis; else 0
} PerpSide;

PerpPatch perp_patch_towards(const PerpCore *core, PerpVec3 direction); // direction: unit

PerpVec3 perp_patch_corner(const PerpPatch *p, int k);      // k <= n: after the last the first
uint32_t perp_patch_number(const PerpPatch *p, int k);      // of the corner on the core
PerpSide perp_patch_side(const PerpPatch *p, int k);        // k < n_sides
uint32_t perp_patch_side_number(const PerpPatch *p, int k); // of the side on the core
bool perp_patch_faces(const PerpPatch *p, PerpVec3 direction,
                      double angle); // is it a face within the angle of normal to direction?
bool perp_patch_is_over(const PerpPatch *face, PerpVec3 x); // is x above or below the face?

#endif

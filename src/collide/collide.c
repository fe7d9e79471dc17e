#include "collide/collide.h"

#include "collide/core.h"
#include "collide/distance.h"
#include "collide/manifold.h"
#include "collide/pairs.h"

#include <assert.h>

#define ROUND perp_collide_round_round
#define CONVEX perp_collide_convex_convex
#define TRIANGLES perp_collide_convex_triangles
#define FACETS_PLANE perp_collide_polyhedron_plane
#define CYLINDER_PLANE perp_collide_cylinder_plane
#define ELLIPSOID_PLANE perp_collide_ellipsoid_plane

// Every pair of kinds, the smaller kind first. Two points have no inside to keep each other out of;
// planes, meshes and height fields stay where they are.
static PerpCollidePair *const pairs[PERP_SHAPE_KIND_COUNT][PERP_SHAPE_KIND_COUNT] = {
    // clang-format off
    //              point  sphere  capsule box     cylinder ellipsoid plane           hull    mesh       height field
    /* point     */ {NULL, ROUND,  ROUND,  CONVEX, CONVEX,  CONVEX,   FACETS_PLANE,   CONVEX, TRIANGLES, TRIANGLES},
    /* sphere    */ {NULL, ROUND,  ROUND,  CONVEX, CONVEX,  CONVEX,   FACETS_PLANE,   CONVEX, TRIANGLES, TRIANGLES},
    /* capsule   */ {NULL, NULL,   ROUND,  CONVEX, CONVEX,  CONVEX,   FACETS_PLANE,   CONVEX, TRIANGLES, TRIANGLES},
    /* box       */ {NULL, NULL,   NULL,   CONVEX, CONVEX,  CONVEX,   FACETS_PLANE,   CONVEX, TRIANGLES, TRIANGLES},
    /* cylinder  */ {NULL, NULL,   NULL,   NULL,   CONVEX,  CONVEX,   CYLINDER_PLANE, CONVEX, TRIANGLES, TRIANGLES},
    /* ellipsoid */ {NULL, NULL,   NULL,   NULL,   NULL,    CONVEX,   ELLIPSOID_PLANE, CONVEX, TRIANGLES, TRIANGLES},
    /* plane     */ {NULL, NULL,   NULL,   NULL,   NULL,    NULL,     NULL,           NULL,   NULL,      NULL},
    /* hull      */ {NULL, NULL,   NULL,   NULL,   NULL,    NULL,     NULL,           CONVEX, TRIANGLES, TRIANGLES},
    // clang-format on
};

// The table of pairs of shape kinds, each with its contact function.
#include "collide/collide.h"

#include "collide/manifold/manifold.h"
#include "collide/pairs.h"

#include <assert.h>

#define ROUND perp_collide_round_round
#define BOX perp_collide_ball_box
#define CYLIN perp_collide_ball_cylinder
#define GJK perp_collide_convex_convex
#define PLANE perp_collide_polyhedron_plane
#define CURVED perp_collide_curved_plane
#define MESH perp_collide_convex_triangles

// Every pair of kinds once. Two points have no inside to keep each other out of; planes, meshes and
// height fields stay where they are.
// clang-format off
static PerpCollidePair *const pairs[PERP_SHAPE_KIND_COUNT][PERP_SHAPE_KIND_COUNT] = {
    //               point sphere capsule box  cylinder ellipsoid plane hull mesh height field
    /* point     */ {NULL, ROUND, ROUND,  BOX,  CYLIN,  GJK,   PLANE,   GJK,  MESH,  MESH},
    /* sphere    */ {NULL, ROUND, ROUND,  BOX,  CYLIN,  GJK,   PLANE,   GJK,  MESH,  MESH},
    /* capsule   */ {NULL, NULL,  ROUND,  GJK,  GJK,    GJK,   PLANE,   GJK,  MESH,  MESH},
    /* box       */ {NULL, NULL,  NULL,   GJK,  GJK,    GJK,   PLANE,   GJK,  MESH,  MESH},
    /* cylinder  */ {NULL, NULL,  NULL,   NULL, GJK,    GJK,   CURVED,  GJK,  MESH,  MESH},
    /* ellipsoid */ {NULL, NULL,  NULL,   NULL, NULL,   GJK,   CURVED,  GJK,  MESH,  MESH},
    /* plane     */ {NULL},
    /* hull      */ {NULL, NULL,  NULL,   NULL, NULL,   NULL,  PLANE,   GJK,  MESH,  MESH},
};
// clang-format on

bool perp_collide_is_searched(const PerpShape *a, const PerpShape *b)
{
    return pairs[a->kind][b->kind] == GJK || pairs[b->kind][a->kind] == GJK;
}

static PerpPose moved(PerpPose pose, double sign, PerpVec3 by)
{
    pose.position = perp_vec3_add_scaled(pose.position, sign, by);
    return pose;
}

static void exchange(PerpContactPoint *p)
{
    PerpVec3 swapped = p->point_a;
    p->point_a = p->point_b;
    p->point_b = swapped;
    p->normal = perp_vec3_scale(-1, p->normal);
}

int perp_collide(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                 double margin, PerpContactPoint *points)
{
    PerpCollidePair *pair = pairs[a->kind][b->kind], *swapped = pairs[b->kind][a->kind];
    if (!pair && !swapped)
        return 0;
    PerpVec3 apart = perp_vec3_sub(pose_a.position, pose_b.position);
    double reach = a->radius + b->radius + margin;
    if (perp_vec3_dot(apart, apart) > reach * reach)
        return 0;
    // about a's position the numbers are as small as the shapes, wherever in the world they are
    PerpVec3 origin = pose_a.position;
    PerpPose near_a = moved(pose_a, -1, origin), near_b = moved(pose_b, -1, origin);
    int n = pair ? pair(a, near_a, b, near_b, margin, points)
                 : swapped(b, near_b, a, near_a, margin, points);
    for (int i = 0; i < n; i++) {
        if (!pair)
            exchange(&points[i]);
        points[i].point_a = perp_vec3_add(points[i].point_a, origin);
        points[i].point_b = perp_vec3_add(points[i].point_b, origin);
    }
    return n;
}

double perp_separation(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                       PerpVec3 normal)
{
    PerpCore core_a = perp_core(a, pose_a), core_b = perp_core(b, pose_b);
    return perp_core_separation(&core_a, &core_b, normal) - a->rounding - b->rounding;
}

void perp_distance(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                   PerpContactPoint *point)
{
    PerpVec3 origin = pose_a.position;
    PerpCore core_a = perp_core(a, moved(pose_a, -1, origin));
    PerpCore core_b = perp_core(b, moved(pose_b, -1, origin));
    PerpSeparation s =
        perp_core_distance(&core_a, &core_b, perp_core_apart(&core_a, &core_b), INFINITY);
    PerpManifold m = perp_manifold(&core_a, &core_b, INFINITY, point);
    perp_core_witnesses(&core_a, &core_b, &s);
    perp_manifold_add(&m, perp_vec3_add(s.point_a, origin), perp_vec3_add(s.point_b, origin),
                      s.normal, perp_feature(PERP_FEATURE_NEAREST, 0));
}

#include "collide/manifold.h"
#include "collide/pairs.h"

int perp_collide_convex_convex(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                               PerpPose pose_b, double margin, PerpContactPoint *points)
{
    PerpCore core_a = perp_core(a, pose_a), core_b = perp_core(b, pose_b);
    PerpSeparation s = perp_core_distance(&core_a, &core_b);
    PerpManifold m = perp_manifold(&core_a, &core_b, margin, points);
    if (s.gap - a->rounding - b->rounding > margin)
        return 0;
    if (a->polyhedron && b->polyhedron)
        perp_manifold_facets(&m, &core_a, &core_b, &s);
    else
        perp_manifold_add(&m, s.point_a, s.point_b, s.normal,
                          perp_feature(PERP_FEATURE_NEAREST, 0));
    return m.n;
}

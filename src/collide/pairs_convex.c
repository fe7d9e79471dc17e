// Contact of two convex shapes by their signed distance.
#include "collide/manifold/manifold.h"
#include "collide/pairs.h"

enum { MOST_POINTS = 8 }; // enough to stand on

int perp_collide_convex_convex(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                               PerpPose pose_b, double margin, PerpContactPoint *points)
{
    PerpCore core_a = perp_core(a, pose_a), core_b = perp_core(b, pose_b);
    double reach = margin + a->rounding + b->rounding;
    PerpSeparation s =
        perp_core_distance(&core_a, &core_b, perp_core_apart(&core_a, &core_b), reach);
    PerpManifold m = perp_manifold(&core_a, &core_b, margin, points);
    if (s.gap <= reach)
        perp_manifold_facets(&m, &core_a, &core_b, &s);
    perp_manifold_thin(&m, MOST_POINTS);
    return m.n;
}

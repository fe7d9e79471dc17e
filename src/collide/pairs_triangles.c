#include "collide/manifold.h"
#include "collide/pairs.h"

int perp_collide_convex_triangles(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                                  PerpPose pose_b, double margin, PerpContactPoint *points)
{
    (void)a, (void)b, (void)pose_a, (void)pose_b, (void)margin, (void)points;
    return 0;
}

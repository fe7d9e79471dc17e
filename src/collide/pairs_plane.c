// Everything against the half space z <= 0 of the plane's frame.
#include "collide/manifold/manifold.h"
#include "collide/manifold/patch.h"
#include "collide/pairs.h"

typedef struct Plane {
    PerpVec3 normal, point;
} Plane;

static Plane plane_at(PerpPose pose)
{
    return (Plane){perp_quat_to_matrix(pose.rotation).z, pose.position};
}

static void add(PerpManifold *m, const Plane *plane, PerpVec3 x, uint32_t number)
{
    double gap = perp_vec3_dot(plane->normal, perp_vec3_sub(x, plane->point));
    PerpVec3 foot = perp_vec3_add_scaled(x, -gap, plane->normal);
    perp_manifold_add(m, x, foot, plane->normal, perp_feature(PERP_FEATURE_A, number));
}

int perp_collide_polyhedron_plane(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                                  PerpPose pose_b, double margin, PerpContactPoint *points)
{
    (void)b;
    Plane plane = plane_at(pose_b);
    PerpCore core = perp_core(a, pose_a);
    PerpManifold m = {.rounding_a = a->rounding, .margin = margin, .point = points};
    for (int i = 0; i < a->polyhedron->n_vertices; i++)
        add(&m, &plane, perp_core_vertex(&core, i), (uint32_t)i);
    return m.n;
}

int perp_collide_curved_plane(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                              PerpPose pose_b, double margin, PerpContactPoint *points)
{
    (void)b;
    Plane plane = plane_at(pose_b);
    PerpCore core = perp_core(a, pose_a);
    PerpManifold m = {.margin = margin, .point = points};
    PerpPatch patch = perp_patch_towards(&core, perp_vec3_scale(-1, plane.normal));
    for (int k = 0; k < patch.n; k++)
        add(&m, &plane, perp_patch_corner(&patch, k), perp_patch_number(&patch, k));
    return m.n;
}

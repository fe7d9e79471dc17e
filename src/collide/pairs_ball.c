// A point or a sphere against a box or a cylinder: the nearest point of the solid to its centre.
#include "collide/manifold/manifold.h"
#include "collide/pairs.h"

// The shortest displacement out of a solid, in the frame of its shape: from its surface along the
// outward normal.
typedef struct Exit {
    PerpVec3 surface, normal;
} Exit;

static Exit outside(PerpVec3 centre, PerpVec3 nearest)
{
    return (Exit){nearest, perp_vec3_normalise(perp_vec3_sub(centre, nearest))};
}

static double clamped(double x, double half)
{
    return fmin(half, fmax(-half, x));
}

static int add_exit(const PerpShape *ball, PerpPose pose, Exit e, PerpPose frame, double margin,
                    PerpContactPoint *points)
{
    PerpManifold m = {.rounding_a = ball->rounding, .margin = margin, .point = points};
    perp_manifold_add(&m, pose.position, perp_pose_point(frame, e.surface),
                      perp_quat_rotate(frame.rotation, e.normal),
                      perp_feature(PERP_FEATURE_NEAREST, 0));
    return m.n;
}

// From inside through the nearest face, which has the smallest h - |x|.
static Exit exit_from_box(PerpVec3 c, const double *half)
{
    PerpVec3 nearest = {clamped(c.x, half[0]), clamped(c.y, half[1]), clamped(c.z, half[2])};
    if (nearest.x != c.x || nearest.y != c.y || nearest.z != c.z)
        return outside(c, nearest);
    double x = half[0] - fabs(c.x), y = half[1] - fabs(c.y), z = half[2] - fabs(c.z);
    if (x <= y && x <= z)
        return (Exit){{copysign(half[0], c.x), c.y, c.z}, {copysign(1, c.x), 0, 0}};
    if (y <= z)
        return (Exit){{c.x, copysign(half[1], c.y), c.z}, {0, copysign(1, c.y), 0}};
    return (Exit){{c.x, c.y, copysign(half[2], c.z)}, {0, 0, copysign(1, c.z)}};
}

int perp_collide_ball_box(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                          double margin, PerpContactPoint *points)
{
    Exit e = exit_from_box(perp_pose_local(pose_b, pose_a.position), b->size);
    return add_exit(a, pose_a, e, pose_b, margin, points);
}

// From inside through a cap or the side, whichever is nearer.
static Exit exit_from_cylinder(PerpVec3 c, double radius, double half)
{
    double across = perp_length(c.x, c.y);
    PerpVec3 radial = across > 0 ? (PerpVec3){c.x / across, c.y / across, 0} : (PerpVec3){1, 0, 0};
    if (across > radius || fabs(c.z) > half) {
        double s = across > radius ? radius / across : 1;
        return outside(c, (PerpVec3){s * c.x, s * c.y, clamped(c.z, half)});
    }
    if (half - fabs(c.z) <= radius - across)
        return (Exit){{c.x, c.y, copysign(half, c.z)}, {0, 0, copysign(1, c.z)}};
    return (Exit){{radius * radial.x, radius * radial.y, c.z}, radial};
}

int perp_collide_ball_cylinder(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                               PerpPose pose_b, double margin, PerpContactPoint *points)
{
    PerpVec3 centre = perp_pose_local(pose_b, pose_a.position);
    Exit e = exit_from_cylinder(centre, b->size[0], b->size[1]);
    return add_exit(a, pose_a, e, pose_b, margin, points);
}

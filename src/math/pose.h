// A position and an orientation: x_world = position + rotation x_local.
#ifndef PERP_MATH_POSE_H
#define PERP_MATH_POSE_H

#include "math/quat.h"

typedef struct PerpPose {
    PerpVec3 position; // m
    PerpQuat rotation; // unit
} PerpPose;

static inline PerpVec3 perp_pose_point(PerpPose pose, PerpVec3 local)
{
    return perp_vec3_add(pose.position, perp_quat_rotate(pose.rotation, local));
}

static inline PerpVec3 perp_pose_local(PerpPose pose, PerpVec3 world)
{
    return perp_quat_rotate_back(pose.rotation, perp_vec3_sub(world, pose.position));
}

// outer * inner: first inner, then outer
static inline PerpPose perp_pose_product(PerpPose outer, PerpPose inner)
{
    return (PerpPose){perp_pose_point(outer, inner.position),
                      perp_quat_product(outer.rotation, inner.rotation)};
}

#endif

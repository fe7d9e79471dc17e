// A point of one body in a plane of the other.
#include "model/joints/joints.h"

// a_z'(p_b - p_a) = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    *value = perp_joint_offset(&f, f.a.z, row);
}

const PerpJointTable perp_joint_point_on_plane = {
    .name = "point-on-plane",
    .equations = 1,
    .anchors = 1,
    .axes = 1,
    .equation = equation,
};

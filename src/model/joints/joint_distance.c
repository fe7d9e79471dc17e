// Distance joint: two points at a fixed distance.
#include "model/joints/joints.h"

// |p_b - p_a| - length = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    *value = perp_joint_distance_between(&f, row) - joint->length;
}

const PerpJointTable perp_joint_distance = {
    .name = "distance",
    .equations = 1,
    .anchors = 2,
    .equation = equation,
};

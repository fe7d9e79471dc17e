#include "model/joints/joints.h"

// p_b - p_a = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    perp_joint_meet(&f, value, row);
}

const PerpJointTable perp_joint_ball = {
    .name = "ball",
    .equations = 3,
    .anchors = 1,
    .equation = equation,
};

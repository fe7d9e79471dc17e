#include "model/joints/joints.h"

// p_b - p_a = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    perp_joint_meet(place, perp_pose_point(place.a, joint->frame_a.position),
                    perp_pose_point(place.b, joint->frame_b.position), value, row);
}

const PerpJointTable perp_joint_ball = {
    .name = "ball",
    .equations = 3,
    .anchors = 1,
    .equation = equation,
};

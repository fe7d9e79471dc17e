// Ball joint: two points coincide.
#include "model/joints/joints.h"

// p_b - p_a = 0
const PerpJointTable perp_joint_ball = {
    .name = "ball",
    .equations = 3,
    .anchors = 1,
    .equation = perp_joint_meet,
};

// Weld: no relative motion.
#include "model/joints/joints.h"

// p_b - p_a = 0,  log(A'B) = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    perp_joint_meet(joint, place, value, row);
    perp_joint_lock(&f, value + 3, row + 3);
}

const PerpJointTable perp_joint_weld = {
    .name = "weld",
    .equations = 6,
    .anchors = 1,
    .equation = equation,
};

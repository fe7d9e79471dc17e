// Hinge: turns about one axis.
#include "model/joints/joints.h"

// p_b - p_a = 0,  a_x'b_z = a_y'b_z = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    perp_joint_meet(joint, place, value, row);
    perp_joint_align(&f, value + 3, row + 3);
}

// the angle of b about a_z
static double coordinate(const PerpJoint *joint, PerpJointPlace place, int k, PerpJointRow *row)
{
    (void)k;
    PerpJointFrames f = perp_joint_frames(joint, place);
    return perp_joint_twist(&f, row);
}

const PerpJointTable perp_joint_hinge = {
    .name = "hinge",
    .equations = 5,
    .coordinates = 1,
    .angles = 1,
    .anchors = 1,
    .axes = 1,
    .equation = equation,
    .coordinate = coordinate,
};

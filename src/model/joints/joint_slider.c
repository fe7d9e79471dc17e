// Slider: translates along one axis.
#include "model/joints/joints.h"

// a_x'(p_b - p_a) = a_y'(p_b - p_a) = 0,  log(A'B) = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    value[0] = perp_joint_offset(&f, f.a.x, &row[0]);
    value[1] = perp_joint_offset(&f, f.a.y, &row[1]);
    perp_joint_lock(&f, value + 2, row + 2);
}

// a_z'(p_b - p_a)
static double coordinate(const PerpJoint *joint, PerpJointPlace place, int k, PerpJointRow *row)
{
    (void)k;
    PerpJointFrames f = perp_joint_frames(joint, place);
    return perp_joint_offset(&f, f.a.z, row);
}

const PerpJointTable perp_joint_slider = {
    .name = "slider",
    .equations = 5,
    .coordinates = 1,
    .anchors = 1,
    .axes = 1,
    .equation = equation,
    .coordinate = coordinate,
};

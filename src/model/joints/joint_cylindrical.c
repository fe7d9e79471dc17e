// Cylindrical joint: slides along an axis and turns about it.
#include "model/joints/joints.h"

// a_x'(p_b - p_a) = a_y'(p_b - p_a) = 0,  a_x'b_z = a_y'b_z = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    value[0] = perp_joint_offset(&f, f.a.x, &row[0]);
    value[1] = perp_joint_offset(&f, f.a.y, &row[1]);
    perp_joint_align(&f, value + 2, row + 2);
}

// a_z'(p_b - p_a), and the angle of b about a_z
static double coordinate(const PerpJoint *joint, PerpJointPlace place, int k, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    return k == 0 ? perp_joint_offset(&f, f.a.z, row) : perp_joint_twist(&f, row);
}

const PerpJointTable perp_joint_cylindrical = {
    .name = "cylindrical",
    .equations = 4,
    .coordinates = 2,
    .angles = 2,
    .anchors = 1,
    .axes = 1,
    .equation = equation,
    .coordinate = coordinate,
};

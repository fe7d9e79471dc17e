// Universal joint: turns about two perpendicular axes.
#include "model/joints/joints.h"

// p_b - p_a = 0,  a_z'b_x = 0
static void equation(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    perp_joint_meet(joint, place, value, row);
    value[3] = perp_joint_cosine(&f, f.a.z, f.b.x, &row[3]);
}

// B = A rotation_z(x_0) rotation_x(x_1):  b_x = (cos x_0, sin x_0, 0) in a,
// a_z = (0, sin x_1, cos x_1) in b
static double coordinate(const PerpJoint *joint, PerpJointPlace place, int k, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    PerpMat3 a = f.a, b = f.b;
    if (k == 0)
        return perp_joint_angle(&f, perp_vec3_dot(a.y, b.x), perp_vec3_cross(b.x, a.y),
                                perp_vec3_dot(a.x, b.x), perp_vec3_cross(b.x, a.x), row);
    return perp_joint_angle(&f, perp_vec3_dot(a.z, b.y), perp_vec3_cross(b.y, a.z),
                            perp_vec3_dot(a.z, b.z), perp_vec3_cross(b.z, a.z), row);
}

const PerpJointTable perp_joint_universal = {
    .name = "universal",
    .equations = 4,
    .coordinates = 2,
    .angles = 3,
    .anchors = 1,
    .axes = 2,
    .equation = equation,
    .coordinate = coordinate,
};

// Rope: two points at most a length apart, a unilateral constraint.
#include "model/joints/joints.h"

static PerpJointRow opposite(PerpJointRow row)
{
    return (PerpJointRow){perp_vec3_scale(-1, row.a_linear), perp_vec3_scale(-1, row.a_angular),
                          perp_vec3_scale(-1, row.b_linear), perp_vec3_scale(-1, row.b_angular)};
}

// length - |p_b - p_a| >= 0                                              [L82, ball on a string]
double perp_joint_rope_gap(const PerpJoint *joint, PerpJointPlace place, PerpJointRow *row)
{
    PerpJointFrames f = perp_joint_frames(joint, place);
    double distance = perp_joint_distance_between(&f, row);
    *row = opposite(*row);
    return joint->length - distance;
}

const PerpJointTable perp_joint_rope = {
    .name = "rope",
    .anchors = 2,
};

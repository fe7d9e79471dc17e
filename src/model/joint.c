// Directions of joints as rows over two bodies.
#include "model/joint.h"

// u'(w x r) = w'(r x u), in the body's axes
static PerpVec3 moment(PerpPose pose, PerpVec3 point, PerpVec3 u)
{
    PerpVec3 arm = perp_vec3_sub(point, pose.position);
    return perp_quat_rotate_back(pose.rotation, perp_vec3_cross(arm, u));
}

PerpJointRow perp_joint_linear_row(PerpJointPlace place, PerpVec3 point_a, PerpVec3 point_b,
                                   PerpVec3 u)
{
    return (PerpJointRow){
        .a_linear = perp_vec3_scale(-1, u),
        .a_angular = perp_vec3_scale(-1, moment(place.a, point_a, u)),
        .b_linear = u,
        .b_angular = moment(place.b, point_b, u),
    };
}

// Clears what is blocked or small beside the whole vector; says whether anything is left.
static bool restrict_vector(PerpVec3 *v, unsigned freedom)
{
    const double rounding = 1e-24; // of squares
    double least = rounding * perp_vec3_dot(*v, *v);
    bool x = (freedom & 1) && v->x * v->x > least, y = (freedom & 2) && v->y * v->y > least;
    bool z = (freedom & 4) && v->z * v->z > least;
    *v = (PerpVec3){x ? v->x : 0, y ? v->y : 0, z ? v->z : 0};
    return x || y || z;
}

bool perp_joint_row_restrict_some(PerpJointRow *row, unsigned freedom_a, unsigned freedom_b)
{
    int left = restrict_vector(&row->a_linear, freedom_a);
    left += restrict_vector(&row->a_angular, freedom_a >> 3);
    left += restrict_vector(&row->b_linear, freedom_b);
    left += restrict_vector(&row->b_angular, freedom_b >> 3);
    return left > 0;
}

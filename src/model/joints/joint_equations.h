// The equations that several joints share. All gradients are exact wherever the bodies are, not
// only where the joint holds. Inline: a joint pays for those axes alone that it asks for.
#ifndef PERP_MODEL_JOINTS_JOINT_EQUATIONS_H
#define PERP_MODEL_JOINTS_JOINT_EQUATIONS_H

#include "base/compiler.h"
#include "model/joint.h"

#include <float.h>

// The joint's frame as each of the two bodies carries it, in the world.
typedef struct PerpJointFrames {
    PerpJointPlace place;
    PerpVec3 point_a, point_b; // m
    PerpMat3 a, b;             // axes
    PerpQuat turn;             // from a's frame to b's: A'B
} PerpJointFrames;

PERP_KERNEL_PART PerpJointFrames perp_joint_frames(const PerpJoint *joint, PerpJointPlace place)
{
    PerpPose a = perp_pose_product(place.a, joint->frame_a);
    PerpPose b = perp_pose_product(place.b, joint->frame_b);
    return (PerpJointFrames){
        .place = place,
        .point_a = a.position,
        .point_b = b.position,
        .a = perp_quat_to_matrix(a.rotation),
        .b = perp_quat_to_matrix(b.rotation),
        .turn = perp_quat_product(perp_quat_conjugate(a.rotation), b.rotation),
    };
}

// The points coincide: p_b - p_a along the world's axes, three equations.
static inline void perp_joint_meet(const PerpJoint *joint, PerpJointPlace place, double *value,
                                   PerpJointRow *row)
{
    static const PerpVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    PerpVec3 moment_a[3], moment_b[3];
    PerpVec3 point_a = perp_joint_carry(place.a, joint->frame_a.position, moment_a);
    PerpVec3 point_b = perp_joint_carry(place.b, joint->frame_b.position, moment_b);
    perp_vec3_store(perp_vec3_sub(point_b, point_a), value);
    for (int k = 0; k < 3; k++)
        row[k] = (PerpJointRow){.a_linear = perp_vec3_scale(-1, axis[k]),
                                .a_angular = perp_vec3_scale(-1, moment_a[k]),
                                .b_linear = axis[k],
                                .b_angular = moment_b[k]};
}

// The offset p_b - p_a along a direction fixed in a. row may be NULL, here and of angles:
// u'(p_b - p_a), u' = w_a x u: the speed along u of p_b against the point of a that is there
static inline double perp_joint_offset(const PerpJointFrames *f, PerpVec3 axis_of_a,
                                       PerpJointRow *row)
{
    if (row)
        *row = perp_joint_linear_row(f->place, f->point_b, f->point_b, axis_of_a);
    return perp_vec3_dot(axis_of_a, perp_vec3_sub(f->point_b, f->point_a));
}

// |p_b - p_a|. Without direction where the points coincide: there the gradient is 0.
static inline double perp_joint_distance_between(const PerpJointFrames *f, PerpJointRow *row)
{
    PerpVec3 d = perp_vec3_sub(f->point_b, f->point_a);
    *row = perp_joint_linear_row(f->place, f->point_a, f->point_b, perp_vec3_normalise(d));
    return perp_vec3_norm(d);
}

// The cosine of a direction fixed in a and one fixed in b:
// (x'y)' = (w_a x x)'y + x'(w_b x y) = (w_b - w_a)'(y x x)
static inline double perp_joint_cosine(const PerpJointFrames *f, PerpVec3 axis_of_a,
                                       PerpVec3 axis_of_b, PerpJointRow *row)
{
    *row = perp_joint_angular_row(f->place, perp_vec3_cross(axis_of_b, axis_of_a));
    return perp_vec3_dot(axis_of_a, axis_of_b);
}

// The z axes are parallel: a_x'b_z and a_y'b_z, two equations.
static inline void perp_joint_align(const PerpJointFrames *f, double *value, PerpJointRow *row)
{
    value[0] = perp_joint_cosine(f, f->a.x, f->b.z, &row[0]);
    value[1] = perp_joint_cosine(f, f->a.y, f->b.z, &row[1]);
}

// (1 - theta/2 cot(theta/2)) / theta^2, with its limit 1/12 + theta^2/720 + ...
static inline double perp_joint_lock_factor(double theta)
{
    if (theta < 1e-4)
        return 1.0 / 12;
    return (1 - 0.5 * theta * cos(0.5 * theta) / sin(0.5 * theta)) / (theta * theta);
}

// No rotation: the rotation vector from a's frame to b's, in a's axes, three equations. It jumps at
// half a turn.
static inline void perp_joint_lock(const PerpJointFrames *f, double *value, PerpJointRow *row)
{
    static const PerpVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // exp(phi) = A'B
    PerpVec3 phi = perp_quat_log(f->turn);
    perp_vec3_store(phi, value);
    // phi' = (1 - phi~/2 + k phi~^2) A'(w_b - w_a): row i is A (e_i + phi~/2 e_i + k phi~^2 e_i)
    double k = perp_joint_lock_factor(perp_vec3_norm(phi));
    for (int i = 0; i < 3; i++) {
        PerpVec3 across = perp_vec3_cross(phi, axis[i]);
        PerpVec3 u = perp_vec3_add_scaled(axis[i], 0.5, across);
        u = perp_vec3_add_scaled(u, k, perp_vec3_cross(phi, across));
        row[i] = perp_joint_angular_row(f->place, perp_mat3_times(f->a, u));
    }
}

// atan2(sine, cosine) in -pi < x <= pi, and its gradient, where sine' = sine_gradient'(w_b - w_a)
// and so on. Where both vanish there is no angle, and the gradient is 0.
// theta = atan2(s, c),  theta' = (c s' - s c') / (c^2 + s^2)
static inline double perp_joint_angle(const PerpJointFrames *f, double sine, PerpVec3 sine_gradient,
                                      double cosine, PerpVec3 cosine_gradient, PerpJointRow *row)
{
    if (row) {
        PerpVec3 u =
            perp_vec3_add_scaled(perp_vec3_scale(cosine, sine_gradient), -sine, cosine_gradient);
        double square = fmax(sine * sine + cosine * cosine, DBL_MIN);
        *row = perp_joint_angular_row(f->place, perp_vec3_scale(1 / square, u));
    }
    return atan2(sine + 0.0, cosine); // -0 + 0 = 0: half a turn is pi, never -pi
}

// The angle by which b's frame is turned about a's z axis.
// With the quaternion (w, x, y, z) from a to b: s = a_y'b_x - a_x'b_y = 4 w z and
// c = a_x'b_x + a_y'b_y = 2 (w^2 - z^2), so that theta = 2 atan(z/w), also if the axes are apart.
static inline double perp_joint_twist(const PerpJointFrames *f, PerpJointRow *row)
{
    PerpVec3 ax = f->a.x, ay = f->a.y, bx = f->b.x, by = f->b.y;
    double sine = perp_vec3_dot(ay, bx) - perp_vec3_dot(ax, by);
    double cosine = perp_vec3_dot(ax, bx) + perp_vec3_dot(ay, by);
    PerpVec3 sine_gradient = {0}, cosine_gradient = {0};
    if (row) {
        sine_gradient = perp_vec3_sub(perp_vec3_cross(bx, ay), perp_vec3_cross(by, ax));
        cosine_gradient = perp_vec3_add(perp_vec3_cross(bx, ax), perp_vec3_cross(by, ay));
    }
    return perp_joint_angle(f, sine, sine_gradient, cosine, cosine_gradient, row);
}

#endif

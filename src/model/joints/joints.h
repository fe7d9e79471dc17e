// The tables of all joints, and the equations that several of them share. All gradients are exact
// wherever the bodies are, not only where the joint holds.
#ifndef PERP_MODEL_JOINTS_JOINTS_H
#define PERP_MODEL_JOINTS_JOINTS_H

#include "model/joint.h"

extern const PerpJointTable perp_joint_ball, perp_joint_hinge, perp_joint_slider,
    perp_joint_universal, perp_joint_cylindrical, perp_joint_weld, perp_joint_distance,
    perp_joint_rope, perp_joint_point_on_plane, perp_joint_coupling;

// The joint's frame as each of the two bodies carries it, in the world.
typedef struct PerpJointFrames {
    PerpJointPlace place;
    PerpVec3 point_a, point_b; // m
    PerpMat3 a, b;             // axes
    PerpQuat turn;             // from a's frame to b's: A'B
} PerpJointFrames;

PerpJointFrames perp_joint_frames(const PerpJoint *joint, PerpJointPlace place);

// The points coincide: p_b - p_a along the world's axes, three equations.
void perp_joint_meet(const PerpJoint *joint, PerpJointPlace place, double *value,
                     PerpJointRow *row);
// The offset p_b - p_a along a direction fixed in a. row may be NULL, here and of angles.
double perp_joint_offset(const PerpJointFrames *f, PerpVec3 axis_of_a, PerpJointRow *row);
// |p_b - p_a|. Without direction where the points coincide: there the gradient is 0.
double perp_joint_distance_between(const PerpJointFrames *f, PerpJointRow *row);
// The cosine of a direction fixed in a and one fixed in b.
double perp_joint_cosine(const PerpJointFrames *f, PerpVec3 axis_of_a, PerpVec3 axis_of_b,
                         PerpJointRow *row);
// The z axes are parallel: a_x'b_z and a_y'b_z, two equations.
void perp_joint_align(const PerpJointFrames *f, double *value, PerpJointRow *row);
// No rotation: the rotation vector from a's frame to b's, in a's axes, three equations. It jumps at
// half a turn.
void perp_joint_lock(const PerpJointFrames *f, double *value, PerpJointRow *row);
// The angle by which b's frame is turned about a's z axis.
double perp_joint_twist(const PerpJointFrames *f, PerpJointRow *row);

// atan2(sine, cosine) in -pi < x <= pi, and its gradient, where sine' = sine_gradient'(w_b - w_a)
// and so on. Where both vanish there is no angle, and the gradient is 0.
double perp_joint_angle(const PerpJointFrames *f, double sine, PerpVec3 sine_gradient,
                        double cosine, PerpVec3 cosine_gradient, PerpJointRow *row);

#endif

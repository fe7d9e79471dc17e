// Forces that depend on position, velocity and time: springs and dampers between points and on
// joint coordinates, external forces.
#ifndef PERP_MODEL_SPRINGS_H
#define PERP_MODEL_SPRINGS_H

#include "model/model.h"

// How a body moves; the world has the identity pose and rests.
typedef struct PerpBodyMotion {
    PerpPose pose;     // of the centre of mass
    PerpVec3 velocity; // m/s, of the centre of mass, world axes
    PerpVec3 spin;     // rad/s, body axes
} PerpBodyMotion;

// What acts on a body as its velocities see it.
typedef struct PerpWrench {
    PerpVec3 force;  // N, world axes
    PerpVec3 torque; // N m about the centre of mass, body axes
} PerpWrench;

PerpWrench perp_wrench_of_force(PerpPose pose, PerpVec3 point, PerpVec3 force); // all in the world

// With d = p_b - p_a and its velocity d', the derivatives are exact for any motion of the anchors.
typedef struct PerpSpringForce {
    PerpVec3 point_a, point_b; // m, the anchors in the world
    PerpVec3 force;            // N on b at its anchor, and its opposite on a
    double energy;             // J
    double power;              // W, what the damper takes, >= 0
    PerpMat3 stiffness;        // N/m, -dforce/dd: symmetric but for the part from the damper
    PerpMat3 damping;          // N s/m, -dforce/dd', symmetric and positive semidefinite
} PerpSpringForce;

// A spring with a rest length has no direction where its anchors coincide; there its force is 0.
PerpSpringForce perp_spring_force(const PerpSpring *spring, PerpBodyMotion a, PerpBodyMotion b);

// Of the spring and damper of a joint coordinate x. The generalised forces are `force` times the
// coordinate's row; stiffness and damping act along the row, row row' stiffness. Beyond them the
// full derivative has the term -force drow/dq.
typedef struct PerpAxisForce {
    double force;     // N or N m, = -denergy/dx - damping x'
    double energy;    // J
    double power;     // W, what the damper takes
    double stiffness; // N/m or N m/rad, -dforce/dx
    double damping;   // N s/m or N m s/rad, -dforce/dx'
} PerpAxisForce;

PerpAxisForce perp_axis_force(const PerpAxisDef *axis, double x, double x_speed);

// An external force at time t, start <= t < end, on a body with this pose.
PerpWrench perp_force_at(const PerpForce *force, double t, PerpPose pose);

#endif

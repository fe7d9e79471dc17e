// The rigid system: a compiled model at a configuration, in the coordinates of the step problem.
//
// A body that may move has one block of velocities: those of its six that its freedom leaves (v of
// the centre of mass in world axes, w in body axes), so that its mass matrix is constant and planar
// bodies, point masses and carts are the same code with smaller blocks  [AP97 section 5].
#ifndef PERP_STEP_SYSTEMS_RIGID_H
#define PERP_STEP_SYSTEMS_RIGID_H

#include "math/pose.h"
#include "model/model.h"
#include "perp/problem.h"

// Rows that joints have at most.
typedef struct PerpJointRoom {
    int equations, boxes, unilateral;
} PerpJointRoom;

typedef struct PerpRigid {
    const PerpModel *model; // borrowed
    int n_bodies;           // that may move
    int n_v;                // velocities
    int *block_of;          // model body -> block, -1 if fixed
    int *body_of;           // block -> model body
    int *body_start;        // n_bodies + 1, as in PerpProblem
    double *Mt;             // the mass blocks, as in PerpProblem
    int *block_start;       // n_bodies + 1: where each begins in Mt
    PerpJointRoom joint_room;
    PerpVec3 gravity; // m/s^2
} PerpRigid;

PerpStatus perp_rigid_create(const PerpModel *model, PerpRigid *rigid, PerpError *error);
void perp_rigid_free(PerpRigid *rigid);

// The six velocities of a model body from the system's, and back into the system's.
typedef struct PerpTwist {
    PerpVec3 linear, angular; // world axes; body axes
} PerpTwist;

// The first of them, if the body has all six; else -1.
static inline int perp_rigid_first_of_six(const PerpRigid *rigid, int body)
{
    int block = body < 0 ? -1 : rigid->block_of[body];
    bool all = block >= 0 && rigid->body_start[block + 1] - rigid->body_start[block] == 6;
    return all ? rigid->body_start[block] : -1;
}

PerpTwist perp_rigid_twist_of_some(const PerpRigid *rigid, const double *v, int body);
static inline PerpTwist perp_rigid_twist(const PerpRigid *rigid, const double *v, int body)
{
    int first = perp_rigid_first_of_six(rigid, body);
    if (first < 0)
        return perp_rigid_twist_of_some(rigid, v, body);
    return (PerpTwist){perp_vec3_load(v + first), perp_vec3_load(v + first + 3)};
}

void perp_rigid_set_twist_of_some(const PerpRigid *rigid, int body, PerpTwist twist, double *v);
static inline void perp_rigid_set_twist(const PerpRigid *rigid, int body, PerpTwist twist,
                                        double *v)
{
    int first = perp_rigid_first_of_six(rigid, body);
    if (first < 0) {
        perp_rigid_set_twist_of_some(rigid, body, twist, v);
        return;
    }
    perp_vec3_store(twist.linear, v + first);
    perp_vec3_store(twist.angular, v + first + 3);
}

static inline void perp_rigid_add_twist(const PerpRigid *rigid, int body, PerpTwist twist,
                                        double *p)
{
    PerpTwist sum = perp_rigid_twist(rigid, p, body);
    sum.linear = perp_vec3_add(sum.linear, twist.linear);
    sum.angular = perp_vec3_add(sum.angular, twist.angular);
    perp_rigid_set_twist(rigid, body, sum, p);
}

static inline const PerpPose *perp_rigid_poses(const double *q)
{
    return (const PerpPose *)q;
}

PerpPose perp_rigid_pose(const PerpRigid *rigid, const PerpPose *pose, int body); // also of -1

// Of the frame that the body's definition gave: x_origin = x_centre - R centre
void perp_rigid_user_pose(const PerpRigid *rigid, const PerpPose *pose, int body,
                          double position[3], double rotation[4]);

// pose (+) h v for all bodies
void perp_rigid_advance(const PerpRigid *rigid, const PerpPose *from, const double *v, double h,
                        PerpPose *to);

// p = M v
void perp_rigid_momentum(const PerpRigid *rigid, const double *v, double *p);

double perp_rigid_kinetic(const PerpRigid *rigid, const double *v);
double perp_rigid_block_kinetic(const PerpRigid *rigid, const double *v, int block); // of one body
double perp_rigid_gravity(const PerpRigid *rigid, const PerpPose *pose);

// The spin that a free body has after h, with its angular momentum kept in the world: if it turns
// by h w (explicit),  I w' = exp(-h w) I w;  if by h (w + w')/2,  I w' = exp(-h (w + w')/2) I w,
// symmetric in time and of second order.
PerpVec3 perp_rigid_free_spin(const PerpBody *body, PerpVec3 spin, double h, bool explicit_turn);

// For a problem whose rows stood at the middle of the step, pose (+) (h/2) before: the spins that
// keep each body's angular momentum in the world after it has turned by h mean, R' I w' = R I w +
// R_m torque, where the torque is what the solution v has beyond the free motion from `before`.
// inertial: velocities after h of that free motion, without explicit turn; NULL: found here.
void perp_rigid_transport(const PerpRigid *rigid, double h, const double *before,
                          const double *inertial, const double *mean, double *v);

#endif

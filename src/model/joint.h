// Joints: one file a joint, each a const table of functions; the list is in joint.c.
#ifndef PERP_MODEL_JOINT_H
#define PERP_MODEL_JOINT_H

#include "math/mat3.h"
#include "math/pose.h"
#include "perp/model.h"

// A row over two bodies: its velocity is  a_linear'v_a + a_angular'w_a + b_linear'v_b +
// b_angular'w_b with v of the centres of mass in world axes and w in the body's own axes. The
// gradient of its value.
typedef struct PerpJointRow {
    PerpVec3 a_linear, a_angular, b_linear, b_angular;
} PerpJointRow;

typedef struct PerpJoint {
    char *name; // owned
    PerpJointKind kind;
    int body_a, body_b;         // -1: the world
    PerpPose frame_a, frame_b;  // the joint's frame in the frames of the centres of mass (or world)
    double length, restitution; // distance, rope
    int joint_a, joint_b, coordinate_a, coordinate_b; // coupling
    double ratio_a, ratio_b, constant;                //
    PerpAxisDef axis[PERP_JOINT_COORDINATES];
} PerpJoint;

// Where the two bodies are: poses of the centres of mass (identity for the world).
typedef struct PerpJointPlace {
    PerpPose a, b;
} PerpJointPlace;

typedef struct PerpJointTable {
    const char *name;
    int equations, coordinates;
    // Theta(q) and its gradients: `equations` values and rows.
    void (*equation)(const PerpJoint *joint, PerpJointPlace place, double *value,
                     PerpJointRow *row);
    // The k-th coordinate (angles in -pi .. pi) and its gradient.
    double (*coordinate)(const PerpJoint *joint, PerpJointPlace place, int k, PerpJointRow *row);
} PerpJointTable;

const PerpJointTable *perp_joint_table(PerpJointKind kind);

enum { PERP_JOINT_EQUATIONS = 6 };

// Rope: gap = length - distance and its gradient.
double perp_joint_rope_gap(const PerpJoint *joint, PerpJointPlace place, PerpJointRow *row);

// The row that turns about the world direction u (b relative to a), and that moves along u between
// a point fixed in a and one fixed in b, both given in the world.
PerpJointRow perp_joint_angular_row(PerpJointPlace place, PerpVec3 u);
PerpJointRow perp_joint_linear_row(PerpJointPlace place, PerpVec3 point_a, PerpVec3 point_b,
                                   PerpVec3 u);

#endif

// Joints: one file a joint, each a const table of functions; the list is in joints/joints.c.
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
    PerpAxisSoftDef soft[PERP_JOINT_COORDINATES]; // limit_stiffness: INFINITY if they are rigid
    bool ratchet;                                 // the first coordinate never falls
    double start, end;                            // s, when it exists
    bool absent; // in a simulation's own joints: it does not exist now
} PerpJoint;

// Where the two bodies are: poses of the centres of mass (identity for the world).
typedef struct PerpJointPlace {
    PerpPose a, b;
} PerpJointPlace;

typedef struct PerpJointTable {
    const char *name;
    int equations, coordinates;
    unsigned angles;   // bit k is set if coordinate k is an angle
    int anchors, axes; // how many of anchor, anchor_b and axis, axis_b the definition gives
    // Theta(q) and its gradients: `equations` values and rows. NULL without equations, and for a
    // coupling, see below.
    void (*equation)(const PerpJoint *joint, PerpJointPlace place, double *value,
                     PerpJointRow *row);
    // The k-th coordinate (angles in -pi < x <= pi) and its gradient, unless row is NULL. NULL
    // without coordinates.
    double (*coordinate)(const PerpJoint *joint, PerpJointPlace place, int k, PerpJointRow *row);
} PerpJointTable;

const PerpJointTable *perp_joint_table(PerpJointKind kind);

enum { PERP_JOINT_EQUATIONS = 6 };

// Rope: gap = length - distance and its gradient.
double perp_joint_rope_gap(const PerpJoint *joint, PerpJointPlace place, PerpJointRow *row);

// Coupling: Theta = ratio_a x_a + ratio_b x_b - constant, x the coordinates (with their turns) of
// the two joints. The caller evaluates them by their tables.
double perp_joint_coupling_value(const PerpJoint *coupling, double x_a, double x_b);

// Its gradient, each of up to four bodies once and the world left out: row_a and row_b are those
// of the two coordinates.
typedef struct PerpCouplingRow {
    int n_bodies;
    int body[4];
    PerpVec3 linear[4], angular[4]; // as in PerpJointRow
} PerpCouplingRow;

PerpCouplingRow perp_joint_coupling_row(const PerpJoint *coupling, const PerpJoint *joint_a,
                                        PerpJointRow row_a, const PerpJoint *joint_b,
                                        PerpJointRow row_b);

// Where a point of a body is, and R'(arm x e_k) for the world's axes e_k, in the body's axes:
// arm x (R'e_k)
static inline PerpVec3 perp_joint_carry(PerpPose pose, PerpVec3 arm, PerpVec3 moment[3])
{
    PerpMat3 R = perp_quat_to_matrix(pose.rotation);
    moment[0] = perp_vec3_cross(arm, (PerpVec3){R.x.x, R.y.x, R.z.x});
    moment[1] = perp_vec3_cross(arm, (PerpVec3){R.x.y, R.y.y, R.z.y});
    moment[2] = perp_vec3_cross(arm, (PerpVec3){R.x.z, R.y.z, R.z.z});
    return perp_vec3_add(pose.position, perp_mat3_times(R, arm));
}

// The row that turns about the world direction u (b relative to a), and that moves along u between
// a point fixed in a and one fixed in b, both given in the world.
static inline PerpJointRow perp_joint_angular_row(PerpJointPlace place, PerpVec3 u)
{
    return (PerpJointRow){
        .a_angular = perp_vec3_scale(-1, perp_quat_rotate_back(place.a.rotation, u)),
        .b_angular = perp_quat_rotate_back(place.b.rotation, u),
    };
}

PerpJointRow perp_joint_linear_row(PerpJointPlace place, PerpVec3 point_a, PerpVec3 point_b,
                                   PerpVec3 u);

// Sets the entries of blocked directions to zero (freedom: bits of PERP_FREE_, 0 for the world),
// and those that are only rounding errors: for a planar body they would be a constraint of their
// own. Rows between bodies that are free stay as they are. False if nothing is left, such as of the
// rows of a planar hinge that point out of the plane.
bool perp_joint_row_restrict_some(PerpJointRow *row, unsigned freedom_a, unsigned freedom_b);
static inline bool perp_joint_row_restrict(PerpJointRow *row, unsigned freedom_a,
                                           unsigned freedom_b)
{
    if ((freedom_a & freedom_b & PERP_FREE_ALL) != PERP_FREE_ALL)
        return perp_joint_row_restrict_some(row, freedom_a, freedom_b);
    return perp_vec3_dot(row->b_linear, row->b_linear) != 0 ||
           perp_vec3_dot(row->b_angular, row->b_angular) != 0 ||
           perp_vec3_dot(row->a_linear, row->a_linear) != 0 ||
           perp_vec3_dot(row->a_angular, row->a_angular) != 0;
}

#endif

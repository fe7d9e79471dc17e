// The compiled model. Bodies are described in the frame of their centre of mass, axes as given.
#ifndef PERP_MODEL_MODEL_H
#define PERP_MODEL_MODEL_H

#include "geom/shape.h"
#include "model/control/control.h"
#include "model/joint.h"
#include "model/name_index.h"
#include "perp/model.h"

typedef struct PerpBody {
    char *name;        // owned
    unsigned freedom;  // bits of PERP_FREE_
    int n_velocities;  // how many bits are set
    double mass;       // kg
    PerpMat3 inertia;  // kg m^2 about the centre, body axes
    PerpVec3 centre;   // m, centre of mass in the frame that the user gave
    PerpPose pose;     // of the centre of mass, at the start
    PerpVec3 velocity; // m/s, of the centre of mass, at the start
    PerpVec3 spin;     // rad/s, body axes, at the start
} PerpBody;

typedef struct PerpModelShape {
    char *name; // owned
    PerpShape shape;
    int body;      // -1: the world
    PerpPose pose; // in the frame of the body's centre of mass, or in the world
    int material;
    unsigned group, mask;
    PerpVec3 surface_velocity; // m/s, axes of the body's frame, or of the world
    double colour[4];          // red, green, blue, opacity; -1: any
} PerpModelShape;

typedef struct PerpSpring {
    char *name; // owned
    int body_a, body_b;
    PerpVec3 anchor_a, anchor_b; // in the frames of the centres of mass, or in the world
    double stiffness, damping, rest;
    double start, end; // s, when it exists
} PerpSpring;

typedef struct PerpForce {
    char *name; // owned
    int body;
    PerpVec3 point; // in the frame of the centre of mass
    PerpVec3 force, torque, wave;
    double frequency, phase, start, end;
    int force_signal[3], torque_signal[3]; // -1: none
} PerpForce;

// How two materials a and b rub and bounce.
typedef struct PerpSurface {
    double mu, mu_second, torsion, rolling, restitution; // mu_second < 0: isotropic
    double stiffness, damping;                           // of a contact point; INFINITY: rigid
    PerpVec3 axis;     // unit, first axis of anisotropic friction, 0 if there is none
    bool axis_is_of_b; // the axis is in the frame of the body of b's shape, not of a's
    bool is_override;  // given by a PerpPairDef
} PerpSurface;

struct PerpModel {
    PerpContext context;
    PerpVec3 gravity;
    int n_bodies, n_shapes, n_joints, n_springs, n_forces, n_materials;
    PerpBody *bodies;          // owned, as all below
    PerpModelShape *shapes;    //
    PerpJoint *joints;         //
    PerpSpring *springs;       //
    PerpForce *forces;         //
    PerpSurface *surfaces;     // n_materials^2: [a + n b]
    bool has_surface_velocity; // some shape has one
    int *excluded_start;       // n_bodies + 2: into excluded, for the larger body of a pair
    int *excluded;             // the smaller bodies that it never touches, -1: the world
    PerpNameIndex body_names, joint_names;
    PerpControlModel control;
};

// May shapes s and t touch: groups, exclusions, joints between their bodies, both fixed?
bool perp_model_may_touch(const PerpModel *model, int shape_s, int shape_t);

const PerpSurface *perp_model_surface(const PerpModel *model, int material_a, int material_b);
// The numbers of a pair that no PerpPairDef names, into `to`.
void perp_combine_materials(const PerpMaterialDef *a, const PerpMaterialDef *b, PerpPairDef *to);

#endif

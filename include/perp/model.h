// Models: plain definitions, with names, that compile into a constant model.
//
// Indices refer to the arrays of PerpModelDef. Everything is copied; the definitions and their
// arrays may go after perp_model_create. SI units, right-handed axes, quaternions w x y z.
#ifndef PERP_MODEL_H
#define PERP_MODEL_H

#include "perp/api.h"
#include "perp/context.h"
#include "perp/control.h"
#include "perp/shape.h"
#include "perp/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Directions in which a body may move: translation along the world's axes, rotation about its own.
enum {
    PERP_FREE_X = 1,
    PERP_FREE_Y = 2,
    PERP_FREE_Z = 4,
    PERP_FREE_ROTATION_X = 8,
    PERP_FREE_ROTATION_Y = 16,
    PERP_FREE_ROTATION_Z = 32,
    PERP_FREE_ALL = 63,
    PERP_FREE_POINT = 7,      // a point mass
    PERP_FREE_PLANAR_XY = 35, // in the plane x y, turning about z
    PERP_FREE_PLANAR_XZ = 21  // in the plane x z, turning about y
};

// A body: where it starts and how it may move. Its shapes refer to it.
typedef struct PerpBodyDef {
    const char *name;   // unique, default "": body-<index>
    unsigned freedom;   // of the bits above, default PERP_FREE_ALL; 0: fixed
    double position[3]; // m, of the body's frame, default 0
    double rotation[4]; // default 1 0 0 0
    double velocity[3]; // m/s, of the body's frame's origin, default 0
    double spin[3];     // rad/s, about the world's axes, default 0
    double mass;        // kg; default 0: from the shapes' densities
    double centre[3];   // m, centre of mass in the body's frame, default 0; only if mass > 0
    double inertia[6];  // kg m^2 about the centre, body axes: xx yy zz xy xz yz; only if mass > 0
} PerpBodyDef;

// X(name, word, equations, coordinates, text). The joint's frame has its origin at the anchor and
// the axis along z. Coordinates are what limits, motors, friction and couplings act on.
#define PERP_JOINT_LIST(X)                                                                         \
    X(BALL, "ball", 3, 0, "a common point")                                                        \
    X(HINGE, "hinge", 5, 1, "a common point and axis; coordinate: angle")                          \
    X(SLIDER, "slider", 5, 1, "moves along the axis; coordinate: position")                        \
    X(UNIVERSAL, "universal", 4, 2,                                                                \
      "a common point, axis of a (z) and second axis of b (x) stay "                               \
      "perpendicular; coordinates: angles about them")                                             \
    X(CYLINDRICAL, "cylindrical", 4, 2,                                                            \
      "slides along and turns about the axis; coordinates: "                                       \
      "position, angle")                                                                           \
    X(WELD, "weld", 6, 0, "no motion")                                                             \
    X(DISTANCE, "distance", 1, 0, "a rigid rod between the two anchors")                           \
    X(ROPE, "rope", 0, 0, "the anchors are at most `length` apart [L82, ball on a string]")        \
    X(POINT_ON_PLANE, "point-on-plane", 1, 0, "b's anchor stays in the plane x y of a's frame")    \
    X(COUPLING, "coupling", 1, 0,                                                                  \
      "ratio_a coordinate(joint_a) + ratio_b coordinate(joint_b) = "                               \
      "constant: gears, racks, screws")

typedef enum PerpJointKind {
#define PERP_JOINT_CODE(name, word, equations, coordinates, text) PERP_JOINT_##name,
    PERP_JOINT_LIST(PERP_JOINT_CODE)
#undef PERP_JOINT_CODE
        PERP_JOINT_KIND_COUNT
} PerpJointKind;

enum { PERP_JOINT_COORDINATES = 2 };

// What acts on one coordinate of a joint. Joints hold two of it, so it keeps its layout.
typedef struct PerpAxisDef {
    double lower, upper; // rad or m, default -INFINITY and INFINITY
    double restitution;  // at the limits, default 0, 0 .. 1
    double motor_speed;  // rad/s or m/s that the motor aims at, default 0
    double motor_force;  // N m or N, its largest force, default 0: no motor
    double friction;     // N m or N, dry friction, default 0
    double stiffness;    // N m/rad or N/m, default 0
    double damping;      // N m s/rad or N s/m, default 0
    double rest;         // rad or m, where the spring is slack, default 0
} PerpAxisDef;

// Inertia of a coordinate, and the compliance of its limits: docs/theory/compliance.md.
typedef struct PerpAxisSoftDef {
    double armature;        // kg m^2 or kg: inertia of the coordinate itself, default 0
    double limit_stiffness; // N m/rad or N/m of the limits, default 0: rigid
    double limit_damping;   // N m s/rad or N s/m of soft limits, default 0
} PerpAxisSoftDef;

// A joint between two bodies, or a body and the world.
typedef struct PerpJointDef {
    const char *name;     // unique, default "": joint-<index>
    PerpJointKind kind;   // default BALL
    int body_a, body_b;   // -1: the world; default -1 and 0
    double anchor[3];     // m, in the world at the start; default 0
    double anchor_b[3];   // m, distance and rope: the anchor on b, in the world at the start
    double axis[3];       // in the world at the start, default 0 0 1
    double axis_b[3];     // universal: second axis, perpendicular to axis, default 1 0 0
    double length;        // m, rope: default 0: the distance at the start; distance likewise
    double restitution;   // rope: when it goes taut, default 0
    int joint_a, joint_b; // coupling: the joints
    int coordinate_a, coordinate_b;               // coupling: which of their coordinates, default 0
    double ratio_a, ratio_b;                      // coupling, default 1 and -1
    bool collide;                                 // may the two bodies touch, default false
    PerpAxisDef axis_def[PERP_JOINT_COORDINATES]; // one for each coordinate that the kind has
    bool ratchet; // hinge, slider: the coordinate never falls [L82 (2.1c)], default false
    PerpAxisSoftDef axis_soft[PERP_JOINT_COORDINATES]; // likewise
    double start, end; // s: it exists in steps that begin at start <= t < end, default 0 and
                       // INFINITY. One that begins later holds the bodies as they are then: b's
                       // frame, or the length of a distance, is taken at that moment
} PerpJointDef;

// A spring and damper between two points. With rest < 0 the force is -stiffness times the vector
// between the points (no rest length), else along it.
typedef struct PerpSpringDef {
    const char *name;   // default ""
    int body_a, body_b; // -1: the world
    double anchor_a[3]; // m, on a, in the world at the start, default 0
    double anchor_b[3]; // m, on b, in the world at the start, default 0
    double stiffness;   // N/m, default 0, >= 0
    double damping;     // N s/m along the line (of the whole vector without rest length), default 0
    double rest;        // m, default -1: no rest length
    double start, end;  // s: it exists in steps that begin at start <= t < end, default 0 and
                        // INFINITY
} PerpSpringDef;

// A force on a body: amplitude * sin(2 pi frequency t + phase) + constant, from start to end.
typedef struct PerpForceDef {
    const char *name;                      // default ""
    int body;                              // on which it acts, default 0
    double point[3];                       // m, in the body's frame, default 0
    double force[3];                       // N, world axes, constant part, default 0
    double torque[3];                      // N m, world axes, constant part, default 0
    double wave[3];                        // N, amplitude of the periodic part, default 0
    double frequency;                      // Hz, of the periodic part, default 0
    double phase;                          // rad, of the periodic part, default 0
    double start, end;                     // s, default 0 and INFINITY
    int force_signal[3], torque_signal[3]; // signals added to force and torque, default -1: none
} PerpForceDef;

// Contact materials. Pairs combine: mu and the like as the geometric mean, restitution as the
// larger, compliances 1/stiffness add up. Contacts with stiffness are soft: each contact point is a
// spring and a damper along its normal, that push only; restitution is that of the damper.
typedef struct PerpMaterialDef {
    const char *name;   // default ""
    double mu;          // coefficient of sliding friction, default 0.5, >= 0
    double mu_second;   // along the second axis of anisotropic friction; default -1: isotropic
    double axis[3];     // first axis of anisotropic friction, in the frame of the body, default 0
    double torsion;     // m: torsional limit torsion * c_n, default 0
    double rolling;     // m: rolling limit rolling * c_n, default 0
    double restitution; // of the approach, default 0, 0 .. 1
    double stiffness;   // N/m of a contact point, default 0: rigid
    double damping;     // N s/m of a soft contact point, default 0
} PerpMaterialDef;

// Overrides the combination for one pair of materials.
typedef struct PerpPairDef {
    int material_a, material_b;                          // indices
    double mu, mu_second, torsion, rolling, restitution; // as above
    double stiffness, damping;                           //
} PerpPairDef;

// Two bodies that do not touch. Keeps its layout.
typedef struct PerpExclusionDef {
    int body_a, body_b; // never touch
} PerpExclusionDef;

// Everything a model is made of. The arrays are the caller's.
typedef struct PerpModelDef {
    size_t size;       // set by perp_default_model_def, like those of the items below
    double gravity[3]; // m/s^2, default 0 0 -9.81
    int n_bodies, n_shapes, n_joints, n_springs;      // of the arrays below; default 0
    int n_forces, n_materials, n_pairs, n_exclusions; //
    const PerpBodyDef *bodies;                        // n_bodies
    const PerpShapeDef *shapes;                       // n_shapes
    const PerpJointDef *joints;                       // n_joints
    const PerpSpringDef *springs;                     // n_springs
    const PerpForceDef *forces;                       // n_forces
    const PerpMaterialDef *materials;                 // may be empty: one default material
    const PerpPairDef *pairs;                         // n_pairs
    const PerpExclusionDef *exclusions;               // n_exclusions
    // of an item in bytes, as the caller was compiled
    size_t body_size, shape_size, joint_size, spring_size, force_size, material_size, pair_size;
    // acting and measuring, see control.h
    int n_sites, n_signals, n_actuators, n_motions, n_sensors; // of the arrays below; default 0
    int control_every;                // steps between samples, default 1, as 0
    const PerpSiteDef *sites;         // n_sites
    const PerpSignalDef *signals;     // n_signals
    const PerpActuatorDef *actuators; // n_actuators
    const PerpMotionDef *motions;     // n_motions
    const PerpSensorDef *sensors;     // n_sensors
    unsigned long long noise_seed;    // of the sensors, default 0
    size_t site_size, signal_size, actuator_size, motion_size, sensor_size; // of an item
    int n_keyframes;                  // of the array below; default 0
    int keyframe;                     // that simulations start from, default -1: as above
    const PerpKeyframeDef *keyframes; // n_keyframes
    size_t keyframe_size;             // of an item
} PerpModelDef;

PERP_DEFAULTS(PerpBodyDef, body)
PERP_DEFAULTS(PerpJointDef, joint)
PERP_DEFAULTS(PerpAxisDef, axis)
PERP_DEFAULTS(PerpSpringDef, spring)
PERP_DEFAULTS(PerpForceDef, force)
PERP_DEFAULTS(PerpMaterialDef, material)
PERP_DEFAULTS(PerpPairDef, pair)

// The first `size` bytes of the defaults, for other languages: gravity, nothing else.
PERP_API void perp_fill_model_def(PerpModelDef *def, size_t size);
static inline PerpModelDef perp_default_model_def(void)
{
    PerpModelDef def;
    perp_fill_model_def(&def, sizeof def);
    def.body_size = sizeof *def.bodies;
    def.shape_size = sizeof *def.shapes;
    def.joint_size = sizeof *def.joints;
    def.spring_size = sizeof *def.springs;
    def.force_size = sizeof *def.forces;
    def.material_size = sizeof *def.materials;
    def.pair_size = sizeof *def.pairs;
    def.site_size = sizeof *def.sites;
    def.signal_size = sizeof *def.signals;
    def.actuator_size = sizeof *def.actuators;
    def.motion_size = sizeof *def.motions;
    def.sensor_size = sizeof *def.sensors;
    def.keyframe_size = sizeof *def.keyframes;
    return def;
}

// The word of scene files, such as "hinge"; "?" if out of range.
PERP_API const char *perp_joint_kind_name(PerpJointKind kind);

// The compiled model: constant, shareable between threads.
typedef struct PerpModel PerpModel;

// Checks everything (inertias positive and obeying the triangle inequality, indices, ranges, NaN);
// the message names the item at fault.
PERP_API PerpStatus perp_model_create(const PerpContext *context, const PerpModelDef *def,
                                      PerpModel **model, PerpError *error);
PERP_API void perp_model_destroy(PerpModel *model); // NULL is allowed

// How many there are.
PERP_API int perp_model_body_count(const PerpModel *model);
PERP_API int perp_model_joint_count(const PerpModel *model);
PERP_API int perp_model_shape_count(const PerpModel *model);
PERP_API const char *perp_model_body_name(const PerpModel *model, int body); // "world" for -1
PERP_API const char *perp_model_joint_name(const PerpModel *model, int joint);
PERP_API int perp_model_find_body(const PerpModel *model, const char *name);  // -1 if there is none
PERP_API int perp_model_find_joint(const PerpModel *model, const char *name); //
// kg, from its definition or its shapes, also of a body that cannot move.
PERP_API double perp_model_body_mass(const PerpModel *model, int body);
// kg m^2, about the centre of mass and in the body's axes.
PERP_API void perp_model_body_inertia(const PerpModel *model, int body, double inertia[3][3]);
// Coordinates of a joint, 0 .. PERP_JOINT_COORDINATES.
PERP_API int perp_model_joint_coordinates(const PerpModel *model, int joint);

// Acting and measuring: how many there are, names, and the index of a name, -1 if there is none.
PERP_API int perp_model_site_count(const PerpModel *model);
PERP_API int perp_model_signal_count(const PerpModel *model);
PERP_API int perp_model_actuator_count(const PerpModel *model);
PERP_API int perp_model_sensor_count(const PerpModel *model);
PERP_API int perp_model_keyframe_count(const PerpModel *model);
PERP_API const char *perp_model_site_name(const PerpModel *model, int site);
PERP_API const char *perp_model_signal_name(const PerpModel *model, int signal);
PERP_API const char *perp_model_actuator_name(const PerpModel *model, int actuator);
PERP_API const char *perp_model_sensor_name(const PerpModel *model, int sensor);
PERP_API const char *perp_model_keyframe_name(const PerpModel *model, int keyframe);
PERP_API int perp_model_find_site(const PerpModel *model, const char *name);
PERP_API int perp_model_find_signal(const PerpModel *model, const char *name);
PERP_API int perp_model_find_actuator(const PerpModel *model, const char *name);
PERP_API int perp_model_find_sensor(const PerpModel *model, const char *name);
PERP_API int perp_model_find_keyframe(const PerpModel *model, const char *name);
PERP_API PerpSensorKind perp_model_sensor_kind(const PerpModel *model, int sensor);
// Where the numbers of a sensor begin in perp_simulation_sensors, and how many all have.
PERP_API int perp_model_sensor_start(const PerpModel *model, int sensor);
PERP_API int perp_model_sensor_numbers(const PerpModel *model);
// What one of those numbers is called, such as "bearing.x", and its unit.
PERP_API const char *perp_model_sensor_label(const PerpModel *model, int number);
PERP_API const char *perp_model_sensor_unit(const PerpModel *model, int number);

#ifdef __cplusplus
}
#endif
#endif

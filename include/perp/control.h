// Acting and measuring: sites, signals, actuators, prescribed motions and sensors, as definitions
// of a model. docs/control.md shows them by examples.
#ifndef PERP_CONTROL_H
#define PERP_CONTROL_H

#include "perp/api.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A named frame on a body, or in the world.
typedef struct PerpSiteDef {
    const char *name;   // unique, default "": site-<index>
    int body;           // default -1: the world
    double position[3]; // m, in the body's frame, default 0
    double rotation[4]; // in the body's frame, default 1 0 0 0
} PerpSiteDef;

// A number that an expression may name. Keeps its layout.
typedef struct PerpConstant {
    const char *name; // as the expression says it
    double value;     // what it stands for
} PerpConstant;

// A number that changes: an expression of t (s) and of what is measured, a table over t, or, with
// neither, an input that perp_simulation_set_input sets. Signals are sampled at the beginning of a
// step, every control_every steps, and held until the next sample.
typedef struct PerpSignalDef {
    const char *name;              // unique, default "": signal-<index>
    const char *expression;        // such as "-12*shoulder.angle - 2*shoulder.speed", or NULL
    const PerpConstant *constants; // n_constants names more that the expression may use
    const double *table;           // n_points pairs t, value with ascending t, or NULL
    int n_constants, n_points;     //
    bool cubic;                    // between the points of the table, default false: linear
    double value;                  // of an input at the start, default 0
    const char *file;              // where the expression was given, for messages; default NULL
    int line, column;              // 1-based
} PerpSignalDef;

// X(name, word, text)
#define PERP_ACTUATOR_LIST(X)                                                                      \
    X(FORCE, "force", "the control is its force")                                                  \
    X(VELOCITY, "velocity", "reaches the speed that is its control, within its range of forces")   \
    X(POSITION, "position", "force = kp (control - length) - kd speed")                            \
    X(MOTION, "motion", "its length is its control, whatever force that takes")

// What the control of an actuator is.
typedef enum PerpActuatorKind {
#define PERP_ACTUATOR_CODE(name, word, text) PERP_ACTUATOR_##name,
    PERP_ACTUATOR_LIST(PERP_ACTUATOR_CODE)
#undef PERP_ACTUATOR_CODE
        PERP_ACTUATOR_KIND_COUNT
} PerpActuatorKind;

// The word of scene files; "?" if out of range.
PERP_API const char *perp_actuator_kind_name(PerpActuatorKind kind);

// One coordinate of a fixed tendon. Keeps its layout.
typedef struct PerpTendonTerm {
    int joint, coordinate; // which one
    double ratio;          // of it in the length
} PerpTendonTerm;

enum { PERP_TENDON_TERMS = 8 };

// An actuator has a length: gear times the coordinate of a joint, the sum of ratio times coordinate
// over the terms of a fixed tendon, or the distance between two sites; its force f works on that
// length. At a single site it is a force and moment, f times `wrench` in the site's axes, without a
// length.
typedef struct PerpActuatorDef {
    const char *name;                // unique, default "": actuator-<index>
    PerpActuatorKind kind;           // default FORCE
    int control;                     // a signal; default -1: what perp_simulation_set_control says
    int joint, coordinate;           // default -1 and 0
    int n_terms;                     // of a tendon, at most PERP_TENDON_TERMS, default 0
    const PerpTendonTerm *terms;     // n_terms
    int site_a, site_b;              // default -1; site_a alone: a wrench
    double wrench[6];                // N, N m at f = 1: force, moment; default 0
    double gear;                     // default 1, not 0
    double force_lower, force_upper; // N or N m, default -INFINITY and INFINITY
    double control_lower, control_upper; // the control is kept within, default likewise
    double kp, kd;                       // of POSITION, N/m and N s/m, or per rad, default 0
    double time_constant;                // s: da/dt = (control - a)/time_constant, and a acts;
                                         // default 0: the control itself
    double start, end; // s: it acts in steps that begin at start <= t < end, default 0 and INFINITY
} PerpActuatorDef;

// A body whose motion is given: rigidly, as a moving boundary. Position of its frame in the world,
// and a turn about an axis through its frame's origin, counted from the start.
typedef struct PerpMotionDef {
    int body;         // default 0; it must be free in all directions
    int position[3];  // signals, m, of t alone; default -1: as at the start
    int angle;        // signal, rad, of t alone; default -1: no turn
    double axis[3];   // in the world, default 0 0 1
    bool is_velocity; // the signals are velocities instead (m/s, rad/s), of anything
} PerpMotionDef;

// What a sensor looks at.
typedef enum PerpSensorObject {
    PERP_SENSES_JOINT,
    PERP_SENSES_ACTUATOR,
    PERP_SENSES_BODY,   // and perhaps another one
    PERP_SENSES_BODIES, // a set
    PERP_SENSES_SITE,
    PERP_SENSES_SIGNAL
} PerpSensorObject;

// X(name, word, numbers, object, unit, text). Forces are means over the last step, impacts
// included.
#define PERP_SENSOR_LIST(X)                                                                        \
    X(JOINT_POSITION, "joint-position", 1, JOINT, "", "a coordinate of a joint")                   \
    X(JOINT_SPEED, "joint-speed", 1, JOINT, "", "its rate")                                        \
    X(JOINT_FORCE, "joint-force", 3, JOINT, "N",                                                   \
      "force of the joint on its second body: equations and limits")                               \
    X(JOINT_MOMENT, "joint-moment", 3, JOINT, "N m", "moment likewise, about the joint's anchor")  \
    X(MOTOR_FORCE, "motor-force", 1, JOINT, "",                                                    \
      "force or moment of motors and actuators on a coordinate")                                   \
    X(ACTUATOR_FORCE, "actuator-force", 1, ACTUATOR, "", "force of an actuator")                   \
    X(ACTUATOR_POWER, "actuator-power", 1, ACTUATOR, "W", "its power")                             \
    X(CONTACT_FORCE, "contact-force", 3, BODY, "N", "force of contacts on a body")                 \
    X(CONTACT_MOMENT, "contact-moment", 3, BODY, "N m",                                            \
      "moment of contacts about the body's centre of mass")                                        \
    X(TOUCH, "touch", 1, BODY, "N", "sum of the normal forces of contacts on a body")              \
    X(DISTANCE, "distance", 1, BODY, "m", "between two bodies; negative: overlap")                 \
    X(POSITION, "position", 3, SITE, "m", "of a site, world axes")                                 \
    X(VELOCITY, "velocity", 3, SITE, "m/s", "of a site, world axes")                               \
    X(ORIENTATION, "orientation", 4, SITE, "", "of a site, w x y z")                               \
    X(GYROSCOPE, "gyroscope", 3, SITE, "rad/s", "angular velocity, axes of the site")              \
    X(ACCELEROMETER, "accelerometer", 3, SITE, "m/s^2",                                            \
      "acceleration minus gravity over the last step, axes of the site")                           \
    X(RANGE, "range", 1, SITE, "m", "along z of a site to the first shape of another body")        \
    X(CENTRE_OF_MASS, "centre-of-mass", 3, BODIES, "m", "of a set of bodies")                      \
    X(MOMENTUM, "momentum", 3, BODIES, "N s", "of a set of bodies")                                \
    X(ANGULAR_MOMENTUM, "angular-momentum", 3, BODIES, "N m s",                                    \
      "of a set of bodies, about their centre of mass")                                            \
    X(ENERGY, "energy", 1, BODIES, "J", "kinetic and potential energy in gravity, of a set")       \
    X(SIGNAL, "signal", 1, SIGNAL, "", "the value of a signal")

typedef enum PerpSensorKind {
#define PERP_SENSOR_CODE(name, word, numbers, object, unit, text) PERP_SENSOR_##name,
    PERP_SENSOR_LIST(PERP_SENSOR_CODE)
#undef PERP_SENSOR_CODE
        PERP_SENSOR_KIND_COUNT
} PerpSensorKind;

enum { PERP_SENSOR_NUMBERS = 4, PERP_ANY_BODY = -2 };

// The word of scene files; "?" if out of range. How many numbers, of what unit, of what object.
PERP_API const char *perp_sensor_kind_name(PerpSensorKind kind);
PERP_API const char *perp_sensor_kind_unit(PerpSensorKind kind);
PERP_API int perp_sensor_kind_numbers(PerpSensorKind kind);
PERP_API PerpSensorObject perp_sensor_kind_object(PerpSensorKind kind);

// A sensor is read at the start and after every step.
typedef struct PerpSensorDef {
    const char *name;    // unique, default "": sensor-<index>
    PerpSensorKind kind; // default JOINT_POSITION
    int index;           // of the joint, actuator, body, site or signal, default 0
    int coordinate;      // of the joint, default 0
    int other;           // contacts, distance: the other body, -1: the world; default PERP_ANY_BODY
    int frame;           // forces and moments: a site in whose axes they are, moments about its
                         // origin; default -1: world axes
    int n_bodies;        // of a set; 0: all
    const int *bodies;   //
    double noise;        // standard deviation of normal noise, in units of the sensor, default 0
    double limit;        // m, of RANGE, what it shows where nothing is hit; default 100
    int shape;           // contacts, distance: of this shape of the body alone, default -1: of all
    int other_shape;     // likewise of the other body, or of the world; default -1
} PerpSensorDef;

// Where a body is and how it moves, as in PerpBodyDef. Keeps its layout.
typedef struct PerpKeyframePose {
    int body;                        // which one
    double position[3], rotation[4]; // of its frame
    double velocity[3], spin[3];     // m/s of the frame's origin, rad/s; world axes
} PerpKeyframePose;

// A coordinate of a joint: moves all that hangs on the joint. Keeps its layout.
typedef struct PerpKeyframeJoint {
    int joint, coordinate;  // which one
    double position, speed; // rad or m, per second
} PerpKeyframeJoint;

// The control of an actuator without a signal, or the value of an input. Keeps its layout.
typedef struct PerpKeyframeValue {
    int index;    // of the actuator or the signal
    double value; // as perp_simulation_set_control or _set_input sets it
} PerpKeyframeValue;

// A named state to start from, see perp_simulation_reset_to: poses first, then joints in their
// order. What it does not say is as the model has it.
typedef struct PerpKeyframeDef {
    const char *name;                            // unique, default "": keyframe-<index>
    int n_poses, n_joints, n_controls, n_inputs; // of the arrays below; default 0
    const PerpKeyframePose *poses;               // n_poses
    const PerpKeyframeJoint *joints;             // n_joints
    const PerpKeyframeValue *controls, *inputs;  // n_controls, n_inputs
} PerpKeyframeDef;

PERP_DEFAULTS(PerpSiteDef, site)
PERP_DEFAULTS(PerpSignalDef, signal)
PERP_DEFAULTS(PerpActuatorDef, actuator)
PERP_DEFAULTS(PerpMotionDef, motion)
PERP_DEFAULTS(PerpSensorDef, sensor)
PERP_DEFAULTS(PerpKeyframeDef, keyframe)

#ifdef __cplusplus
}
#endif
#endif

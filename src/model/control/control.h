// The part of a compiled model that acts and measures.
#ifndef PERP_MODEL_CONTROL_CONTROL_H
#define PERP_MODEL_CONTROL_CONTROL_H

#include "math/pose.h"
#include "model/name_index.h"
#include "perp/control.h"
#include "signal/signal.h"

typedef struct PerpSite {
    char *name; // owned
    int body;
    PerpPose pose; // in the frame of the centre of mass, or in the world
} PerpSite;

// What a signal may ask the simulation for.
typedef enum PerpMeasuredKind {
    PERP_MEASURED_COORDINATE, // of joint `index`
    PERP_MEASURED_SPEED,      // likewise
    PERP_MEASURED_BODY,       // part of the motion of body `index`, see below
    PERP_MEASURED_SENSOR,     // number of sensor `index`
    PERP_MEASURED_ACTUATOR    // force of actuator `index`
} PerpMeasuredKind;

// Parts of a body's motion: position, velocity, spin, in world axes; angles about z, then y, then x
// that lead from the world's axes to the body's.
enum {
    PERP_BODY_POSITION = 0,
    PERP_BODY_VELOCITY = 3,
    PERP_BODY_SPIN = 6,
    PERP_BODY_ROLL = 9,
    PERP_BODY_PITCH = 10,
    PERP_BODY_YAW = 11,
    PERP_BODY_PARTS = 12
};

typedef struct PerpMeasured {
    PerpMeasuredKind kind;
    int index, part;
} PerpMeasured;

typedef enum PerpSignalKind {
    PERP_SIGNAL_INPUT,
    PERP_SIGNAL_TABLE,
    PERP_SIGNAL_EXPRESSION
} PerpSignalKind;

// Variables of its program: first all signals, then what is measured.
typedef struct PerpSignal {
    char *name; // owned
    PerpSignalKind kind;
    PerpProgram program;
    PerpTable table;
    double value;     // of an input, at the start
    bool is_measured; // depends on more than t
    bool is_followed; // exactly, by a prescribed motion: its rate counts, too
    char *file;       // owned; NULL: not from a file
    int line, column;
} PerpSignal;

typedef struct PerpActuator {
    char *name; // owned
    PerpActuatorKind kind;
    int control;
    int n_terms; // coordinates of joints
    PerpTendonTerm term[PERP_TENDON_TERMS];
    int site_a, site_b; // if n_terms == 0; site_b < 0: a wrench at site_a
    PerpVec3 force, moment;
    double gear, force_lower, force_upper, control_lower, control_upper, kp, kd, time_constant;
    double start, end; // s, when it acts
} PerpActuator;

typedef struct PerpMotion {
    int body;
    int position[3], angle;
    PerpVec3 axis; // unit, world
    PerpVec3 origin;
    PerpQuat start; // orientation at the start
    bool is_velocity;
} PerpMotion;

typedef struct PerpSensor {
    char *name; // owned
    PerpSensorKind kind;
    int index, coordinate, other, frame;
    int n_bodies;
    int *bodies; // owned
    double noise, limit;
    int shape, other_shape; // -1: any
    int start;              // of its numbers among those of all sensors
} PerpSensor;

// As its definition, the arrays owned.
typedef struct PerpKeyframe {
    char *name; // owned
    int n_poses, n_joints, n_controls, n_inputs;
    PerpKeyframePose *poses;
    PerpKeyframeJoint *joints;
    PerpKeyframeValue *controls, *inputs;
} PerpKeyframe;

typedef struct PerpControlModel {
    int n_sites, n_signals, n_actuators, n_motions, n_sensors, n_measured, n_sensor_numbers;
    int every; // steps between samples
    unsigned long long noise_seed;
    PerpSite *sites; // owned, as all below
    PerpSignal *signals;
    int *order; // n_signals: each behind those that it uses
    PerpActuator *actuators;
    PerpMotion *motions;
    PerpSensor *sensors;
    PerpKeyframe *keyframes;
    int n_keyframes, keyframe; // how many; that simulations start from, -1: none
    char **labels;             // n_sensor_numbers: what each number of a sensor is called
    PerpMeasured *measured;
    int measured_room;
    PerpNameIndex site_names, signal_names, actuator_names, sensor_names, keyframe_names;
} PerpControlModel;

// An error of the signal's expression, with its place in the scene's file if it came from one.
PerpStatus perp_signal_blame(const PerpSignal *signal, PerpStatus status,
                             const PerpExpressionFault *fault, PerpError *error);

#endif

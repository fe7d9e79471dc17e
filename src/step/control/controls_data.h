// The numbers of acting and measuring that a simulation holds.
#ifndef PERP_STEP_CONTROL_CONTROLS_DATA_H
#define PERP_STEP_CONTROL_CONTROLS_DATA_H

#include "perp/simulation.h"
#include "signal/signal.h"

// All numbers lie in one block, so that a failed step and a checkpoint copy one array.
typedef struct PerpControls {
    int n_numbers;
    double *numbers, *before; // n_numbers: now, and as the step at hand began. Owned
    // parts of `numbers`
    double *steps;          // 1: taken since the start
    double *gravity;        // 3
    double *signal;         // signals: at the last sample; inputs as they are set
    double *control;        // actuators without a signal: as it is set
    double *activation;     // actuators
    double *command;        // actuators: what acts in the step at hand, within its ranges
    double *actuator_force; // actuators: mean over the last step; impulses while it lasts
    double *actuator_power; // likewise
    double *reaction;       // 6 a joint: force and moment on the second body, world axes, likewise
    double *motor;          // PERP_JOINT_COORDINATES a joint: force of motors, likewise
    double *motion;         // 6 a motion: force and moment on the body, likewise
    double *sensor;         // numbers of the sensors
    double *presence;       // n_presence: of what does not exist all the time (presence.c)
    int n_presence;
    // scratch
    PerpDual *variables; // signals, then what is measured. Owned
    double *length;      // actuators, given forces: at the beginning of the step. Owned

    bool has_friction; // the simulation's own surfaces differ from the model's
    double *wrench;    // 6 a body: applied, world axes, about the centre of mass; NULL: none. Owned
    PerpControlCallback callback;
    void *user;
    bool acts;   // something may change with time: the scene never sleeps
    bool drives; // some motion is prescribed
} PerpControls;

#endif

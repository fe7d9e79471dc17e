// Acting and measuring in a simulation: signals sampled, actuators and motions as forces and rows,
// loads of joints, sensors.
#ifndef PERP_STEP_CONTROL_CONTROLS_H
#define PERP_STEP_CONTROL_CONTROLS_H

#include "perp/simulation.h"
#include "step/stage.h"

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
    // scratch
    PerpDual *variables; // signals, then what is measured. Owned
    double *length;      // actuators: at the beginning of the step. Owned

    double *wrench; // 6 a body: applied, world axes, about the centre of mass; NULL: none. Owned
    PerpControlCallback callback;
    void *user;
    bool acts;   // something may change with time: the scene never sleeps
    bool drives; // some motion is prescribed
} PerpControls;

// --- controls.c ----------------------------------------------------------------------------------

PerpStatus perp_controls_begin(PerpSimulation *sim, PerpError *error); // of rigid systems
void perp_controls_start(PerpSimulation *sim);                         // values at the start
void perp_controls_end(PerpSimulation *sim);
void perp_controls_note(PerpSimulation *sim); // whether anything may change with time
double perp_actuator_control(const PerpSimulation *sim, int actuator); // within its range

// At the beginning of a step of h: samples signals if it is time to, sets the commands.
PerpStatus perp_controls_sample(PerpSimulation *sim, double h, PerpError *error);
// After the step: means over it, activations, sensors.
void perp_controls_commit(PerpSimulation *sim, double h);
void perp_controls_undo(PerpSimulation *sim);

// The signals that depend on t alone, at a time, with their rates; valid until the next call.
const PerpDual *perp_controls_at(const PerpSimulation *sim, double t);

// --- transmission.c ------------------------------------------------------------------------------

enum { PERP_PATH_BODIES = 2 * PERP_TENDON_TERMS };

// The length of an actuator and its gradient: its rate is the sum of linear'v + angular'w, v of the
// centres of mass in world axes and w in body axes. Each body once, the world left out.
typedef struct PerpActuatorPath {
    double length;
    int n_bodies;
    int body[PERP_PATH_BODIES];
    PerpVec3 linear[PERP_PATH_BODIES], angular[PERP_PATH_BODIES];
} PerpActuatorPath;

PerpActuatorPath perp_actuator_path(const PerpModel *model, const PerpActuator *actuator,
                                    const PerpPose *pose, const double *turn);
double perp_actuator_speed(const PerpRigid *rigid, const PerpActuatorPath *path, const double *v);
PerpPose perp_site_pose(const PerpModel *model, const PerpPose *pose, int site); // in the world

// --- control_rows.c ------------------------------------------------------------------------------

// Rows that a model's controls have at most, and the numbers in them.
typedef struct PerpControlRoom {
    int equations, boxes, entries, values;
} PerpControlRoom;

PerpControlRoom perp_control_room(const PerpModel *model);

// Prescribed motions, as equations; h: s from the state to the end of the problem.
void perp_control_rows_add_motions(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                   const PerpSimulation *sim, double h);
// Servos, as rows with bounds and compliance.
void perp_control_rows_add_servos(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                  const PerpSimulation *sim, double h);
// Forces of actuators, applied wrenches and signals of forces: adds h times them to b.
void perp_control_add_forces(const PerpSimulation *sim, const PerpPose *pose, double h, double *b);

// --- loads.c -------------------------------------------------------------------------------------

void perp_loads_begin(PerpSimulation *sim); // of a step
// Adds the impulses of a solved stage to the loads of joints, motors and actuators.
void perp_loads_add_stage(PerpSimulation *sim, const PerpStage *stage);

// --- sensors.c -----------------------------------------------------------------------------------

// h: s, of the step behind; 0: none.
void perp_sensors_read(PerpSimulation *sim, double h);
double perp_measure(const PerpSimulation *sim, const PerpMeasured *measured);

#endif

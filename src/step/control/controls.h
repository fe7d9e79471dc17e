// Acting and measuring in a simulation: signals sampled, lengths of actuators, loads of joints,
// sensors.
#ifndef PERP_STEP_CONTROL_CONTROLS_H
#define PERP_STEP_CONTROL_CONTROLS_H

#include "step/simulation_data.h"

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

// --- loads.c -------------------------------------------------------------------------------------

void perp_loads_begin(PerpSimulation *sim); // of a step
// Adds the impulses of a solved stage to the loads of joints, motors and actuators.
void perp_loads_add_stage(PerpSimulation *sim, const PerpStage *stage);

// --- sensors.c -----------------------------------------------------------------------------------

// h: s, of the step behind; 0: none.
void perp_sensors_read(PerpSimulation *sim, double h);
double perp_measure(const PerpSimulation *sim, const PerpMeasured *measured);

#endif

// Acting and measuring in a simulation: signals sampled, lengths of actuators, loads of joints,
// sensors.
#ifndef PERP_STEP_CONTROL_CONTROLS_H
#define PERP_STEP_CONTROL_CONTROLS_H

#include "collide/ray.h"
#include "step/simulation_data.h"

// --- controls.c ----------------------------------------------------------------------------------

PerpStatus perp_controls_begin(PerpSimulation *sim, PerpError *error); // of rigid systems
void perp_controls_start(PerpSimulation *sim);                         // values at the start
void perp_controls_end(PerpSimulation *sim);
void perp_controls_note(PerpSimulation *sim); // whether anything may change with time
double perp_actuator_control(const PerpSimulation *sim, int actuator); // within its range

void perp_controls_save(PerpSimulation *sim); // should the step fail
// At the beginning of a step of h: samples signals if it is time to, sets the commands.
PerpStatus perp_controls_sample(PerpSimulation *sim, double h, PerpError *error);
// The signals alone, at the state.
PerpStatus perp_controls_sample_signals(PerpSimulation *sim, PerpError *error);
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
// A servo with kp or kd: its row has compliance, at the middle of the step.
static inline bool perp_actuator_is_compliant(const PerpActuator *a)
{
    return a->kind == PERP_ACTUATOR_POSITION || (a->kind == PERP_ACTUATOR_VELOCITY && a->kd > 0);
}
PerpPose perp_site_pose(const PerpModel *model, const PerpPose *pose, int site); // in the world

// --- presence.c ----------------------------------------------------------------------------------

// The simulation's own copy of what may change in a model, and its end.
PerpStatus perp_presence_begin(PerpSimulation *sim, const PerpModel *given, PerpError *error);
void perp_presence_end(PerpSimulation *sim);
int perp_presence_count(const PerpModel *model); // numbers that say what exists now
void perp_presence_start(PerpSimulation *sim);
void perp_presence_apply(PerpSimulation *sim); // after the numbers have changed
// At the beginning of a step of h: what begins and what ends.
PerpStatus perp_presence_update(PerpSimulation *sim, double h, PerpError *error);
bool perp_actuator_acts(const PerpSimulation *sim, const PerpActuator *actuator); // in this step

// --- loads.c -------------------------------------------------------------------------------------

void perp_loads_begin(PerpSimulation *sim); // of a step
// Adds the impulses of a solved stage to the loads of joints, motors and actuators.
void perp_loads_add_stage(PerpSimulation *sim, const PerpStage *stage);

// --- queries.c -----------------------------------------------------------------------------------

// What a ray meets first, past the shapes of a body.
PerpRayHit perp_ray_cast(const PerpSimulation *sim, PerpRay ray, int except);
// m: the least of the shapes of two bodies, or of the given ones if not -1.
double perp_shapes_distance(const PerpSimulation *sim, int body_a, int shape_a, int body_b,
                            int shape_b);

// --- journal.c -----------------------------------------------------------------------------------

// If a journal is kept.
void perp_journal_note(PerpSimulation *sim, PerpJournalCode code, int n_indices, const int *index,
                       int n_numbers, const double *number);
void perp_journal_note_state(PerpSimulation *sim);

// --- keyframes.c ---------------------------------------------------------------------------------

PerpStatus perp_keyframe_apply(PerpSimulation *sim, int keyframe, PerpError *error); // -1: nothing

// --- sensors.c -----------------------------------------------------------------------------------

// h: s, of the step behind; 0: none.
void perp_sensors_read(PerpSimulation *sim, double h);
double perp_measure(const PerpSimulation *sim, const PerpMeasured *measured);

#endif

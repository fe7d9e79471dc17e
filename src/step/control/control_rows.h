// Actuators and prescribed motions as forces and as rows of the step problem.
#ifndef PERP_STEP_CONTROL_CONTROL_ROWS_H
#define PERP_STEP_CONTROL_CONTROL_ROWS_H

#include "perp/simulation.h"
#include "step/rows/assembly.h"

// Rows that a model's controls have at most, and the numbers in them.
typedef struct PerpControlRoom {
    int equations, boxes, entries, values;
} PerpControlRoom;

PerpControlRoom perp_control_room(const PerpModel *model);

// Prescribed motions, as equations; h: s from the state to the end of the problem.
void perp_control_rows_add_motions(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                   const PerpSimulation *sim, double h);
// Servos, as rows with bounds and compliance; false if memory is short.
bool perp_control_rows_add_servos(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                  const PerpSimulation *sim, double h);
// Forces of actuators, applied wrenches and signals of forces: adds h times them to b.
void perp_control_add_forces(const PerpSimulation *sim, const PerpPose *pose, double h, double *b);

#endif

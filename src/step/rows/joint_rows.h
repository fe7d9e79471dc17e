// The rows of joints: equations, motors and dry friction, limits and ropes.
#ifndef PERP_STEP_ROWS_JOINT_ROWS_H
#define PERP_STEP_ROWS_JOINT_ROWS_H

#include "step/rows/assembly.h"

// turn: rad, PERP_JOINT_COORDINATES per joint: whole turns of angles
void perp_joint_rows_add_equations(PerpAssembly *assembly, const PerpPose *pose, const double *turn,
                                   int joint);

// Motors and dry friction: |c| <= h force.
void perp_joint_rows_add_boxes(PerpAssembly *assembly, const PerpPose *pose, double h, int joint);

// Unilateral rows with a gap of at most `reach`.
void perp_joint_rows_add_ratchet(PerpAssembly *assembly, const PerpPose *pose, int joint);
void perp_joint_rows_add_limits(PerpAssembly *assembly, const PerpPose *pose, const double *turn,
                                double reach, int joint);
void perp_joint_rows_add_rope(PerpAssembly *assembly, const PerpPose *pose, double reach,
                              int joint);

// The coordinate of a joint, with its row, which may be NULL.
double perp_joint_value(const PerpModel *model, const PerpPose *pose, int joint, int coordinate,
                        PerpJointRow *row);

#endif

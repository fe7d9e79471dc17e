// The rows of the joints at the state, kept: a step asks for them when it measures errors, when it
// projects them away, and where the next step begins.
#ifndef PERP_STEP_JOINT_ROWS_H
#define PERP_STEP_JOINT_ROWS_H

#include "step/assembly.h"

// Owned; as PerpAssembly has them.
typedef struct PerpJointRows {
    PerpPose *pose; // model bodies: where
    double *turn;   // PERP_JOINT_COORDINATES per joint
    bool known;
    int rows, entries, values;
    double *theta, *J;
    int *row_joint, *row_start, *row_values, *entry_body;
} PerpJointRows;

// False when memory is short.
bool perp_joint_rows_create(const PerpModel *model, PerpJointRows *kept);
void perp_joint_rows_free(const PerpModel *model, PerpJointRows *kept);

// Lets an assembly that gets no other rows use the arrays themselves.
void perp_joint_rows_lend(PerpJointRows *kept, PerpAssembly *to);

// Takes the rows of an assembly that has no others yet.
void perp_joint_rows_keep(PerpJointRows *kept, const PerpPose *pose, const double *turn,
                          const PerpAssembly *from);
// Adds the rows to an assembly that is empty, if they are of the same configuration, bit by bit.
bool perp_joint_rows_recall(const PerpJointRows *kept, const PerpPose *pose, const double *turn,
                            PerpAssembly *to);

#endif

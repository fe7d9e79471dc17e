// The cache of joint rows at the state: a step needs them when it measures errors, when it projects
// them away, and where the next step begins.
#ifndef PERP_STEP_ROWS_JOINT_ROW_CACHE_H
#define PERP_STEP_ROWS_JOINT_ROW_CACHE_H

#include "step/rows/assembly.h"

// Owned; as PerpAssembly has them.
typedef struct PerpJointRowCache {
    PerpPose *pose; // model bodies: where
    double *turn;   // PERP_JOINT_COORDINATES per joint
    bool known;
    int rows, entries, values;
    double *theta, *J;
    int *row_joint, *row_start, *row_values, *entry_body;
} PerpJointRowCache;

// False when memory is short.
bool perp_joint_row_cache_create(const PerpModel *model, PerpJointRowCache *cache);
void perp_joint_row_cache_free(const PerpModel *model, PerpJointRowCache *cache);

// Lets an assembly that gets no other rows use the arrays themselves.
void perp_joint_row_cache_share(PerpJointRowCache *cache, PerpAssembly *to);

// Takes the rows of an assembly that has no others yet.
void perp_joint_row_cache_store(PerpJointRowCache *cache, const PerpPose *pose, const double *turn,
                                const PerpAssembly *from);
// Adds the rows to an assembly that is empty, if they are of the same configuration, bit by bit.
bool perp_joint_row_cache_recall(const PerpJointRowCache *cache, const PerpPose *pose,
                                 const double *turn, PerpAssembly *to);

#endif

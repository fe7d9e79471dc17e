// The steps from definitions to the compiled model, in the order in which perp_model_create takes
// them. Each allocates its arrays, checks its definitions and fills in the model; what a failed
// step leaves behind, perp_model_destroy frees.
#ifndef PERP_MODEL_COMPILE_H
#define PERP_MODEL_COMPILE_H

#include "model/check.h"
#include "model/model.h"

// The definition of a caller who may have been compiled with shorter structs; what has to be copied
// is in the arena.
PerpStatus perp_model_def_read(PerpArena *copies, const PerpModelDef *given, PerpModelDef *read,
                               PerpError *error);
// names, freedom, and the masses that are given
PerpStatus perp_compile_bodies(PerpModel *model, const PerpModelDef *def, PerpError *error);
// surfaces of all pairs of materials
PerpStatus perp_compile_surfaces(PerpModel *model, const PerpModelDef *def, PerpError *error);
// shapes, in the frames that the user gave, and the masses that come from them
PerpStatus perp_compile_shapes(PerpModel *model, const PerpModelDef *def, PerpError *error);
// bodies and their shapes in the frames of the centres of mass, velocities
PerpStatus perp_compile_motion(PerpModel *model, const PerpModelDef *def, PerpError *error);
PerpStatus perp_compile_joints(PerpModel *model, const PerpModelDef *def, PerpError *error);
PerpStatus perp_compile_springs(PerpModel *model, const PerpModelDef *def, PerpError *error);
PerpStatus perp_compile_forces(PerpModel *model, const PerpModelDef *def, PerpError *error);
// which bodies never touch
PerpStatus perp_compile_exclusions(PerpModel *model, const PerpModelDef *def, PerpError *error);
// sites, signals, actuators, motions, sensors
PerpStatus perp_compile_control(PerpModel *model, const PerpModelDef *def, PerpError *error);
// behind them: signals may name all the others, keyframes signals
PerpStatus perp_compile_signals(PerpModel *model, const PerpModelDef *def, PerpError *error);
PerpStatus perp_compile_keyframes(PerpModel *model, const PerpModelDef *def, PerpError *error);
void perp_keyframes_free(const PerpAllocator *allocator, PerpControlModel *control);
void perp_control_free(const PerpAllocator *allocator, PerpControlModel *control);

// What the steps share.
PerpStatus perp_compile_no_memory(PerpError *error);
// A copy of the name, or <kind>-<index> if it is empty or NULL. NULL if memory is short.
char *perp_compile_name(const PerpModel *model, const char *name, const char *kind, int index);
// Enters a name that must be unique.
PerpStatus perp_compile_unique(PerpNameIndex *names, const char *kind, const char *name, int index,
                               PerpError *error);
// Whether the definition of a joint makes sense; the joint's name is already in the model.
PerpStatus perp_check_joint(const PerpModel *model, const PerpModelDef *def, int index,
                            PerpError *error);
// A point and a pose of the world at the start, in the frame of a body's centre of mass.
PerpVec3 perp_compile_point(const PerpModel *model, int body, PerpVec3 world);
PerpPose perp_compile_pose(const PerpModel *model, int body, PerpPose world);
PerpQuat perp_compile_quat(const double q[4]); // normalised

#endif

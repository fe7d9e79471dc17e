// The tables of all joints, and the equations that several of them share.
#ifndef PERP_MODEL_JOINTS_JOINTS_H
#define PERP_MODEL_JOINTS_JOINTS_H

#include "model/joints/joint_equations.h"

extern const PerpJointTable perp_joint_ball, perp_joint_hinge, perp_joint_slider,
    perp_joint_universal, perp_joint_cylindrical, perp_joint_weld, perp_joint_distance,
    perp_joint_rope, perp_joint_point_on_plane, perp_joint_coupling;

#endif

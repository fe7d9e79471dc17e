// The list of joints: a table of functions for each kind.
#include "model/joints/joints.h"

#include <assert.h>

static const PerpJointTable *const tables[PERP_JOINT_KIND_COUNT] = {
    [PERP_JOINT_BALL] = &perp_joint_ball,
    [PERP_JOINT_HINGE] = &perp_joint_hinge,
    [PERP_JOINT_SLIDER] = &perp_joint_slider,
    [PERP_JOINT_UNIVERSAL] = &perp_joint_universal,
    [PERP_JOINT_CYLINDRICAL] = &perp_joint_cylindrical,
    [PERP_JOINT_WELD] = &perp_joint_weld,
    [PERP_JOINT_DISTANCE] = &perp_joint_distance,
    [PERP_JOINT_ROPE] = &perp_joint_rope,
    [PERP_JOINT_POINT_ON_PLANE] = &perp_joint_point_on_plane,
    [PERP_JOINT_COUPLING] = &perp_joint_coupling,
};

const PerpJointTable *perp_joint_table(PerpJointKind kind)
{
    assert((unsigned)kind < PERP_JOINT_KIND_COUNT);
    return tables[kind];
}

const char *perp_joint_kind_name(PerpJointKind kind)
{
    return (unsigned)kind < PERP_JOINT_KIND_COUNT ? tables[kind]->name : "?";
}

// Default definitions.
#include "perp/model.h"

#include <math.h>

PerpModelDef perp_default_model_def(void)
{
    return (PerpModelDef){.gravity = {0, 0, -9.81}};
}

PerpBodyDef perp_default_body(void)
{
    return (PerpBodyDef){.name = "", .freedom = PERP_FREE_ALL, .rotation = {1, 0, 0, 0}};
}

PerpAxisDef perp_default_axis(void)
{
    return (PerpAxisDef){.lower = -INFINITY, .upper = INFINITY};
}

PerpJointDef perp_default_joint(void)
{
    PerpJointDef joint = {
        .name = "",
        .kind = PERP_JOINT_BALL,
        .body_a = -1,
        .body_b = 0,
        .axis = {0, 0, 1},
        .axis_b = {1, 0, 0},
        .ratio_a = 1,
        .ratio_b = -1,
    };
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
        joint.axis_def[k] = perp_default_axis();
    return joint;
}

PerpSpringDef perp_default_spring(void)
{
    return (PerpSpringDef){.name = "", .body_a = -1, .body_b = 0, .rest = -1};
}

PerpForceDef perp_default_force(void)
{
    return (PerpForceDef){.name = "", .body = 0, .start = 0, .end = INFINITY};
}

PerpMaterialDef perp_default_material(void)
{
    return (PerpMaterialDef){.name = "", .mu = 0.5, .mu_second = -1};
}

PerpPairDef perp_default_pair(void)
{
    return (PerpPairDef){.mu = 0.5, .mu_second = -1};
}

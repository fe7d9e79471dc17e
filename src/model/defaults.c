// Default definitions.
#include "perp/model.h"

#include "base/sized.h"

#include <math.h>

void perp_fill_model_def(PerpModelDef *made, size_t size)
{
    const PerpModelDef defaults = {.gravity = {0, 0, -9.81},
                                   .body_size = sizeof(PerpBodyDef),
                                   .shape_size = sizeof(PerpShapeDef),
                                   .joint_size = sizeof(PerpJointDef),
                                   .spring_size = sizeof(PerpSpringDef),
                                   .force_size = sizeof(PerpForceDef),
                                   .material_size = sizeof(PerpMaterialDef),
                                   .pair_size = sizeof(PerpPairDef)};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

void perp_fill_body(PerpBodyDef *made, size_t size)
{
    const PerpBodyDef defaults = {.name = "", .freedom = PERP_FREE_ALL, .rotation = {1, 0, 0, 0}};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_axis(PerpAxisDef *made, size_t size)
{
    const PerpAxisDef defaults = {.lower = -INFINITY, .upper = INFINITY};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_joint(PerpJointDef *made, size_t size)
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
    perp_fill_plain(made, size, &joint, sizeof joint);
}

void perp_fill_spring(PerpSpringDef *made, size_t size)
{
    const PerpSpringDef defaults = {.name = "", .body_a = -1, .body_b = 0, .rest = -1};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_force(PerpForceDef *made, size_t size)
{
    const PerpForceDef defaults = {.name = "", .body = 0, .start = 0, .end = INFINITY};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_material(PerpMaterialDef *made, size_t size)
{
    const PerpMaterialDef defaults = {.name = "", .mu = 0.5, .mu_second = -1};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_pair(PerpPairDef *made, size_t size)
{
    const PerpPairDef defaults = {.mu = 0.5, .mu_second = -1};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

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
                                   .pair_size = sizeof(PerpPairDef),
                                   .control_every = 1,
                                   .site_size = sizeof(PerpSiteDef),
                                   .signal_size = sizeof(PerpSignalDef),
                                   .actuator_size = sizeof(PerpActuatorDef),
                                   .motion_size = sizeof(PerpMotionDef),
                                   .sensor_size = sizeof(PerpSensorDef),
                                   .keyframe = -1,
                                   .keyframe_size = sizeof(PerpKeyframeDef)};
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
        .end = INFINITY,
    };
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
        joint.axis_def[k] = perp_default_axis();
    perp_fill_plain(made, size, &joint, sizeof joint);
}

void perp_fill_spring(PerpSpringDef *made, size_t size)
{
    const PerpSpringDef defaults = {
        .name = "", .body_a = -1, .body_b = 0, .rest = -1, .end = INFINITY};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_force(PerpForceDef *made, size_t size)
{
    const PerpForceDef defaults = {.name = "",
                                   .body = 0,
                                   .start = 0,
                                   .end = INFINITY,
                                   .force_signal = {-1, -1, -1},
                                   .torque_signal = {-1, -1, -1}};
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

void perp_fill_site(PerpSiteDef *made, size_t size)
{
    const PerpSiteDef defaults = {.name = "", .body = -1, .rotation = {1, 0, 0, 0}};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_signal(PerpSignalDef *made, size_t size)
{
    const PerpSignalDef defaults = {.name = ""};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_actuator(PerpActuatorDef *made, size_t size)
{
    const PerpActuatorDef defaults = {.name = "",
                                      .control = -1,
                                      .joint = -1,
                                      .site_a = -1,
                                      .site_b = -1,
                                      .gear = 1,
                                      .force_lower = -INFINITY,
                                      .force_upper = INFINITY,
                                      .control_lower = -INFINITY,
                                      .control_upper = INFINITY,
                                      .end = INFINITY};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_motion(PerpMotionDef *made, size_t size)
{
    const PerpMotionDef defaults = {.position = {-1, -1, -1}, .angle = -1, .axis = {0, 0, 1}};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_sensor(PerpSensorDef *made, size_t size)
{
    const PerpSensorDef defaults = {.name = "",
                                    .other = PERP_ANY_BODY,
                                    .frame = -1,
                                    .limit = 100,
                                    .shape = -1,
                                    .other_shape = -1};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_fill_keyframe(PerpKeyframeDef *made, size_t size)
{
    const PerpKeyframeDef defaults = {.name = ""};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

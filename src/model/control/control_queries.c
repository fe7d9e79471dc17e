// Queries of what a model acts and measures with; words of actuators and sensors.
#include "model/model.h"

#include <assert.h>

static const struct {
    const char *word, *unit;
    int numbers;
    PerpSensorObject object;
} sensor_kinds[] = {
#define SENSOR(name, word, numbers, object, unit, text) {word, unit, numbers, PERP_SENSES_##object},
    PERP_SENSOR_LIST(SENSOR)
#undef SENSOR
};

static const char *const actuator_words[] = {
#define ACTUATOR(name, word, text) word,
    PERP_ACTUATOR_LIST(ACTUATOR)
#undef ACTUATOR
};

const char *perp_actuator_kind_name(PerpActuatorKind kind)
{
    return (unsigned)kind < PERP_ACTUATOR_KIND_COUNT ? actuator_words[kind] : "?";
}

const char *perp_sensor_kind_name(PerpSensorKind kind)
{
    return (unsigned)kind < PERP_SENSOR_KIND_COUNT ? sensor_kinds[kind].word : "?";
}

const char *perp_sensor_kind_unit(PerpSensorKind kind)
{
    return (unsigned)kind < PERP_SENSOR_KIND_COUNT ? sensor_kinds[kind].unit : "?";
}

int perp_sensor_kind_numbers(PerpSensorKind kind)
{
    return (unsigned)kind < PERP_SENSOR_KIND_COUNT ? sensor_kinds[kind].numbers : 0;
}

PerpSensorObject perp_sensor_kind_object(PerpSensorKind kind)
{
    assert((unsigned)kind < PERP_SENSOR_KIND_COUNT);
    return sensor_kinds[kind].object;
}

int perp_model_joint_coordinates(const PerpModel *model, int joint)
{
    assert(joint >= 0 && joint < model->n_joints);
    return perp_joint_table(model->joints[joint].kind)->coordinates;
}

int perp_model_site_count(const PerpModel *model)
{
    return model->control.n_sites;
}

int perp_model_signal_count(const PerpModel *model)
{
    return model->control.n_signals;
}

int perp_model_actuator_count(const PerpModel *model)
{
    return model->control.n_actuators;
}

int perp_model_sensor_count(const PerpModel *model)
{
    return model->control.n_sensors;
}

const char *perp_model_site_name(const PerpModel *model, int site)
{
    assert(site >= 0 && site < model->control.n_sites);
    return model->control.sites[site].name;
}

const char *perp_model_signal_name(const PerpModel *model, int signal)
{
    assert(signal >= 0 && signal < model->control.n_signals);
    return model->control.signals[signal].name;
}

const char *perp_model_actuator_name(const PerpModel *model, int actuator)
{
    assert(actuator >= 0 && actuator < model->control.n_actuators);
    return model->control.actuators[actuator].name;
}

int perp_model_keyframe_count(const PerpModel *model)
{
    return model->control.n_keyframes;
}

const char *perp_model_keyframe_name(const PerpModel *model, int keyframe)
{
    assert(keyframe >= 0 && keyframe < model->control.n_keyframes);
    return model->control.keyframes[keyframe].name;
}

const char *perp_model_sensor_name(const PerpModel *model, int sensor)
{
    assert(sensor >= 0 && sensor < model->control.n_sensors);
    return model->control.sensors[sensor].name;
}

int perp_model_find_site(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->control.site_names, name);
}

int perp_model_find_signal(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->control.signal_names, name);
}

int perp_model_find_actuator(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->control.actuator_names, name);
}

int perp_model_find_sensor(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->control.sensor_names, name);
}

int perp_model_find_keyframe(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->control.keyframe_names, name);
}

PerpSensorKind perp_model_sensor_kind(const PerpModel *model, int sensor)
{
    assert(sensor >= 0 && sensor < model->control.n_sensors);
    return model->control.sensors[sensor].kind;
}

int perp_model_sensor_start(const PerpModel *model, int sensor)
{
    assert(sensor >= 0 && sensor < model->control.n_sensors);
    return model->control.sensors[sensor].start;
}

int perp_model_sensor_numbers(const PerpModel *model)
{
    return model->control.n_sensor_numbers;
}

const char *perp_model_sensor_label(const PerpModel *model, int number)
{
    assert(number >= 0 && number < model->control.n_sensor_numbers);
    return model->control.labels[number];
}

static bool is_angle(const PerpModel *model, int joint, int coordinate)
{
    return perp_joint_table(model->joints[joint].kind)->angles >> coordinate & 1;
}

static bool turns_a_joint(const PerpModel *model, const PerpActuator *actuator)
{
    return actuator->n_terms == 1 &&
           is_angle(model, actuator->term[0].joint, actuator->term[0].coordinate);
}

// Coordinates and forces of joints and actuators have the unit of what they are of.
static const char *unit_of(const PerpModel *model, const PerpSensor *s)
{
    switch (s->kind) {
    case PERP_SENSOR_JOINT_POSITION:
        return is_angle(model, s->index, s->coordinate) ? "rad" : "m";
    case PERP_SENSOR_JOINT_SPEED:
        return is_angle(model, s->index, s->coordinate) ? "rad/s" : "m/s";
    case PERP_SENSOR_MOTOR_FORCE:
        return is_angle(model, s->index, s->coordinate) ? "N m" : "N";
    case PERP_SENSOR_ACTUATOR_FORCE:
        return turns_a_joint(model, &model->control.actuators[s->index]) ? "N m" : "N";
    default:
        return perp_sensor_kind_unit(s->kind);
    }
}

const char *perp_model_sensor_unit(const PerpModel *model, int number)
{
    int k = model->control.n_sensors - 1;
    assert(number >= 0 && number < model->control.n_sensor_numbers);
    while (k > 0 && model->control.sensors[k].start > number)
        k--;
    return unit_of(model, &model->control.sensors[k]);
}

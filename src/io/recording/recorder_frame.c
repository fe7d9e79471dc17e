// A frame of a recording: a row of every column that has one a frame, and the contacts.
#include "io/recording/recorder.h"

#include "model/model.h"
#include "perp/system.h"

#include <string.h>

static void store(PerpColumnType type, double value, void *row)
{
    switch (type) {
    case PERP_COLUMN_DOUBLE:
        *(double *)row = value;
        break;
    case PERP_COLUMN_FLOAT:
        *(float *)row = (float)value;
        break;
    case PERP_COLUMN_LONG:
        *(int64_t *)row = (int64_t)value;
        break;
    case PERP_COLUMN_INT:
        *(int32_t *)row = (int32_t)value;
        break;
    default:
        *(uint8_t *)row = (uint8_t)value;
        break;
    }
}

static bool add_series(PerpRecorder *recorder)
{
    double values[PERP_SERIES_COUNT];
    PerpFrame frame = {recorder->step, recorder->wall,
                       perp_simulation_report(recorder->simulation)};
    perp_series_values(&frame, values);
    for (int k = 0; k < PERP_SERIES_COUNT; k++) {
        PerpColumn *column = &recorder->series[k];
        void *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
        if (row)
            store(column->type, values[k], row);
        else if (column->set >= 0)
            return false;
    }
    return true;
}

// Copies numbers to a row of doubles or floats, from its element `from` on.
static void store_numbers(const PerpColumn *column, void *row, size_t from, const double *numbers,
                          size_t count)
{
    size_t size = perp_column_element_size(column->type);
    for (size_t k = 0; k < count; k++)
        store(column->type, numbers[k], (char *)row + (from + k) * size);
}

// Bodies come to rest. Then the rows of the frame before are good once more.
static bool rests(const PerpRecorder *recorder)
{
    const PerpColumn *of_q = &recorder->wide[PERP_WIDE_Q], *of_v = &recorder->wide[PERP_WIDE_V];
    const void *q = of_q->set >= 0 ? perp_column_last(of_q) : NULL;
    const void *v = of_v->set >= 0 ? perp_column_last(of_v) : NULL;
    int n;
    return q && v && memcmp(v, perp_simulation_v(recorder->simulation, &n), of_v->row_size) == 0 &&
           memcmp(q, perp_simulation_q(recorder->simulation, &n), of_q->row_size) == 0;
}

static bool add_numbers(PerpColumn *column, const double *numbers)
{
    double *row = perp_column_add(column, 1);
    if (row)
        memcpy(row, numbers, column->row_size);
    return row != NULL;
}

typedef void (*BodyNumbers)(const PerpSimulation *simulation, int body, double *first,
                            double *second);

// A row of `count` numbers a body, in two parts, the first of three.
static bool add_body_numbers(PerpRecorder *recorder, PerpColumn *column, BodyNumbers get,
                             size_t count)
{
    char *row = perp_column_add(column, 1);
    bool is_exact = column->type == PERP_COLUMN_DOUBLE;
    for (int b = 0; row && b < perp_model_body_count(recorder->model); b++) {
        double narrow[7], *to = is_exact ? (double *)row + count * (size_t)b : narrow;
        get(recorder->simulation, b, to, to + 3);
        if (!is_exact)
            store_numbers(column, row, count * (size_t)b, narrow, count);
    }
    return row != NULL;
}

// Nothing is to be added to the column any more.
static bool is_done(PerpColumn *column, bool again)
{
    return column->set < 0 || (again && perp_column_repeat(column));
}

static bool add_motion(PerpRecorder *recorder)
{
    PerpColumn *q = &recorder->wide[PERP_WIDE_Q], *v = &recorder->wide[PERP_WIDE_V];
    PerpColumn *pose = &recorder->wide[PERP_WIDE_POSE];
    PerpColumn *velocity = &recorder->wide[PERP_WIDE_VELOCITY];
    const PerpSimulation *sim = recorder->simulation;
    bool again = rests(recorder);
    int n;
    return (is_done(q, again) || add_numbers(q, perp_simulation_q(sim, &n))) &&
           (is_done(v, again) || add_numbers(v, perp_simulation_v(sim, &n))) &&
           (is_done(pose, again) || add_body_numbers(recorder, pose, perp_simulation_pose, 7)) &&
           (is_done(velocity, again) ||
            add_body_numbers(recorder, velocity, perp_simulation_velocity, 6));
}

static bool add_coordinates(PerpRecorder *recorder)
{
    PerpColumn *column = &recorder->wide[PERP_WIDE_COORDINATE];
    double *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
    for (int j = 0; row && j < recorder->model->n_joints; j++) {
        int coordinates = perp_joint_table(recorder->model->joints[j].kind)->coordinates;
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            *row++ = k < coordinates ? perp_simulation_coordinate(recorder->simulation, j, k) : 0;
    }
    return row || column->set < 0;
}

static bool add_worst(PerpRecorder *recorder)
{
    PerpColumn *column = &recorder->wide[PERP_WIDE_WORST];
    char *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
    if (row) {
        const char *worst = perp_simulation_report(recorder->simulation)->worst;
        size_t length = strlen(worst);
        memset(row, 0, PERP_NAME_SIZE);
        memcpy(row, worst, length < PERP_NAME_SIZE ? length : PERP_NAME_SIZE);
    }
    return row || column->set < 0;
}

static bool add_sensors(PerpRecorder *recorder)
{
    PerpColumn *column = &recorder->wide[PERP_WIDE_SENSOR];
    int count;
    return column->set < 0 ||
           add_numbers(column, perp_simulation_sensors(recorder->simulation, &count));
}

typedef void (*Loads)(const PerpSimulation *simulation, int index, double *numbers);

static void joint_reaction(const PerpSimulation *simulation, int joint, double *numbers)
{
    perp_simulation_joint_reaction(simulation, joint, numbers, numbers + 3);
}

static void motor_forces(const PerpSimulation *simulation, int joint, double *numbers)
{
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
        numbers[k] = perp_simulation_motor_force(simulation, joint, k);
}

static void actuator_force(const PerpSimulation *simulation, int actuator, double *numbers)
{
    numbers[0] = perp_simulation_actuator_force(simulation, actuator);
}

// A row of `width` numbers of each of `count` joints or actuators.
static bool add_load(PerpRecorder *recorder, PerpWide wide, Loads get, int count, size_t width)
{
    PerpColumn *column = &recorder->wide[wide];
    void *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
    for (int k = 0; row && k < count; k++) {
        double numbers[6];
        get(recorder->simulation, k, numbers);
        store_numbers(column, row, width * (size_t)k, numbers, width);
    }
    return row || column->set < 0;
}

static bool add_loads(PerpRecorder *recorder)
{
    const PerpWidths *widths = &recorder->widths;
    return add_load(recorder, PERP_WIDE_REACTION, joint_reaction, widths->joints, 6) &&
           add_load(recorder, PERP_WIDE_MOTOR, motor_forces, widths->joints,
                    PERP_JOINT_COORDINATES) &&
           add_load(recorder, PERP_WIDE_ACTUATOR, actuator_force, widths->actuators, 1);
}

bool perp_recorder_add_frame(PerpRecorder *recorder)
{
    recorder->is_framed = true;
    perp_worker_wait(recorder->worker); // a repeated row takes what the last was packed to
    return add_series(recorder) && add_motion(recorder) && add_coordinates(recorder) &&
           add_worst(recorder) && add_sensors(recorder) && add_loads(recorder) &&
           perp_recorder_add_contacts(recorder);
}

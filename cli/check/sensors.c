// Sensors of a recording, computed again from its states, contacts and loads.
#include "check/sensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 1 << 20 };

// Relative, or in SI units: rounding. Contacts and loads may be recorded in single
// precision.
static double tolerance_of(PerpSensorKind kind, bool single)
{
    switch (kind) {
    case PERP_SENSOR_CONTACT_FORCE:
    case PERP_SENSOR_CONTACT_MOMENT:
    case PERP_SENSOR_TOUCH:
        return 1e-5;
    case PERP_SENSOR_JOINT_FORCE:
    case PERP_SENSOR_JOINT_MOMENT:
    case PERP_SENSOR_MOTOR_FORCE:
    case PERP_SENSOR_ACTUATOR_FORCE:
    case PERP_SENSOR_SIGNAL: // may name an actuator's force
        return single ? 1e-5 : 1e-12;
    default:
        return 1e-12;
    }
}

static bool are_single(const double *numbers, int count)
{
    for (int k = 0; k < count; k++)
        if (!isnan(numbers[k]) && numbers[k] != (double)(float)numbers[k])
            return false;
    return true;
}

// A state does not hold whole turns.
static double difference(PerpSensorKind kind, double recorded, double computed)
{
    const double turn = 6.28318530717958647692;
    double off = recorded - computed;
    return kind == PERP_SENSOR_JOINT_POSITION ? remainder(off, turn) : off;
}

static void compare(const PerpModel *model, const double *recorded, const double *computed,
                    long frame, bool single, SensorCheck *check)
{
    for (int s = 0; s < perp_model_sensor_count(model); s++) {
        PerpSensorKind kind = perp_model_sensor_kind(model, s);
        int start = perp_model_sensor_start(model, s);
        for (int k = start; k < start + perp_sensor_kind_numbers(kind); k++) {
            if (isnan(computed[k])) {
                check->left_out++;
                continue;
            }
            double off = fabs(difference(kind, recorded[k], computed[k]));
            check->numbers++;
            if (!(off <= tolerance_of(kind, single) * (1 + fabs(computed[k]))) &&
                check->wrong++ == 0)
                check->first_wrong_frame = frame;
        }
    }
}

static PerpContactReport report_of(const PerpRecordedContact *c)
{
    PerpContactReport report = {.id = c->id,
                                .body_a = c->body_a,
                                .body_b = c->body_b,
                                .shape_a = c->shape_a,
                                .shape_b = c->shape_b,
                                .gap = c->gap,
                                .mu = c->mu,
                                .status = c->status};
    memcpy(report.point, c->point, sizeof report.point);
    memcpy(report.normal, c->normal, sizeof report.normal);
    memcpy(report.impulse, c->impulse, sizeof report.impulse);
    memcpy(report.velocity, c->velocity, sizeof report.velocity);
    return report;
}

// The contacts of a frame; -1 where they or the length of the step are not recorded.
static PerpStatus read_contacts(CheckStates *states, long frame, PerpContactReport **contacts,
                                int *count, double *h, PerpError *error)
{
    const PerpRecordedContact *recorded;
    PerpRecording *recording = states->recording;
    PerpStatus status = PERP_OK;
    *count = -1;
    *h = 0;
    if (!perp_recording_has(recording, "step/length") ||
        !perp_recording_has(recording, "contacts/impulse"))
        return PERP_OK;
    status = perp_recording_series(recording, "step/length", frame, 1, h, error);
    if (!status)
        status = perp_recording_contacts(recording, frame, &recorded, count, error);
    if (status || *count > CONTACTS)
        return status;
    *contacts = realloc(*contacts, ((size_t)*count + 1) * sizeof **contacts);
    for (int k = 0; *contacts && k < *count; k++)
        (*contacts)[k] = report_of(&recorded[k]);
    return *contacts ? PERP_OK : (error->status = PERP_NO_MEMORY);
}

// What is recorded of the frame before and of the step between, as far as it is.
typedef struct Step {
    PerpSensedState before;
    double number, t;
    double *sensors, *forces, *reactions, *motors, *actuators; // owned
    bool has_joints, has_actuators;                            // their loads
    bool gives; // a program changed the state or gravity
} Step;

static void end_step(Step *step)
{
    free(step->sensors);
    free(step->forces);
    free(step->reactions);
    free(step->motors);
    free(step->actuators);
}

static double *take(int count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

static PerpStatus begin_step(CheckStates *states, Step *step, PerpError *error)
{
    PerpRecording *recording = states->recording;
    int joints = perp_model_joint_count(states->model);
    int actuators = perp_model_actuator_count(states->model);
    step->has_joints = joints == 0 || (perp_recording_has(recording, "loads/joint") &&
                                       perp_recording_has(recording, "loads/motor"));
    step->has_actuators = actuators == 0 || (perp_recording_has(recording, "loads/actuator") &&
                                             perp_recording_actuator_count(recording) == actuators);
    step->sensors = take(perp_model_sensor_numbers(states->model));
    step->forces = take(actuators);
    step->actuators = take(actuators);
    step->reactions = take(6 * joints);
    step->motors = take(PERP_JOINT_COORDINATES * joints);
    bool ok = step->sensors && step->forces && step->actuators && step->reactions && step->motors;
    return ok ? PERP_OK : (error->status = PERP_NO_MEMORY);
}

static PerpStatus read_loads(CheckStates *states, long frame, Step *step, PerpError *error)
{
    PerpRecording *recording = states->recording;
    bool joints = step->has_joints && perp_model_joint_count(states->model) > 0;
    bool actuators = step->has_actuators && perp_model_actuator_count(states->model) > 0;
    PerpStatus status = PERP_OK;
    if (joints)
        status = perp_recording_reactions(recording, frame, 1, step->reactions, error);
    if (!status && joints)
        status = perp_recording_motor_forces(recording, frame, 1, step->motors, error);
    if (!status && actuators)
        status = perp_recording_actuator_forces(recording, frame, 1, step->actuators, error);
    if (!status && actuators && frame > 0)
        status = perp_recording_actuator_forces(recording, frame - 1, 1, step->forces, error);
    return status;
}

static PerpStatus read_before(CheckStates *states, long frame, Step *step, PerpError *error)
{
    PerpRecording *recording = states->recording;
    PerpStatus status =
        perp_recording_state(recording, frame - 1, states->q_old, states->v_old, error);
    if (!status)
        status = perp_recording_sensors(recording, frame - 1, 1, step->sensors, error);
    if (!status && states->n_coordinates > 0)
        status = perp_recording_coordinates(recording, frame - 1, 1, states->coordinates, error);
    if (!status)
        status = perp_recording_series(recording, "time", frame - 1, 1, &step->t, error);
    if (!status)
        status =
            perp_recording_series(recording, "step/number", frame - 1, 1, &step->number, error);
    return status;
}

// number: of the step to the frame
static PerpStatus read_step(CheckStates *states, long frame, double number, Step *step,
                            PerpSensedStep *sensed, PerpError *error)
{
    *sensed = (PerpSensedStep){0};
    PerpStatus status = read_loads(states, frame, step, error);
    if (!status && frame > 0)
        status = read_before(states, frame, step, error);
    if (status)
        return status;
    sensed->reactions = step->has_joints ? step->reactions : NULL;
    sensed->motors = step->has_joints ? step->motors : NULL;
    sensed->actuators = step->has_actuators ? step->actuators : NULL;
    if (frame == 0 || step->gives || step->number != number - 1)
        return PERP_OK;
    bool has_coordinates = states->n_coordinates > 0 || perp_model_joint_count(states->model) == 0;
    step->before = (PerpSensedState){.q = states->q_old, .v = states->v_old};
    sensed->before = &step->before;
    sensed->t = step->t;
    sensed->sensors = step->sensors;
    sensed->coordinates = has_coordinates ? states->coordinates : NULL;
    sensed->forces = step->has_actuators ? step->forces : NULL;
    return PERP_OK;
}

static PerpStatus check_frame(CheckStates *states, long frame, double *values,
                              PerpContactReport **contacts, Step *step, SensorCheck *check,
                              PerpError *error)
{
    PerpRecording *recording = states->recording;
    double *computed = values + perp_model_sensor_numbers(states->model), h, number = 0;
    int count = 0;
    PerpSensedStep sensed;
    PerpStatus status = check_states_follow(states, frame, &step->gives, error);
    if (!status)
        status = perp_recording_state(recording, frame, states->q, states->v, error);
    if (!status)
        status = perp_recording_sensors(recording, frame, 1, values, error);
    if (!status)
        status = perp_recording_series(recording, "step/number", frame, 1, &number, error);
    if (!status)
        status = read_contacts(states, frame, contacts, &count, &h, error);
    if (!status)
        status = read_step(states, frame, number, step, &sensed, error);
    if (status)
        return status;
    PerpSensedState at = {.q = states->q,
                          .v = states->v,
                          .contacts = *contacts,
                          .n_contacts = count,
                          .h = h,
                          .step = (long)number};
    perp_simulation_sensors_after(states->simulation, &at, &sensed, computed);
    int joints = perp_model_joint_count(states->model);
    int actuators = perp_model_actuator_count(states->model);
    bool single = joints + actuators > 0 && are_single(step->reactions, 6 * joints) &&
                  are_single(step->actuators, actuators);
    compare(states->model, values, computed, frame, single, check);
    check->frames++;
    return PERP_OK;
}

PerpStatus sensor_check(PerpRecording *recording, SensorCheck *check, PerpError *error)
{
    CheckStates states;
    Step step = {.number = -1};
    PerpContactReport *contacts = NULL;
    *check = (SensorCheck){.first_wrong_frame = -1};
    if (!perp_recording_has(recording, "q") || perp_recording_sensor_count(recording) == 0)
        return PERP_OK;
    PerpStatus status = check_states_open(&states, recording, error);
    int numbers = status ? 0 : perp_model_sensor_numbers(states.model);
    double *values = calloc(2 * (size_t)numbers + 1, sizeof *values);
    if (!status && (!values || numbers != perp_recording_sensor_count(recording)))
        status = error->status = values ? PERP_BAD_SIZE : PERP_NO_MEMORY;
    if (!status)
        status = begin_step(&states, &step, error);
    for (long k = 0; !status && k < perp_recording_info(recording)->frames; k++)
        status = check_frame(&states, k, values, &contacts, &step, check, error);
    end_step(&step);
    free(values);
    free(contacts);
    check_states_close(&states);
    return status;
}

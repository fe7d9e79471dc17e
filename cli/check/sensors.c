// Sensors of a recording, computed again from its states and contacts.
#include "check/sensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 1 << 20 };

// Relative, or in SI units: rounding; contacts may be recorded in single precision.
static double tolerance_of(PerpSensorKind kind)
{
    bool of_contacts = kind == PERP_SENSOR_CONTACT_FORCE || kind == PERP_SENSOR_CONTACT_MOMENT ||
                       kind == PERP_SENSOR_TOUCH;
    return of_contacts ? 1e-5 : 1e-12;
}

// A state does not hold whole turns.
static double difference(PerpSensorKind kind, double recorded, double computed)
{
    const double turn = 6.28318530717958647692;
    double off = recorded - computed;
    return kind == PERP_SENSOR_JOINT_POSITION ? remainder(off, turn) : off;
}

static void compare(const PerpModel *model, const double *recorded, const double *computed,
                    long frame, SensorCheck *check)
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
            if (!(off <= tolerance_of(kind) * (1 + fabs(computed[k]))) && check->wrong++ == 0)
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

// The contacts of a frame; h 0 where they or the length of the step are not recorded.
static PerpStatus read_contacts(CheckStates *states, long frame, PerpContactReport **contacts,
                                int *count, double *h, PerpError *error)
{
    const PerpRecordedContact *recorded;
    PerpRecording *recording = states->recording;
    PerpStatus status = PERP_OK;
    *count = 0;
    *h = 0;
    if (!perp_recording_has(recording, "step/length") ||
        !perp_recording_has(recording, "step/contacts"))
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

static PerpStatus check_frame(CheckStates *states, long frame, double *values,
                              PerpContactReport **contacts, SensorCheck *check, PerpError *error)
{
    PerpRecording *recording = states->recording;
    double *computed = values + perp_model_sensor_numbers(states->model), h, step = 0;
    int count = 0;
    PerpStatus status = perp_recording_state(recording, frame, states->q, states->v, error);
    if (!status)
        status = perp_recording_sensors(recording, frame, 1, values, error);
    if (!status)
        status = perp_recording_series(recording, "step/number", frame, 1, &step, error);
    if (!status)
        status = read_contacts(states, frame, contacts, &count, &h, error);
    if (status)
        return status;
    PerpSensedState at = {.q = states->q,
                          .v = states->v,
                          .contacts = *contacts,
                          .n_contacts = count,
                          .h = h,
                          .step = (long)step};
    perp_simulation_sensors_at(states->simulation, &at, computed);
    compare(states->model, values, computed, frame, check);
    check->frames++;
    return PERP_OK;
}

PerpStatus sensor_check(PerpRecording *recording, SensorCheck *check, PerpError *error)
{
    CheckStates states;
    PerpContactReport *contacts = NULL;
    *check = (SensorCheck){.first_wrong_frame = -1};
    if (!perp_recording_has(recording, "q") || perp_recording_sensor_count(recording) == 0)
        return PERP_OK;
    PerpStatus status = check_states_open(&states, recording, error);
    int numbers = status ? 0 : perp_model_sensor_numbers(states.model);
    double *values = calloc(2 * (size_t)numbers + 1, sizeof *values);
    if (!status && (!values || numbers != perp_recording_sensor_count(recording)))
        status = error->status = values ? PERP_BAD_SIZE : PERP_NO_MEMORY;
    for (long k = 0; !status && k < perp_recording_info(recording)->frames; k++)
        status = check_frame(&states, k, values, &contacts, check, error);
    free(values);
    free(contacts);
    check_states_close(&states);
    return status;
}

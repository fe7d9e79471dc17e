// A frame of a recording: a row of every column that has one a frame, and the contacts.
#include "io/recorder.h"

#include "model/model.h"
#include "perp/system.h"

#include <string.h>

static void store(PerpCellType type, double value, void *row)
{
    switch (type) {
    case PERP_CELL_DOUBLE:
        *(double *)row = value;
        break;
    case PERP_CELL_FLOAT:
        *(float *)row = (float)value;
        break;
    case PERP_CELL_LONG:
        *(int64_t *)row = (int64_t)value;
        break;
    case PERP_CELL_INT:
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

// Copies numbers to a row of doubles or floats, from its cell `from` on.
static void store_numbers(const PerpColumn *column, void *row, size_t from, const double *numbers,
                          size_t count)
{
    size_t size = perp_cell_size(column->type);
    for (size_t k = 0; k < count; k++)
        store(column->type, numbers[k], (char *)row + (from + k) * size);
}

static bool add_state(PerpRecorder *recorder)
{
    int n_q, n_v;
    const double *q = perp_simulation_q(recorder->simulation, &n_q);
    const double *v = perp_simulation_v(recorder->simulation, &n_v);
    PerpColumn *columns[] = {&recorder->wide[PERP_WIDE_Q], &recorder->wide[PERP_WIDE_V]};
    for (int k = 0; k < 2; k++) {
        double *row = columns[k]->set >= 0 ? perp_column_add(columns[k], 1) : NULL;
        if (row)
            memcpy(row, k ? v : q, columns[k]->row_size);
        else if (columns[k]->set >= 0)
            return false;
    }
    return true;
}

typedef void (*BodyNumbers)(const PerpSimulation *simulation, int body, double *first,
                            double *second);

// A row of `count` numbers a body, in two parts, the first of three.
static bool add_body_numbers(PerpRecorder *recorder, PerpWide wide, BodyNumbers get, size_t count)
{
    PerpColumn *column = &recorder->wide[wide];
    char *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
    bool is_exact = column->type == PERP_CELL_DOUBLE;
    for (int b = 0; row && b < perp_model_bodies(recorder->model); b++) {
        double narrow[7], *to = is_exact ? (double *)row + count * (size_t)b : narrow;
        get(recorder->simulation, b, to, to + 3);
        if (!is_exact)
            store_numbers(column, row, count * (size_t)b, narrow, count);
    }
    return row || column->set < 0;
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

// The rows of one contact, by column.
typedef struct ContactRows {
    char *at[PERP_WIDE_COUNT];
} ContactRows;

static void store_contact(PerpRecorder *recorder, const ContactRows *rows, size_t index,
                          const PerpContactReport *c)
{
    const struct {
        PerpWide wide;
        const double *numbers;
        size_t count;
    } numbers[] = {
        {PERP_WIDE_CONTACT_POINT, c->point, 3},        {PERP_WIDE_CONTACT_NORMAL, c->normal, 3},
        {PERP_WIDE_CONTACT_GAP, &c->gap, 1},           {PERP_WIDE_CONTACT_VELOCITY, c->velocity, 3},
        {PERP_WIDE_CONTACT_IMPULSE, c->impulse, 3},    {PERP_WIDE_CONTACT_MU, &c->mu, 1},
        {PERP_WIDE_CONTACT_RESIDUAL, &c->residual, 1},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        store_numbers(&recorder->wide[numbers[k].wide], rows->at[numbers[k].wide],
                      index * numbers[k].count, numbers[k].numbers, numbers[k].count);
    int32_t *body = (int32_t *)rows->at[PERP_WIDE_CONTACT_BODY] + 2 * index;
    int32_t *shape = (int32_t *)rows->at[PERP_WIDE_CONTACT_SHAPE] + 2 * index;
    body[0] = c->body_a;
    body[1] = c->body_b;
    shape[0] = c->shape_a;
    shape[1] = c->shape_b;
    ((uint64_t *)rows->at[PERP_WIDE_CONTACT_ID])[index] = c->id;
    ((uint8_t *)rows->at[PERP_WIDE_CONTACT_STATUS])[index] = (uint8_t)c->status;
}

static bool add_contacts(PerpRecorder *recorder)
{
    if (recorder->wide[PERP_WIDE_CONTACT_START].set < 0)
        return true;
    ContactRows rows;
    int count = perp_simulation_contacts(recorder->simulation);
    int64_t *start = perp_column_add(&recorder->wide[PERP_WIDE_CONTACT_START], 1);
    int32_t *counted = perp_column_add(&recorder->wide[PERP_WIDE_CONTACT_COUNT], 1);
    if (!start || !counted)
        return false;
    *start = (int64_t)perp_column_rows(&recorder->wide[PERP_WIDE_CONTACT_ID]);
    *counted = count;
    for (int w = PERP_WIDE_PER_FRAME; w < PERP_WIDE_CONTACT_END; w++) {
        rows.at[w] = perp_column_add(&recorder->wide[w], (size_t)count);
        if (!rows.at[w])
            return false;
    }
    for (int k = 0; k < count; k++) {
        PerpContactReport contact = perp_simulation_contact(recorder->simulation, k);
        store_contact(recorder, &rows, (size_t)k, &contact);
    }
    return true;
}

bool perp_recorder_add_frame(PerpRecorder *recorder)
{
    recorder->is_framed = true;
    return add_series(recorder) && add_state(recorder) &&
           add_body_numbers(recorder, PERP_WIDE_POSE, perp_simulation_pose, 7) &&
           add_body_numbers(recorder, PERP_WIDE_VELOCITY, perp_simulation_velocity, 6) &&
           add_coordinates(recorder) && add_worst(recorder) && add_contacts(recorder);
}

// The writer of recordings. HDF5's single-writer mode (SWMR) orders what it writes such that the
// file can be read at any moment, also after a kill; no object may be made in it any more, and no
// attribute, so that everything that grows is a dataset from the start.
#include "io/recorder.h"

#include "base/error.h"
#include "io/hdf5_sink.h"
#include "io/hdf5_source.h"
#include "model/model.h"
#include "perp/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    BUFFER_LIMIT = 32 << 20, // bytes of rows that wait in memory
    MARGIN = 1 << 20,        // bytes: HDF5's own, at a flush or the end of the file
};

static PerpStatus fail(const PerpRecorder *recorder, PerpStatus status, const char *message,
                       PerpError *error)
{
    return perp_fail_at(error, status, recorder->path, 0, 0, "%s", message);
}

static PerpStatus fail_to_write(const PerpRecorder *recorder, PerpError *error)
{
    return fail(recorder, PERP_NO_FILE, "HDF5 cannot write the recording", error);
}

static PerpColumn *column_of(PerpRecorder *recorder, int index)
{
    return index < PERP_SERIES_COUNT ? &recorder->series[index]
                                     : &recorder->wide[index - PERP_SERIES_COUNT];
}
enum { COLUMNS = PERP_SERIES_COUNT + PERP_WIDE_COUNT };

// --- creation -----------------------------------------------------------------------------------

static bool is_wanted(const PerpRecorder *recorder, int group)
{
    return group < 0 || recorder->groups >> group & 1;
}

static bool describe_column(const PerpRecorder *recorder, int index, PerpColumnDef *def)
{
    int group;
    bool exists = true;
    if (index < PERP_SERIES_COUNT) {
        *def = perp_series[index].column;
        group = perp_series[index].group;
    } else {
        exists =
            perp_wide_def((PerpWide)(index - PERP_SERIES_COUNT), &recorder->widths, def, &group);
    }
    return exists && is_wanted(recorder, group);
}

static bool create_columns(PerpRecorder *recorder)
{
    PerpColumnDef def;
    bool ok = true;
    for (int k = 0; ok && k < COLUMNS; k++)
        if (describe_column(recorder, k, &def))
            ok = perp_column_create(column_of(recorder, k), &recorder->context.allocator,
                                    recorder->file, &def);
    return ok;
}

static bool write_ending(PerpRecorder *recorder, PerpEnding ending)
{
    int32_t number = (int32_t)ending;
    return H5Dwrite(recorder->ending, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number) >=
           0;
}

static bool create_ending(PerpRecorder *recorder)
{
    int32_t number = PERP_ENDING_OPEN;
    if (!perp_hdf5_write(recorder->file, "ending", H5T_NATIVE_INT32, 0, NULL, &number, ""))
        return false;
    recorder->ending = H5Dopen2(recorder->file, "ending", H5P_DEFAULT);
    return recorder->ending >= 0;
}

static hid_t access_list(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        return access;
    if (access >= 0)
        H5Pclose(access);
    return -1;
}

static hid_t create_file(const char *path)
{
    hid_t access = access_list();
    hid_t file = access < 0 ? -1 : H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

static bool measure_file(PerpRecorder *recorder)
{
    hsize_t size = 0;
    if (H5Fget_filesize(recorder->file, &size) < 0)
        return false;
    recorder->file_size = (size_t)size;
    return true;
}

// Under another name until it can be read at any moment.
static PerpStatus write_beginning(PerpRecorder *recorder, const PerpSimulationSettings *settings,
                                  const PerpRecorderOptions *options, PerpError *error)
{
    char name[PERP_PATH_SIZE + 8];
    snprintf(name, sizeof name, "%s.new", recorder->path);
    errno = 0;
    recorder->file = create_file(name);
    if (recorder->file < 0 || !perp_disk_room_open(&recorder->room, name))
        return perp_fail_at(error, PERP_NO_FILE, recorder->path, 0, 0, "cannot be written%s%s",
                            errno ? ": " : "", errno ? strerror(errno) : "");
    if (!perp_recorder_write_head(recorder, settings, options) || !create_ending(recorder) ||
        !create_columns(recorder) || H5Fstart_swmr_write(recorder->file) < 0 ||
        !measure_file(recorder) || rename(name, recorder->path) != 0) {
        remove(name);
        return fail_to_write(recorder, error);
    }
    recorder->room.end = recorder->file_size;
    return PERP_OK;
}

static void destroy(PerpRecorder *recorder)
{
    PerpAllocator allocator = recorder->context.allocator;
    for (int k = 0; k < COLUMNS; k++)
        perp_column_free(column_of(recorder, k));
    if (recorder->ending >= 0)
        H5Dclose(recorder->ending);
    if (recorder->file >= 0)
        H5Fclose(recorder->file);
    perp_disk_room_close(&recorder->room);
    perp_free(&allocator, recorder->recent.pairs);
    perp_free(&allocator, recorder->recent.limits);
    perp_free(&allocator, recorder);
}

static PerpStatus allocate(const PerpContext *context, const char *path, PerpRecorder **recorder,
                           PerpError *error)
{
    PerpContext used = context ? *context : perp_default_context();
    *recorder = NULL;
    if (strlen(path) >= PERP_PATH_SIZE)
        return perp_fail_at(error, PERP_BAD_SIZE, path, 0, 0, "a path longer than %d bytes",
                            PERP_PATH_SIZE - 1);
    PerpRecorder *made = perp_allocate(&used.allocator, 1, sizeof *made);
    if (!made)
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    *made = (PerpRecorder){
        .context = used, .file = -1, .ending = -1, .room = {.descriptor = -1}, .step = -1};
    snprintf(made->path, sizeof made->path, "%s", path);
    for (int k = 0; k < COLUMNS; k++)
        column_of(made, k)->set = -1;
    *recorder = made;
    return PERP_OK;
}

PerpStatus perp_recorder_create(const PerpContext *context, const char *path,
                                const PerpModel *model, const PerpSimulation *simulation,
                                const PerpSimulationSettings *settings,
                                const PerpRecorderOptions *options, PerpRecorder **recorder,
                                PerpError *error)
{
    PerpRecorderOptions used = options ? *options : perp_default_recorder_options();
    PerpStatus status = allocate(context, path, recorder, error);
    if (status)
        return status;
    PerpRecorder *made = *recorder;
    made->model = model;
    made->simulation = simulation;
    made->groups = used.groups;
    made->widths = (PerpWidths){.bodies = perp_model_bodies(model),
                                .joints = perp_model_joints(model),
                                .single = used.single};
    perp_simulation_q(simulation, &made->widths.n_q);
    perp_simulation_v(simulation, &made->widths.n_v);
    made->every = used.every > 0 ? used.every : 1;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    status = write_beginning(made, settings, &used, error);
    if (status) {
        destroy(made);
        *recorder = NULL;
    }
    perp_hdf5_restore(quiet);
    return status;
}

// --- a frame ------------------------------------------------------------------------------------

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

static bool add_poses(PerpRecorder *recorder)
{
    PerpColumn *column = &recorder->wide[PERP_WIDE_POSE];
    void *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
    for (int b = 0; row && b < perp_model_bodies(recorder->model); b++) {
        double pose[7];
        perp_simulation_pose(recorder->simulation, b, pose, pose + 3);
        store_numbers(column, row, 7 * (size_t)b, pose, 7);
    }
    return row || column->set < 0;
}

static bool add_velocities(PerpRecorder *recorder)
{
    PerpColumn *column = &recorder->wide[PERP_WIDE_VELOCITY];
    void *row = column->set >= 0 ? perp_column_add(column, 1) : NULL;
    for (int b = 0; row && b < perp_model_bodies(recorder->model); b++) {
        double velocity[6];
        perp_simulation_velocity(recorder->simulation, b, velocity, velocity + 3);
        store_numbers(column, row, 6 * (size_t)b, velocity, 6);
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
        {PERP_WIDE_CONTACT_POINT, c->point, 3},     {PERP_WIDE_CONTACT_NORMAL, c->normal, 3},
        {PERP_WIDE_CONTACT_GAP, &c->gap, 1},        {PERP_WIDE_CONTACT_VELOCITY, c->velocity, 3},
        {PERP_WIDE_CONTACT_IMPULSE, c->impulse, 3}, {PERP_WIDE_CONTACT_MU, &c->mu, 1},
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

static bool add_frame(PerpRecorder *recorder)
{
    recorder->is_framed = true;
    return add_series(recorder) && add_state(recorder) && add_poses(recorder) &&
           add_velocities(recorder) && add_coordinates(recorder) && add_worst(recorder) &&
           add_contacts(recorder);
}

// --- room ---------------------------------------------------------------------------------------

// What the file may grow by if all that waits is written, with another step like the last, twice:
// at a flush and at the end.
static size_t bound_growth(PerpRecorder *recorder)
{
    size_t bytes = MARGIN, contacts = 2 * (size_t)perp_simulation_contacts(recorder->simulation);
    for (int k = 0; k < COLUMNS; k++) {
        const PerpColumn *column = column_of(recorder, k);
        bool is_ragged = k >= PERP_SERIES_COUNT + PERP_WIDE_PER_FRAME;
        if (column->set >= 0)
            bytes += perp_column_bound(column, is_ragged ? contacts + 64 : 2);
    }
    return 2 * bytes;
}

static size_t count_waiting(PerpRecorder *recorder)
{
    size_t bytes = 0;
    for (int k = 0; k < COLUMNS; k++)
        bytes += column_of(recorder, k)->count * column_of(recorder, k)->row_size;
    return bytes;
}

PerpStatus perp_recorder_append(PerpRecorder *recorder, double wall, PerpError *error)
{
    recorder->step++;
    recorder->wall = wall;
    recorder->is_framed = false;
    bool is_due = recorder->step % recorder->every == 0;
    long frame = (long)perp_column_rows(&recorder->series[0]);
    bool ok = true;
    if (recorder->wide[PERP_WIDE_EVENT_TIME].set >= 0)
        ok = perp_recorder_add_events(recorder, frame);
    if (ok && is_due)
        ok = add_frame(recorder);
    if (!ok)
        return fail(recorder, PERP_NO_MEMORY, "out of memory while recording", error);
    if (!perp_disk_room_reach(&recorder->room, recorder->file_size + bound_growth(recorder)))
        return fail(recorder, PERP_NO_ROOM, "there is no room left for another step", error);
    return count_waiting(recorder) > BUFFER_LIMIT ? perp_recorder_flush(recorder, error) : PERP_OK;
}

// --- flush and end ------------------------------------------------------------------------------

static bool write_columns(PerpRecorder *recorder, bool last)
{
    bool ok = true;
    for (int k = 0; ok && k < COLUMNS; k++)
        if (column_of(recorder, k)->set >= 0)
            ok = perp_column_write(column_of(recorder, k), last);
    return ok && H5Fflush(recorder->file, H5F_SCOPE_LOCAL) >= 0 && measure_file(recorder);
}

PerpStatus perp_recorder_flush(PerpRecorder *recorder, PerpError *error)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool ok = write_columns(recorder, false);
    perp_hdf5_restore(quiet);
    return ok ? PERP_OK : fail_to_write(recorder, error);
}

static bool end_file(PerpRecorder *recorder, bool finished)
{
    bool ok = write_columns(recorder, true) &&
              write_ending(recorder, finished ? PERP_ENDING_FINISHED : PERP_ENDING_CLOSED) &&
              H5Fflush(recorder->file, H5F_SCOPE_LOCAL) >= 0;
    if (ok)
        perp_disk_room_give_back(&recorder->room, recorder->file_size);
    for (int k = 0; k < COLUMNS; k++)
        perp_column_free(column_of(recorder, k));
    H5Dclose(recorder->ending);
    ok = H5Fclose(recorder->file) >= 0 && ok;
    recorder->ending = recorder->file = -1;
    return ok;
}

PerpStatus perp_recorder_close(PerpRecorder *recorder, bool finished, PerpError *error)
{
    if (!recorder)
        return PERP_OK;
    PerpStatus status = PERP_OK;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    if (recorder->step >= 0 && !recorder->is_framed && !add_frame(recorder))
        status = fail(recorder, PERP_NO_MEMORY, "out of memory while recording", error);
    if (!end_file(recorder, finished))
        status = fail_to_write(recorder, error);
    destroy(recorder);
    perp_hdf5_restore(quiet);
    return status;
}

// The writer of recordings. HDF5's single-writer mode (SWMR) orders what it writes such that the
// file can be read at any moment, also after a kill; no object may be made in it any more, and no
// attribute, so that everything that grows is a dataset from the start.
#include "io/recording/recorder.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/hdf5/hdf5_sink.h"
#include "io/hdf5/hdf5_source.h"
#include "model/model.h"
#include "perp/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MARGIN = 1 << 20 };    // bytes: HDF5's own, at a flush or the end of the file
enum { LEAST_ALIGNED = 128 }; // bytes

static PerpStatus fail(const PerpRecorder *recorder, PerpStatus status, const char *message,
                       PerpError *error)
{
    return perp_fail_at(error, status, recorder->path, 0, 0, "%s", message);
}

// A full disk, a quota or a limit on the size of files; or the disk is broken, or HDF5 is.
PerpStatus perp_recorder_fail_to_write(const PerpRecorder *recorder, PerpError *error)
{
    int cause = recorder->disk.failure;
    bool no_room = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    if (!cause)
        return fail(recorder, PERP_NO_FILE, "HDF5 cannot write the recording", error);
    return perp_fail_at(error, no_room ? PERP_NO_ROOM : PERP_NO_FILE, recorder->path, 0, 0,
                        "cannot be written: %s", strerror(cause));
}

enum { COLUMNS = PERP_RECORDER_COLUMNS };

// --- creation -----------------------------------------------------------------------------------

static bool is_wanted(const PerpRecorder *recorder, int group)
{
    return group < 0 || recorder->groups >> group & 1;
}

bool perp_recorder_describe(const PerpRecorder *recorder, int index, PerpColumnDef *def)
{
    int group;
    bool exists = true;
    if (index < PERP_SERIES_COUNT) {
        *def = perp_series[index].column;
        group = perp_series[index].group;
    } else {
        exists =
            perp_product_def((PerpWide)(index - PERP_SERIES_COUNT), &recorder->widths, def, &group);
    }
    return exists && is_wanted(recorder, group);
}

static bool create_columns(PerpRecorder *recorder)
{
    PerpColumnDef def;
    bool ok = true;
    for (int k = 0; ok && k < COLUMNS; k++)
        if (perp_recorder_describe(recorder, k, &def))
            ok = perp_column_create(perp_recorder_column(recorder, k), &recorder->packer,
                                    recorder->file, &def);
    perp_recorder_pair_columns(recorder);
    return ok;
}

void perp_recorder_pair_columns(PerpRecorder *recorder)
{
    PerpColumn *wide = recorder->wide;
    wide[PERP_WIDE_POSE].twin = &wide[PERP_WIDE_Q];
    wide[PERP_WIDE_VELOCITY].twin = &wide[PERP_WIDE_V];
}

bool perp_recorder_write_ending(PerpRecorder *recorder, PerpEnding ending)
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

// A kill may come between two pages of memory of one write, but not within a page. Aligned like
// this, what describes a column crosses no page: it is in the file as it was or as it should be.
hid_t perp_recorder_access(PerpRecorder *recorder)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 &&
        H5Pset_alignment(access, LEAST_ALIGNED, PERP_FILE_ALIGNMENT) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        perp_disk_driver_set(access, recorder->driver, &recorder->disk))
        return access;
    if (access >= 0)
        H5Pclose(access);
    return -1;
}

static bool create_file(PerpRecorder *recorder)
{
    hid_t access = perp_recorder_access(recorder);
    if (access >= 0)
        recorder->file = H5Fcreate(recorder->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0)
        H5Pclose(access);
    return recorder->file >= 0;
}

bool perp_recorder_measure(PerpRecorder *recorder)
{
    hsize_t size = 0;
    if (recorder->disk.failure || H5Fget_filesize(recorder->file, &size) < 0)
        return false;
    recorder->file_size = (size_t)size;
    return true;
}

// Under another name until it can be read and gone on with at any moment.
static PerpStatus write_beginning(PerpRecorder *recorder, const PerpRecorderOptions *options,
                                  PerpError *error)
{
    PerpStatus status = perp_recorder_begin_file(recorder, options->keep, error);
    if (status)
        return status;
    bool ok = create_file(recorder) && perp_recorder_write_head(recorder, options) &&
              create_ending(recorder) && create_columns(recorder) &&
              perp_recorder_create_slots(recorder) && H5Fstart_swmr_write(recorder->file) >= 0 &&
              perp_recorder_measure(recorder);
    perp_disk_file_sync(&recorder->disk);
    if (!ok || recorder->disk.failure)
        return perp_recorder_fail_to_write(recorder, error);
    if (!perp_recorder_reserve(recorder))
        return fail(recorder, PERP_NO_ROOM, "there is no room for it on the disk", error);
    return perp_recorder_name_file(recorder, options->keep, error);
}

void perp_recorder_destroy(PerpRecorder *recorder)
{
    PerpAllocator allocator = recorder->context.allocator;
    perp_worker_destroy(recorder->worker);
    for (int k = 0; k < COLUMNS; k++)
        perp_column_free(perp_recorder_column(recorder, k));
    if (recorder->ending >= 0)
        H5Dclose(recorder->ending);
    for (int k = 0; k < 2; k++)
        if (recorder->slot[k] >= 0)
            H5Dclose(recorder->slot[k]);
    if (recorder->file >= 0)
        H5Fclose(recorder->file);
    if (recorder->driver >= 0)
        H5FDunregister(recorder->driver);
    perp_recorder_drop_file(recorder);
    perp_disk_file_close(&recorder->disk);
    perp_packer_close(&recorder->packer);
    perp_free(&allocator, recorder->recent.touches.items);
    perp_free(&allocator, recorder->recent.spare.items);
    perp_free(&allocator, recorder->recent.limits);
    perp_free(&allocator, recorder->contacts.items);
    perp_free(&allocator, recorder->checkpoint);
    perp_free(&allocator, recorder);
}

static PerpStatus allocate_recorder(const PerpContext *context, const char *path,
                                    PerpRecorder **recorder, PerpError *error)
{
    PerpContext used = context ? *context : perp_default_context();
    if (strlen(path) >= PERP_PATH_SIZE)
        return perp_fail_at(error, PERP_BAD_SIZE, path, 0, 0, "a path longer than %d bytes",
                            PERP_PATH_SIZE - 1);
    PerpRecorder *made = perp_allocate(&used.allocator, 1, sizeof *made);
    if (!made)
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    *made = (PerpRecorder){.context = used,
                           .file = -1,
                           .ending = -1,
                           .slot = {-1, -1},
                           .disk = {.descriptor = -1},
                           .driver = -1,
                           .contacts = {.count = -1},
                           .step = -1};
    snprintf(made->path, sizeof made->path, "%s", path);
    for (int k = 0; k < COLUMNS; k++)
        perp_recorder_column(made, k)->set = -1;
    made->worker = perp_worker_create(&used.allocator);
    made->driver = perp_disk_driver();
    if (!perp_packer_open(&made->packer, &used.allocator) || !made->worker || made->driver < 0) {
        perp_recorder_destroy(made);
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    }
    *recorder = made;
    return PERP_OK;
}

void perp_recorder_listen(PerpRecorder *recorder, bool listen)
{
    if (recorder->problems != PERP_PROBLEMS_NONE)
        perp_simulation_watch(recorder->simulation, listen ? perp_recorder_add_problem : NULL,
                              recorder);
    if (recorder->wide[PERP_WIDE_CONTACT_RESIDUAL].set >= 0)
        perp_simulation_judge_contacts(recorder->simulation, listen);
    if (!listen)
        perp_simulation_end_journal(recorder->simulation);
    else if (recorder->wide[PERP_WIDE_JOURNAL].set >= 0)
        perp_simulation_begin_journal(recorder->simulation, recorder->step);
}

PerpStatus perp_recorder_begin(const PerpContext *context, const char *path, const PerpModel *model,
                               PerpSimulation *simulation, const PerpRecorderOptions *options,
                               PerpRecorderOptions *used, PerpRecorder **recorder, PerpError *error)
{
    *used = perp_default_recorder_options();
    *recorder = NULL;
    PerpStatus status =
        perp_read_sized(used, sizeof *used, options, "perp_default_recorder_options", error);
    if (!status)
        status = allocate_recorder(context, path, recorder, error);
    if (status)
        return status;
    (*recorder)->model = model;
    (*recorder)->simulation = simulation;
    (*recorder)->user = used->user;
    (*recorder)->user_size = used->user_size;
    return PERP_OK;
}

PerpStatus perp_recorder_create(const PerpContext *context, const char *path,
                                const PerpModel *model, PerpSimulation *simulation,
                                const PerpRecorderOptions *options, PerpRecorder **recorder,
                                PerpError *error)
{
    PerpRecorderOptions used;
    PerpStatus status =
        perp_recorder_begin(context, path, model, simulation, options, &used, recorder, error);
    if (status)
        return status;
    PerpRecorder *made = *recorder;
    made->groups = used.groups & ((1u << PERP_RECORD_GROUP_COUNT) - 1);
    made->problems = used.problems;
    made->problems_every = used.problems_every > 0 ? used.problems_every : 1;
    if (used.problems != PERP_PROBLEMS_NONE)
        made->groups |= 1u << PERP_RECORD_PROBLEMS;
    made->widths = (PerpWidths){.bodies = perp_model_body_count(model),
                                .joints = perp_model_joint_count(model),
                                .sensors = perp_model_sensor_numbers(model),
                                .actuators = perp_model_actuator_count(model),
                                .single = used.single};
    perp_simulation_q(simulation, &made->widths.n_q);
    perp_simulation_v(simulation, &made->widths.n_v);
    made->every = used.every > 0 ? used.every : 1;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    status = write_beginning(made, &used, error);
    if (status) {
        perp_recorder_destroy(made);
        *recorder = NULL;
    } else {
        perp_recorder_listen(made, true);
    }
    perp_hdf5_restore(quiet);
    return status;
}

// --- room ---------------------------------------------------------------------------------------

// What the file may grow by if all that waits is written, with another step like the last, twice:
// at a flush and at the end.
static size_t bound_growth(PerpRecorder *recorder)
{
    size_t bytes = MARGIN + 2 * perp_recorder_checkpoint_size(recorder),
           contacts = 2 * (size_t)perp_simulation_contact_count(recorder->simulation);
    for (int k = 0; k < COLUMNS; k++) {
        const PerpColumn *column = perp_recorder_column(recorder, k);
        bool is_ragged = k >= PERP_SERIES_COUNT + PERP_WIDE_PER_FRAME;
        if (column->set >= 0)
            bytes += perp_column_bound(column, is_ragged ? contacts + 64 : 2);
    }
    return 2 * bytes;
}

bool perp_recorder_reserve(PerpRecorder *recorder)
{
    return perp_disk_file_reserve(&recorder->disk, recorder->file_size + bound_growth(recorder));
}

// --- chunks -------------------------------------------------------------------------------------

static void pack_columns(void *user)
{
    PerpRecorder *recorder = user;
    for (int k = 0; k < COLUMNS; k++)
        perp_column_pack(perp_recorder_column(recorder, k));
}

// Has what is whole packed beside the next step, as long as it is in the processor's caches. False
// if memory is short; what was handed over is packed nevertheless.
static bool hand_over(PerpRecorder *recorder)
{
    bool ok = true, is_pending = false;
    for (int k = 0; k < COLUMNS; k++) {
        PerpColumn *column = perp_recorder_column(recorder, k);
        ok = ok && (column->set < 0 || perp_column_hand_over(column));
        is_pending = is_pending || column->is_pending;
    }
    if (is_pending)
        perp_worker_start(recorder->worker, pack_columns, recorder);
    return ok;
}

// What was handed over goes to the file.
static bool write_packed(PerpRecorder *recorder)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool ok = true;
    perp_worker_wait(recorder->worker);
    for (int k = 0; ok && k < COLUMNS; k++)
        if (perp_recorder_column(recorder, k)->set >= 0)
            ok = perp_column_write_packed(perp_recorder_column(recorder, k));
    ok = ok && perp_recorder_measure(recorder);
    perp_hdf5_restore(quiet);
    return ok;
}

// What the program did since the last call.
static bool add_journal(PerpRecorder *recorder)
{
    PerpColumn *column = &recorder->wide[PERP_WIDE_JOURNAL];
    int count;
    const double *numbers = perp_simulation_journal(recorder->simulation, &count);
    if (column->set < 0)
        return true;
    double *rows = count > 0 ? perp_column_add(column, (size_t)count) : NULL;
    if (rows)
        memcpy(rows, numbers, (size_t)count * sizeof *rows);
    perp_simulation_clear_journal(recorder->simulation, recorder->step);
    return rows || count == 0;
}

PerpStatus perp_recorder_append(PerpRecorder *recorder, double wall, PerpError *error)
{
    recorder->step++;
    recorder->wall = wall;
    recorder->is_framed = false;
    bool is_due = recorder->step % recorder->every == 0;
    long frame = (long)perp_column_rows(&recorder->series[0]);
    bool ok = add_journal(recorder);
    if (ok && recorder->wide[PERP_WIDE_EVENT_TIME].set >= 0)
        ok = perp_recorder_add_events(recorder, frame);
    if (ok && is_due)
        ok = perp_recorder_add_frame(recorder);
    if (!ok || recorder->has_lost)
        return fail(recorder, PERP_NO_MEMORY, "out of memory while recording", error);
    if (!perp_recorder_reserve(recorder))
        return fail(recorder, PERP_NO_ROOM, "there is no room left for another step", error);
    if (!write_packed(recorder))
        return perp_recorder_fail_to_write(recorder, error);
    return hand_over(recorder)
               ? PERP_OK
               : fail(recorder, PERP_NO_MEMORY, "out of memory while recording", error);
}

// --- flush and end ------------------------------------------------------------------------------

static bool write_columns(PerpRecorder *recorder, bool last)
{
    bool ok = write_packed(recorder) && hand_over(recorder) && write_packed(recorder);
    for (int k = 0; ok && k < COLUMNS; k++)
        if (perp_recorder_column(recorder, k)->set >= 0)
            ok = perp_column_write(perp_recorder_column(recorder, k), last);
    return ok && H5Fflush(recorder->file, H5F_SCOPE_LOCAL) >= 0 && perp_recorder_measure(recorder);
}

PerpStatus perp_recorder_flush(PerpRecorder *recorder, PerpError *error)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool is_first = recorder->step <= 0; // most of its chunks is empty: packed they take no room
    bool ok = write_columns(recorder, is_first) && perp_recorder_write_checkpoint(recorder);
    perp_hdf5_restore(quiet);
    return ok ? PERP_OK : perp_recorder_fail_to_write(recorder, error);
}

static bool end_file(PerpRecorder *recorder, bool finished)
{
    bool ok = write_columns(recorder, true) && perp_recorder_write_checkpoint(recorder) &&
              perp_recorder_write_ending(recorder,
                                         finished ? PERP_ENDING_FINISHED : PERP_ENDING_CLOSED) &&
              H5Fflush(recorder->file, H5F_SCOPE_LOCAL) >= 0;
    if (ok)
        perp_disk_file_trim(&recorder->disk, recorder->file_size);
    for (int k = 0; k < COLUMNS; k++)
        perp_column_free(perp_recorder_column(recorder, k));
    H5Dclose(recorder->ending);
    for (int k = 0; k < 2; k++)
        H5Dclose(recorder->slot[k]);
    recorder->slot[0] = recorder->slot[1] = -1;
    ok = H5Fclose(recorder->file) >= 0 && ok;
    recorder->ending = recorder->file = -1;
    perp_disk_file_sync(&recorder->disk);
    return ok && !recorder->disk.failure;
}

PerpStatus perp_recorder_close(PerpRecorder *recorder, bool finished, PerpError *error)
{
    if (!recorder)
        return PERP_OK;
    PerpStatus status = PERP_OK;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    perp_recorder_listen(recorder, false);
    if (recorder->step >= 0 && !recorder->is_framed && !perp_recorder_add_frame(recorder))
        status = fail(recorder, PERP_NO_MEMORY, "out of memory while recording", error);
    if (!end_file(recorder, finished))
        status = perp_recorder_fail_to_write(recorder, error);
    perp_recorder_destroy(recorder);
    perp_hdf5_restore(quiet);
    return status;
}

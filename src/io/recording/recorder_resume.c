// Resuming a recording from its checkpoint. Its rows behind the checkpoint stay until they are
// written over, with the same bits: at no moment does the file hold less than it did.
#include "io/recording/recorder.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/hdf5/hdf5_source.h"
#include "io/recording/recording.h"
#include "perp/system.h"
#include "perp/version.h"

#include <math.h>
#include <string.h>

// --- what the file says -------------------------------------------------------------------------

static PerpStatus check_build(const PerpRecording *recording, PerpError *error)
{
    if (strcmp(recording->info.commit, perp_build_commit()) == 0 &&
        strcmp(recording->info.build, perp_build_flags()) == 0)
        return PERP_OK;
    return perp_fail_at(error, PERP_NOT_SUPPORTED, recording->path, 0, 0,
                        "begun by another build of perp (%s, %s), which must go on with it: this "
                        "one (%s, %s) might come to other bits",
                        recording->info.commit, recording->info.build, perp_build_commit(),
                        perp_build_flags());
}

static PerpStatus restore(const PerpRecording *recording, const PerpCheckpoint *checkpoint,
                          PerpSimulation *simulation, const PerpRecorderOptions *options,
                          PerpError *error)
{
    PerpStatus status =
        perp_simulation_restore(simulation, checkpoint->state, checkpoint->state_size, error);
    if (status || !options)
        return status;
    if (options->user_size != checkpoint->user_size)
        return perp_recording_fail(recording, PERP_BAD_SIZE, "checkpoint",
                                   "what the run stored with it has another size", error);
    if (options->user_size > 0)
        memcpy(options->user, checkpoint->user, options->user_size);
    return PERP_OK;
}

static void add_worst(PerpRecorder *recorder, const PerpRecordedProblem *problem)
{
    if (problem->outcome == PERP_OUTCOME_HELD) {
        recorder->worst_held = fmax(recorder->worst_held, problem->held.residual);
        return;
    }
    for (int r = 0; r < PERP_RESIDUAL_COUNT; r++)
        recorder->worst_problem = fmax(recorder->worst_problem, problem->residual[r]);
}

// The worst certificates among the problems that stay, if new ones are compared with them.
static PerpStatus find_worst(PerpRecorder *recorder, PerpRecording *recording, int64_t problems,
                             PerpError *error)
{
    PerpStatus status = PERP_OK;
    if (recorder->problems != PERP_PROBLEMS_WORST)
        return PERP_OK;
    for (long k = 0; k < (long)problems && !status; k++) {
        PerpRecordedProblem problem;
        status = perp_recording_problem(recording, k, &problem, error);
        if (!status)
            add_worst(recorder, &problem);
    }
    return status;
}

// The restored contacts are those of the checkpoint's frame, but for their residuals.
static PerpStatus recall_contacts(PerpRecorder *recorder, PerpRecording *recording, long frame,
                                  PerpError *error)
{
    const PerpRecordedContact *recorded;
    int count;
    if (recording->wide[PERP_WIDE_CONTACT_START].set < 0 || recorder->every != 1)
        return PERP_OK;
    PerpStatus status = perp_recording_contacts(recording, frame, &recorded, &count, error);
    if (status || count != perp_simulation_contact_count(recorder->simulation))
        return status;
    if (!perp_recorder_keep_contacts(recorder))
        return perp_fail_memory(error);
    for (int k = 0; k < count; k++)
        recorder->contacts.items[k].residual = recorded[k].residual;
    return PERP_OK;
}

// From the last checkpoint. A file without one is that of a run which was killed in its first
// moment: it goes on from the start.
static PerpStatus go_back(PerpRecorder *recorder, PerpRecording *recording,
                          PerpSimulation *simulation, const PerpRecorderOptions *options,
                          PerpRowCounts *rows, PerpError *error)
{
    PerpCheckpoint checkpoint;
    if (!perp_recording_checkpoint(recording, &checkpoint))
        return PERP_OK;
    recorder->step = checkpoint.step;
    recorder->next_slot = 1 - checkpoint.slot;
    recorder->is_framed = recorder->step % recorder->every == 0;
    PerpStatus status = perp_recording_rows_before(recording, &checkpoint, rows, error);
    if (!status)
        status = find_worst(recorder, recording, rows->problems, error);
    if (!status)
        status = restore(recording, &checkpoint, simulation, options, error);
    return status ? status : recall_contacts(recorder, recording, rows->frames - 1, error);
}

static PerpStatus prepare(PerpRecorder *recorder, PerpRecording *recording,
                          PerpSimulation *simulation, const PerpRecorderOptions *options,
                          PerpRowCounts *rows, PerpError *error)
{
    recorder->every = recording->info.every;
    recorder->widths = recording->widths;
    recorder->problems = recording->problems;
    recorder->problems_every = recording->problems_every;
    recorder->groups = ~0u; // what is there will be written
    PerpStatus status = check_build(recording, error);
    return status ? status : go_back(recorder, recording, simulation, options, rows, error);
}

// --- the file -----------------------------------------------------------------------------------

// A file that was cut off says that it is being written; our lock says that it is not. It enters
// single-writer mode in the moment in which it is opened: were it opened for writing alone before,
// a kill between the two would leave a file that no reader opens. The addresses that a cut-off
// flush took may lie behind what the file's head knows of.
static bool open_file(PerpRecorder *recorder)
{
    const hbool_t yes = true;
    hid_t access = perp_recorder_access(recorder);
    if (access >= 0 && H5Pset(access, "clear_status_flags", &yes) >= 0)
        recorder->file = H5Fopen(recorder->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access);
    if (access >= 0)
        H5Pclose(access);
    return recorder->file >= 0 && H5Fincrement_filesize(recorder->file, 0) >= 0;
}

static bool open_columns(PerpRecorder *recorder, const PerpRowCounts *rows)
{
    PerpHdf5Source source = {.file = recorder->file};
    PerpColumnDef def;
    bool ok = true;
    for (int k = 0; ok && k < PERP_RECORDER_COLUMNS; k++) {
        int64_t count = perp_row_count(rows, k - PERP_SERIES_COUNT);
        if (perp_recorder_describe(recorder, k, &def) && perp_hdf5_exists(&source, def.name))
            ok = perp_column_open(perp_recorder_column(recorder, k), &recorder->packer,
                                  recorder->file, &def, (hsize_t)count);
    }
    perp_recorder_pair_columns(recorder);
    return ok;
}

static bool write_under_way(PerpRecorder *recorder)
{
    return perp_recorder_write_ending(recorder, PERP_ENDING_OPEN) &&
           H5Fflush(recorder->file, H5F_SCOPE_LOCAL) >= 0 && perp_recorder_measure(recorder);
}

static PerpStatus reopen(PerpRecorder *recorder, const PerpRowCounts *rows, PerpError *error)
{
    if (open_file(recorder))
        recorder->ending = H5Dopen2(recorder->file, "ending", H5P_DEFAULT);
    if (recorder->ending < 0 || !open_columns(recorder, rows) ||
        !perp_recorder_open_slots(recorder) || !perp_recorder_measure(recorder))
        return perp_fail_at(error, PERP_NO_FILE, recorder->path, 0, 0,
                            "HDF5 cannot go on with the recording");
    recorder->disk.reserved = recorder->file_size;
    if (!perp_recorder_reserve(recorder))
        return perp_fail_at(error, PERP_NO_ROOM, recorder->path, 0, 0,
                            "there is no room left for another step");
    if (!write_under_way(recorder))
        return perp_recorder_fail_to_write(recorder, error);
    return recorder->step < 0 || perp_recorder_remember(recorder) ? PERP_OK
                                                                  : perp_fail_memory(error);
}

PerpStatus perp_recorder_resume(const PerpContext *context, const char *path,
                                const PerpModel *model, PerpSimulation *simulation,
                                const PerpRecorderOptions *options, long *step,
                                PerpRecorder **recorder, PerpError *error)
{
    PerpRecording *recording = NULL;
    PerpRowCounts rows = {0};
    PerpRecorderOptions used;
    PerpStatus status =
        perp_recorder_begin(context, path, model, simulation, options, &used, recorder, error);
    if (status)
        return status;
    PerpRecorder *made = *recorder;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    status = perp_recorder_lock_file(made, error); // what is read will not change any more
    if (!status)
        status = perp_recording_open(context, path, &recording, error);
    if (!status)
        status = prepare(made, recording, simulation, options ? &used : NULL, &rows, error);
    perp_recording_close(recording);
    perp_disk_file_announce(&made->disk); // closing a file gave that up
    if (!status)
        status = reopen(made, &rows, error);
    *step = made->step;
    if (!status)
        perp_recorder_listen(made, true);
    if (status) {
        perp_recorder_destroy(made);
        *recorder = NULL;
    }
    perp_hdf5_restore(quiet);
    return status;
}

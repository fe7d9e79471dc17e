// The file of a recording: which name it may take, and that nobody else writes to it. It is begun
// under another name and takes its own once it can be read and gone on with, in one moment. Nothing
// but a recording is ever replaced, and none that is being written.
#define _XOPEN_SOURCE 700

#include "io/recording/recorder.h"

#include "base/error.h"
#include "io/hdf5/hdf5_source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static PerpStatus refuse(const PerpRecorder *recorder, PerpStatus status, const char *message,
                         PerpError *error)
{
    return perp_fail_at(error, status, recorder->path, 0, 0, "%s", message);
}

static PerpStatus refuse_with_reason(const PerpRecorder *recorder, PerpError *error)
{
    return perp_fail_at(error, errno == ENOSPC ? PERP_NO_ROOM : PERP_NO_FILE, recorder->path, 0, 0,
                        "cannot be written: %s", strerror(errno));
}

static PerpStatus refuse_written(const PerpRecorder *recorder, const PerpDiskFile *file,
                                 PerpError *error)
{
    long owner = perp_disk_file_owner(file);
    if (owner > 0)
        return perp_fail_at(error, PERP_NO_FILE, recorder->path, 0, 0,
                            "is being recorded by another perp, process %ld", owner);
    return refuse(recorder, PERP_NO_FILE, "is being recorded by another perp", error);
}

// --- what stands there --------------------------------------------------------------------------

static const char *describe_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "is a folder, not a recording"
           : S_ISFIFO(mode) ? "is a pipe; a recording needs a file"
           : S_ISSOCK(mode) ? "is a socket; a recording needs a file"
                            : "is a device; a recording needs a file";
}

// Links are followed to what they name.
static PerpStatus find_target(PerpRecorder *recorder, struct stat *state, bool *exists,
                              PerpError *error)
{
    char resolved[PATH_MAX];
    *exists = stat(recorder->path, state) == 0;
    snprintf(recorder->target, sizeof recorder->target, "%s", recorder->path);
    if (!*exists && lstat(recorder->path, state) == 0 && S_ISLNK(state->st_mode))
        return refuse(recorder, PERP_NO_FILE, "is a link to nothing", error);
    if (!*exists)
        return PERP_OK;
    if (!S_ISREG(state->st_mode))
        return refuse(recorder, PERP_NO_FILE, describe_kind(state->st_mode), error);
    if (!realpath(recorder->path, resolved))
        return refuse_with_reason(recorder, error);
    if (strlen(resolved) >= sizeof recorder->target)
        return refuse(recorder, PERP_BAD_SIZE, "its full path is too long", error);
    memcpy(recorder->target, resolved, strlen(resolved) + 1);
    return PERP_OK;
}

// One of a newer perp is one too.
static bool is_recording(const PerpRecorder *recorder)
{
    PerpRecording *recording = NULL;
    PerpStatus status = perp_recording_open(&recorder->context, recorder->target, &recording, NULL);
    perp_recording_close(recording);
    return status == PERP_OK || status == PERP_NOT_SUPPORTED;
}

// Whether what stands at the target may be replaced.
static PerpStatus check_existing(const PerpRecorder *recorder, bool keep, PerpError *error)
{
    PerpDiskFile old;
    if (!is_recording(recorder))
        return refuse(recorder, PERP_EXISTS,
                      "is there already, and not a recording that could be replaced", error);
    if (!perp_disk_file_open(&old, recorder->target))
        return refuse_with_reason(recorder, error);
    PerpStatus status = PERP_OK;
    if (!perp_disk_file_lock(&old))
        status = refuse_written(recorder, &old, error);
    perp_disk_file_close(&old);
    if (!status && keep)
        status = refuse(recorder, PERP_EXISTS, "there is a recording of that name already", error);
    return status;
}

// --- beginning ----------------------------------------------------------------------------------

// What an earlier run left under the other name when it was killed.
static PerpStatus remove_left(const PerpRecorder *recorder, PerpError *error)
{
    struct stat state;
    PerpDiskFile left;
    if (lstat(recorder->partial, &state) != 0 || !S_ISREG(state.st_mode) ||
        !perp_disk_file_open(&left, recorder->partial))
        return perp_fail_at(error, PERP_NO_FILE, recorder->partial, 0, 0,
                            "is in the way of the recording %s", recorder->path);
    PerpStatus status = PERP_OK;
    if (!perp_disk_file_lock(&left))
        status = refuse_written(recorder, &left, error);
    else if (perp_disk_file_has_name(&left, recorder->partial) && unlink(recorder->partial) != 0)
        status = refuse_with_reason(recorder, error);
    perp_disk_file_close(&left);
    return status;
}

// Whoever makes the file and locks it has it, unless another has removed it between the two.
static PerpStatus make_partial(PerpRecorder *recorder, PerpError *error)
{
    PerpStatus status = PERP_OK;
    if (!perp_disk_file_create(&recorder->disk, recorder->partial) && errno == EEXIST) {
        status = remove_left(recorder, error);
        if (!status)
            perp_disk_file_create(&recorder->disk, recorder->partial);
    }
    if (status)
        return status;
    if (recorder->disk.descriptor < 0)
        return refuse_with_reason(recorder, error);
    if (perp_disk_file_lock(&recorder->disk) &&
        perp_disk_file_has_name(&recorder->disk, recorder->partial))
        return PERP_OK;
    return refuse_written(recorder, &recorder->disk, error);
}

PerpStatus perp_recorder_begin_file(PerpRecorder *recorder, bool keep, PerpError *error)
{
    struct stat state;
    bool exists;
    PerpStatus status = find_target(recorder, &state, &exists, error);
    if (!status && exists && state.st_size > 0)
        status = check_existing(recorder, keep, error);
    if (status)
        return status;
    snprintf(recorder->partial, sizeof recorder->partial, "%s.partial", recorder->target);
    status = make_partial(recorder, error);
    if (status)
        recorder->partial[0] = '\0'; // not ours
    return status;
}

// --- its name -----------------------------------------------------------------------------------

// Takes a name that nobody has. Not every file system has links.
static bool take_free_name(const PerpRecorder *recorder)
{
    if (link(recorder->partial, recorder->target) == 0)
        return unlink(recorder->partial) == 0;
    return errno != EEXIST && access(recorder->target, F_OK) != 0 &&
           rename(recorder->partial, recorder->target) == 0;
}

// Another may have begun a recording here since we looked.
static PerpStatus replace(const PerpRecorder *recorder, PerpError *error)
{
    PerpDiskFile old;
    PerpStatus status = PERP_OK;
    if (!perp_disk_file_open(&old, recorder->target))
        return refuse_with_reason(recorder, error);
    if (!perp_disk_file_lock(&old))
        status = refuse_written(recorder, &old, error);
    else if (rename(recorder->partial, recorder->target) != 0)
        status = refuse_with_reason(recorder, error);
    perp_disk_file_close(&old);
    return status;
}

PerpStatus perp_recorder_name_file(PerpRecorder *recorder, bool keep, PerpError *error)
{
    struct stat state;
    bool exists;
    PerpStatus status = find_target(recorder, &state, &exists, error);
    if (!status && exists && state.st_size > 0 && keep)
        status = check_existing(recorder, keep, error);
    if (status)
        return status;
    if (exists)
        status = replace(recorder, error);
    else if (!take_free_name(recorder))
        status = refuse_with_reason(recorder, error);
    if (!status)
        recorder->partial[0] = '\0';
    return status;
}

void perp_recorder_drop_file(PerpRecorder *recorder)
{
    if (recorder->partial[0])
        unlink(recorder->partial);
    recorder->partial[0] = '\0';
}

PerpStatus perp_recorder_lock_file(PerpRecorder *recorder, PerpError *error)
{
    if (!perp_disk_file_open(&recorder->disk, recorder->path))
        return refuse_with_reason(recorder, error);
    if (!perp_disk_file_lock(&recorder->disk))
        return refuse_written(recorder, &recorder->disk, error);
    return PERP_OK;
}

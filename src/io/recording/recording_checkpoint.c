// Checkpoints in a recording: two datasets of plain bytes that are written over in turn, with a
// checksum by which a reader knows whether all of it arrived.
#include "io/recording/recording.h"

#include "base/error.h"
#include "io/hdf5/hdf5_sink.h"
#include "io/hdf5/hdf5_source.h"
#include "io/recording/recorder.h"

#include <string.h>

enum { CHUNK = 64 << 10, LARGEST = 1 << 30 };
static const char MARK[8] = "perpslo2";
static const char *const NAMES[2] = {"checkpoint/a", "checkpoint/b"};

// Stands before the state of the simulation and the bytes that the caller stored with it.
typedef struct SlotHead {
    char mark[8];
    uint64_t step, state_size, user_size;
    uint64_t checksum; // of everything, this one zero
} SlotHead;

static uint64_t sum_up(char *bytes, size_t size)
{
    memset(bytes + offsetof(SlotHead, checksum), 0, sizeof(uint64_t));
    return perp_checksum(bytes, size);
}

// --- writing ------------------------------------------------------------------------------------

static hid_t create_slot(hid_t file, const char *name)
{
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = CHUNK;
    hid_t space = H5Screate_simple(1, &none, &unlimited), layout = H5Pcreate(H5P_DATASET_CREATE);
    hid_t slot = -1;
    if (space >= 0 && layout >= 0 && H5Pset_chunk(layout, 1, &chunk) >= 0)
        slot = H5Dcreate2(file, name, H5T_NATIVE_UINT8, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    if (layout >= 0)
        H5Pclose(layout);
    if (space >= 0)
        H5Sclose(space);
    return slot;
}

bool perp_recorder_create_slots(PerpRecorder *recorder)
{
    hid_t group = perp_hdf5_make_group(recorder->file, "checkpoint");
    if (group < 0)
        return false;
    H5Gclose(group);
    for (int k = 0; k < 2; k++)
        recorder->slot[k] = create_slot(recorder->file, NAMES[k]);
    return recorder->slot[0] >= 0 && recorder->slot[1] >= 0;
}

bool perp_recorder_open_slots(PerpRecorder *recorder)
{
    for (int k = 0; k < 2; k++)
        recorder->slot[k] = H5Dopen2(recorder->file, NAMES[k], H5P_DEFAULT);
    return recorder->slot[0] >= 0 && recorder->slot[1] >= 0;
}

size_t perp_recorder_checkpoint_size(const PerpRecorder *recorder)
{
    return sizeof(SlotHead) + perp_simulation_state_size(recorder->simulation) +
           recorder->user_size;
}

static bool fill_checkpoint(PerpRecorder *recorder, size_t size)
{
    if (size > recorder->checkpoint_room) {
        char *larger = perp_resize(&recorder->context.allocator, recorder->checkpoint, 2 * size, 1);
        if (!larger)
            return false;
        recorder->checkpoint = larger;
        recorder->checkpoint_room = 2 * size;
    }
    SlotHead head = {.step = (uint64_t)recorder->step,
                     .state_size = perp_simulation_state_size(recorder->simulation),
                     .user_size = recorder->user_size};
    char *bytes = recorder->checkpoint;
    memcpy(head.mark, MARK, sizeof MARK);
    memcpy(bytes, &head, sizeof head);
    perp_simulation_save(recorder->simulation, bytes + sizeof head);
    if (recorder->user_size > 0)
        memcpy(bytes + sizeof head + head.state_size, recorder->user, recorder->user_size);
    head.checksum = sum_up(bytes, size);
    memcpy(bytes, &head, sizeof head);
    return true;
}

// A slot never shrinks.
static bool write_slot(hid_t slot, const char *bytes, hsize_t size)
{
    hsize_t room = 0, start = 0;
    hid_t space = H5Dget_space(slot);
    bool ok = space >= 0 && H5Sget_simple_extent_dims(space, &room, NULL) == 1;
    if (space >= 0)
        H5Sclose(space);
    ok = ok && (size <= room || H5Dset_extent(slot, &size) >= 0);
    space = ok ? H5Dget_space(slot) : -1;
    hid_t memory = H5Screate_simple(1, &size, NULL);
    ok = space >= 0 && memory >= 0 &&
         H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0 &&
         H5Dwrite(slot, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, bytes) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

bool perp_recorder_write_checkpoint(PerpRecorder *recorder)
{
    size_t size = perp_recorder_checkpoint_size(recorder);
    int to = recorder->next_slot;
    if (recorder->step < 0)
        return true;
    recorder->next_slot = 1 - to;
    return fill_checkpoint(recorder, size) &&
           write_slot(recorder->slot[to], recorder->checkpoint, size) &&
           H5Fflush(recorder->file, H5F_SCOPE_LOCAL) >= 0 && perp_recorder_measure(recorder);
}

// --- reading ------------------------------------------------------------------------------------

static char *read_slot(PerpRecording *recording, const char *name, size_t *size)
{
    PerpHdf5Source source = {.file = recording->file};
    hsize_t extent = 0;
    char *bytes = NULL;
    hid_t slot =
        perp_hdf5_exists(&source, name) ? H5Dopen2(recording->file, name, H5P_DEFAULT) : -1;
    hid_t space = slot < 0 ? -1 : H5Dget_space(slot), type = slot < 0 ? -1 : H5Dget_type(slot);
    hid_t creation = slot < 0 ? -1 : H5Dget_create_plist(slot);
    if (space >= 0 && type >= 0 && creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
        H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, &extent, NULL) == 1 && extent >= sizeof(SlotHead) &&
        extent <= LARGEST)
        bytes = perp_arena_take(&recording->arena, (size_t)extent, 1);
    if (bytes && H5Dread(slot, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        bytes = NULL;
    if (creation >= 0)
        H5Pclose(creation);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (slot >= 0)
        H5Dclose(slot);
    *size = (size_t)extent;
    return bytes;
}

static bool parse_slot(char *bytes, size_t size, PerpCheckpoint *checkpoint)
{
    SlotHead head;
    memcpy(&head, bytes, sizeof head);
    size_t rest = size - sizeof head;
    if (memcmp(head.mark, MARK, sizeof MARK) != 0 || head.state_size > rest ||
        head.user_size > rest - head.state_size || head.step > (UINT64_C(1) << 48))
        return false;
    *checkpoint = (PerpCheckpoint){.step = (long)head.step,
                                   .state = bytes + sizeof head,
                                   .state_size = head.state_size,
                                   .user = bytes + sizeof head + head.state_size,
                                   .user_size = head.user_size};
    return sum_up(bytes, sizeof head + head.state_size + head.user_size) == head.checksum;
}

// Frames that the run up to the checkpoint has; the file must have them.
static bool is_covered(const PerpRecording *recording, const PerpCheckpoint *checkpoint)
{
    return checkpoint->step / recording->info.every < recording->info.frames;
}

bool perp_recording_checkpoint(PerpRecording *recording, PerpCheckpoint *checkpoint)
{
    bool found = false;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    for (int k = 0; k < 2; k++) {
        size_t size;
        PerpCheckpoint one;
        char *bytes = read_slot(recording, NAMES[k], &size);
        if (!bytes || !parse_slot(bytes, size, &one) || !is_covered(recording, &one) ||
            (found && one.step < checkpoint->step))
            continue;
        *checkpoint = one;
        checkpoint->slot = k;
        found = true;
    }
    perp_hdf5_restore(quiet);
    return found;
}

int64_t perp_row_count(const PerpRowCounts *rows, int wide)
{
    return wide < PERP_WIDE_PER_FRAME     ? rows->frames
           : wide < PERP_WIDE_CONTACT_END ? rows->contacts
           : wide < PERP_WIDE_EVENT_END   ? rows->events
           : wide < PERP_WIDE_PROBLEM_END ? rows->problems
           : wide == PERP_WIDE_INTS       ? rows->ints
           : wide == PERP_WIDE_DOUBLES    ? rows->doubles
                                          : rows->journal;
}

// Lowers count to the rows of a table whose step is not behind the checkpoint's.
static PerpStatus count_before(PerpRecording *recording, PerpWide steps, long step, int64_t *count,
                               PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (; *count > 0 && !status; --*count) {
        int64_t at;
        status = perp_recording_rows(recording, &recording->wide[steps], *count - 1, 1, &at, error);
        if (!status && at <= step)
            break;
    }
    return status;
}

// An element of a column of 64-bit numbers.
static PerpStatus read_long(const PerpRecording *recording, PerpWide wide, int64_t row,
                            int64_t *number, PerpError *error)
{
    return perp_recording_rows(recording, &recording->wide[wide], row, 1, number, error);
}

PerpStatus perp_recording_rows_before(PerpRecording *recording, const PerpCheckpoint *checkpoint,
                                      PerpRowCounts *rows, PerpError *error)
{
    int64_t frame = checkpoint->step / recording->info.every, start = 0;
    int32_t count = 0;
    PerpStatus status = PERP_OK;
    *rows = (PerpRowCounts){
        .frames = frame + 1, .events = recording->events, .problems = recording->n_problems};
    if (recording->wide[PERP_WIDE_CONTACT_START].set >= 0) {
        status = read_long(recording, PERP_WIDE_CONTACT_START, frame, &start, error);
        if (!status)
            status = perp_recording_rows(recording, &recording->wide[PERP_WIDE_CONTACT_COUNT],
                                         frame, 1, &count, error);
        rows->contacts = start + count;
    }
    if (!status)
        status =
            count_before(recording, PERP_WIDE_EVENT_STEP, checkpoint->step, &rows->events, error);
    if (!status)
        status = count_before(recording, PERP_WIDE_PROBLEM_STEP, checkpoint->step, &rows->problems,
                              error);
    if (!status && rows->problems > 0)
        status =
            read_long(recording, PERP_WIDE_PROBLEM_INTS, rows->problems - 1, &rows->ints, error);
    if (!status && rows->problems > 0)
        status = read_long(recording, PERP_WIDE_PROBLEM_DOUBLES, rows->problems - 1, &rows->doubles,
                           error);
    const double *journal;
    long numbers;
    if (!status)
        status = perp_recording_journal(recording, &journal, &numbers, error);
    if (!status)
        rows->journal = perp_journal_length(journal, numbers, checkpoint->step);
    return status;
}

// The writer of recordings: what its parts share.
#ifndef PERP_IO_RECORDING_RECORDER_H
#define PERP_IO_RECORDING_RECORDER_H

#include "base/worker.h"
#include "io/hdf5/disk_file.h"
#include "io/recording/recording_format.h"

// What two shapes that push each other do in a step, all their contact points together.
typedef struct PerpTouch {
    unsigned long long pair;
    int body_a, body_b;
    bool sticks, slips; // some points of theirs do
    double impact;      // N s, of the points that were hit
    double slip;        // m/s, the fastest
} PerpTouch;

typedef struct PerpTouches {
    PerpTouch *items; // by ascending pairs
    int count, room;
} PerpTouches;

// What events are told by: the touches and limits of the last step.
typedef struct PerpRecent {
    PerpTouches touches, spare;
    unsigned long long *limits; // ids
    int n_limits, limit_room;
} PerpRecent;

// The contacts of the last frame.
typedef struct PerpFrameContacts {
    PerpContactReport *items;
    int count, room; // count -1: not known
} PerpFrameContacts;

struct PerpRecorder {
    PerpContext context;
    char path[PERP_PATH_SIZE];        // as given
    char target[PERP_PATH_SIZE];      // with links followed
    char partial[PERP_PATH_SIZE + 8]; // the name until it is begun, then ""
    const PerpModel *model;           // borrowed
    PerpSimulation *simulation;       // borrowed
    unsigned groups;
    PerpWidths widths;
    int every;
    hid_t file;
    hid_t ending;  // the dataset "ending"
    hid_t slot[2]; // of checkpoints, written in turn
    int next_slot;
    char *checkpoint; // on its way into the file, owned
    size_t checkpoint_room;
    const void *user; // borrowed, see PerpRecorderOptions
    size_t user_size;
    PerpDiskFile disk;
    hid_t driver;     // of HDF5, for it
    size_t file_size; // after the last flush
    long step;        // of the last call of append, -1: none yet
    double wall;
    bool is_framed; // the last step has a frame
    PerpPacker packer;
    PerpWorker *worker; // packs chunks beside the run; HDF5 is called by the run's thread alone
    PerpColumn series[PERP_SERIES_COUNT];
    PerpColumn wide[PERP_WIDE_COUNT];
    PerpRecent recent;
    PerpFrameContacts contacts;

    PerpRecordProblems problems;
    int problems_every;
    double worst_problem; // the worst certificate of those stored,
    double worst_held;    // and the worst with slip held
    bool has_lost;        // memory was short for a problem
};

enum { PERP_RECORDER_COLUMNS = PERP_SERIES_COUNT + PERP_WIDE_COUNT };

static inline PerpColumn *perp_recorder_column(PerpRecorder *recorder, int index)
{
    return index < PERP_SERIES_COUNT ? &recorder->series[index]
                                     : &recorder->wide[index - PERP_SERIES_COUNT];
}

// From now on the simulation finds what the recorder asks for; or no longer.
void perp_recorder_listen(PerpRecorder *recorder, bool listen);

// False if the column is not wanted, or has no elements.
bool perp_recorder_describe(const PerpRecorder *recorder, int index, PerpColumnDef *def);

// Once the columns are there: poses and velocities are often those of the state.
void perp_recorder_pair_columns(PerpRecorder *recorder);

// False if memory is short.
bool perp_recorder_add_frame(PerpRecorder *recorder);
bool perp_recorder_add_contacts(PerpRecorder *recorder);
// Takes the simulation's contacts for those of the last frame.
bool perp_recorder_keep_contacts(PerpRecorder *recorder);

// Stores the problem if it is wanted; user is the recorder.
void perp_recorder_add_problem(void *user, const PerpSolvedProblem *solved);

// Checkpoints. Two datasets take turns, so that one is whole at any moment.
bool perp_recorder_create_slots(PerpRecorder *recorder);
bool perp_recorder_open_slots(PerpRecorder *recorder);
bool perp_recorder_write_checkpoint(PerpRecorder *recorder);
size_t perp_recorder_checkpoint_size(const PerpRecorder *recorder);

// A recorder without a file, and its end.
// used: the options, with the defaults of those that an older caller does not know.
PerpStatus perp_recorder_begin(const PerpContext *context, const char *path, const PerpModel *model,
                               PerpSimulation *simulation, const PerpRecorderOptions *options,
                               PerpRecorderOptions *used, PerpRecorder **recorder,
                               PerpError *error);
void perp_recorder_destroy(PerpRecorder *recorder);
hid_t perp_recorder_access(PerpRecorder *recorder); // a file access list, to be closed
// False if a write has failed.
bool perp_recorder_measure(PerpRecorder *recorder);
// Reserves what may be written before the next call. False if there is no room.
bool perp_recorder_reserve(PerpRecorder *recorder);

// The file. It is begun under another name, locked, and named, or dropped; or an existing one is
// opened and locked. keep: no recording is replaced.
PerpStatus perp_recorder_begin_file(PerpRecorder *recorder, bool keep, PerpError *error);
PerpStatus perp_recorder_name_file(PerpRecorder *recorder, bool keep, PerpError *error);
void perp_recorder_drop_file(PerpRecorder *recorder);
PerpStatus perp_recorder_lock_file(PerpRecorder *recorder, PerpError *error);
PerpStatus perp_recorder_fail_to_write(const PerpRecorder *recorder, PerpError *error);

// What the dataset "ending" holds.
typedef enum PerpEnding { PERP_ENDING_OPEN, PERP_ENDING_CLOSED, PERP_ENDING_FINISHED } PerpEnding;
bool perp_recorder_write_ending(PerpRecorder *recorder, PerpEnding ending);

// The constant part of the file.
bool perp_recorder_write_head(const PerpRecorder *recorder, const PerpRecorderOptions *options);
bool perp_recorder_write_shapes(const PerpAllocator *allocator, const PerpModel *model, hid_t file);

// Adds the events between the step before and this one; then this one is remembered, or that
// alone. False if memory is short.
bool perp_recorder_add_events(PerpRecorder *recorder, long frame);
bool perp_recorder_remember(PerpRecorder *recorder);

#endif

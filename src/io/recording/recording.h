// The reader of recordings: what its parts share.
#ifndef PERP_IO_RECORDING_RECORDING_H
#define PERP_IO_RECORDING_RECORDING_H

#include "io/recording/recording_format.h"

// A dataset of the file that was checked when it was opened: type class, rank and extents.
typedef struct PerpReadColumn {
    hid_t set; // -1: not there
    PerpColumnDef def;
    int64_t rows;
} PerpReadColumn;

struct PerpRecording {
    PerpContext context;
    PerpArena arena; // texts, names, shapes
    char path[PERP_PATH_SIZE];
    hid_t file;
    PerpRecordingInfo info;
    PerpSimulationSettings settings;
    PerpSceneText *texts; // n_texts
    int n_texts;
    PerpParameter *set; // n_set
    int n_set;
    PerpRecordedBody *bodies;
    PerpRecordedShape *shapes;
    const char **joints;
    double *joint_times;     // 2 a joint: from, until; NULL: always
    double *colours;         // 4 a shape; NULL: none
    PerpRecordedSite *sites; // n_sites
    int n_sites;
    PerpCamera camera;
    bool has_camera;
    const char **sensors, **sensor_units; // widths.sensors
    const char **actuators;               // widths.actuators
    PerpWidths widths;
    PerpReadColumn series[PERP_SERIES_COUNT];
    PerpReadColumn wide[PERP_WIDE_COUNT];
    long events, n_problems;
    PerpRecordProblems problems;
    int problems_every;
    int *ints; // of the problem asked for last, owned
    double *doubles;
    size_t ints_room, doubles_room;

    PerpRecordedContact *contacts; // of the frame asked for last
    int contact_room;
    double *journal; // owned
    char *scratch;   // rows on their way
};

PerpStatus perp_recording_fail(const PerpRecording *recording, PerpStatus status,
                               const char *object, const char *message, PerpError *error);

// The constant part.
PerpStatus perp_recording_read_head(PerpRecording *recording, PerpError *error);

PerpStatus perp_recording_open_columns(PerpRecording *recording, PerpError *error);
// Looks how many rows there are now, and which frames are complete.
PerpStatus perp_recording_count(PerpRecording *recording, PerpError *error);
void perp_recording_close_columns(PerpRecording *recording);

// Rows [first, first + count) of a column as they are (8, 4 or 1 bytes an element, or names).
PerpStatus perp_recording_rows(const PerpRecording *recording, const PerpReadColumn *column,
                               int64_t first, int64_t count, void *rows, PerpError *error);
// The same as doubles.
PerpStatus perp_recording_numbers(PerpRecording *recording, const PerpReadColumn *column,
                                  int64_t first, int64_t count, double *numbers, PerpError *error);

// The latest checkpoint that is whole and whose frames are all there; false if there is none. Its
// bytes belong to the recording.
typedef struct PerpCheckpoint {
    int slot;
    long step;
    const char *state, *user;
    size_t state_size, user_size;
} PerpCheckpoint;

bool perp_recording_checkpoint(PerpRecording *recording, PerpCheckpoint *checkpoint);

// How many rows of each kind of column a run up to a checkpoint has.
typedef struct PerpRowCounts {
    int64_t frames, contacts, events, problems, ints, doubles, journal;
} PerpRowCounts;

int64_t perp_row_count(const PerpRowCounts *rows, int wide); // of a PerpWide
PerpStatus perp_recording_rows_before(PerpRecording *recording, const PerpCheckpoint *checkpoint,
                                      PerpRowCounts *rows, PerpError *error);

#endif

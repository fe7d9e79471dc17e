// The schema of recordings, for writer and reader. docs/recording.md describes it.
#ifndef PERP_IO_RECORDING_RECORDING_FORMAT_H
#define PERP_IO_RECORDING_RECORDING_FORMAT_H

#include "io/hdf5/hdf5_column.h"
#include "perp/recording.h"

#define PERP_RECORDING_MARK "perp recording" // attribute "format" of the file
enum { PERP_RECORDING_VERSION = 3 };         // attribute "version"

// What a frame says in single numbers.
typedef struct PerpFrame {
    long step;
    double wall; // s
    const PerpStepReport *report;
} PerpFrame;

// Series over frames: PerpColumnDef without width, and the group they belong to.
enum { PERP_RECORD_ALWAYS = -1, PERP_RECORD_PROBLEMS = PERP_RECORD_GROUP_COUNT };
typedef struct PerpSeriesDef {
    PerpColumnDef column;
    int group;
} PerpSeriesDef;

enum { PERP_SERIES_COUNT = 15 + PERP_RESIDUAL_COUNT + 16 + PERP_BOUND_COUNT };
extern const PerpSeriesDef perp_series[PERP_SERIES_COUNT];
void perp_series_values(const PerpFrame *frame, double values[PERP_SERIES_COUNT]);
int perp_series_find(const char *name); // -1 if there is none

// Columns with more than a number a frame, and ragged ones.
typedef enum PerpWide {
    PERP_WIDE_Q,
    PERP_WIDE_V,
    PERP_WIDE_POSE,
    PERP_WIDE_VELOCITY,
    PERP_WIDE_COORDINATE,
    PERP_WIDE_WORST,
    PERP_WIDE_SENSOR,
    PERP_WIDE_REACTION,
    PERP_WIDE_MOTOR,
    PERP_WIDE_ACTUATOR,
    PERP_WIDE_CONTACT_START, // the first contact of each frame
    PERP_WIDE_CONTACT_COUNT,
    PERP_WIDE_PER_FRAME, // up to here one row a frame

    PERP_WIDE_CONTACT_ID = PERP_WIDE_PER_FRAME,
    PERP_WIDE_CONTACT_BODY,
    PERP_WIDE_CONTACT_SHAPE,
    PERP_WIDE_CONTACT_POINT,
    PERP_WIDE_CONTACT_NORMAL,
    PERP_WIDE_CONTACT_GAP,
    PERP_WIDE_CONTACT_VELOCITY,
    PERP_WIDE_CONTACT_IMPULSE,
    PERP_WIDE_CONTACT_MU,
    PERP_WIDE_CONTACT_RESIDUAL,
    PERP_WIDE_CONTACT_STATUS,
    PERP_WIDE_CONTACT_END,

    PERP_WIDE_EVENT_TIME = PERP_WIDE_CONTACT_END,
    PERP_WIDE_EVENT_STEP,
    PERP_WIDE_EVENT_FRAME,
    PERP_WIDE_EVENT_KIND,
    PERP_WIDE_EVENT_BODY,
    PERP_WIDE_EVENT_JOINT,
    PERP_WIDE_EVENT_SIZE,
    PERP_WIDE_EVENT_END,

    PERP_WIDE_PROBLEM_STEP = PERP_WIDE_EVENT_END,
    PERP_WIDE_PROBLEM_TIME,
    PERP_WIDE_PROBLEM_RESIDUAL,
    PERP_WIDE_PROBLEM_OUTCOME,
    PERP_WIDE_PROBLEM_METHOD,
    PERP_WIDE_PROBLEM_INTS, // how many numbers of each kind there are up to its end
    PERP_WIDE_PROBLEM_DOUBLES,
    PERP_WIDE_PROBLEM_END,
    PERP_WIDE_INTS = PERP_WIDE_PROBLEM_END,
    PERP_WIDE_DOUBLES,
    PERP_WIDE_JOURNAL, // numbers of what a program did
    PERP_WIDE_COUNT
} PerpWide;

// How many there are of what a row may have as many of.
typedef struct PerpWidths {
    int bodies, joints, n_q, n_v, sensors, actuators;
    bool single;
} PerpWidths;

// group: as above. False if there is nothing of it.
bool perp_product_def(PerpWide wide, const PerpWidths *widths, PerpColumnDef *def, int *group);

#endif

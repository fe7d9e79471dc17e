// Recordings of runs: HDF5 files that survive a kill and from which a run can go on to the same
// bits. docs/recording.md describes the file.
#ifndef PERP_RECORDING_H
#define PERP_RECORDING_H

#include "perp/api.h"
#include "perp/scene.h"
#include "perp/simulation.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- writing ------------------------------------------------------------------------------------

// X(name, word, text): what a recording may hold beside the time, the scene and its shapes.
#define PERP_RECORD_LIST(X)                                                                        \
    X(STATE, "state", "q and v, the coordinates of the system, exactly")                           \
    X(POSES, "poses", "position and rotation of all bodies")                                       \
    X(VELOCITIES, "velocities", "velocity and spin of all bodies")                                 \
    X(JOINTS, "joints", "coordinates of the joints, angles counted over turns")                    \
    X(ENERGY, "energy", "the ledger")                                                              \
    X(CERTIFICATE, "certificate", "every residual, and what the worst is of")                      \
    X(STEP, "step", "what solving each step took and left")                                        \
    X(CONTACTS, "contacts", "points, normals, gaps, velocities, impulses")                         \
    X(EVENTS, "events", "impacts, slips, take-offs, limits")                                       \
    X(BOUNDS, "bounds", "margins of the inequalities that the papers prove")                       \
    X(SENSORS, "sensors", "the numbers of all sensors")                                            \
    X(LOADS, "loads", "forces and moments of joints, forces of motors and actuators")

typedef enum PerpRecordGroup {
#define PERP_RECORD_CODE(name, word, text) PERP_RECORD_##name,
    PERP_RECORD_LIST(PERP_RECORD_CODE)
#undef PERP_RECORD_CODE
        PERP_RECORD_GROUP_COUNT
} PerpRecordGroup;

// The word that users type, and one line about it; "?" if out of range.
PERP_API const char *perp_record_group_name(PerpRecordGroup group);
PERP_API const char *perp_record_group_text(PerpRecordGroup group);

// Which problems are stored with their solutions, for perp check.
typedef enum PerpRecordProblems {
    PERP_PROBLEMS_NONE,
    PERP_PROBLEMS_WORST, // each whose certificate is worse than all before; with slip held likewise
    PERP_PROBLEMS_EVERY  // all of every n-th step
} PerpRecordProblems;

// What is recorded.
typedef struct PerpRecorderOptions {
    size_t size;     // set by perp_default_recorder_options
    unsigned groups; // bit 1 << PerpRecordGroup each, default all
    bool single;     // poses, velocities and points of contacts as float32; default false
    int every;       // steps between frames, default 1
    PerpRecordProblems problems; // default NONE
    int problems_every;          // default 1
    const PerpScene *scene;      // whose text goes into the file; NULL: none, no replay then
    const PerpParameter *set;    // the scene was read with, n_set of them
    int n_set;                   // how many
    const char *options;         // JSON object of what was asked for, for people; default "{}"
    long planned;                // steps that the run is to take, default 0: not known
    void *user;       // borrowed: bytes of the caller's that go with every checkpoint, and that
    size_t user_size; // a resume fills in; default none
    bool keep;        // refuse to replace a recording of that name; default false
} PerpRecorderOptions;

PERP_DEFAULTS(PerpRecorderOptions, recorder_options)

// A single writer. Model and simulation are borrowed until it is closed.
typedef struct PerpRecorder PerpRecorder;

// Creates the file once all of its beginning is written, with the settings of the simulation for a
// replay. Links are followed. A recording of that name is replaced unless `keep` says otherwise;
// what is no recording never is (EXISTS), nor what another recorder is writing to, whose process
// the message tells. While it is written the file is locked against other recorders.
PERP_API PerpStatus perp_recorder_create(const PerpContext *context, const char *path,
                                         const PerpModel *model, PerpSimulation *simulation,
                                         const PerpRecorderOptions *options,
                                         PerpRecorder **recorder, PerpError *error);

// Goes on with a recording that was cut off or closed: the simulation, made of the recording's
// scene and settings, is restored to the last checkpoint, `step` tells to which step. Of the
// options only user counts. Afterwards append is called after every step, not for the restored one.
// A recording without checkpoint goes on from the start: `step` is -1, user stays as it was, and
// append is called for the start too.
// Needs the build that began the recording: another one might go on to other bits.
PERP_API PerpStatus perp_recorder_resume(const PerpContext *context, const char *path,
                                         const PerpModel *model, PerpSimulation *simulation,
                                         const PerpRecorderOptions *options, long *step,
                                         PerpRecorder **recorder, PerpError *error);

// To be called once at the start and after every step; wall: seconds that the step took. Room for
// everything recorded so far is reserved on the disk: after NO_ROOM, which means that there is none
// for another step, closing still completes the file up to this one. Should a write fail all the
// same the file ends with the last flush, from which it can be gone on with, and closing fails too.
PERP_API PerpStatus perp_recorder_append(PerpRecorder *recorder, double wall, PerpError *error);

// Everything up to now, with a checkpoint, is in the file and survives a kill.
PERP_API PerpStatus perp_recorder_flush(PerpRecorder *recorder, PerpError *error);

// Flushes and ends the file; finished: the run came to its planned end. Frees the recorder, also
// after a failure. NULL is allowed.
PERP_API PerpStatus perp_recorder_close(PerpRecorder *recorder, bool finished, PerpError *error);

// --- reading ------------------------------------------------------------------------------------

typedef struct PerpRecording PerpRecording;

// Where a run came from and how it was made. All strings belong to the recording.
typedef struct PerpRecordingInfo {
    int format;                    // version of the file's schema
    const char *perp, *commit;     // that wrote it
    const char *build;             // compiler and flags
    const char *scene, *scene_sha; // source text of the scene, its SHA-256 in hex
    const char *scene_path;        // as it was given
    const char *about;             // what the scene says of itself
    const char *options;           // JSON object of what was asked for
    unsigned long long seed;       //
    double step;                   // s
    int every;                     // steps between frames
    int bodies, shapes, joints;    //
    long frames;                   // recorded, the start counts
    long steps;                    // simulated up to the last frame
    long planned;                  // steps that the run was to take, 0: not known
    bool closed;                   // in order, not cut off or still growing
    bool finished;                 // came to its planned end
} PerpRecordingInfo;

// A body and its shapes, for display and reports.
typedef struct PerpRecordedBody {
    const char *name; // as in the scene
    double mass;      // kg, 0 if it cannot move
} PerpRecordedBody;

// A shape, for display.
typedef struct PerpRecordedShape {
    int body;            // -1: the world
    const char *kind;    // as in scene files
    double size[3];      // m: what the kind needs: radius; half lengths; radius, half length
    double position[3];  // in the body's frame
    double rotation[4];  // w x y z
    int n_vertices;      // hulls, meshes and height fields: their triangles, else 0
    int n_triangles;     //
    const float *vertex; // 3 each, m
    const int *triangle; // 3 each
} PerpRecordedShape;

// A named frame on a body, or in the world.
typedef struct PerpRecordedSite {
    const char *name;   // as in the scene
    int body;           // -1: the world
    double position[3]; // m, in the body's frame
    double rotation[4]; // w x y z, likewise
} PerpRecordedSite;

// Opens a recording for reading, also one that is being written. On failure *recording is NULL.
PERP_API PerpStatus perp_recording_open(const PerpContext *context, const char *path,
                                        PerpRecording **recording, PerpError *error);
PERP_API void perp_recording_close(PerpRecording *recording); // NULL is allowed

// Looks again at a file that is still being written: info may show more frames.
PERP_API PerpStatus perp_recording_refresh(PerpRecording *recording, PerpError *error);

// Belongs to the recording; refresh may change it.
PERP_API const PerpRecordingInfo *perp_recording_info(const PerpRecording *recording);

// The settings of the run, without callbacks; the copy is for other languages.
PERP_API void perp_recording_copy_settings(const PerpRecording *recording,
                                           PerpSimulationSettings *settings, size_t size);
static inline PerpSimulationSettings perp_recording_settings(const PerpRecording *recording)
{
    PerpSimulationSettings settings;
    perp_recording_copy_settings(recording, &settings, sizeof settings);
    return settings;
}

// By index; bodies that are not there are the world.
PERP_API PerpRecordedBody perp_recording_body(const PerpRecording *recording, int body);
PERP_API PerpRecordedShape perp_recording_shape(const PerpRecording *recording, int shape);
PERP_API const char *perp_recording_joint(const PerpRecording *recording, int joint); // its name
// When a joint exists, from and until, s; false: always, 0 and INFINITY.
PERP_API bool perp_recording_joint_enabled(const PerpRecording *recording, int joint,
                                           double times[2]);
// Red, green, blue (sRGB) and opacity of a shape, 0 .. 1; false: the scene gives none.
PERP_API bool perp_recording_colour(const PerpRecording *recording, int shape, double colour[4]);
// The scene's camera; false: it has none.
PERP_API bool perp_recording_camera(const PerpRecording *recording, PerpCamera *camera);
// How many sites there are, and one of them.
PERP_API int perp_recording_sites(const PerpRecording *recording);
PERP_API PerpRecordedSite perp_recording_site(const PerpRecording *recording, int site);

// The scene, read from the texts in the file.
PERP_API PerpStatus perp_recording_scene(const PerpRecording *recording, PerpScene **scene,
                                         PerpError *error);
// Parameters that it was read with, `count` of them; they belong to the recording.
PERP_API const PerpParameter *perp_recording_parameters(const PerpRecording *recording, int *count);

// Series over frames, by the name of their dataset, such as "time", "energy/kinetic",
// "certificate/worst", "certificate/momentum", "step/penetration", "step/contacts", "step/method".
// values: room for `count` frames from `first` on. docs/recording.md has the list.
PERP_API int perp_recording_series_count(void);
PERP_API const char *perp_recording_series_name(int series);
PERP_API const char *perp_recording_series_unit(int series);
PERP_API bool perp_recording_has(const PerpRecording *recording, const char *series);
PERP_API PerpStatus perp_recording_series(PerpRecording *recording, const char *series, long first,
                                          long count, double *values, PerpError *error);

// Poses and velocities of frames first .. first + count - 1, all bodies:
// pose[7]: position, rotation w x y z; velocity[6]: of the frame's origin, spin; world axes.
PERP_API PerpStatus perp_recording_poses(PerpRecording *recording, long first, long count,
                                         double *pose, PerpError *error);
PERP_API PerpStatus perp_recording_velocities(PerpRecording *recording, long first, long count,
                                              double *velocity, PerpError *error);

// A contact of a frame.
typedef struct PerpRecordedContact {
    unsigned long long id;                // the same from frame to frame
    int body_a, body_b, shape_a, shape_b; // -1: the world
    double point[3], normal[3];           // m; from b to a
    double gap;                           // m
    double velocity[3];                   // m/s, of a against b at the point, world axes
    double impulse[3];                    // N s, on a, world axes
    double mu;                            //
    double residual;                      // as in PerpContactReport
    PerpContactStatus status;             // after the step
} PerpRecordedContact;

// The exact state of the system at a frame, see perp_simulation_q; how many numbers there are.
PERP_API void perp_recording_state_size(const PerpRecording *recording, int *n_q, int *n_v);
PERP_API PerpStatus perp_recording_state(PerpRecording *recording, long frame, double *q, double *v,
                                         PerpError *error);

// What the worst residual of a frame's certificate is of, such as "slip between a and b".
PERP_API PerpStatus perp_recording_worst(PerpRecording *recording, long frame,
                                         char worst[PERP_NAME_SIZE], PerpError *error);

// The coordinates of all joints, PERP_JOINT_COORDINATES each (0 where a joint has fewer).
PERP_API PerpStatus perp_recording_coordinates(PerpRecording *recording, long first, long count,
                                               double *coordinate, PerpError *error);

// The numbers of the sensors: how many a frame has, what each is called (such as "bearing.x") and
// its unit, and their values, all of a frame side by side.
PERP_API int perp_recording_sensor_count(const PerpRecording *recording);
PERP_API const char *perp_recording_sensor(const PerpRecording *recording, int number);
PERP_API const char *perp_recording_sensor_unit(const PerpRecording *recording, int number);
PERP_API PerpStatus perp_recording_sensors(PerpRecording *recording, long first, long count,
                                           double *values, PerpError *error);

// Loads, means over the step before the frame. Of all joints: force and moment on the second body
// about the anchor there, world axes, 6 each, as perp_simulation_joint_reaction. Of the joints' own
// motors: PERP_JOINT_COORDINATES each. Of all actuators: a force each.
PERP_API PerpStatus perp_recording_reactions(PerpRecording *recording, long first, long count,
                                             double *reaction, PerpError *error);
PERP_API PerpStatus perp_recording_motor_forces(PerpRecording *recording, long first, long count,
                                                double *force, PerpError *error);
PERP_API int perp_recording_actuator_count(const PerpRecording *recording);
PERP_API const char *perp_recording_actuator(const PerpRecording *recording, int actuator);
PERP_API PerpStatus perp_recording_actuator_forces(PerpRecording *recording, long first, long count,
                                                   double *force, PerpError *error);

// The contacts of one frame; they belong to the recording until the next call.
PERP_API PerpStatus perp_recording_contacts(PerpRecording *recording, long frame,
                                            const PerpRecordedContact **contacts, int *count,
                                            PerpError *error);

// What a program did to the simulation, for perp_simulation_follow_journal; it belongs to the
// recording until the next call.
PERP_API PerpStatus perp_recording_journal(PerpRecording *recording, const double **numbers,
                                           long *count, PerpError *error);

// What happened.
typedef enum PerpEventKind {
    PERP_EVENT_IMPACT,
    PERP_EVENT_SLIP,     // stick to slip
    PERP_EVENT_TAKE_OFF, //
    PERP_EVENT_LIMIT,    // a joint hit its limit
    PERP_EVENT_KIND_COUNT
} PerpEventKind;

// The word of reports; "?" if out of range.
PERP_API const char *perp_event_kind_name(PerpEventKind kind);

// Something that happened at once.
typedef struct PerpRecordedEvent {
    double t;                  // s
    long step, frame;          // the first frame at or after it
    PerpEventKind kind;        // see the list
    int body_a, body_b, joint; // -1: none or the world
    double size;               // N s or m/s, see docs/recording.md
} PerpRecordedEvent;

// How many events there are, and one of them.
PERP_API long perp_recording_events(const PerpRecording *recording);
PERP_API PerpStatus perp_recording_event(PerpRecording *recording, long index,
                                         PerpRecordedEvent *event, PerpError *error);

// A problem with its solution and the certificate that the run gave it. Belongs to the recording
// until the next call.
typedef struct PerpRecordedProblem {
    long step;                            // of the run
    double t;                             // s, of the beginning of what it covers
    PerpProblem problem;                  // passes perp_problem_check
    const double *v, *c, *lambda;         // the solution: velocities, rows, groups
    double residual[PERP_RESIDUAL_COUNT]; // of the certificate
    PerpOutcome outcome;                  // of the solve
    PerpMethod solved_by;                 // the method
    const double *slip_held;              // groups, m/s: if the outcome is HELD, else NULL
    PerpHeld held;                        // the certificate of that law, 0 unless it is HELD
} PerpRecordedProblem;

// How many problems are stored, and one of them.
PERP_API long perp_recording_problems(const PerpRecording *recording);
PERP_API PerpStatus perp_recording_problem(PerpRecording *recording, long index,
                                           PerpRecordedProblem *problem, PerpError *error);

#ifdef __cplusplus
}
#endif
#endif

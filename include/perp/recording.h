// Recordings of runs: HDF5 files that survive a kill and from which a run can go on to the same
// bits. docs/recording.md describes the file.
#ifndef PERP_RECORDING_H
#define PERP_RECORDING_H

#include "perp/scene.h"
#include "perp/simulation.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    bool finished;                 // closed in order, not cut off
} PerpRecordingInfo;

// A body and its shapes, for display and reports.
typedef struct PerpRecordedBody {
    const char *name;
    double mass; // kg, 0 if it cannot move
} PerpRecordedBody;

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

PerpStatus perp_recording_open(const PerpContext *context, const char *path,
                               PerpRecording **recording, PerpError *error);
void perp_recording_close(PerpRecording *recording); // NULL is allowed

// Looks again at a file that is still being written: info may show more frames.
PerpStatus perp_recording_refresh(PerpRecording *recording, PerpError *error);

const PerpRecordingInfo *perp_recording_info(const PerpRecording *recording);
PerpRecordedBody perp_recording_body(const PerpRecording *recording, int body);
PerpRecordedShape perp_recording_shape(const PerpRecording *recording, int shape);

// Series over frames, by the name of their dataset, such as "time", "energy/kinetic",
// "certificate/worst", "certificate/momentum", "step/penetration", "step/contacts", "step/rung".
// values: room for `count` frames from `first` on.
bool perp_recording_has(const PerpRecording *recording, const char *series);
PerpStatus perp_recording_series(PerpRecording *recording, const char *series, long first,
                                 long count, double *values, PerpError *error);

// Poses and velocities of frames first .. first + count - 1, all bodies:
// pose[7]: position, rotation w x y z; velocity[6]: of the frame's origin, spin; world axes.
PerpStatus perp_recording_poses(PerpRecording *recording, long first, long count, double *pose,
                                PerpError *error);
PerpStatus perp_recording_velocities(PerpRecording *recording, long first, long count,
                                     double *velocity, PerpError *error);

typedef enum PerpContactStatus {
    PERP_CONTACT_OPEN,  // no impulse
    PERP_CONTACT_STICK, //
    PERP_CONTACT_SLIP,  //
    PERP_CONTACT_IMPACT // hit in this step
} PerpContactStatus;

const char *perp_contact_status_name(PerpContactStatus status);

typedef struct PerpRecordedContact {
    unsigned long long id;
    int body_a, body_b, shape_a, shape_b;
    double point[3], normal[3]; // m; from b to a
    double gap;                 // m
    double velocity[3];         // m/s, of a against b at the point, world axes
    double impulse[3];          // N s, on a, world axes
    double mu;                  //
    double residual;            // the contact's worst, as in the certificate
    PerpContactStatus status;
} PerpRecordedContact;

// The contacts of one frame; they belong to the recording until the next call.
PerpStatus perp_recording_contacts(PerpRecording *recording, long frame,
                                   const PerpRecordedContact **contacts, int *count,
                                   PerpError *error);

typedef enum PerpEventKind {
    PERP_EVENT_IMPACT,
    PERP_EVENT_SLIP,     // stick to slip
    PERP_EVENT_TAKE_OFF, //
    PERP_EVENT_LIMIT,    // a joint hit its limit
    PERP_EVENT_KIND_COUNT
} PerpEventKind;

const char *perp_event_kind_name(PerpEventKind kind);

typedef struct PerpRecordedEvent {
    double t;
    long step, frame; // the first frame at or after it
    PerpEventKind kind;
    int body_a, body_b, joint; // -1: none or the world
    double size;               // N s or m/s, see docs/recording.md
} PerpRecordedEvent;

long perp_recording_events(const PerpRecording *recording);
PerpStatus perp_recording_event(PerpRecording *recording, long index, PerpRecordedEvent *event,
                                PerpError *error);

#ifdef __cplusplus
}
#endif
#endif

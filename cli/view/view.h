// perp view: a recording as a page for the browser. docs/viewer.md describes the payload.
#ifndef PERP_CLI_VIEW_VIEW_H
#define PERP_CLI_VIEW_VIEW_H

#include "common/cli.h"
#include "common/open_scene.h"
#include "view/bytes.h"

#include "perp/recording.h"

// The page without data; cmake/embed_page.cmake writes it. Empty if the viewer was not built.
extern const unsigned char view_page[];
extern const size_t view_page_size;

// The series that the page shows, if the recording has them.
extern const char *const VIEW_SERIES[];
extern const int VIEW_SERIES_COUNT;

// Which frames of a recording go into a payload.
typedef struct ViewPart {
    long first, stride, count; // frames first, first + stride, ...
    long last;                 // which none of them exceeds: the end is always shown
    long contact_stride;       // of these, every contact_stride-th has its contacts
    bool velocities, sensors, loads;
} ViewPart;

// A page: everything thinned, but each frame of a window; the window is the part of stride 1
// between the other two.
enum { VIEW_PARTS = 3 };
typedef struct ViewPlan {
    ViewPart part[VIEW_PARTS];
    int count;
} ViewPlan;

// A window of time, s; empty if to <= from.
typedef struct ViewWindow {
    double from, to;
} ViewWindow;

long view_frame(const ViewPart *part, long index); // in the recording

// Everything, thinned to what a page can hold, and each frame of the window, if there is one.
PerpStatus view_plan_whole(PerpRecording *recording, ViewWindow window, ViewPlan *plan,
                           PerpError *error);
// A piece of a recording that is served, from frame `first` on; each frame up to `last` unless that
// is negative.
ViewPlan view_plan_piece(const PerpRecording *recording, long first, long last);
const ViewPart *view_coarse_part(const ViewPlan *plan); // that of the longest stride
// What the plan leaves out, for people; "" if nothing.
void view_describe_plan(const PerpRecording *recording, const ViewPlan *plan, char *text,
                        size_t size);

// Sections of the payload. The head holds everything that does not change from frame to frame.
PerpStatus view_put_head(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                         const char *name, const char *note, PerpError *error);
void view_put_scene(FILE *out, const PerpRecording *recording); // members of the head's JSON
PerpStatus view_put_events(Bytes *bytes, PerpRecording *recording, PerpError *error);
PerpStatus view_put_frames(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                           PerpError *error);
PerpStatus view_put_contacts(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                             PerpError *error);
// What the worst residual of each frame is of.
PerpStatus view_put_worst(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                          PerpError *error);

// Sensors and loads.
PerpStatus view_put_numbers(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                            PerpError *error);

// What is shown. The names are those that the page shows, without folder.
typedef struct ViewSource {
    PerpRecording *recording, *ghost; // ghost: NULL if there is none
    const char *name, *ghost_name;
    ViewWindow window;
} ViewSource;

// All sections of the plan, deflated, appended to out.
PerpStatus view_put_payload(Bytes *out, PerpRecording *recording, const ViewPlan *plan,
                            const char *name, const char *note, PerpError *error);

// The page with the recordings in it.
PerpStatus view_put_page(Bytes *out, const ViewSource *source, PerpError *error);
// The same in a file, which appears whole or not at all. Complains if that fails.
CliExit view_write_page(const ViewSource *source, const char *path);
// The page that asks its server for data.
void view_put_served_page(Bytes *out, bool has_ghost);

// How a recording is served, on loopback only.
typedef struct ViewService {
    int port;  // 0: any that is free
    bool open; // the browser, too
    int until; // ends with what is at the other end of this descriptor; -1: nothing
    void (*announce)(const struct ViewService *service, const char *address); // once it listens
} ViewService;

// Serves until interrupted.
PerpStatus view_serve(const ViewSource *source, const ViewService *service, PerpError *error);

// The start of a scene as a recording of one frame, in a file without a name. Complains if it
// fails.
CliExit view_open_start(const SceneSource *scene, PerpRecording **recording);

// Shows the address in the browser of the desktop. False if there is none.
bool view_open_browser(const char *address);

// Fills error with the status and returns it.
PerpStatus view_fail(PerpError *error, PerpStatus status, const char *message);

#endif

// perp view: a recording as a page for the browser. docs/viewer.md describes the payload.
#ifndef PERP_CLI_VIEW_VIEW_H
#define PERP_CLI_VIEW_VIEW_H

#include "common/cli.h"
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
    bool velocities;
} ViewPart;

long view_frame(const ViewPart *part, long index); // in the recording

// Everything, thinned to what a page can hold; `part` for a piece from frame `first` on, of a
// recording that is served.
ViewPart view_plan_whole(PerpRecording *recording, PerpError *error);
ViewPart view_plan_piece(const PerpRecording *recording, long first);
// What the part leaves out, for people; "" if nothing.
void view_describe_part(const PerpRecording *recording, const ViewPart *part, char *text,
                        size_t size);

// Sections of the payload. The head holds everything that does not change from frame to frame.
PerpStatus view_put_head(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                         const char *note, PerpError *error);
PerpStatus view_put_events(Bytes *bytes, PerpRecording *recording, PerpError *error);
PerpStatus view_put_frames(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                           PerpError *error);
PerpStatus view_put_contacts(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                             PerpError *error);
// What the worst residual of each frame is of.
PerpStatus view_put_worst(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                          PerpError *error);

// All sections of the part, deflated, appended to out.
PerpStatus view_put_payload(Bytes *out, PerpRecording *recording, const ViewPart *part,
                            const char *note, PerpError *error);

// The page with the recording, and a ghost unless that is NULL, in it.
PerpStatus view_put_page(Bytes *out, PerpRecording *recording, PerpRecording *ghost,
                         PerpError *error);
// The same in a file, which appears whole or not at all. Complains if that fails.
CliExit view_write_page(PerpRecording *recording, PerpRecording *ghost, const char *path);
// The page that asks its server for data.
void view_put_served_page(Bytes *out, bool has_ghost);

// Serves until interrupted, on loopback only. port 0: any that is free.
PerpStatus view_serve(PerpRecording *recording, PerpRecording *ghost, int port, bool open,
                      PerpError *error);

// Shows the address in the browser of the desktop. False if there is none.
bool view_open_browser(const char *address);

// Fills error with the status and returns it.
PerpStatus view_fail(PerpError *error, PerpStatus status, const char *message);

#endif

// Which frames of a recording go into a page.
#include "view/view.h"

#include <math.h>
#include <stdio.h>

// What a page holds at most, so that it opens in seconds: 10 000 bodies in 200 frames, say.
static const double BODY_FRAMES = 2e6;
static const double BODY_FRAMES_WITH_VELOCITIES = 3e5;
static const double CONTACTS = 1.5e5;
static const double PIECE = 1e5; // body-frames of one answer of the server
static const double RATE = 60;   // frames a second of simulated time

// Frames of a 60th of a second, never closer than they were recorded.
static long plain_stride(const PerpRecordingInfo *info)
{
    double apart = info->step * info->every;
    return apart > 0 ? (long)fmax(1, floor(1 / (RATE * apart) + 1e-9)) : 1;
}

long view_frame(const ViewPart *part, long index)
{
    long frame = part->first + index * part->stride;
    return frame < part->last ? frame : part->last;
}

// All up to the last one, which is shown even if it is not a stride away from the one before.
static long count_frames(const ViewPart *part)
{
    long span = part->last - part->first;
    return span < 0 ? 0 : (span + part->stride - 1) / part->stride + 1;
}

static double count_contacts(PerpRecording *recording, const ViewPart *part, PerpError *error)
{
    double total = 0;
    for (long k = 0; k < part->count; k++) {
        double count = 0;
        if (perp_recording_series(recording, "step/contacts", view_frame(part, k), 1, &count,
                                  error))
            return 0;
        total += count;
    }
    return total;
}

ViewPart view_plan_whole(PerpRecording *recording, PerpError *error)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    double bodies = fmax(info->bodies, 1);
    ViewPart part = {.stride = plain_stride(info), .contact_stride = 1, .last = info->frames - 1};
    part.count = count_frames(&part);
    double excess = bodies * (double)part.count / BODY_FRAMES;
    if (excess > 1) {
        part.stride *= (long)ceil(excess);
        part.count = count_frames(&part);
    }
    part.velocities = perp_recording_has(recording, "velocity") &&
                      bodies * (double)part.count <= BODY_FRAMES_WITH_VELOCITIES;
    if (perp_recording_has(recording, "step/contacts")) {
        double contacts = count_contacts(recording, &part, error);
        part.contact_stride = (long)fmax(1, ceil(contacts / CONTACTS));
    }
    return part;
}

ViewPart view_plan_piece(const PerpRecording *recording, long first)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    double bodies = fmax(info->bodies, 1);
    ViewPart part = {.first = first, .stride = plain_stride(info), .contact_stride = 1};
    part.velocities = perp_recording_has(recording, "velocity");
    part.last = info->frames - 1;
    part.count = count_frames(&part);
    // of a recording that grows the end is not known yet
    if (!info->closed && part.count > 0 && (part.last - first) % part.stride != 0)
        part.count--;
    long most = (long)fmax(8, PIECE / bodies);
    if (part.count > most)
        part.count = most;
    return part;
}

void view_describe_part(const PerpRecording *recording, const ViewPart *part, char *text,
                        size_t size)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    size_t at = 0;
    text[0] = '\0';
    if (part->stride > plain_stride(info))
        at = (size_t)snprintf(text, size,
                              "Thinned: %ld of %ld frames, %.3g a second. perp view --serve shows "
                              "all. ",
                              part->count, info->frames,
                              1 / (info->step * info->every * (double)part->stride));
    if (part->contact_stride > 1 && at < size)
        at += (size_t)snprintf(text + at, size - at, "Contacts of one frame in %ld only. ",
                               part->contact_stride);
    if (!part->velocities && perp_recording_has(recording, "velocity") && at < size)
        snprintf(text + at, size - at, "Without velocities.");
}

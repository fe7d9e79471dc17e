// Which frames of a recording go into a page.
#define _POSIX_C_SOURCE 200809L

#include "view/view.h"

#include <math.h>
#include <stdio.h>

// What a page holds at most, so that it opens in seconds: 10 000 bodies in 200 frames, say.
static const double BODY_FRAMES = 2e6;
static const double BODY_FRAMES_WITH_VELOCITIES = 3e5;
static const double CONTACTS = 1.5e5;
static const double NUMBERS = 2e6; // of sensors, and of loads
static const double PIECE = 1e5;   // body-frames of one answer of the server
static const double RATE = 60;     // frames a second of simulated time

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

static PerpStatus count_contacts(PerpRecording *recording, const ViewPart *part, double *total,
                                 PerpError *error)
{
    PerpStatus status = PERP_OK;
    *total = 0;
    for (long k = 0; k < part->count && !status; k++) {
        double count = 0;
        status = perp_recording_series(recording, "step/contacts", view_frame(part, k), 1, &count,
                                       error);
        *total += count;
    }
    return status;
}

// What each part of a plan has in common.
static ViewPart make_part(const PerpRecording *recording, long first, long last, long stride)
{
    ViewPart part = {.first = first, .last = last, .stride = stride, .contact_stride = 1};
    part.velocities = perp_recording_has(recording, "velocity");
    part.sensors = part.loads = true;
    part.count = count_frames(&part);
    return part;
}

// The first frame at t or after it.
static PerpStatus find_frame(PerpRecording *recording, double t, long *frame, PerpError *error)
{
    long low = 0, high = perp_recording_info(recording)->frames;
    PerpStatus status = PERP_OK;
    while (low < high && !status) {
        long middle = low + (high - low) / 2;
        double at = 0;
        status = perp_recording_series(recording, "time", middle, 1, &at, error);
        if (at < t)
            low = middle + 1;
        else
            high = middle;
    }
    *frame = low;
    return status;
}

// Frames before the window, those of the window, and those after it, as far as there are any.
static PerpStatus divide(PerpRecording *recording, ViewWindow window, ViewPlan *plan,
                         PerpError *error)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    double slack = 1e-9 * fmax(1, fabs(window.to));
    long from = 0, to = 0, stride = plain_stride(info), last = info->frames - 1;
    char text[PERP_MESSAGE_SIZE];
    *plan = (ViewPlan){.part = {make_part(recording, 0, last, stride)}, .count = 1};
    if (!(window.to > window.from))
        return PERP_OK;
    PerpStatus status = find_frame(recording, window.from - slack, &from, error);
    if (!status)
        status = find_frame(recording, window.to + slack, &to, error);
    if (status)
        return status;
    if (to <= from)
        return view_fail(error, PERP_BAD_VALUE, "--window: nothing is recorded in that time");
    double poses = fmax(info->bodies, 1) * (double)(to - from);
    if (poses > BODY_FRAMES) {
        snprintf(text, sizeof text,
                 "--window: %ld frames of %d bodies are more than a page holds; %.3g s would do",
                 to - from, info->bodies, (window.to - window.from) * BODY_FRAMES / poses);
        return view_fail(error, PERP_BAD_VALUE, text);
    }
    plan->count = 0;
    if (from > 0)
        plan->part[plan->count++] = make_part(recording, 0, from - 1, stride);
    plan->part[plan->count++] = make_part(recording, from, to - 1, 1);
    if (to <= last)
        plan->part[plan->count++] = make_part(recording, to, last, stride);
    return PERP_OK;
}

static bool is_window(const ViewPlan *plan, const ViewPart *part, const PerpRecordingInfo *info)
{
    return plan->count > 1 && part->stride == 1 && plain_stride(info) > 1;
}

static long count_all(const ViewPlan *plan)
{
    long count = 0;
    for (int k = 0; k < plan->count; k++)
        count += plan->part[k].count;
    return count;
}

// Fewer frames outside of the window until a page can hold them.
static void thin(const PerpRecording *recording, ViewPlan *plan)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    double excess = fmax(info->bodies, 1) * (double)count_all(plan) / BODY_FRAMES;
    for (int k = 0; k < plan->count && excess > 1; k++) {
        ViewPart *part = &plan->part[k];
        if (is_window(plan, part, info))
            continue;
        part->stride *= (long)ceil(excess);
        part->count = count_frames(part);
    }
}

static PerpStatus thin_contacts(PerpRecording *recording, ViewPlan *plan, PerpError *error)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    for (int k = 0; k < plan->count; k++) {
        ViewPart *part = &plan->part[k];
        double contacts, most = is_window(plan, part, info) ? 10 * CONTACTS : CONTACTS;
        PerpStatus status = count_contacts(recording, part, &contacts, error);
        if (status)
            return status;
        part->contact_stride = (long)fmax(1, ceil(contacts / most));
    }
    return PERP_OK;
}

PerpStatus view_plan_whole(PerpRecording *recording, ViewWindow window, ViewPlan *plan,
                           PerpError *error)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    PerpStatus status = divide(recording, window, plan, error);
    if (status)
        return status;
    thin(recording, plan);
    double frames = (double)count_all(plan);
    double sensors = perp_recording_sensor_count(recording);
    double loads = 8.0 * info->joints + perp_recording_actuator_count(recording);
    for (int k = 0; k < plan->count; k++) {
        ViewPart *part = &plan->part[k];
        part->velocities =
            part->velocities && fmax(info->bodies, 1) * frames <= BODY_FRAMES_WITH_VELOCITIES;
        part->sensors = sensors * frames <= NUMBERS;
        part->loads = loads * frames <= NUMBERS;
    }
    return perp_recording_has(recording, "step/contacts") ? thin_contacts(recording, plan, error)
                                                          : PERP_OK;
}

ViewPlan view_plan_piece(const PerpRecording *recording, long first, long last)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    bool is_fine = last >= 0;
    long end = is_fine && last < info->frames ? last : info->frames - 1;
    ViewPart part = make_part(recording, first, end, is_fine ? 1 : plain_stride(info));
    // of a recording that grows the end is not known yet
    if (!info->closed && part.count > 0 && (part.last - first) % part.stride != 0)
        part.count--;
    long most = (long)fmax(8, PIECE / fmax(info->bodies, 1));
    if (part.count > most)
        part.count = most;
    return (ViewPlan){.part = {part}, .count = 1};
}

const ViewPart *view_coarse_part(const ViewPlan *plan)
{
    const ViewPart *coarse = &plan->part[0];
    for (int k = 1; k < plan->count; k++)
        if (plan->part[k].stride > coarse->stride)
            coarse = &plan->part[k];
    return coarse;
}

void view_describe_plan(const PerpRecording *recording, const ViewPlan *plan, char *text,
                        size_t size)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    const ViewPart *coarse = view_coarse_part(plan);
    text[0] = '\0';
    FILE *out = fmemopen(text, size, "w");
    if (!out)
        return;
    if (coarse->stride > plain_stride(info))
        fprintf(out, "Thinned: %ld of %ld frames, %.3g a second. perp view --serve shows all. ",
                count_all(plan), info->frames,
                1 / (info->step * info->every * (double)coarse->stride));
    for (int k = 0; k < plan->count; k++)
        if (plan->part[k].contact_stride > 1) {
            fprintf(out, "Contacts of one frame in %ld only. ", plan->part[k].contact_stride);
            break;
        }
    if (!coarse->velocities && perp_recording_has(recording, "velocity"))
        fputs("Without velocities. ", out);
    if (!coarse->sensors && perp_recording_sensor_count(recording) > 0)
        fputs("Without sensors. ", out);
    if (!coarse->loads && perp_recording_has(recording, "loads/joint"))
        fputs("Without forces of joints. ", out);
    fclose(out);
}

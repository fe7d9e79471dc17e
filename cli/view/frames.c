// Frames of the payload: times, series, poses and velocities, each body in its own box.
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSE = 7, VELOCITY = 6, WORDS = 6 };

typedef struct Frames {
    const ViewPart *part;
    size_t bodies, count;
    double *pose, *velocity; // frame by frame
    uint16_t *code;          // body by body, word by word, along the frames
} Frames;

// --- reading ------------------------------------------------------------------------------------

static PerpStatus read_frames(PerpRecording *recording, Frames *frames, PerpError *error)
{
    const ViewPart *part = frames->part;
    for (size_t k = 0; k < frames->count; k++) {
        long frame = view_frame(part, (long)k);
        PerpStatus status = perp_recording_poses(recording, frame, 1,
                                                 frames->pose + k * frames->bodies * POSE, error);
        if (!status && part->velocities)
            status = perp_recording_velocities(
                recording, frame, 1, frames->velocity + k * frames->bodies * VELOCITY, error);
        if (status)
            return status;
    }
    return PERP_OK;
}

// --- times and series ---------------------------------------------------------------------------

// Residuals and overlaps stand for all recorded frames since the one before: nothing is hidden.
static bool takes_worst(const char *series)
{
    return strncmp(series, "energy/", 7) != 0 && strcmp(series, "time") != 0;
}

static double pick(const double *values, long at, long stride, bool worst)
{
    double most = values[at];
    for (long k = at - 1; worst && k > at - stride && k >= 0; k--)
        most = values[k] > most ? values[k] : most;
    return most;
}

static PerpStatus put_series(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                             const char *series, PerpError *error)
{
    long from = part->first > part->stride ? part->first - part->stride : 0;
    long to = view_frame(part, part->count - 1) + 1;
    double *values = malloc((size_t)(to - from + 1) * sizeof *values);
    if (!values)
        return view_fail(error, PERP_NO_MEMORY, "no memory for the series");
    PerpStatus status = perp_recording_series(recording, series, from, to - from, values, error);
    for (long k = 0; !status && k < part->count; k++) {
        double value = pick(values, view_frame(part, k) - from, part->stride, takes_worst(series));
        if (strcmp(series, "time") == 0)
            bytes_f64(bytes, value);
        else
            bytes_f32(bytes, value);
    }
    free(values);
    return status;
}

static PerpStatus put_all_series(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                                 PerpError *error)
{
    PerpStatus status = put_series(bytes, recording, part, "time", error);
    for (long k = 0; k < part->count; k++)
        bytes_u32(bytes, (uint32_t)view_frame(part, k));
    for (int k = 0; !status && k < VIEW_SERIES_COUNT; k++)
        if (perp_recording_has(recording, VIEW_SERIES[k]))
            status = put_series(bytes, recording, part, VIEW_SERIES[k], error);
    return status;
}

static uint32_t count_series(const PerpRecording *recording)
{
    uint32_t count = 0;
    for (int k = 0; k < VIEW_SERIES_COUNT; k++)
        count += perp_recording_has(recording, VIEW_SERIES[k]);
    return count;
}

// --- poses --------------------------------------------------------------------------------------

// Differences along the frames, of the differences for what moves smoothly.
static void difference(uint16_t *code, size_t count, int order)
{
    for (int pass = 0; pass < order; pass++)
        for (size_t k = count; k-- > (size_t)pass + 1;)
            code[k] = (uint16_t)(code[k] - code[k - 1]);
}

static void code_positions(const Frames *frames, size_t body, double low[3], double unit[3])
{
    size_t stride = frames->bodies * POSE;
    for (size_t axis = 0; axis < 3; axis++) {
        const double *x = frames->pose + body * POSE + axis;
        double least = x[0], most = x[0];
        for (size_t k = 1; k < frames->count; k++) {
            least = fmin(least, x[k * stride]);
            most = fmax(most, x[k * stride]);
        }
        low[axis] = (float)least; // as the page reads it
        unit[axis] = (float)((most - low[axis]) / 65535);
        uint16_t *code = frames->code + (body * WORDS + axis) * frames->count;
        for (size_t k = 0; k < frames->count; k++) {
            double step = unit[axis] > 0 ? (x[k * stride] - low[axis]) / unit[axis] : 0;
            code[k] = (uint16_t)fmin(fmax(round(step), 0), 65535);
        }
        difference(code, frames->count, 2);
    }
}

static void code_rotations(const Frames *frames, size_t body)
{
    uint16_t *code = frames->code + (body * WORDS + 3) * frames->count;
    for (size_t k = 0; k < frames->count; k++) {
        uint16_t words[3];
        code_rotation(frames->pose + (k * frames->bodies + body) * POSE + 3, words);
        for (size_t word = 0; word < 3; word++)
            code[word * frames->count + k] = words[word];
    }
    for (size_t word = 0; word < 3; word++)
        difference(code + word * frames->count, frames->count, 1);
}

static PerpStatus put_poses(Bytes *bytes, const Frames *frames, PerpError *error)
{
    double *box = malloc((frames->bodies + 1) * 6 * sizeof *box);
    if (!box)
        return view_fail(error, PERP_NO_MEMORY, "no memory for the poses");
    for (size_t body = 0; body < frames->bodies; body++) {
        code_positions(frames, body, box + 6 * body, box + 6 * body + 3);
        code_rotations(frames, body);
    }
    for (size_t part = 0; part < 6; part += 3)
        for (size_t k = 0; k < 3 * frames->bodies; k++)
            bytes_f32(bytes, box[k / 3 * 6 + part + k % 3]);
    bytes_planes16(bytes, frames->code, frames->bodies * WORDS * frames->count);
    free(box);
    return PERP_OK;
}

// --- velocities: 12 bits of each component's range ----------------------------------------------

static double code_velocity(const Frames *frames, size_t body, size_t component)
{
    const double *v = frames->velocity + body * VELOCITY + component;
    size_t stride = frames->bodies * VELOCITY;
    double most = 0;
    for (size_t k = 0; k < frames->count; k++)
        most = fmax(most, fabs(v[k * stride]));
    double unit = (float)(most / 2047);
    uint16_t *code = frames->code + (body * WORDS + component) * frames->count;
    for (size_t k = 0; k < frames->count; k++)
        code[k] = unit > 0 ? (uint16_t)(int)lround(v[k * stride] / unit) : 0;
    difference(code, frames->count, 1);
    return unit;
}

static void put_velocities(Bytes *bytes, const Frames *frames)
{
    for (size_t body = 0; body < frames->bodies; body++)
        for (size_t component = 0; component < VELOCITY; component++)
            bytes_f32(bytes, code_velocity(frames, body, component));
    bytes_planes16(bytes, frames->code, frames->bodies * WORDS * frames->count);
}

// --- the section --------------------------------------------------------------------------------

static PerpStatus put_section(Bytes *bytes, PerpRecording *recording, const Frames *frames,
                              PerpError *error)
{
    size_t section = bytes_begin(bytes, "FRAM");
    bytes_u32(bytes, (uint32_t)frames->count);
    bytes_u32(bytes, (uint32_t)frames->bodies);
    bytes_u32(bytes, count_series(recording));
    bytes_u32(bytes, frames->part->velocities);
    PerpStatus status = put_all_series(bytes, recording, frames->part, error);
    if (!status)
        status = put_poses(bytes, frames, error);
    if (!status && frames->part->velocities)
        put_velocities(bytes, frames);
    bytes_end(bytes, section);
    return status;
}

PerpStatus view_put_frames(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                           PerpError *error)
{
    Frames frames = {.part = part,
                     .bodies = (size_t)perp_recording_info(recording)->bodies,
                     .count = (size_t)part->count};
    size_t all = frames.bodies * frames.count + 1;
    frames.pose = malloc(all * POSE * sizeof *frames.pose);
    frames.velocity = malloc(all * VELOCITY * sizeof *frames.velocity);
    frames.code = malloc(all * WORDS * sizeof *frames.code);
    PerpStatus status = frames.pose && frames.velocity && frames.code
                            ? read_frames(recording, &frames, error)
                            : view_fail(error, PERP_NO_MEMORY, "no memory for the frames");
    if (!status)
        status = put_section(bytes, recording, &frames, error);
    free(frames.pose);
    free(frames.velocity);
    free(frames.code);
    return status;
}

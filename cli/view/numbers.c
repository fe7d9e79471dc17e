// Numbers of each frame that are drawn as curves and arrows: sensors, actuators, motors, joints.
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

typedef PerpStatus (*Read)(PerpRecording *recording, long first, long count, double *values,
                           PerpError *error);

// What a frame has `width` numbers of.
typedef struct Source {
    Read read;
    size_t width; // 0: not in the recording, or left out
} Source;

enum { SOURCES = 4 };

// In the order of docs/viewer.md.
static void find_sources(const PerpRecording *recording, const ViewPart *part,
                         Source sources[SOURCES])
{
    size_t joints = (size_t)perp_recording_info(recording)->joints;
    bool has_loads = part->loads && perp_recording_has(recording, "loads/joint");
    size_t sensors = (size_t)perp_recording_sensor_count(recording);
    size_t actuators = (size_t)perp_recording_actuator_count(recording);
    sources[0] = (Source){perp_recording_sensors, part->sensors ? sensors : 0};
    sources[1] = (Source){perp_recording_actuator_forces, part->loads ? actuators : 0};
    sources[2] = (Source){perp_recording_motor_forces, has_loads ? 2 * joints : 0};
    sources[3] = (Source){perp_recording_reactions, has_loads ? 6 * joints : 0};
}

// Frames side by side become columns, floats as their bits.
static void turn(const double *frame, size_t width, size_t count, size_t at, uint32_t *column)
{
    for (size_t k = 0; k < width; k++) {
        float value = (float)frame[k];
        memcpy(column + k * count + at, &value, sizeof value);
    }
}

static PerpStatus put_source(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                             const Source *source, PerpError *error)
{
    size_t count = (size_t)part->count;
    double *frame = malloc((source->width + 1) * sizeof *frame);
    uint32_t *columns = malloc((source->width * count + 1) * sizeof *columns);
    PerpStatus status =
        frame && columns ? PERP_OK : view_fail(error, PERP_NO_MEMORY, "no memory for the loads");
    for (long k = 0; !status && k < part->count; k++) {
        status = source->read(recording, view_frame(part, k), 1, frame, error);
        if (!status)
            turn(frame, source->width, count, (size_t)k, columns);
    }
    if (!status)
        bytes_planes32(bytes, columns, source->width * count);
    free(frame);
    free(columns);
    return status;
}

PerpStatus view_put_numbers(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                            PerpError *error)
{
    Source sources[SOURCES];
    PerpStatus status = PERP_OK;
    find_sources(recording, part, sources);
    size_t section = bytes_begin(bytes, "NUMB");
    for (int k = 0; k < SOURCES; k++)
        bytes_u32(bytes, (uint32_t)sources[k].width);
    for (int k = 0; !status && k < SOURCES; k++)
        if (sources[k].width > 0)
            status = put_source(bytes, recording, part, &sources[k], error);
    bytes_end(bytes, section);
    return status;
}

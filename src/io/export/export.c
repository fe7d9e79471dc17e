// Export of a recording: chosen frames, read block by block, to one of the formats.
#include "io/export/export.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/text/output.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20 }; // of poses and velocities at a time

static const struct {
    const char *name, *ending, *text;
} formats[PERP_EXPORT_FORMAT_COUNT] = {
#define FORMAT(name, word, ending, text) {word, ending, text},
    PERP_EXPORT_LIST(FORMAT)
#undef FORMAT
};

static const PerpExporter exporters[PERP_EXPORT_FORMAT_COUNT] = {
    perp_export_contacts, perp_export_csv,  perp_export_npz,   perp_export_vtk,
    perp_export_gltf,     perp_export_mcap, perp_export_fclib,
};

static bool is_known(PerpExportFormat format)
{
    return (int)format >= 0 && format < PERP_EXPORT_FORMAT_COUNT;
}

const char *perp_export_name(PerpExportFormat format)
{
    return is_known(format) ? formats[format].name : "?";
}

const char *perp_export_ending(PerpExportFormat format)
{
    return is_known(format) ? formats[format].ending : "?";
}

const char *perp_export_text(PerpExportFormat format)
{
    return is_known(format) ? formats[format].text : "?";
}

void perp_fill_export_options(PerpExportOptions *made, size_t size)
{
    const PerpExportOptions defaults = {.last = LONG_MAX, .every = 1};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

// --- checks -------------------------------------------------------------------------------------

// A recording may come from anywhere; other programs are not to be fed with what is no number.
static bool are_finite(const double *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(numbers[k]))
            return false;
    return true;
}

static bool is_sound(const PerpRecordedShape *shape, int bodies)
{
    bool sound = shape->body >= -1 && shape->body < bodies && are_finite(shape->size, 3) &&
                 are_finite(shape->position, 3) && are_finite(shape->rotation, 4);
    for (size_t k = 0; sound && k < 3 * (size_t)shape->n_vertices; k++)
        sound = isfinite(shape->vertex[k]);
    return sound;
}

static PerpStatus check_shapes(const PerpExport *x, PerpError *error)
{
    for (int k = 0; k < x->info->shapes; k++) {
        PerpRecordedShape shape = perp_recording_shape(x->recording, k);
        if (!is_sound(&shape, x->info->bodies))
            return perp_fail(error, PERP_BAD_VALUE, "shape %d has no body or is not finite", k);
    }
    return PERP_OK;
}

static PerpStatus check_times(const PerpExport *x, PerpError *error)
{
    static const double longest = 1e9; // s, in nanoseconds far below 2^63
    for (long k = 0; k < x->frames; k++)
        if (!(x->time[k] >= 0 && x->time[k] <= longest) || (k > 0 && x->time[k] < x->time[k - 1]))
            return perp_fail(error, PERP_BAD_VALUE, "time: frame %ld is not after the one before",
                             x->frame[k]);
    return PERP_OK;
}

// --- reading ------------------------------------------------------------------------------------

PerpStatus perp_export_motion(PerpExport *x, long k, const double **pose, const double **velocity,
                              PerpError *error)
{
    long frame = x->frame[k];
    size_t bodies = (size_t)x->info->bodies;
    if (frame < x->first || frame >= x->first + x->loaded) {
        long left = x->info->frames - frame;
        x->loaded = 0;
        x->first = frame;
        long count = left < x->room ? left : x->room;
        PerpStatus status = PERP_OK;
        if (perp_recording_has(x->recording, "pose"))
            status = perp_recording_poses(x->recording, frame, count, x->pose, error);
        if (!status && perp_recording_has(x->recording, "velocity"))
            status = perp_recording_velocities(x->recording, frame, count, x->velocity, error);
        if (status)
            return status;
        if (!are_finite(x->pose, 7 * bodies * (size_t)count) ||
            !are_finite(x->velocity, 6 * bodies * (size_t)count))
            return perp_fail(error, PERP_BAD_VALUE,
                             "pose or velocity: not finite in frames %ld to %ld", frame,
                             frame + count - 1);
        x->loaded = count;
    }
    size_t row = (size_t)(frame - x->first);
    if (pose)
        *pose = x->pose + 7 * bodies * row;
    if (velocity)
        *velocity = x->velocity + 6 * bodies * row;
    return PERP_OK;
}

PerpStatus perp_export_series(PerpExport *x, const char *name, double **values, PerpError *error)
{
    *values = perp_allocate(&x->context->allocator, (size_t)x->info->frames + 1, sizeof **values);
    if (!*values)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    PerpStatus status =
        perp_recording_series(x->recording, name, 0, x->info->frames, *values, error);
    for (long k = 0; !status && k < x->frames; k++)
        (*values)[k] = (*values)[x->frame[k]];
    if (status) {
        perp_free(&x->context->allocator, *values);
        *values = NULL;
    }
    return status;
}

// --- writing ------------------------------------------------------------------------------------

PerpStatus perp_export_file(PerpExport *x, const char *path,
                            PerpStatus (*write)(FILE *stream, void *what, PerpError *error),
                            void *what, PerpError *error)
{
    PerpStatus status = perp_output_checked(path, write, what, error);
    x->files += status == PERP_OK;
    return status;
}

static void put_bytes(FILE *stream, uint64_t value, int count)
{
    unsigned char bytes[8];
    for (int k = 0; k < count; k++)
        bytes[k] = (unsigned char)(value >> (8 * k));
    fwrite(bytes, 1, (size_t)count, stream);
}

void perp_put_u16(FILE *stream, unsigned value)
{
    put_bytes(stream, value, 2);
}

void perp_put_u32(FILE *stream, uint32_t value)
{
    put_bytes(stream, value, 4);
}

void perp_put_u64(FILE *stream, uint64_t value)
{
    put_bytes(stream, value, 8);
}

void perp_put_float(FILE *stream, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    perp_put_u32(stream, bits);
}

void perp_put_json_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++) {
        unsigned char sign = (unsigned char)*text;
        if (sign == '"' || sign == '\\')
            fprintf(stream, "\\%c", sign);
        else if (sign < 0x20)
            fprintf(stream, "\\u%04x", sign);
        else
            fputc(sign, stream);
    }
    fputc('"', stream);
}

// --- the whole ----------------------------------------------------------------------------------

static PerpStatus choose_frames(PerpExport *x, bool needs_frames, const PerpExportOptions *options,
                                long *frame, double *time, double *number, PerpError *error)
{
    long frames = x->info->frames, seen = 0;
    PerpStatus status = perp_recording_series(x->recording, "time", 0, frames, time, error);
    if (!status)
        status = perp_recording_series(x->recording, "step/number", 0, frames, number, error);
    for (long k = 0; !status && k < frames; k++) {
        if (number[k] < (double)options->first || number[k] > (double)options->last ||
            seen++ % options->every != 0)
            continue;
        frame[x->frames] = k;
        time[x->frames] = time[k];
        number[x->frames++] = number[k];
    }
    if (!status && x->frames == 0 && needs_frames)
        return perp_fail(
            error, PERP_BAD_VALUE,
            "no frame of the recording lies in steps %ld to %ld; it has steps 0 to %ld",
            options->first, options->last, x->info->steps);
    return status;
}

static PerpStatus export_chosen(PerpExport *x, PerpExportFormat format,
                                const PerpExportOptions *options, PerpError *error)
{
    const PerpAllocator *allocator = &x->context->allocator;
    size_t frames = (size_t)x->info->frames + 1, bodies = (size_t)x->info->bodies + 1;
    size_t room = BLOCK_BYTES / (13 * sizeof(double) * bodies) + 1;
    x->room = (long)(room < frames ? room : frames);
    long *frame = perp_allocate(allocator, frames, sizeof *frame);
    double *time = perp_allocate(allocator, frames, sizeof *time);
    double *number = perp_allocate(allocator, frames, sizeof *number);
    x->pose = perp_allocate(allocator, 7 * bodies * (size_t)x->room, sizeof *x->pose);
    x->velocity = perp_allocate(allocator, 6 * bodies * (size_t)x->room, sizeof *x->velocity);
    PerpStatus status =
        frame && time && number && x->pose && x->velocity
            ? choose_frames(x, format != PERP_EXPORT_FCLIB, options, frame, time, number, error)
            : perp_fail(error, PERP_NO_MEMORY, "out of memory");
    x->frame = frame;
    x->time = time;
    x->number = number;
    for (size_t k = 0; !status && k < bodies * (size_t)x->room; k++)
        x->pose[7 * k + 3] = 1; // no rotation, where poses were not recorded
    if (!status)
        status = check_shapes(x, error);
    if (!status)
        status = check_times(x, error);
    if (!status)
        status = exporters[format](x, error);
    perp_free(allocator, frame);
    perp_free(allocator, time);
    perp_free(allocator, number);
    perp_free(allocator, x->pose);
    perp_free(allocator, x->velocity);
    return status;
}

PerpStatus perp_export(const PerpContext *context, PerpRecording *recording, const char *path,
                       PerpExportFormat format, const PerpExportOptions *options, int *files,
                       PerpError *error)
{
    PerpContext usual_context = perp_default_context();
    PerpExportOptions used = perp_default_export_options();
    PerpStatus status =
        perp_read_sized(&used, sizeof used, options, "perp_default_export_options", error);
    if (status)
        return status;
    PerpExport x = {.context = context ? context : &usual_context,
                    .recording = recording,
                    .info = perp_recording_info(recording),
                    .path = path,
                    .first_step = used.first,
                    .last_step = used.last,
                    .every = used.every};
    if (!is_known(format) || used.every < 1)
        return perp_fail(error, PERP_BAD_VALUE, "an unknown format, or every %d-th frame",
                         used.every);
    status = export_chosen(&x, format, &used, error);
    if (files)
        *files = x.files;
    return status;
}

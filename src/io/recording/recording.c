// Reading of recordings: opening, following one that grows, closing.
#include "io/recording/recording.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/hdf5/hdf5_source.h"
#include "io/recording/recorder.h"
#include "io/text/input.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

PerpStatus perp_recording_fail(const PerpRecording *recording, PerpStatus status,
                               const char *object, const char *message, PerpError *error)
{
    return perp_fail_at(error, status, recording->path, 0, 0, "%s: %s", object, message);
}

// --- opening ------------------------------------------------------------------------------------

// A file that no writer closed opens for readers of a growing file only. These read again, after
// pauses that double, what does not have its checksum: often enough for a writer to finish a piece,
// and not for ever in a damaged file.
static hid_t open_file(const char *path)
{
    const unsigned attempts = 20;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_metadata_read_attempts(access, attempts) >= 0) {
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
        if (file < 0)
            file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    }
    if (access >= 0)
        H5Pclose(access);
    return file;
}

// Says what is wrong with a file that HDF5 does not open.
static PerpStatus explain(const char *path, PerpError *error)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char start[sizeof signature] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return perp_fail_at(error, PERP_NO_FILE, path, 0, 0, "cannot be read: %s", strerror(errno));
    size_t length = fread(start, 1, sizeof start, file);
    fclose(file);
    if (length < sizeof start || memcmp(start, signature, sizeof start) != 0)
        return perp_fail_at(error, PERP_BAD_SYNTAX, path, 0, 0,
                            "not a recording: expected an HDF5 file made by perp run -o");
    return perp_fail_at(error, PERP_BAD_SYNTAX, path, 0, 0,
                        "HDF5 cannot open the file: it is truncated or damaged");
}

static PerpStatus read_ending(PerpRecording *recording, PerpError *error)
{
    PerpArena arena;
    perp_arena_init(&arena, &recording->context.allocator);
    PerpHdf5Source source = {
        .file = recording->file, .path = recording->path, .arena = &arena, .error = error};
    int ending = 0;
    hid_t set =
        perp_hdf5_exists(&source, "ending") ? H5Dopen2(recording->file, "ending", H5P_DEFAULT) : -1;
    if (set >= 0) {
        H5Drefresh(set);
        H5Dclose(set);
    }
    PerpStatus status = perp_hdf5_int(&source, "ending", &ending);
    recording->info.closed = ending >= PERP_ENDING_CLOSED;
    recording->info.finished = ending == PERP_ENDING_FINISHED;
    perp_arena_free(&arena);
    return status;
}

static PerpStatus read_file(PerpRecording *recording, PerpError *error)
{
    if (perp_input_is_special(recording->path))
        return perp_fail_at(error, PERP_BAD_SYNTAX, recording->path, 0, 0,
                            "not a recording, but a folder, pipe or device");
    recording->file = open_file(recording->path);
    if (recording->file < 0)
        return explain(recording->path, error);
    PerpStatus status = perp_recording_read_head(recording, error);
    if (!status)
        status = read_ending(recording, error);
    return status ? status : perp_recording_open_columns(recording, error);
}

PerpStatus perp_recording_open(const PerpContext *context, const char *path,
                               PerpRecording **recording, PerpError *error)
{
    PerpContext used = context ? *context : perp_default_context();
    *recording = NULL;
    if (strlen(path) >= PERP_PATH_SIZE)
        return perp_fail_at(error, PERP_BAD_SIZE, path, 0, 0, "a path longer than %d bytes",
                            PERP_PATH_SIZE - 1);
    PerpRecording *made = perp_allocate(&used.allocator, 1, sizeof *made);
    if (!made)
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    *made = (PerpRecording){.context = used, .file = -1};
    perp_arena_init(&made->arena, &made->context.allocator);
    snprintf(made->path, sizeof made->path, "%s", path);
    for (int k = 0; k < PERP_SERIES_COUNT; k++)
        made->series[k].set = -1;
    for (int k = 0; k < PERP_WIDE_COUNT; k++)
        made->wide[k].set = -1;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    PerpStatus status = read_file(made, error);
    perp_hdf5_restore(quiet);
    if (status)
        perp_recording_close(made);
    else
        *recording = made;
    return status;
}

void perp_recording_close(PerpRecording *recording)
{
    if (!recording)
        return;
    PerpAllocator allocator = recording->context.allocator;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    perp_recording_close_columns(recording);
    if (recording->file >= 0)
        H5Fclose(recording->file);
    perp_hdf5_restore(quiet);
    perp_free(&allocator, recording->contacts);
    perp_free(&allocator, recording->journal);
    perp_free(&allocator, recording->scratch);
    perp_free(&allocator, recording->ints);
    perp_free(&allocator, recording->doubles);
    perp_arena_free(&recording->arena);
    perp_free(&allocator, recording);
}

PerpStatus perp_recording_refresh(PerpRecording *recording, PerpError *error)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    for (int k = 0; k < PERP_SERIES_COUNT; k++)
        if (recording->series[k].set >= 0)
            H5Drefresh(recording->series[k].set);
    for (int k = 0; k < PERP_WIDE_COUNT; k++)
        if (recording->wide[k].set >= 0)
            H5Drefresh(recording->wide[k].set);
    PerpStatus status = read_ending(recording, error);
    if (!status)
        status = perp_recording_count(recording, error);
    perp_hdf5_restore(quiet);
    return status;
}

// --- questions ----------------------------------------------------------------------------------

const PerpRecordingInfo *perp_recording_info(const PerpRecording *recording)
{
    return &recording->info;
}

void perp_recording_copy_settings(const PerpRecording *recording, PerpSimulationSettings *settings,
                                  size_t size)
{
    perp_fill_sized(settings, size, &recording->settings, sizeof recording->settings);
}

PerpRecordedBody perp_recording_body(const PerpRecording *recording, int body)
{
    const PerpRecordedBody world = {"world", 0};
    return body >= 0 && body < recording->info.bodies ? recording->bodies[body] : world;
}

PerpRecordedShape perp_recording_shape(const PerpRecording *recording, int shape)
{
    return recording->shapes[shape];
}

const char *perp_recording_joint(const PerpRecording *recording, int joint)
{
    return joint >= 0 && joint < recording->info.joints ? recording->joints[joint] : "?";
}

bool perp_recording_joint_enabled(const PerpRecording *recording, int joint, double times[2])
{
    const double *given = recording->joint_times;
    bool is_joint = joint >= 0 && joint < recording->info.joints;
    times[0] = given && is_joint ? given[2 * joint] : 0;
    times[1] = given && is_joint ? given[2 * joint + 1] : INFINITY;
    return times[0] > 0 || times[1] < INFINITY;
}

bool perp_recording_colour(const PerpRecording *recording, int shape, double colour[4])
{
    if (!recording->colours || shape < 0 || shape >= recording->info.shapes)
        return false;
    for (int k = 0; k < 4; k++) {
        double part = recording->colours[4 * shape + k];
        if (!(part >= 0))
            return false;
        colour[k] = part < 1 ? part : 1;
    }
    return true;
}

bool perp_recording_camera(const PerpRecording *recording, PerpCamera *camera)
{
    *camera = recording->camera;
    if (camera->follow >= recording->info.bodies)
        camera->follow = -1;
    return recording->has_camera;
}

int perp_recording_sites(const PerpRecording *recording)
{
    return recording->n_sites;
}

PerpRecordedSite perp_recording_site(const PerpRecording *recording, int site)
{
    const PerpRecordedSite none = {.name = "?", .body = -1, .rotation = {1, 0, 0, 0}};
    return site >= 0 && site < recording->n_sites ? recording->sites[site] : none;
}

const PerpParameter *perp_recording_parameters(const PerpRecording *recording, int *count)
{
    *count = recording->n_set;
    return recording->set;
}

PerpStatus perp_recording_scene(const PerpRecording *recording, PerpScene **scene, PerpError *error)
{
    *scene = NULL;
    if (recording->n_texts == 0)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, recording->path, 0, 0,
                            "the recording holds no scene");
    return perp_scene_read_texts(&recording->context, recording->texts, recording->n_texts,
                                 recording->set, recording->n_set, scene, error);
}

// --- series -------------------------------------------------------------------------------------

bool perp_recording_has(const PerpRecording *recording, const char *series)
{
    int index = perp_series_find(series);
    if (index >= 0)
        return recording->series[index].set >= 0;
    for (int w = 0; w < PERP_WIDE_COUNT; w++)
        if (recording->wide[w].set >= 0 && strcmp(recording->wide[w].def.name, series) == 0)
            return true;
    return false;
}

static PerpStatus check_frames(const PerpRecording *recording, const char *what, long first,
                               long count, PerpError *error)
{
    long frames = recording->info.frames;
    if (first >= 0 && count >= 0 && first <= frames && count <= frames - first)
        return PERP_OK;
    return perp_fail_at(error, PERP_BAD_SIZE, recording->path, 0, 0,
                        "%s: frames %ld to %ld asked for, there are %ld", what, first,
                        first + count - 1, frames);
}

static PerpStatus read_frames(PerpRecording *recording, PerpReadColumn *column, const char *name,
                              long first, long count, double *values, PerpError *error)
{
    PerpStatus status = check_frames(recording, name, first, count, error);
    if (status || column->set >= 0)
        return status ? status
                      : perp_recording_numbers(recording, column, first, count, values, error);
    return perp_recording_fail(recording, PERP_NOT_SUPPORTED, name, "not in this recording", error);
}

PerpStatus perp_recording_series(PerpRecording *recording, const char *series, long first,
                                 long count, double *values, PerpError *error)
{
    int index = perp_series_find(series);
    if (index < 0)
        return perp_recording_fail(recording, PERP_NOT_SUPPORTED, series, "no such series", error);
    return read_frames(recording, &recording->series[index], series, first, count, values, error);
}

PerpStatus perp_recording_poses(PerpRecording *recording, long first, long count, double *pose,
                                PerpError *error)
{
    if (recording->info.bodies == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_POSE], "pose", first, count, pose,
                       error);
}

PerpStatus perp_recording_velocities(PerpRecording *recording, long first, long count,
                                     double *velocity, PerpError *error)
{
    if (recording->info.bodies == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_VELOCITY], "velocity", first, count,
                       velocity, error);
}

PerpStatus perp_recording_coordinates(PerpRecording *recording, long first, long count,
                                      double *coordinate, PerpError *error)
{
    if (recording->info.joints == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_COORDINATE], "coordinate", first,
                       count, coordinate, error);
}

int perp_recording_sensor_count(const PerpRecording *recording)
{
    return recording->wide[PERP_WIDE_SENSOR].set >= 0 ? recording->widths.sensors : 0;
}

const char *perp_recording_sensor(const PerpRecording *recording, int number)
{
    return number >= 0 && number < recording->widths.sensors ? recording->sensors[number] : "?";
}

const char *perp_recording_sensor_unit(const PerpRecording *recording, int number)
{
    return number >= 0 && number < recording->widths.sensors ? recording->sensor_units[number]
                                                             : "?";
}

PerpStatus perp_recording_sensors(PerpRecording *recording, long first, long count, double *values,
                                  PerpError *error)
{
    if (perp_recording_sensor_count(recording) == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_SENSOR], "sensors/value", first, count,
                       values, error);
}

PerpStatus perp_recording_reactions(PerpRecording *recording, long first, long count,
                                    double *reaction, PerpError *error)
{
    if (recording->info.joints == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_REACTION], "loads/joint", first, count,
                       reaction, error);
}

PerpStatus perp_recording_motor_forces(PerpRecording *recording, long first, long count,
                                       double *force, PerpError *error)
{
    if (recording->info.joints == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_MOTOR], "loads/motor", first, count,
                       force, error);
}

int perp_recording_actuator_count(const PerpRecording *recording)
{
    return recording->wide[PERP_WIDE_ACTUATOR].set >= 0 ? recording->widths.actuators : 0;
}

const char *perp_recording_actuator(const PerpRecording *recording, int actuator)
{
    return actuator >= 0 && actuator < recording->widths.actuators ? recording->actuators[actuator]
                                                                   : "?";
}

PerpStatus perp_recording_actuator_forces(PerpRecording *recording, long first, long count,
                                          double *force, PerpError *error)
{
    if (perp_recording_actuator_count(recording) == 0)
        return PERP_OK;
    return read_frames(recording, &recording->wide[PERP_WIDE_ACTUATOR], "loads/actuator", first,
                       count, force, error);
}

PerpStatus perp_recording_worst(PerpRecording *recording, long frame, char worst[PERP_NAME_SIZE],
                                PerpError *error)
{
    PerpReadColumn *column = &recording->wide[PERP_WIDE_WORST];
    PerpStatus status = check_frames(recording, "certificate/name", frame, 1, error);
    if (!status)
        status = perp_recording_rows(recording, column, frame, 1, worst, error);
    worst[status ? 0 : PERP_NAME_SIZE - 1] = '\0';
    return status;
}

void perp_recording_state_size(const PerpRecording *recording, int *n_q, int *n_v)
{
    *n_q = recording->widths.n_q;
    *n_v = recording->widths.n_v;
}

PerpStatus perp_recording_state(PerpRecording *recording, long frame, double *q, double *v,
                                PerpError *error)
{
    PerpStatus status = PERP_OK;
    if (recording->widths.n_q > 0)
        status = read_frames(recording, &recording->wide[PERP_WIDE_Q], "q", frame, 1, q, error);
    if (!status && recording->widths.n_v > 0)
        status = read_frames(recording, &recording->wide[PERP_WIDE_V], "v", frame, 1, v, error);
    return status;
}

PerpStatus perp_recording_journal(PerpRecording *recording, const double **numbers, long *count,
                                  PerpError *error)
{
    const PerpReadColumn *column = &recording->wide[PERP_WIDE_JOURNAL];
    const PerpAllocator *allocator = &recording->context.allocator;
    int64_t rows = column->set >= 0 ? column->rows : 0;
    perp_free(allocator, recording->journal);
    recording->journal = perp_allocate(allocator, (size_t)rows, sizeof *recording->journal);
    *numbers = recording->journal;
    *count = (long)rows;
    if (!recording->journal)
        return perp_fail_memory(error);
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    PerpStatus status =
        rows > 0 ? perp_recording_rows(recording, column, 0, rows, recording->journal, error)
                 : PERP_OK;
    perp_hdf5_restore(quiet);
    return status;
}

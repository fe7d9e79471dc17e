// Any bytes as a recording: everything that it says is asked for. It is refused with a message, or
// answers are within what it says of itself.
#define _POSIX_C_SOURCE 200809L

#include "perp/recording.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 4, PROBLEMS = 4, EVENTS = 16, MOST = 1 << 20 };

static void must_tell(PerpStatus status, const PerpError *error)
{
    if (status && error->message[0] == '\0')
        abort();
}

static void read_frame(PerpRecording *recording, long frame, double *numbers)
{
    const PerpRecordedContact *contacts;
    char worst[PERP_NAME_SIZE];
    PerpError error = {0};
    int count = 0;
    must_tell(perp_recording_poses(recording, frame, 1, numbers, &error), &error);
    must_tell(perp_recording_velocities(recording, frame, 1, numbers, &error), &error);
    must_tell(perp_recording_coordinates(recording, frame, 1, numbers, &error), &error);
    must_tell(perp_recording_state(recording, frame, numbers, numbers + MOST / 2, &error), &error);
    must_tell(perp_recording_worst(recording, frame, worst, &error), &error);
    must_tell(perp_recording_contacts(recording, frame, &contacts, &count, &error), &error);
}

static void read_all(PerpRecording *recording, double *numbers)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    PerpError error = {0};
    PerpScene *scene = NULL;
    int n_q, n_v;
    perp_recording_state_size(recording, &n_q, &n_v);
    if (info->bodies > MOST / 16 || info->joints > MOST / 16 || n_q > MOST / 2 || n_v > MOST / 2)
        return;
    for (long k = 0; k < info->frames && k < FRAMES; k++) {
        read_frame(recording, k, numbers);
        for (int s = 0; s < perp_recording_series_count(); s++)
            must_tell(perp_recording_series(recording, perp_recording_series_name(s), k, 1, numbers,
                                            &error),
                      &error);
    }
    for (long k = 0; k < perp_recording_problems(recording) && k < PROBLEMS; k++) {
        PerpRecordedProblem stored;
        PerpCertificate certificate;
        PerpStatus status = perp_recording_problem(recording, k, &stored, &error);
        must_tell(status, &error);
        if (!status)
            perp_certify(NULL, &stored.problem, stored.v, stored.c, stored.lambda, &certificate,
                         &error);
    }
    must_tell(perp_recording_scene(recording, &scene, &error), &error);
    perp_scene_destroy(scene);
}

// HDF5 reads files with a name only.
static bool store(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(data, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double *numbers;
    char path[64];
    PerpRecording *recording = NULL;
    PerpError error = {0};
    if (!numbers)
        numbers = malloc(MOST * sizeof *numbers);
    snprintf(path, sizeof path, "/tmp/perp-fuzz-%ld.h5", (long)getpid());
    if (!numbers || !store(path, data, size))
        abort();
    PerpStatus status = perp_recording_open(NULL, path, &recording, &error);
    must_tell(status, &error);
    if ((status == PERP_OK) != (recording != NULL))
        abort();
    if (recording)
        read_all(recording, numbers);
    perp_recording_close(recording);
    unlink(path);
    return 0;
}

// A run that goes on with its recording: scene and settings come from there.
#define _POSIX_C_SOURCE 200809L

#include "run/run.h"

#include "perp/recording.h"

#include <string.h>
#include <unistd.h>

// With -o, a recording that is not there yet is begun.
const char *run_resumed_path(const Run *run)
{
    const RunOptions *options = run->options;
    if (!options->resume)
        return NULL;
    if (!options->output)
        return options->source.path;
    return access(options->output, F_OK) == 0 ? options->output : NULL;
}

// The name outlives the recording.
static const char *find_scheme(const char *name)
{
    for (int k = 0; k < perp_scheme_count(); k++)
        if (strcmp(name, perp_scheme_name(k)) == 0)
            return perp_scheme_name(k);
    return "";
}

static PerpStatus complain(Run *run, PerpStatus status, const char *path, const char *message)
{
    run->error = (PerpError){.status = status};
    snprintf(run->error.file, sizeof run->error.file, "%s", path);
    snprintf(run->error.message, sizeof run->error.message, "%s", message);
    return status;
}

// SCENE -o RECORDING --resume: the scene must be the recorded one still.
static PerpStatus compare_scene(Run *run, const PerpScene *recorded)
{
    OpenScene given;
    PerpStatus status = open_scene(&run->options->source, &given, &run->error);
    bool same = !status && perp_scene_files(given.scene) == perp_scene_files(recorded);
    for (int k = 0; same && k < perp_scene_files(recorded); k++) {
        PerpSceneText a = perp_scene_text(given.scene, k), b = perp_scene_text(recorded, k);
        same = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
    }
    if (!status && !same)
        status = complain(run, PERP_BAD_VALUE, run->options->source.path,
                          "not the scene that was recorded; perp run --resume RECORDING goes on "
                          "with that one");
    close_scene(&given);
    return status;
}

static PerpStatus open_recorded(Run *run, const PerpRecording *recording)
{
    PerpStatus status = perp_recording_scene(recording, &run->opened.scene, &run->error);
    if (!status)
        status = perp_model_create(NULL, perp_scene_model_def(run->opened.scene),
                                   &run->opened.model, &run->error);
    if (!status && run->options->output)
        status = compare_scene(run, run->opened.scene);
    run->settings = perp_recording_settings(recording);
    run->settings.scheme = find_scheme(run->settings.scheme);
    run->settings.threads = run->options->threads;
    run->planned = perp_recording_info(recording)->planned;
    return status;
}

PerpStatus run_open_recorded(Run *run)
{
    PerpRecording *recording;
    PerpStatus status = perp_recording_open(NULL, run_resumed_path(run), &recording, &run->error);
    if (!status)
        status = open_recorded(run, recording);
    perp_recording_close(recording);
    return status;
}

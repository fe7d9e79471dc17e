// The start of a scene as a recording of one frame, so that it is shown like any other.
#define _POSIX_C_SOURCE 200809L

#include "check/check.h"
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Bodies that overlap are shown as they are.
static PerpStatus create_simulation(const OpenScene *opened, PerpSimulation **simulation,
                                    PerpError *error)
{
    const PerpRunDef *def = perp_scene_run(opened->scene);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    settings.scheme = def->scheme;
    settings.step = def->step;
    settings.overlap = PERP_OVERLAP_ALLOW;
    return start_simulation(opened, &settings, simulation, error);
}

// How many warnings perp check has of the scene; it moves the simulation.
static void count_warnings(const SceneSource *source, const OpenScene *opened,
                           PerpSimulation *simulation)
{
    size_t bodies = (size_t)perp_model_body_count(opened->model);
    Check check = {.path = source->path, .opened = *opened, .probe = simulation};
    check.bodies = calloc(bodies + 1, sizeof *check.bodies);
    if (check.bodies) {
        check_measure_bodies(&check);
        check_find_warnings(&check);
    }
    if (check.n_warnings > 0)
        fprintf(stderr, "perp: %s: perp check has %d warning%s\n", source->path, check.n_warnings,
                check.n_warnings == 1 ? "" : "s");
    free(check.bodies);
    free(check.warnings);
}

static PerpStatus record_start(const SceneSource *source, const OpenScene *opened, const char *path,
                               PerpError *error)
{
    PerpSimulation *simulation = NULL;
    PerpRecorder *recorder = NULL;
    PerpRecorderOptions options = perp_default_recorder_options();
    options.scene = opened->scene;
    options.set = source->set;
    options.n_set = source->n_set;
    PerpStatus status = create_simulation(opened, &simulation, error);
    if (!status)
        status =
            perp_recorder_create(NULL, path, opened->model, simulation, &options, &recorder, error);
    if (!status)
        status = perp_recorder_append(recorder, 0, error);
    PerpError at_end;
    PerpStatus closed = perp_recorder_close(recorder, true, status ? &at_end : error);
    if (!status && !closed)
        count_warnings(source, opened, simulation);
    perp_simulation_destroy(simulation);
    return status ? status : closed;
}

CliExit view_open_start(const SceneSource *source, PerpRecording **recording)
{
    char folder[PERP_PATH_SIZE], path[PERP_PATH_SIZE + 16];
    PerpError error = {0};
    OpenScene opened = {0};
    *recording = NULL;
    if (!cli_make_folder(folder))
        return CLI_BAD_INPUT;
    snprintf(path, sizeof path, "%s/start.h5", folder);
    PerpStatus status = open_scene(source, &opened, &error);
    if (!status)
        status = record_start(source, &opened, path, &error);
    if (!status)
        status = perp_recording_open(NULL, path, recording, &error);
    unlink(path); // what is open stays readable
    rmdir(folder);
    close_scene(&opened);
    return status ? cli_complain_of_error(&error) : CLI_OK;
}

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

// --- options that a resume cannot change --------------------------------------------------------

// Says with what the recording was begun, for an option that says otherwise.
static PerpStatus refuse(Run *run, const char *option, const char *recorded)
{
    char message[PERP_MESSAGE_SIZE];
    snprintf(message, sizeof message,
             "was begun with %s %s, which a resume cannot change: leave %s out, or record anew",
             option, recorded, option);
    return complain(run, PERP_BAD_VALUE, run_resumed_path(run), message);
}

static PerpStatus refuse_number(Run *run, const char *option, double recorded)
{
    char text[32];
    snprintf(text, sizeof text, "%g", recorded);
    return refuse(run, option, text);
}

// A switch that is on now and was off then.
static PerpStatus refuse_switch(Run *run, const char *option)
{
    char message[PERP_MESSAGE_SIZE];
    snprintf(message, sizeof message,
             "was begun without %s, which a resume cannot change: leave it out, or record anew",
             option);
    return complain(run, PERP_BAD_VALUE, run_resumed_path(run), message);
}

static PerpStatus compare_parameter(Run *run, const PerpParameter *given,
                                    const PerpParameter *recorded, int count)
{
    char message[PERP_MESSAGE_SIZE];
    int k = 0;
    while (k < count && strcmp(given->name, recorded[k].name) != 0)
        k++;
    if (k < count && strcmp(given->value, recorded[k].value) == 0)
        return PERP_OK;
    snprintf(
        message, sizeof message,
        "was begun %s --set %s%s%s, which a resume cannot change: leave it out, or record anew",
        k < count ? "with" : "without", given->name, k < count ? "=" : "",
        k < count ? recorded[k].value : "");
    return complain(run, PERP_BAD_VALUE, run_resumed_path(run), message);
}

// -h 1e-3 and 0.001 are the same, so are numbers that a scene had anyway.
static PerpStatus compare_numbers(Run *run)
{
    const RunOptions *given = run->options;
    const PerpSimulationSettings *settings = &run->settings;
    if (given->accuracy > 0)
        return complain(
            run, PERP_BAD_VALUE, run_resumed_path(run),
            "has the step that it was begun with: leave --accuracy out, or record anew");
    if (given->step > 0 && given->step != settings->step)
        return refuse_number(run, "-h", settings->step);
    if (given->tolerance > 0 && given->tolerance != settings->tolerance)
        return refuse_number(run, "--tolerance", settings->tolerance);
    bool exact = settings->held_tolerance == 0;
    if (given->tolerance > 0 && given->tolerance != settings->held_tolerance && !exact)
        return refuse_switch(run, "--tolerance"); // its default means less for slip held
    if (given->first_step >= 0 && given->first_step != settings->first_step)
        return refuse_number(run, "--first-step", settings->first_step);
    if (given->facets < 0 || given->facets == settings->facets)
        return PERP_OK;
    return settings->facets == 0 ? refuse(run, "--facets", "circular")
                                 : refuse_number(run, "--facets", settings->facets);
}

static PerpStatus compare_words(Run *run)
{
    const RunOptions *given = run->options;
    const PerpSimulationSettings *settings = &run->settings;
    if (given->scheme && strcmp(given->scheme, settings->scheme) != 0)
        return refuse(run, "--scheme", settings->scheme);
    if (given->jacobian >= 0 && given->jacobian != (int)settings->jacobian)
        return refuse(run, "--jacobian", perp_jacobian_name(settings->jacobian));
    if (given->stabilise >= 0 && given->stabilise != (int)settings->stabilise)
        return refuse(run, "--stabilise", perp_stabilisation_name(settings->stabilise));
    if (given->impacts >= 0 && given->impacts != (int)settings->impacts)
        return refuse(run, "--impacts", perp_impacts_name(settings->impacts));
    if (given->overlap >= 0 && given->overlap != (int)settings->overlap)
        return refuse(run, "--overlap", perp_overlap_name(settings->overlap));
    if (given->data >= 0 && given->data != (int)settings->data)
        return refuse(run, "--data", perp_data_name(settings->data));
    if (given->chose_methods && given->methods != settings->methods)
        return complain(run, PERP_BAD_VALUE, run_resumed_path(run),
                        "was begun with other methods of the ladder, which a resume cannot change: "
                        "leave --methods and --without out, or record anew");
    return PERP_OK;
}

static PerpStatus compare_switches(Run *run)
{
    const RunOptions *given = run->options;
    const PerpSimulationSettings *settings = &run->settings;
    const struct {
        const char *option;
        bool is_given, is_recorded;
    } switches[] = {
        {"--printed-coriolis", given->printed_coriolis, settings->printed_coriolis},
        {"--linear", given->linear, settings->linear},
        {"--one-phase", given->one_phase, settings->one_phase},
        {"--printed-decompression", given->printed_decompression, settings->printed_decompression},
        {"--printed-collisions", given->printed_collisions, settings->printed_collisions},
        {"--exact", given->exact, settings->held_tolerance == 0},
        {"--strict", given->strict, settings->strict},
    };
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
        if (switches[k].is_given && !switches[k].is_recorded)
            return refuse_switch(run, switches[k].option);
    return PERP_OK;
}

static PerpStatus compare_parameters(Run *run, const PerpRecording *recording)
{
    int count;
    const PerpParameter *recorded = perp_recording_parameters(recording, &count);
    const SceneSource *source = &run->options->source;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < source->n_set && !status; k++)
        status = compare_parameter(run, &source->set[k], recorded, count);
    return status;
}

// What a recording holds was chosen when it was made.
static PerpStatus compare_contents(Run *run, const PerpRecording *recording)
{
    const RunOptions *given = run->options;
    int every = perp_recording_info(recording)->every;
    if (given->chose_every && given->every != every)
        return refuse_number(run, "--every", every);
    if (!given->output && (given->chose_groups || given->chose_problems || given->single))
        return complain(run, PERP_BAD_VALUE, run_resumed_path(run),
                        "holds what was chosen when it was begun: leave --record, "
                        "--record-problems and --single out");
    return PERP_OK;
}

static PerpStatus compare_duration(Run *run, const PerpRecordingInfo *info)
{
    double duration = run->options->duration;
    char message[PERP_MESSAGE_SIZE];
    if (!(duration > 0) || duration / info->step > (double)info->steps - 0.5)
        return PERP_OK;
    snprintf(message, sizeof message, "holds %g s already: -t %g lies before its end",
             (double)info->steps * info->step, duration);
    return complain(run, PERP_BAD_VALUE, run_resumed_path(run), message);
}

static PerpStatus compare_options(Run *run, const PerpRecording *recording)
{
    PerpStatus status = compare_numbers(run);
    if (!status)
        status = compare_words(run);
    if (!status)
        status = compare_switches(run);
    if (!status)
        status = compare_parameters(run, recording);
    if (!status)
        status = compare_contents(run, recording);
    return status ? status : compare_duration(run, perp_recording_info(recording));
}

// --- scene and settings -------------------------------------------------------------------------

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
    return status ? status : compare_options(run, recording);
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

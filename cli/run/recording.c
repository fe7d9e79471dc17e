// The recording of a run: open or resume, append, flush, close.
#define _POSIX_C_SOURCE 200809L

#include "run/recording.h"
#include "common/json.h"
#include "common/method_list.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

// --- opening ------------------------------------------------------------------------------------

static void print_parameters(FILE *out, const SceneSource *source)
{
    fputs(", \"set\": {", out);
    for (int k = 0; k < source->n_set; k++)
        json_text(out, k ? ", " : "", source->set[k].name, source->set[k].value);
    fputc('}', out);
}

// What was asked for, for people who open the file.
static char *describe_options(const Run *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    json_text(out, "{", "scene", run->options->source.path);
    print_parameters(out, &run->options->source);
    json_text(out, ", ", "scheme", run->settings.scheme);
    json_member(out, ", ", "h", run->settings.step);
    fprintf(out, ", \"steps\": %ld, \"facets\": %d", run->planned, run->settings.facets);
    json_member(out, ", ", "tolerance", run->settings.tolerance);
    json_member(out, ", ", "held_tolerance", run->settings.held_tolerance);
    fputs(", \"methods\": \"", out);
    cli_print_method_names(out, run->settings.methods);
    fputc('"', out);
    fprintf(out, ", \"strict\": %s, \"threads\": %d, \"every\": %d}",
            run->settings.strict ? "true" : "false", run->settings.threads, run->options->every);
    fclose(out);
    return text;
}

static PerpStatus create(RunRecording *recording, const Run *run, const char *description)
{
    PerpRecorderOptions options = perp_default_recorder_options();
    options.groups = run->options->groups;
    options.single = run->options->single;
    options.every = run->options->every;
    options.problems = run->options->problems;
    options.problems_every = run->options->problems_every;
    options.scene = run->opened.scene;
    options.set = run->options->source.set;
    options.n_set = run->options->source.n_set;
    options.options = description;
    options.planned = run->planned;
    options.user = recording->user;
    options.user_size = recording->user_size;
    options.keep = !run->options->force;
    return perp_recorder_create(NULL, run->options->output, run->opened.model, run->simulation,
                                &options, &recording->recorder, &recording->error);
}

// Reports and verdicts of the whole run need what it has shown so far, and a run that was to go
// further than planned when it began goes there.
static void keep(RunRecording *recording, const Run *run)
{
    char *to = recording->user;
    memcpy(to, &run->planned, sizeof run->planned);
    memcpy(to += sizeof run->planned, &run->tally, sizeof run->tally);
    memcpy(to + sizeof run->tally, run->outcomes, recording->outcomes_size);
}

static void recall(const RunRecording *recording, Run *run)
{
    const char *from = recording->user;
    long planned;
    memcpy(&planned, from, sizeof planned);
    memcpy(&run->tally, from += sizeof planned, sizeof run->tally);
    memcpy(run->outcomes, from + sizeof run->tally, recording->outcomes_size);
    if (!(run->options->duration > 0))
        run->planned = planned;
}

static PerpStatus resume(RunRecording *recording, Run *run)
{
    long step;
    PerpRecorderOptions options = perp_default_recorder_options();
    options.user = recording->user;
    options.user_size = recording->user_size;
    PerpStatus status =
        perp_recorder_resume(NULL, run_resumed_path(run), run->opened.model, run->simulation,
                             &options, &step, &recording->recorder, &recording->error);
    if (status)
        return status;
    run->is_begun = step >= 0;
    if (run->is_begun)
        recall(recording, run);
    run->tally.steps = run->is_begun ? step : 0;
    return PERP_OK;
}

static PerpStatus begin(RunRecording *recording, Run *run)
{
    if (run_resumed_path(run))
        return resume(recording, run);
    char *description = describe_options(run);
    PerpStatus status = description ? create(recording, run, description) : PERP_NO_MEMORY;
    free(description);
    return status;
}

static void advise(const Run *run, PerpStatus status)
{
    if (status == PERP_EXISTS && !run->options->force)
        fputs("perp: --force replaces a recording, --resume goes on with it; nothing was changed\n",
              stderr);
}

bool run_recording_open(RunRecording *recording, Run *run)
{
    size_t outcomes = (size_t)perp_scene_expectations(run->opened.scene);
    *recording =
        (RunRecording){.flushed = cli_seconds(), .outcomes_size = outcomes * sizeof *run->outcomes};
    if (!run->options->output && !run->options->resume)
        return true;
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    recording->error.status = PERP_NO_MEMORY;
    recording->user_size = sizeof run->planned + sizeof run->tally + recording->outcomes_size;
    recording->user = calloc(recording->user_size, 1);
    PerpStatus status = recording->user ? begin(recording, run) : PERP_NO_MEMORY;
    if (status) {
        cli_complain_of_error(&recording->error);
        advise(run, status);
        free(recording->user);
    }
    recording->error.status = status;
    return status == PERP_OK;
}

// --- stepping -----------------------------------------------------------------------------------

// The first frame at once; then in time also if the next step takes as long as this one.
static PerpStatus flush_in_time(RunRecording *recording, const Run *run)
{
    double now = cli_seconds();
    if (run->tally.steps > 0 && now + run->step_seconds - recording->flushed < run->options->flush)
        return PERP_OK;
    keep(recording, run);
    PerpStatus status = perp_recorder_flush(recording->recorder, &recording->error);
    recording->flushed = cli_seconds();
    return status;
}

bool run_recording_step(RunRecording *recording, const Run *run)
{
    if (!recording->recorder)
        return true;
    PerpStatus status =
        perp_recorder_append(recording->recorder, run->step_seconds, &recording->error);
    if (!status)
        status = flush_in_time(recording, run);
    return status == PERP_OK;
}

static void explain(const Run *run, const PerpError *error, bool complete)
{
    const char *path = run->options->output ? run->options->output : run->options->source.path;
    const char *remedy =
        error->status == PERP_NO_ROOM ? "make room, then go on with --resume" : "--resume goes on";
    cli_complain_of_error(error);
    if (complete)
        fprintf(stderr, "perp: %s: complete up to step %ld; %s\n", path, run->tally.steps, remedy);
    else
        fprintf(stderr, "perp: %s: complete up to its last flush; %s\n", path, remedy);
}

bool run_recording_close(RunRecording *recording, const Run *run)
{
    PerpError error = {0};
    bool had_room = recording->error.status == PERP_OK;
    if (!recording->recorder)
        return true;
    keep(recording, run);
    PerpStatus status = perp_recorder_close(recording->recorder, run->end == RUN_FINISHED, &error);
    if (status || !had_room)
        explain(run, had_room ? &error : &recording->error, status == PERP_OK);
    free(recording->user);
    return had_room && !status;
}

// perp replay: simulates a recording again, from the scene and settings in it, and compares.
#include "common/cli.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/progress.h"
#include "common/support.h"

#include "perp/recording.h"
#include "perp/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "perp replay RECORDING [--verify] [--json] [--quiet]";

typedef struct Replay {
    const char *path;
    PerpRecording *recording;
    const PerpRecordingInfo *info;
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    int n_q, n_v;
    double *q, *v;         // of the frame at hand, if the recording has them
    double *pose, *motion; // likewise, all bodies
    const double *journal; // of the program that ran it
    long n_journal, at, at_force;
    long frame, step;
    bool has_state, has_pose, differs;
    const char *what; // that differs
    int body;         // -1: none in particular
    double t;
    PerpError error;
} Replay;

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp replay run.h5 --verify          the same bits in every frame?\n"
        "  perp replay run.h5 --verify --json   for a script to read\n"
        "\n"
        "usage: %s\n"
        "\n"
        "Simulates the scene in the recording with the settings in it, step by step, and\n"
        "compares time, state, poses, velocities and energies of every frame bit for bit. The\n"
        "first difference is named. Another build, or another machine's libraries, may differ.\n"
        "\n"
        "Exit: 0 the same, 1 a step failed, 2 usage, 3 not a recording, or one without scene or\n"
        "      motion, 5 different, 130 interrupted\n",
        USAGE);
    return CLI_OK;
}

// --- opening ------------------------------------------------------------------------------------

// The forces that a callback gave, in their order.
static void play_force(void *user, double t, int body, const double position[3],
                       const double rotation[4], double force[3], double torque[3])
{
    Replay *replay = user;
    (void)t, (void)body, (void)position, (void)rotation;
    perp_journal_next_force(replay->journal, replay->n_journal, &replay->at_force, force, torque);
}

static bool has_forces(const Replay *replay)
{
    double force[3], torque[3];
    long at = 0;
    return perp_journal_next_force(replay->journal, replay->n_journal, &at, force, torque);
}

static PerpStatus create(Replay *replay)
{
    PerpSimulationSettings settings = perp_recording_settings(replay->recording);
    PerpStatus status = perp_recording_scene(replay->recording, &replay->scene, &replay->error);
    if (!status)
        status = perp_recording_journal(replay->recording, &replay->journal, &replay->n_journal,
                                        &replay->error);
    if (!status && has_forces(replay)) {
        settings.force = play_force;
        settings.force_user = replay;
    }
    if (!status)
        status = perp_model_create(NULL, perp_scene_model_def(replay->scene), &replay->model,
                                   &replay->error);
    if (!status)
        status = perp_simulation_create(NULL, replay->model, &settings, &replay->simulation,
                                        &replay->error);
    return status;
}

static PerpStatus complain(Replay *replay, PerpStatus status, const char *message)
{
    replay->error = (PerpError){.status = status};
    snprintf(replay->error.file, sizeof replay->error.file, "%s", replay->path);
    snprintf(replay->error.message, sizeof replay->error.message, "%s", message);
    return status;
}

static PerpStatus check(Replay *replay)
{
    int n_q, n_v;
    perp_simulation_q(replay->simulation, &n_q);
    perp_simulation_v(replay->simulation, &n_v);
    perp_recording_state_size(replay->recording, &replay->n_q, &replay->n_v);
    if (perp_model_body_count(replay->model) != replay->info->bodies || n_q != replay->n_q ||
        n_v != replay->n_v)
        return complain(replay, PERP_BAD_SIZE, "its scene has other bodies than it says");
    replay->has_state = perp_recording_has(replay->recording, "q");
    replay->has_pose = perp_recording_has(replay->recording, "pose") &&
                       perp_recording_has(replay->recording, "velocity");
    if (!replay->has_state && !replay->has_pose && replay->info->bodies > 0)
        return complain(replay, PERP_NOT_SUPPORTED,
                        "holds neither state nor poses, there is nothing to compare");
    size_t bodies = (size_t)replay->info->bodies;
    replay->q = calloc((size_t)n_q + 1, sizeof(double));
    replay->v = calloc((size_t)n_v + 1, sizeof(double));
    replay->pose = calloc(bodies + 1, 7 * sizeof(double));
    replay->motion = calloc(bodies + 1, 6 * sizeof(double));
    if (!replay->q || !replay->v || !replay->pose || !replay->motion)
        return complain(replay, PERP_NO_MEMORY, "out of memory");
    return PERP_OK;
}

static PerpStatus open_replay(Replay *replay)
{
    PerpStatus status = perp_recording_open(NULL, replay->path, &replay->recording, &replay->error);
    if (status)
        return status;
    replay->info = perp_recording_info(replay->recording);
    status = create(replay);
    return status ? status : check(replay);
}

static void close_replay(Replay *replay)
{
    perp_simulation_destroy(replay->simulation);
    perp_model_destroy(replay->model);
    perp_scene_destroy(replay->scene);
    perp_recording_close(replay->recording);
    free(replay->q);
    free(replay->v);
    free(replay->pose);
    free(replay->motion);
}

// --- comparing ----------------------------------------------------------------------------------

static void report(Replay *replay, const char *what, int body)
{
    if (replay->differs)
        return;
    replay->differs = true;
    replay->what = what;
    replay->body = body;
    replay->t = perp_simulation_time(replay->simulation);
}

// A recording in single precision holds rounded numbers.
static bool is_same(double recorded, double simulated)
{
    float rounded = (float)simulated;
    double widened = rounded;
    return memcmp(&recorded, &simulated, sizeof recorded) == 0 ||
           memcmp(&recorded, &widened, sizeof recorded) == 0;
}

static void compare_bodies(Replay *replay)
{
    for (int b = 0; b < replay->info->bodies; b++) {
        double pose[7], motion[6];
        perp_simulation_pose(replay->simulation, b, pose, pose + 3);
        perp_simulation_velocity(replay->simulation, b, motion, motion + 3);
        for (int k = 0; k < 7; k++)
            if (!is_same(replay->pose[7 * b + k], pose[k]))
                report(replay, k < 3 ? "position" : "rotation", b);
        for (int k = 0; k < 6; k++)
            if (!is_same(replay->motion[6 * b + k], motion[k]))
                report(replay, k < 3 ? "velocity" : "spin", b);
    }
}

static void compare_state(Replay *replay)
{
    int n_q, n_v;
    const double *q = perp_simulation_q(replay->simulation, &n_q);
    const double *v = perp_simulation_v(replay->simulation, &n_v);
    for (int k = 0; k < n_q; k++)
        if (memcmp(&q[k], &replay->q[k], sizeof *q) != 0)
            report(replay, "q", k / 7);
    if (memcmp(v, replay->v, (size_t)n_v * sizeof *v) != 0)
        report(replay, "v", -1);
}

static PerpStatus compare_number(Replay *replay, const char *name, double value)
{
    double recorded;
    if (!perp_recording_has(replay->recording, name))
        return PERP_OK;
    PerpStatus status =
        perp_recording_series(replay->recording, name, replay->frame, 1, &recorded, &replay->error);
    if (!status && memcmp(&recorded, &value, sizeof recorded) != 0)
        report(replay, name, -1);
    return status;
}

// Margins of the papers' inequalities; NaN where one does not apply.
static PerpStatus compare_bounds(Replay *replay)
{
#define NAME(name, word, text) "bound/" word,
    static const char *const names[] = {PERP_BOUND_LIST(NAME)};
#undef NAME
    const PerpBound *made = perp_simulation_report(replay->simulation)->bound;
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < PERP_BOUND_COUNT; k++)
        status = compare_number(replay, names[k], made[k].applies ? made[k].margin : NAN);
    return status;
}

static PerpStatus compare_series(Replay *replay)
{
    const PerpEnergy *e = &perp_simulation_report(replay->simulation)->energy;
    const struct {
        const char *name;
        double value;
    } series[] = {
        {"time", perp_simulation_time(replay->simulation)},
        {"energy/kinetic", e->kinetic},
        {"energy/gravity", e->gravity},
        {"energy/spring", e->spring},
        {"energy/work", e->work},
        {"energy/friction", e->friction},
        {"energy/impact", e->impact},
        {"energy/damper", e->damper},
    };
    PerpStatus status = PERP_OK;
    for (size_t k = 0; !status && k < sizeof series / sizeof *series; k++)
        status = compare_number(replay, series[k].name, series[k].value);
    return status ? status : compare_bounds(replay);
}

// Bodies first: a difference is best told by one.
static PerpStatus compare_frame(Replay *replay)
{
    PerpRecording *recording = replay->recording;
    PerpStatus status = PERP_OK;
    if (replay->has_pose)
        status = perp_recording_poses(recording, replay->frame, 1, replay->pose, &replay->error);
    if (!status && replay->has_pose)
        status =
            perp_recording_velocities(recording, replay->frame, 1, replay->motion, &replay->error);
    if (!status && replay->has_pose)
        compare_bodies(replay);
    if (!status && replay->has_state)
        status =
            perp_recording_state(recording, replay->frame, replay->q, replay->v, &replay->error);
    if (!status && replay->has_state)
        compare_state(replay);
    return status ? status : compare_series(replay);
}

static PerpStatus next_frame(Replay *replay, long *step)
{
    double number = 0;
    PerpStatus status = perp_recording_series(replay->recording, "step/number", replay->frame, 1,
                                              &number, &replay->error);
    *step = (long)number;
    return status;
}

// What the program did before the next step.
static PerpStatus follow(Replay *replay, long step)
{
    return perp_simulation_follow_journal(replay->simulation, replay->journal, replay->n_journal,
                                          step, &replay->at, &replay->error);
}

// Returns CLI_OK also if something differs.
static CliExit replay_frames(Replay *replay, bool quiet)
{
    Progress progress = progress_begin(quiet);
    CliExit code = CLI_OK;
    for (; !code && !replay->differs && replay->frame < replay->info->frames; replay->frame++) {
        long due;
        PerpStatus status = next_frame(replay, &due);
        if (!status && replay->frame == 0)
            status = follow(replay, -1);
        for (; !status && !code && replay->step < due; replay->step++) {
            status = follow(replay, replay->step);
            if (!status && perp_simulation_step(replay->simulation, 0, &replay->error))
                code = CLI_FAILED;
            if (interrupt_requested())
                code = CLI_INTERRUPTED;
        }
        if (!status && !code)
            status = compare_frame(replay);
        if (status)
            code = CLI_BAD_INPUT;
        progress_show(&progress, replay->frame, replay->info->frames,
                      perp_simulation_time(replay->simulation));
    }
    progress_end(&progress);
    return code;
}

// --- reports ------------------------------------------------------------------------------------

static const char *body_name(const Replay *replay)
{
    return replay->body >= 0 ? perp_recording_body(replay->recording, replay->body).name : "";
}

static void print_result(const Replay *replay, bool json)
{
    if (json) {
        json_text(stdout, "{", "recording", replay->path);
        printf(", \"same\": %s, \"frames\": %ld, \"steps\": %ld",
               replay->differs ? "false" : "true", replay->frame, replay->step);
        if (replay->differs) {
            json_member(stdout, ", ", "t", replay->t);
            json_text(stdout, ", ", "what", replay->what);
            json_text(stdout, ", ", "body", body_name(replay));
        }
        puts("}");
    } else if (replay->differs) {
        printf("%s: differs in step %ld, t = %.9g s: %s%s%s\n", replay->path, replay->step,
               replay->t, replay->what, replay->body >= 0 ? " of " : "", body_name(replay));
    } else {
        printf("%s: the same bits in %ld frames, %ld steps\n", replay->path, replay->frame,
               replay->step);
    }
}

static CliExit replay_recording(Replay *replay, bool json, bool quiet)
{
    if (open_replay(replay))
        return cli_complain_of_error(&replay->error);
    interrupt_catch();
    CliExit code = replay_frames(replay, quiet);
    if (code == CLI_FAILED || code == CLI_BAD_INPUT)
        cli_complain_of_error(&replay->error);
    else if (code == CLI_OK)
        print_result(replay, json);
    if (code == CLI_INTERRUPTED)
        fprintf(stderr, "perp: %s: interrupted, the same up to step %ld\n", replay->path,
                replay->step);
    return code ? code : replay->differs ? CLI_MISMATCH : CLI_OK;
}

CliExit cmd_replay(int argc, char **argv)
{
    bool help = false, json = false, quiet = false, verify = false;
    Replay replay = {.body = -1};
    const CliOption options[] = {{"--help", &help, NULL},
                                 {"--json", &json, NULL},
                                 {"--quiet", &quiet, NULL},
                                 {"--verify", &verify, NULL}}; // what it does anyway
    if (cli_parse(argc, argv, options, 4, &replay.path, 1, USAGE) < 0)
        return CLI_USAGE;
    if (help)
        return print_help();
    if (!replay.path) {
        fprintf(stderr, "perp: replay needs a recording\nusage: %s\n", USAGE);
        return CLI_USAGE;
    }
    CliExit code = replay_recording(&replay, json, quiet);
    close_replay(&replay);
    return code;
}

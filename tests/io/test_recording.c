// Recordings: what is written is read back, and files that are not what they should be are refused.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/recording.h"
#include "perp/system.h"
#include "random.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/perp-test-XXXXXX";
static char path[64], other[64];

static int make_folder(void **state)
{
    (void)state;
    bool made = mkdtemp(folder);
    snprintf(path, sizeof path, "%s/run.h5", folder);
    snprintf(other, sizeof other, "%s/other.h5", folder);
    return made ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

// --- a run --------------------------------------------------------------------------------------

typedef struct Run {
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    PerpSimulationSettings settings;
} Run;

static Run start_with(const char *scene, const PerpParameter *set, int parameters, double step)
{
    Run run = {.settings = perp_default_simulation_settings()};
    PerpError error = {0};
    run.settings.step = step;
    if (perp_scene_read(NULL, scene, set, parameters, &run.scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(run.scene), &run.model, &error) ||
        perp_simulation_create(NULL, run.model, &run.settings, &run.simulation, &error))
        fail_msg("%s: %s", scene, error.message);
    return run;
}

static Run start(const char *scene)
{
    return start_with(scene, NULL, 0, 2e-3);
}

static void end(Run *run)
{
    perp_simulation_destroy(run->simulation);
    perp_model_destroy(run->model);
    perp_scene_destroy(run->scene);
}

static void must(PerpStatus status, const PerpError *error)
{
    if (status)
        fail_msg("%s: %s", error->file, error->message);
}

// Records `steps` steps, flushed every `flush` of them.
static void record(Run *run, const PerpRecorderOptions *options, int steps, int flush)
{
    PerpRecorder *recorder;
    PerpError error = {0};
    must(perp_recorder_create(NULL, path, run->model, run->simulation, options, &recorder, &error),
         &error);
    must(perp_recorder_append(recorder, 0, &error), &error);
    for (int k = 1; k <= steps; k++) {
        must(perp_simulation_step(run->simulation, 0, &error), &error);
        must(perp_recorder_append(recorder, 1e-3, &error), &error);
        if (k % flush == 0)
            must(perp_recorder_flush(recorder, &error), &error);
    }
    must(perp_recorder_close(recorder, true, &error), &error);
}

static PerpRecording *open_recording(void)
{
    PerpRecording *recording;
    PerpError error = {0};
    must(perp_recording_open(NULL, path, &recording, &error), &error);
    return recording;
}

static PerpRecorderOptions options_of(const Run *run)
{
    PerpRecorderOptions options = perp_default_recorder_options();
    options.scene = run->scene;
    return options;
}

// --- what is written is read back ---------------------------------------------------------------

static void compare_bodies(PerpRecording *recording, const PerpSimulation *simulation, long frame,
                           bool single)
{
    int bodies = perp_recording_info(recording)->bodies;
    double *pose = calloc((size_t)bodies, 7 * sizeof *pose);
    double *velocity = calloc((size_t)bodies, 6 * sizeof *velocity);
    PerpError error = {0};
    must(perp_recording_poses(recording, frame, 1, pose, &error), &error);
    must(perp_recording_velocities(recording, frame, 1, velocity, &error), &error);
    for (int b = 0; b < bodies; b++) {
        double now[13];
        perp_simulation_pose(simulation, b, now, now + 3);
        perp_simulation_velocity(simulation, b, now + 7, now + 10);
        for (int k = 0; k < 13; k++) {
            double stored = k < 7 ? pose[7 * b + k] : velocity[6 * b + k - 7];
            double expected = single ? (double)(float)now[k] : now[k];
            assert_memory_equal(&stored, &expected, sizeof stored);
        }
    }
    free(pose);
    free(velocity);
}

static void compare_contacts(PerpRecording *recording, const PerpSimulation *simulation, long frame)
{
    const PerpRecordedContact *contacts;
    int count;
    PerpError error = {0};
    must(perp_recording_contacts(recording, frame, &contacts, &count, &error), &error);
    assert_int_equal(count, perp_simulation_contact_count(simulation));
    for (int k = 0; k < count; k++) {
        PerpContactReport now = perp_simulation_contact(simulation, k);
        assert_true(contacts[k].id == now.id);
        assert_int_equal(contacts[k].body_a, now.body_a);
        assert_int_equal(contacts[k].body_b, now.body_b);
        assert_int_equal(contacts[k].shape_a, now.shape_a);
        assert_int_equal(contacts[k].shape_b, now.shape_b);
        assert_int_equal(contacts[k].status, now.status);
        assert_memory_equal(contacts[k].impulse, now.impulse, sizeof now.impulse);
        assert_memory_equal(contacts[k].point, now.point, sizeof now.point);
        assert_memory_equal(contacts[k].velocity, now.velocity, sizeof now.velocity);
        assert_memory_equal(&contacts[k].gap, &now.gap, sizeof now.gap);
        assert_true(contacts[k].mu == (float)now.mu);
        assert_true(contacts[k].residual == (float)now.residual);
        assert_true(now.residual <= perp_simulation_report(simulation)->certificate.worst);
    }
}

static void compare_series(PerpRecording *recording, const PerpSimulation *simulation, long frame)
{
    const PerpStepReport *report = perp_simulation_report(simulation);
    const struct {
        const char *name;
        double value;
    } series[] = {
        {"time", report->t},
        {"energy/kinetic", report->energy.kinetic},
        {"energy/scheme", report->energy.scheme},
        {"certificate/worst", report->certificate.worst},
        {"certificate/slip", (float)report->certificate.residual[PERP_RESIDUAL_SLIP]},
        {"step/contacts", report->contacts},
        {"step/penetration", report->penetration},
        {"step/method", report->solved_by},
    };
    PerpError error = {0};
    for (size_t k = 0; k < sizeof series / sizeof *series; k++) {
        double value;
        must(perp_recording_series(recording, series[k].name, frame, 1, &value, &error), &error);
        assert_memory_equal(&value, &series[k].value, sizeof value);
    }
    char worst[PERP_NAME_SIZE];
    must(perp_recording_worst(recording, frame, worst, &error), &error);
    assert_string_equal(worst, report->worst);
}

static void compare_number(double stored, double now, bool single)
{
    double expected = single ? (double)(float)now : now;
    assert_memory_equal(&stored, &expected, sizeof stored);
}

static void compare_loads(PerpRecording *recording, const Run *run, long frame, bool single)
{
    int joints = perp_recording_info(recording)->joints;
    int actuators = perp_model_actuator_count(run->model);
    double *reaction = calloc((size_t)joints + 1, 6 * sizeof *reaction);
    double *motor = calloc((size_t)joints + 1, PERP_JOINT_COORDINATES * sizeof *motor);
    double *force = calloc((size_t)actuators + 1, sizeof *force);
    PerpError error = {0};
    must(perp_recording_reactions(recording, frame, 1, reaction, &error), &error);
    must(perp_recording_motor_forces(recording, frame, 1, motor, &error), &error);
    must(perp_recording_actuator_forces(recording, frame, 1, force, &error), &error);
    for (int j = 0; j < joints; j++) {
        double now[6];
        perp_simulation_joint_reaction(run->simulation, j, now, now + 3);
        for (int k = 0; k < 6; k++)
            compare_number(reaction[6 * j + k], now[k], single);
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            compare_number(motor[PERP_JOINT_COORDINATES * j + k],
                           perp_simulation_motor_force(run->simulation, j, k), single);
    }
    assert_int_equal(perp_recording_actuator_count(recording), actuators);
    for (int k = 0; k < actuators; k++) {
        compare_number(force[k], perp_simulation_actuator_force(run->simulation, k), single);
        assert_string_equal(perp_recording_actuator(recording, k),
                            perp_model_actuator_name(run->model, k));
    }
    free(reaction);
    free(motor);
    free(force);
}

static void round_trip(const char *scene, bool single, int every, int steps, int flush)
{
    PerpError error = {0};
    Run run = start(scene), again = start(scene);
    PerpRecorderOptions options = options_of(&run);
    options.single = single;
    options.every = every;
    record(&run, &options, steps, flush);
    perp_simulation_judge_contacts(again.simulation, true);
    PerpRecording *recording = open_recording();
    const PerpRecordingInfo *info = perp_recording_info(recording);
    assert_true(info->finished && info->closed);
    assert_int_equal(info->frames, steps / every + 1 + (steps % every > 0));
    assert_int_equal(info->steps, steps);
    assert_string_equal(info->scene_path, scene);
    for (int k = 0; k <= steps; k++) {
        if (k > 0)
            must(perp_simulation_step(again.simulation, 0, &error), &error);
        if (k % every != 0 && k != steps)
            continue;
        long frame = k % every == 0 ? k / every : info->frames - 1;
        compare_bodies(recording, again.simulation, frame, single);
        compare_series(recording, again.simulation, frame);
        compare_loads(recording, &again, frame, single);
        if (!single)
            compare_contacts(recording, again.simulation, frame);
    }
    perp_recording_close(recording);
    end(&run);
    end(&again);
}

// Chunks hold up to 1024 rows: flushes within and at their ends, and long and short runs.
static void test_round_trip(void **state)
{
    (void)state;
    round_trip("scenes/demo/workshop.yaml", false, 1, 300, 7);
    round_trip("scenes/demo/workshop.yaml", true, 3, 100, 1000);
    round_trip("scenes/examples/ball.yaml", false, 1, 2500, 512);
    round_trip("scenes/examples/ball.yaml", false, 1, 2048, 3);
    round_trip("scenes/examples/yard.yaml", false, 7, 40, 1);
    round_trip("scenes/examples/control.yaml", false, 1, 20, 6);
    round_trip("scenes/examples/control.yaml", true, 2, 11, 6);
}

// The scene comes back, with what it includes and its meshes; so do shapes.
static void test_scene(void **state)
{
    (void)state;
    PerpError error = {0};
    Run run = start("scenes/examples/shapes.yaml");
    PerpRecorderOptions options = options_of(&run);
    record(&run, &options, 2, 1);
    PerpRecording *recording = open_recording();
    PerpScene *scene;
    must(perp_recording_scene(recording, &scene, &error), &error);
    assert_int_equal(perp_scene_files(scene), perp_scene_files(run.scene));
    assert_true(perp_scene_files(scene) > 1);
    for (int k = 0; k < perp_scene_files(scene); k++) {
        PerpSceneText a = perp_scene_text(scene, k), b = perp_scene_text(run.scene, k);
        assert_string_equal(a.path, b.path);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.bytes, b.bytes, a.size);
    }
    const PerpModelDef *def = perp_scene_model_def(run.scene);
    int triangles = 0;
    assert_int_equal(perp_recording_info(recording)->shapes, def->n_shapes);
    for (int s = 0; s < def->n_shapes; s++) {
        PerpRecordedShape shape = perp_recording_shape(recording, s);
        assert_string_equal(shape.kind, perp_shape_kind_name(def->shapes[s].kind));
        assert_int_equal(shape.body, def->shapes[s].body);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(shape.position[k] - def->shapes[s].position[k]) < 1e-12);
        triangles += shape.n_triangles;
    }
    assert_true(triangles > 0);
    for (int b = 0; b < def->n_bodies; b++)
        assert_string_equal(perp_recording_body(recording, b).name, def->bodies[b].name);
    perp_scene_destroy(scene);
    perp_recording_close(recording);
    end(&run);
}

static void test_groups(void **state)
{
    (void)state;
    PerpError error = {0};
    double value, pose[70];
    Run run = start("scenes/examples/ball.yaml");
    PerpRecorderOptions options = options_of(&run);
    options.groups = 1u << PERP_RECORD_ENERGY;
    record(&run, &options, 20, 5);
    PerpRecording *recording = open_recording();
    assert_true(perp_recording_has(recording, "time"));
    assert_true(perp_recording_has(recording, "energy/kinetic"));
    assert_false(perp_recording_has(recording, "certificate/worst"));
    assert_int_equal(perp_recording_info(recording)->frames, 21);
    assert_int_equal(perp_recording_series(recording, "certificate/worst", 0, 1, &value, &error),
                     PERP_NOT_SUPPORTED);
    assert_int_equal(perp_recording_poses(recording, 0, 1, pose, &error), PERP_NOT_SUPPORTED);
    assert_int_equal(perp_recording_actuator_count(recording), 0);
    assert_string_equal(perp_recording_actuator(recording, 0), "?");
    assert_int_equal(perp_recording_series(recording, "time", 20, 2, &value, &error),
                     PERP_BAD_SIZE);
    assert_int_equal(perp_recording_series(recording, "tame", 0, 1, &value, &error),
                     PERP_NOT_SUPPORTED);
    perp_recording_close(recording);
    end(&run);
}

// A ball that falls and bounces: what happens when.
static void test_events(void **state)
{
    (void)state;
    PerpError error = {0};
    PerpRecordedEvent event;
    Run run = start("scenes/bouncing-ball.yaml");
    PerpRecorderOptions options = options_of(&run);
    record(&run, &options, 1000, 100);
    PerpRecording *recording = open_recording();
    const double mass = perp_recording_body(recording, 0).mass, e = 0.8;
    double speed = sqrt(2 * 9.81); // after a fall of 1 m
    long impacts = 0, take_offs = 0;
    for (long k = 0; k < perp_recording_events(recording); k++) {
        must(perp_recording_event(recording, k, &event, &error), &error);
        impacts += event.kind == PERP_EVENT_IMPACT;
        take_offs += event.kind == PERP_EVENT_TAKE_OFF;
        if (event.kind != PERP_EVENT_IMPACT)
            continue;
        assert_int_equal(event.frame, event.step);
        assert_true(fabs(event.size - mass * (1 + e) * speed) < 1e-6 * event.size);
        speed *= e;
    }
    assert_int_equal(impacts, 3);
    assert_int_equal(take_offs, 3);
    perp_recording_close(recording);
    end(&run);
}

static void test_problems(void **state)
{
    (void)state;
    PerpError error = {0};
    Run run = start("scenes/demo/workshop.yaml");
    PerpRecorderOptions options = options_of(&run);
    options.problems = PERP_PROBLEMS_EVERY;
    options.problems_every = 10;
    record(&run, &options, 60, 8);
    PerpRecording *recording = open_recording();
    long count = perp_recording_problems(recording);
    assert_true(count >= 6);
    for (long k = 0; k < count; k++) {
        PerpRecordedProblem stored;
        PerpCertificate certificate;
        must(perp_recording_problem(recording, k, &stored, &error), &error);
        assert_int_equal(stored.step % 10, 0);
        must(perp_certify(NULL, &stored.problem, stored.v, stored.c, stored.lambda, &certificate,
                          &error),
             &error);
        assert_memory_equal(certificate.residual, stored.residual, sizeof stored.residual);
    }
    perp_recording_close(recording);
    end(&run);
}

// --- slip held ----------------------------------------------------------------------------------

// 64 balls that come to rest, with rungs left out so that slip is held in some steps.
static Run start_held(void)
{
    Run run = start_with("scenes/pile.yaml", NULL, 0, 5e-3);
    PerpError error = {0};
    run.settings.methods &=
        ~(PERP_METHOD_BIT(PERP_METHOD_NEWTON_LOCAL) | PERP_METHOD_BIT(PERP_METHOD_PROXIMAL) |
          PERP_METHOD_BIT(PERP_METHOD_POLYGON));
    perp_simulation_destroy(run.simulation);
    must(perp_simulation_create(NULL, run.model, &run.settings, &run.simulation, &error), &error);
    return run;
}

// The stored slip speeds make the stored certificate of the law with slip held.
static void check_held(const PerpRecordedProblem *stored, double tolerance)
{
    PerpHeld held;
    PerpError error = {0};
    assert_non_null(stored->slip_held);
    must(perp_certify_held(NULL, &stored->problem, stored->v, stored->c, stored->slip_held, &held,
                           &error),
         &error);
    assert_true(held.residual == stored->held.residual && held.residual <= tolerance);
    assert_true(held.gap_speed == stored->held.gap_speed);
    assert_int_equal(held.contacts, stored->held.contacts);
}

static void test_held_problems(void **state)
{
    (void)state;
    PerpError error = {0};
    Run run = start_held();
    PerpRecorderOptions options = options_of(&run);
    options.problems = PERP_PROBLEMS_EVERY;
    record(&run, &options, 160, 50);
    PerpRecording *recording = open_recording();
    PerpSimulationSettings settings = perp_recording_settings(recording);
    assert_true(settings.held_tolerance == PERP_HELD_TOLERANCE);
    assert_int_equal(settings.methods, run.settings.methods);
    long held = 0;
    for (long k = 0; k < perp_recording_problems(recording); k++) {
        PerpRecordedProblem stored;
        double residual;
        must(perp_recording_problem(recording, k, &stored, &error), &error);
        if (stored.outcome != PERP_OUTCOME_HELD) {
            assert_null(stored.slip_held);
            continue;
        }
        held++;
        check_held(&stored, settings.held_tolerance);
        must(perp_recording_series(recording, "held/residual", stored.step, 1, &residual, &error),
             &error);
        assert_true(residual >= stored.held.residual);
    }
    assert_true(held > 0);
    perp_recording_close(recording);
    end(&run);
}

static void set_methods(const char *name, const char *methods)
{
    hid_t file = H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "settings", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(methods) + 1);
    if (H5Aexists(group, "methods") > 0)
        H5Adelete(group, "methods");
    hid_t attribute = H5Acreate2(group, "methods", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, methods) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Gclose(group);
    H5Fclose(file);
}

static void refuse(const char *name, PerpStatus status, const char *words);

static void test_methods(void **state)
{
    (void)state;
    Run run = start("scenes/examples/ball.yaml");
    PerpRecorderOptions options = options_of(&run);
    record(&run, &options, 5, 5);
    end(&run);
    PerpRecording *recording = open_recording();
    assert_int_equal(perp_recording_settings(recording).methods, PERP_ALL_METHODS);
    perp_recording_close(recording);
    set_methods(path, "free,newton");
    recording = open_recording();
    assert_int_equal(perp_recording_settings(recording).methods,
                     PERP_METHOD_BIT(PERP_METHOD_FREE) | PERP_METHOD_BIT(PERP_METHOD_NEWTON));
    perp_recording_close(recording);
    set_methods(path, "free,magic");
    refuse(path, PERP_NOT_SUPPORTED, "this perp has no method \"magic\"");
    set_methods(path, "");
    refuse(path, PERP_NOT_SUPPORTED, "this perp has no method \"\"");
}

// --- rest ---------------------------------------------------------------------------------------

enum { REST_STEPS = 30, REST_BALLS = 33 * 33 };

// So many balls that a frame has chunks of its own, all of which soon lie on the ground.
static Run start_balls(void)
{
    const PerpParameter set[] = {{"side", "33"}, {"rise", "2e-6"}};
    return start_with("bench/recording.yaml", set, 2, 1e-2);
}

// contacts/start of all frames, and behind them the rows that the contacts have.
static void read_starts(long long starts[REST_STEPS + 2])
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "contacts/start", H5P_DEFAULT);
    hid_t ids = H5Dopen2(file, "contacts/id", H5P_DEFAULT), space = H5Dget_space(ids);
    assert_true(H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, starts) >= 0);
    starts[REST_STEPS + 1] = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(ids);
    H5Dclose(set);
    H5Fclose(file);
}

static void test_rest(void **state)
{
    (void)state;
    PerpError error = {0};
    Run run = start_balls(), again = start_balls();
    PerpRecorderOptions options = options_of(&run);
    long long starts[REST_STEPS + 2];
    record(&run, &options, REST_STEPS, 4);
    perp_simulation_judge_contacts(again.simulation, true);
    PerpRecording *recording = open_recording();
    for (int k = 0; k <= REST_STEPS; k++) {
        if (k > 0)
            must(perp_simulation_step(again.simulation, 0, &error), &error);
        compare_bodies(recording, again.simulation, k, false);
        compare_contacts(recording, again.simulation, k);
    }
    perp_recording_close(recording);
    assert_int_equal(perp_simulation_contact_count(again.simulation), REST_BALLS);
    read_starts(starts); // at rest frames have the rows of the first of them
    assert_int_equal(starts[REST_STEPS], starts[REST_STEPS - 9]);
    assert_int_equal(starts[REST_STEPS + 1], starts[REST_STEPS] + REST_BALLS);
    end(&run);
    end(&again);
}

// Residuals of a stack are not 0.
static Run start_stack(void)
{
    return start("scenes/stack.yaml");
}

static void resume_at_rest(Run (*begin)(void))
{
    PerpError error = {0};
    long long whole[REST_STEPS + 2], parts[REST_STEPS + 2];
    Run first = begin();
    PerpRecorderOptions options = options_of(&first);
    record(&first, &options, REST_STEPS, 4);
    read_starts(whole);
    for (int at = 3; at < REST_STEPS; at += 8) {
        PerpRecorder *recorder;
        long step;
        Run begun = begin(), rest = begin();
        record(&begun, &options, at, 4);
        must(perp_recorder_resume(NULL, path, rest.model, rest.simulation, &options, &step,
                                  &recorder, &error),
             &error);
        for (int k = at + 1; k <= REST_STEPS; k++) {
            must(perp_simulation_step(rest.simulation, 0, &error), &error);
            must(perp_recorder_append(recorder, 0, &error), &error);
        }
        must(perp_recorder_close(recorder, true, &error), &error);
        read_starts(parts);
        assert_memory_equal(parts, whole, sizeof whole);
        end(&begun);
        end(&rest);
    }
    end(&first);
}

// Gone on with from anywhere, also from amid the rest, contacts have the same rows.
static void test_resume_at_rest(void **state)
{
    (void)state;
    resume_at_rest(start_balls);
    resume_at_rest(start_stack);
}

// --- going on -----------------------------------------------------------------------------------

static void test_resume(void **state)
{
    (void)state;
    PerpError error = {0};
    PerpRecorder *recorder;
    long step;
    int note = 7;
    Run run = start("scenes/demo/workshop.yaml"), rest = start("scenes/demo/workshop.yaml");
    PerpRecorderOptions options = options_of(&run);
    options.every = 4;
    options.user = &note;
    options.user_size = sizeof note;
    record(&run, &options, 230, 9); // the last frame is beside the others
    note = 0;
    must(perp_recorder_resume(NULL, path, rest.model, rest.simulation, &options, &step, &recorder,
                              &error),
         &error);
    assert_int_equal(step, 230);
    assert_int_equal(note, 7);
    for (int k = 231; k <= 300; k++) {
        must(perp_simulation_step(run.simulation, 0, &error), &error);
        must(perp_simulation_step(rest.simulation, 0, &error), &error);
        must(perp_recorder_append(recorder, 0, &error), &error);
        if (k % 40 == 0)
            must(perp_recorder_flush(recorder, &error), &error);
    }
    must(perp_recorder_close(recorder, true, &error), &error);
    PerpRecording *recording = open_recording();
    assert_int_equal(perp_recording_info(recording)->frames, 76);
    compare_bodies(recording, run.simulation, 75, false);
    for (long k = 0; k < 76; k++) {
        double number;
        must(perp_recording_series(recording, "step/number", k, 1, &number, &error), &error);
        assert_int_equal((long)number, 4 * k);
    }
    perp_recording_close(recording);
    end(&run);
    end(&rest);
}

// --- files that are not what they should be -----------------------------------------------------

static void refuse(const char *name, PerpStatus status, const char *words)
{
    PerpRecording *recording;
    PerpError error = {0};
    assert_int_equal(perp_recording_open(NULL, name, &recording, &error), status);
    assert_null(recording);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void set_version(const char *name, long long version)
{
    hid_t file = H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attribute = H5Aopen(file, "version", H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_LLONG, &version) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
}

static void test_other_files(void **state)
{
    (void)state;
    Run run = start("scenes/examples/ball.yaml");
    PerpRecorderOptions options = options_of(&run);
    record(&run, &options, 20, 5);
    end(&run);
    refuse("/nowhere/run.h5", PERP_NO_FILE, "cannot be read");
    refuse("scenes/examples/ball.yaml", PERP_BAD_SYNTAX, "not a recording");
    refuse("scenes/problems/block_local.hdf5", PERP_BAD_SYNTAX, "not a recording of perp");
    refuse("/tmp", PERP_BAD_SYNTAX, "not a recording");
    set_version(path, 4);
    refuse(path, PERP_NOT_SUPPORTED, "a newer one is needed");
    set_version(path, -1);
    refuse(path, PERP_BAD_SYNTAX, "not a recording of perp");
    set_version(path, 1);
    perp_recording_close(open_recording());
}

static char *read_bytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *bytes, size_t size)
{
    FILE *file = fopen(other, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// Reads all there is; what goes wrong must be an error, not a crash.
static bool read_all(const char *name)
{
    PerpRecording *recording;
    PerpError error = {0};
    PerpScene *scene;
    if (perp_recording_open(NULL, name, &recording, &error))
        return false;
    const PerpRecordingInfo *info = perp_recording_info(recording);
    long frames = info->frames < 50 ? info->frames : 50;
    double *numbers = calloc(((size_t)info->bodies * 7 + 1) * 50, sizeof *numbers);
    bool ok = !perp_recording_poses(recording, 0, frames, numbers, &error) &&
              !perp_recording_velocities(recording, 0, frames, numbers, &error);
    for (int s = 0; s < perp_recording_series_count(); s++)
        ok = !perp_recording_series(recording, perp_recording_series_name(s), 0, frames, numbers,
                                    &error) &&
             ok;
    const PerpRecordedContact *contacts;
    int count;
    for (long k = 0; k < frames; k++)
        ok = !perp_recording_contacts(recording, k, &contacts, &count, &error) && ok;
    PerpRecordedEvent event;
    for (long k = 0; k < perp_recording_events(recording) && k < 50; k++)
        ok = !perp_recording_event(recording, k, &event, &error) && ok;
    PerpRecordedProblem problem;
    for (long k = 0; k < perp_recording_problems(recording) && k < 50; k++)
        ok = !perp_recording_problem(recording, k, &problem, &error) && ok;
    ok = !perp_recording_scene(recording, &scene, &error) && ok;
    perp_scene_destroy(scene);
    free(numbers);
    perp_recording_close(recording);
    return ok;
}

// In a process of its own: HDF5 forgets memory of files that it gives up on.
static bool read_all_apart(const char *name)
{
    int code;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(read_all(name) ? 0 : 1);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) <= 1);
    return WEXITSTATUS(code) == 0;
}

static void test_damaged_files(void **state)
{
    (void)state;
    size_t size;
    PerpRandom r = perp_random(11);
    Run run = start("scenes/examples/ball.yaml");
    PerpRecorderOptions options = options_of(&run);
    options.problems = PERP_PROBLEMS_EVERY;
    record(&run, &options, 20, 5);
    end(&run);
    assert_true(read_all(path));
    char *bytes = read_bytes(&size);
    for (int k = 0; k < 20; k++) { // cut off
        write_bytes(bytes, size * (size_t)k / 20);
        assert_false(read_all_apart(other));
    }
    int refused = 0;
    for (int k = 0; k < 150; k++) { // a byte changed, mostly where metadata are
        size_t at = (size_t)perp_random_int(&r, 0, k % 3 ? 40000 : (int)size - 1) % size;
        char was = bytes[at];
        bytes[at] = (char)perp_random_int(&r, 0, 255);
        write_bytes(bytes, size);
        refused += !read_all_apart(other);
        bytes[at] = was;
    }
    assert_in_range(refused, 1, 150);
    free(bytes);
}

static void test_unwritable(void **state)
{
    (void)state;
    PerpRecorder *recorder;
    PerpError error = {0};
    Run run = start("scenes/examples/ball.yaml");
    assert_int_equal(perp_recorder_create(NULL, "/nowhere/run.h5", run.model, run.simulation, NULL,
                                          &recorder, &error),
                     PERP_NO_FILE);
    assert_null(recorder);
    assert_non_null(strstr(error.message, "cannot be written"));
    long step;
    assert_int_equal(perp_recorder_resume(NULL, "/nowhere/run.h5", run.model, run.simulation, NULL,
                                          &step, &recorder, &error),
                     PERP_NO_FILE);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_scene),
        cmocka_unit_test(test_groups),         cmocka_unit_test(test_events),
        cmocka_unit_test(test_held_problems),  cmocka_unit_test(test_methods),
        cmocka_unit_test(test_problems),       cmocka_unit_test(test_resume),
        cmocka_unit_test(test_other_files),    cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_unwritable),     cmocka_unit_test(test_rest),
        cmocka_unit_test(test_resume_at_rest),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

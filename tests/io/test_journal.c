// Runs of programs: what callbacks and setters do is recorded, and a replay has the same bits.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/recording.h"
#include "perp/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "world: [{plane: [0, 0, 1]}]\n"
                           "bodies:\n"
                           "  bob: {sphere: 0.1, mass: 1, at: [0, 0, 1]}\n"
                           "  box: {box: [0.2, 0.2, 0.2], mass: 2, at: [1, 0, 0.1]}\n"
                           "joints: {pin: {hinge: [world, bob], at: [0, 0, 2], axis: [0, 1, 0]}}\n"
                           "signals: {gain: {input: 1}}\n"
                           "actuators:\n"
                           "  motor: {joint: pin, force: input}\n"
                           "  second: {joint: pin, force: gain*sin(9*t)}\n"
                           "keyframes: {away: {joints: {pin: 0.3}}}\n"
                           "run: {control-every: 3}\n";

typedef struct Run {
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    const double *journal;
    long count, at, at_force;
} Run;

// A controller that no scene describes: it depends on how often it was asked.
static void control(void *user, PerpSimulation *simulation)
{
    int *calls = user;
    double angle = perp_simulation_coordinate(simulation, 0, 0);
    const double force[3] = {0, 0.1 * *calls, 0}, none[3] = {0};
    perp_simulation_set_control(simulation, 0, -5 * angle + 0.01 * ++*calls, NULL);
    perp_simulation_set_wrench(simulation, 1, force, none, NULL);
}

static void wind(void *user, double t, int body, const double position[3], const double rotation[4],
                 double force[3], double torque[3])
{
    int *calls = user;
    (void)rotation;
    (void)torque;
    force[0] += body == 1 ? 3 * sin(40 * t) + position[0] + 1e-3 * ++*calls : 0;
}

static void play(void *user, double t, int body, const double position[3], const double rotation[4],
                 double force[3], double torque[3])
{
    Run *run = user;
    (void)t, (void)body, (void)position, (void)rotation;
    assert_true(perp_journal_next_force(run->journal, run->count, &run->at_force, force, torque));
}

static void create(Run *run, PerpForceCallback force, void *user)
{
    PerpSceneText file = {"scene.yaml", text, strlen(text)};
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpError error;
    settings.force = force;
    settings.force_user = user;
    if (perp_scene_read_texts(NULL, &file, 1, NULL, 0, &run->scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(run->scene), &run->model, &error) ||
        perp_simulation_create(NULL, run->model, &settings, &run->simulation, &error))
        fail_msg("%s", error.message);
}

static void destroy(Run *run)
{
    perp_simulation_destroy(run->simulation);
    perp_model_destroy(run->model);
    perp_scene_destroy(run->scene);
}

// What a program may do between steps.
static void meddle(PerpSimulation *s, int step)
{
    const double moon[3] = {0, 0, -1.6}, at[3] = {1, 0.5, 0.4}, turn[4] = {1, 0, 0, 0};
    const double v[3] = {0, 0, 1}, spin[3] = {0, 2, 0}, across[3] = {0, 0.3, 0}, none[3] = {0};
    double impulse[12] = {0};
    impulse[7] = 0.5;
    if (step == 20)
        assert_int_equal(perp_simulation_set_input(s, 0, 4, NULL), PERP_OK);
    if (step == 30)
        assert_int_equal(perp_simulation_set_gravity(s, moon, NULL), PERP_OK);
    if (step == 40)
        assert_int_equal(perp_simulation_set_friction(s, 0, 0, 0.1, NULL), PERP_OK);
    if (step == 50)
        assert_int_equal(perp_simulation_set_pose(s, 1, at, turn, NULL), PERP_OK);
    if (step == 60)
        perp_simulation_set_velocity(s, 1, v, spin);
    if (step == 65)
        perp_simulation_set_velocity(s, 0, across, none); // which the pin does not allow
    if (step == 70)
        assert_int_equal(perp_simulation_set_coordinate(s, 0, 0, -0.4, NULL), PERP_OK);
    if (step == 80)
        assert_int_equal(perp_simulation_apply_impulse(s, impulse, NULL), PERP_OK);
    if (step == 90)
        assert_int_equal(perp_simulation_reset_to(s, 0, NULL), PERP_OK);
    if (step == 110)
        perp_simulation_set_control_callback(s, NULL, NULL);
}

enum { STEPS = 130 };

static void take_step(PerpSimulation *s, int step)
{
    PerpError error;
    if (perp_simulation_step(s, step % 7 == 0 ? 5e-4 : 0, &error))
        fail_msg("%s", error.message);
}

static void record(const char *path)
{
    Run run = {0};
    PerpRecorder *recorder;
    PerpRecorderOptions options = perp_default_recorder_options();
    PerpError error;
    int calls = 0, gusts = 0;
    create(&run, wind, &gusts);
    perp_simulation_set_control(run.simulation, 0, 0.7, NULL);
    perp_simulation_set_control_callback(run.simulation, control, &calls);
    options.scene = run.scene;
    if (perp_recorder_create(NULL, path, run.model, run.simulation, &options, &recorder, &error) ||
        perp_recorder_append(recorder, 0, &error))
        fail_msg("%s", error.message);
    for (int k = 0; k < STEPS; k++) {
        meddle(run.simulation, k);
        take_step(run.simulation, k);
        if (perp_recorder_append(recorder, 0, &error))
            fail_msg("%s", error.message);
    }
    assert_int_equal(perp_recorder_close(recorder, true, &error), PERP_OK);
    destroy(&run);
}

// Whether something was given before a step, as meddle does it.
static bool is_given(int step)
{
    return step == 30 || step == 50 ||
           (step >= 60 && step <= 90 && step % 5 == 0 && step != 75 && step != 85);
}

static void test_replay(void **state)
{
    (void)state;
    char folder[] = "/tmp/perp-journal-XXXXXX", path[64];
    PerpRecording *recording;
    PerpError error;
    Run run = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.h5", folder);
    record(path);
    if (perp_recording_open(NULL, path, &recording, &error) ||
        perp_recording_journal(recording, &run.journal, &run.count, &error))
        fail_msg("%s", error.message);
    create(&run, play, &run);
    for (int k = 0; k <= STEPS; k++) {
        double q[14] = {0}, v[12] = {0}, impact = NAN;
        int n;
        long from = run.at;
        if (perp_simulation_follow_journal(run.simulation, run.journal, run.count, k - 1, &run.at,
                                           &error) ||
            (k > 0 && perp_simulation_step(run.simulation, 0, &error)) ||
            perp_recording_state(recording, k, q, v, &error) ||
            perp_recording_series(recording, "energy/impact", k, 1, &impact, &error))
            fail_msg("%s", error.message);
        assert_true(perp_simulation_report(run.simulation)->energy.impact == impact);
        assert_true(k == 0 || perp_journal_gives(run.journal, from, run.at) == is_given(k - 1));
        assert_memory_equal(q, perp_simulation_q(run.simulation, &n), sizeof q);
        assert_memory_equal(v, perp_simulation_v(run.simulation, &n), sizeof v);
    }
    assert_true(run.at == run.count);
    assert_true(perp_journal_length(run.journal, run.count, STEPS) == run.count);
    assert_true(perp_journal_length(run.journal, run.count, -1) == 0);
    destroy(&run);
    perp_recording_close(recording);
    unlink(path);
    rmdir(folder);
}

// Numbers that are no journal end it or are refused; nothing is read beyond them.
static void test_damaged(void **state)
{
    (void)state;
    static const double cases[][5] = {
        {0, 1, 2, 9, 1},     // the control of an actuator that does not exist
        {0, 1, 1, 0, 0},     // a number too few
        {0, 6, 2, 0, 0},     // a state of another model
        {0, 3, 2, 0, 0},     // gravity of two numbers
        {0, 4, 2, NAN, NAN}, // a wrench likewise
    };
    Run run = {0};
    create(&run, NULL, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        long at = 0;
        assert_true(perp_simulation_follow_journal(run.simulation, cases[k], 5, 0, &at, NULL) !=
                    PERP_OK);
    }
    const double cut[][4] = {{0, 1, 2, 0}, {0, 99, 0, 0}, {0, 1, -1, 0}, {0, NAN, NAN, 0}};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
        long at = 0;
        double force[3], torque[3];
        assert_int_equal(perp_simulation_follow_journal(run.simulation, cut[k], 4, 0, &at, NULL),
                         PERP_OK);
        assert_true(at == 0);
        assert_false(perp_journal_next_force(cut[k], 4, &at, force, torque));
    }
    destroy(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

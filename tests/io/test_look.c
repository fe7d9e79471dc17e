// Colours, the camera, sites and times of joints: from the scene into the recording and back.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PerpStatus read_text(const char *bytes, PerpScene **scene, PerpError *error)
{
    PerpSceneText text = {"scene.yaml", bytes, strlen(bytes)};
    return perp_scene_read_texts(NULL, &text, 1, NULL, 0, scene, error);
}

static void record(const PerpScene *scene, const char *path)
{
    PerpError error;
    PerpModel *model = NULL;
    PerpSimulation *simulation = NULL;
    PerpRecorder *recorder = NULL;
    PerpRecorderOptions options = perp_default_recorder_options();
    options.scene = scene;
    if (perp_model_create(NULL, perp_scene_model_def(scene), &model, &error) ||
        perp_simulation_create(NULL, model, NULL, &simulation, &error) ||
        perp_recorder_create(NULL, path, model, simulation, &options, &recorder, &error) ||
        perp_recorder_append(recorder, 0, &error) || perp_recorder_close(recorder, true, &error))
        fail_msg("%s", error.message);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
}

static void assert_numbers(const double *found, const double *expected, int count)
{
    for (int k = 0; k < count; k++)
        assert_true(fabs(found[k] - expected[k]) <= 1e-15);
}

static void test_recorded(void **state)
{
    (void)state;
    static const char text[] =
        "camera: {from: [1, 2, 3], at: [0, 0, 1], field-of-view: 0.5, follow: b}\n"
        "bodies:\n"
        "  a: {sphere: 0.1, colour: '#ff0033'}\n"
        "  b: {at: [1, 0, 0], colour: [0, 0.5, 1], shapes: [{sphere: 0.1, at: [1, 0, 0]},\n"
        "      {sphere: 0.1, colour: [1, 1, 0, 0.5]}]}\n"
        "world: [{plane: [0, 0, 1], at: [0, 0, -1]}]\n"
        "joints: {j: {weld: [world, a], enabled: {from: 1, until: 2}}}\n"
        "sites: {tip: {body: b, at: [0.1, 0.2, 0.3]}}\n";
    char folder[] = "/tmp/perp-look-XXXXXX", path[64];
    PerpScene *scene;
    PerpRecording *recording;
    PerpError error;
    if (read_text(text, &scene, &error))
        fail_msg("%s", error.message);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.h5", folder);
    record(scene, path);
    if (perp_recording_open(NULL, path, &recording, &error))
        fail_msg("%s", error.message);

    const double colours[3][4] = {{1, 0, 0x33 / 255.0, 1}, {0, 0.5, 1, 1}, {1, 1, 0, 0.5}};
    double colour[4], times[2];
    for (int s = 0; s < 3; s++) {
        assert_true(perp_recording_colour(recording, s, colour));
        assert_numbers(colour, colours[s], 4);
    }
    assert_false(perp_recording_colour(recording, 3, colour)); // the plane
    assert_false(perp_recording_colour(recording, 4, colour));
    PerpCamera camera;
    assert_true(perp_recording_camera(recording, &camera));
    assert_numbers(camera.from, (const double[]){1, 2, 3}, 3);
    assert_numbers(camera.at, (const double[]){0, 0, 1}, 3);
    assert_true(camera.field_of_view == 0.5 && camera.follow == 1);
    assert_true(perp_recording_joint_enabled(recording, 0, times));
    assert_numbers(times, (const double[]){1, 2}, 2);
    assert_false(perp_recording_joint_enabled(recording, 1, times));
    assert_int_equal(perp_recording_sites(recording), 1);
    PerpRecordedSite site = perp_recording_site(recording, 0);
    assert_string_equal(site.name, "tip");
    assert_int_equal(site.body, 1);
    assert_numbers(site.position, (const double[]){0.1, 0.2, 0.3}, 3);
    assert_int_equal(perp_recording_site(recording, 1).body, -1);

    perp_recording_close(recording);
    perp_scene_destroy(scene);
    unlink(path);
    rmdir(folder);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"bodies: {a: {sphere: 1, colour: red}}", "colour: expected \"#rrggbb\""},
        {"bodies: {a: {sphere: 1, colour: [1, 2, 0]}}", "expected \"#rrggbb\""},
        {"bodies: {a: {sphere: 1, colour: '#12345g'}}", "expected \"#rrggbb\""},
        {"camera: {at: [0, 0, 0]}", "from"},
        {"camera: {from: [0, 0, 0]}", "away from"},
        {"camera: {from: [1, 0, 0], follow: nobody}", "nobody"},
        {"bodies: {a: {sphere: 1}}\njoints: {j: {weld: [world, a], enabled: {from: 2, until: 1}}}",
         "\"from\" before \"until\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpScene *scene;
        PerpError error;
        assert_true(read_text(cases[k][0], &scene, &error) != PERP_OK);
        if (!strstr(error.message, cases[k][1]))
            fail_msg("%s: %s", cases[k][0], error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

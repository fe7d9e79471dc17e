// Exports wherever memory runs short: nothing leaks, nothing is left behind; and what they refuse.
#define _DEFAULT_SOURCE // mkdtemp

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "perp/export.h"
#include "perp/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene_text[] = "run: {t: 0.05, h: 0.01}\n"
                                 "materials: {default: {mu: 0.5}}\n"
                                 "bodies:\n"
                                 "  block: {box: [0.2, 0.2, 0.2], at: [0, 0, 0.1],"
                                 " velocity: [1, 0, 0]}\n"
                                 "  ball: {sphere: 0.1, at: [1, 0, 0.4]}\n"
                                 "joints:\n"
                                 "  string: {rope: [world, ball], from: [1, 0, 0.6],"
                                 " to: [1, 0, 0.4], length: 0.3}\n"
                                 "world:\n"
                                 "  - plane: [0, 0, 1]\n";

typedef struct Fixture {
    char folder[64], path[96];
    PerpRecording *recording;
} Fixture;

static void record(const char *path)
{
    PerpError error = {0};
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    PerpRecorder *recorder;
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpRecorderOptions options = perp_default_recorder_options();
    settings.step = 0.01;
    PerpSceneText text = {"scene", scene_text, strlen(scene_text)};
    PerpStatus status = perp_scene_read_texts(NULL, &text, 1, NULL, 0, &scene, &error);
    if (status)
        fail_msg("%d: %s", error.line, error.message);
    options.scene = scene;
    options.problems = PERP_PROBLEMS_EVERY;
    options.problems_every = 1;
    assert_int_equal(perp_model_create(NULL, perp_scene_model_def(scene), &model, &error), PERP_OK);
    assert_int_equal(perp_simulation_create(NULL, model, &settings, &simulation, &error), PERP_OK);
    assert_int_equal(
        perp_recorder_create(NULL, path, model, simulation, &options, &recorder, &error), PERP_OK);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(k ? perp_simulation_step(simulation, 0, &error) : PERP_OK, PERP_OK);
        assert_int_equal(perp_recorder_append(recorder, 0, &error), PERP_OK);
    }
    assert_int_equal(perp_recorder_close(recorder, true, &error), PERP_OK);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
}

static int make_fixture(void **state)
{
    static Fixture fixture;
    PerpError error = {0};
    snprintf(fixture.folder, sizeof fixture.folder, "/tmp/perp-export-XXXXXX");
    assert_non_null(mkdtemp(fixture.folder));
    snprintf(fixture.path, sizeof fixture.path, "%s/run.h5", fixture.folder);
    record(fixture.path);
    assert_int_equal(perp_recording_open(NULL, fixture.path, &fixture.recording, &error), PERP_OK);
    *state = &fixture;
    return 0;
}

static int remove_fixture(void **state)
{
    Fixture *fixture = *state;
    char command[128];
    perp_recording_close(fixture->recording);
    snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    return system(command);
}

static void test_memory_runs_short(void **state)
{
    Fixture *fixture = *state;
    PerpExportOptions options = perp_default_export_options();
    options.first = options.last = 3;
    for (int format = 0; format < PERP_EXPORT_FORMAT_COUNT; format++) {
        PerpStatus status = PERP_NO_MEMORY;
        char path[128];
        snprintf(path, sizeof path, "%s/out%s", fixture->folder, perp_export_ending(format));
        for (int k = 1; status; k++) {
            PerpFailingAllocator memory = {.fail_at = k};
            PerpContext context = perp_failing_context(&memory);
            PerpError error = {0};
            assert_int_not_equal(access(path, F_OK), 0);
            status =
                perp_export(&context, fixture->recording, path, format, &options, NULL, &error);
            assert_int_equal(memory.live, 0);
            if (status && status != PERP_NO_MEMORY)
                fail_msg("%s: %s", perp_export_name(format), error.message);
            assert_true(k < 2000);
        }
        assert_int_equal(access(path, F_OK), 0);
    }
}

static void test_refusals(void **state)
{
    Fixture *fixture = *state;
    PerpExportOptions options = perp_default_export_options();
    PerpError error = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/none.csv", fixture->folder);
    options.every = 0;
    assert_int_equal(
        perp_export(NULL, fixture->recording, path, PERP_EXPORT_CSV, &options, NULL, &error),
        PERP_BAD_VALUE);
    assert_int_equal(
        perp_export(NULL, fixture->recording, path, PERP_EXPORT_FORMAT_COUNT, NULL, NULL, &error),
        PERP_BAD_VALUE);
    options = perp_default_export_options();
    options.first = 100;
    assert_int_equal(
        perp_export(NULL, fixture->recording, path, PERP_EXPORT_CSV, &options, NULL, NULL),
        PERP_BAD_VALUE);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_string_equal(perp_export_name(PERP_EXPORT_GLTF), "gltf");
    assert_string_equal(perp_export_ending(PERP_EXPORT_FORMAT_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_runs_short),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_fixture, remove_fixture);
}

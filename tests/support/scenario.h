// Scenes in few lines of text, for tests against closed forms: read, run, sensors asked by name.
#ifndef PERP_TEST_SCENARIO_H
#define PERP_TEST_SCENARIO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846, G = 9.81;

typedef struct Scenario {
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
} Scenario;

// With the step of the scene's run, a tight tolerance, and one parameter that is set, or NULL.
static inline Scenario scenario_of(const char *text, const char *name, double value,
                                   const char *scheme)
{
    Scenario s = {0};
    PerpSceneText file = {"scenario.yaml", text, strlen(text)};
    char number[32];
    snprintf(number, sizeof number, "%.17g", value);
    PerpParameter set = {name, number};
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpError error;
    PerpStatus status = perp_scene_read_texts(NULL, &file, 1, &set, name ? 1 : 0, &s.scene, &error);
    if (!status)
        status = perp_model_create(NULL, perp_scene_model_def(s.scene), &s.model, &error);
    if (!status) {
        settings.step = perp_scene_run(s.scene)->step;
        settings.tolerance = 1e-12;
        settings.scheme = scheme;
        status = perp_simulation_create(NULL, s.model, &settings, &s.simulation, &error);
    }
    if (status)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    return s;
}

static inline Scenario scenario(const char *text, const char *name, double value)
{
    return scenario_of(text, name, value, "default");
}

static inline void run_until(Scenario *s, double t)
{
    PerpError error;
    double h = perp_scene_run(s->scene)->step;
    while (perp_simulation_time(s->simulation) < t - h / 2)
        if (perp_simulation_step(s->simulation, 0, &error))
            fail_msg("%s", error.message);
}

static inline double sensed(const Scenario *s, const char *name, int number)
{
    double values[PERP_SENSOR_NUMBERS];
    int sensor = perp_model_find_sensor(s->model, name);
    if (sensor < 0)
        fail_msg("there is no sensor %s", name);
    perp_simulation_sensor(s->simulation, sensor, values);
    return values[number];
}

static inline void end_scenario(Scenario *s)
{
    perp_simulation_destroy(s->simulation);
    perp_model_destroy(s->model);
    perp_scene_destroy(s->scene);
}

#define assert_near(value, expected, tolerance)                                                    \
    assert_near_at(value, expected, tolerance, #value, __FILE__, __LINE__)

static inline void assert_near_at(double value, double expected, double tolerance, const char *text,
                                  const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s = %.15g, not %.15g: off by %g, more than %g\n", text, value, expected,
                value - expected, tolerance);
    _fail(file, line);
}

#endif

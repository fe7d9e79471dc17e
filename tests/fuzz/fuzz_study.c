// Any bytes through the reader of studies. It fails with a message and a place, or gives a study
// whose cases can be computed and whose measures can be taken of a falling ball, or are refused
// with a place.
#include "perp/model.h"
#include "perp/simulation.h"
#include "study/meter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static PerpModel *make_model(void)
{
    static const char scene[] = "bodies: {ball: {sphere: 0.1, at: [0, 0, 1]}, "
                                "grain-1: {sphere: 0.1, at: [1, 0, 1]}}";
    PerpSceneText text = {"scene.yaml", scene, sizeof scene - 1};
    PerpScene *read;
    PerpModel *model;
    if (perp_scene_read_texts(NULL, &text, 1, NULL, 0, &read, NULL) ||
        perp_model_create(NULL, perp_scene_model_def(read), &model, NULL))
        abort();
    perp_scene_destroy(read);
    return model;
}

static void check_error(PerpStatus status, const PerpError *error)
{
    if (status && status != PERP_NO_MEMORY &&
        (error->message[0] == '\0' || error->line < 1 || error->column < 1))
        abort();
}

static void measure(const PerpStudy *study, const double *parameters)
{
    static PerpModel *model;
    static PerpMeter meter;
    PerpSimulation *simulation;
    PerpError error = {0};
    double measures[PERP_STUDY_NAMES];
    PerpSimulationSettings settings = perp_default_simulation_settings();
    settings.step = 0.01;
    model = model ? model : make_model();
    PerpStatus status = perp_meter_create(study, model, parameters, &meter, &error);
    check_error(status, &error);
    if (status)
        return;
    if (perp_simulation_create(NULL, model, &settings, &simulation, NULL))
        abort();
    perp_meter_sample(&meter, simulation);
    if (perp_simulation_step(simulation, 0, NULL))
        abort();
    perp_meter_sample(&meter, simulation);
    perp_meter_finish(&meter, simulation, true, measures);
    perp_meter_free(&meter);
    perp_simulation_destroy(simulation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PerpStudy *study;
    PerpError error = {0};
    double parameters[PERP_STUDY_NAMES];
    PerpStatus status =
        perp_study_parse(NULL, (const char *)data, size, "studies/fuzz", &study, &error);
    if ((status == PERP_OK) != (study != NULL))
        abort();
    check_error(status, &error);
    if (study) {
        long points = perp_study_info(study)->points;
        for (int k = 0; k < 8; k++)
            perp_study_case(study, points * k / 8, parameters);
        measure(study, parameters);
    }
    perp_study_destroy(study);
    return 0;
}

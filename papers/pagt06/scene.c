// Runs of the scenes of PAGT06 section 10.3, and their figures.
#include "papers/pagt06/scene.h"

#include <math.h>
#include <string.h>

static void record(const PerpSimulation *simulation, int body, SceneRun *run)
{
    const PerpStepReport *report = perp_simulation_report(simulation);
    double position[3], rotation[4], velocity[3], spin[3];
    int k = run->count++;
    perp_simulation_pose(simulation, body, position, rotation);
    perp_simulation_velocity(simulation, body, velocity, spin);
    run->t[k] = report->t;
    run->x[k] = position[0];
    run->z[k] = position[2];
    run->angle[k] = perp_simulation_coordinate(simulation, run->joint, 0);
    run->speed = hypot(velocity[0], velocity[2]);
    run->joint_gap = fmax(run->joint_gap, report->joint_gap);
    run->penetration = fmax(run->penetration, report->penetration);
    run->certificate = fmax(run->certificate, report->certificate.worst);
    run->energy = report->energy;
    run->highest = fmax(run->highest, report->energy.kinetic + report->energy.spring);
    run->problems += report->problems;
}

static PerpStatus step_through(const PerpScene *scene, const PerpModel *model, SceneRun *run,
                               PerpError *error)
{
    const PerpRunDef *def = perp_scene_run(scene);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    settings.scheme = run->scheme ? run->scheme : def->scheme;
    settings.step = def->step;
    settings.facets = def->facets;
    settings.restitution_threshold = def->restitution_threshold;
    PerpStatus status = perp_simulation_create(NULL, model, &settings, &simulation, error);
    int body = perp_model_find_body(model, run->body);
    int steps = (int)lround((run->duration > 0 ? run->duration : def->duration) / def->step);
    for (int k = 0; k < steps && k < SCENE_POINTS && !status; k++) {
        status = perp_simulation_step(simulation, 0, error);
        if (!status)
            record(simulation, body, run);
    }
    perp_simulation_destroy(simulation);
    run->failed = status != PERP_OK;
    return run->may_fail && run->count > 0 ? PERP_OK : status;
}

bool pagt06_scene_run(Paper *paper, SceneRun *run)
{
    PerpScene *scene = NULL;
    PerpModel *model = NULL;
    PerpError error = {0};
    const Pagt06Scene *source = pagt06_scenes;
    while (source[1].name && strcmp(source->name, run->name) != 0)
        source++;
    PerpSceneText text = {run->name, source->text, strlen(source->text)};
    PerpStatus status =
        perp_scene_read_texts(NULL, &text, 1, &run->set, run->set.name ? 1 : 0, &scene, &error);
    if (!status)
        status = perp_model_create(NULL, perp_scene_model_def(scene), &model, &error);
    if (!status)
        status = step_through(scene, model, run, &error);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
    if (status)
        paper_fail(paper, &error);
    return !status;
}

void pagt06_scene_draw(Paper *paper, const char *name, const char *label, int count,
                       const SceneRun *const *runs, const double *const *y,
                       const char *const *names)
{
    PerpSeries series[4];
    PerpFigure figure = perp_default_figure();
    for (int k = 0; k < count; k++) {
        series[k] = perp_default_series();
        series[k].name = names[k];
        series[k].count = runs[k]->count;
        series[k].x = runs[k]->t;
        series[k].y = y[k];
    }
    figure.x_label = "time (s)";
    figure.y_label = label;
    figure.n_series = count;
    figure.series = series;
    paper_figure(paper, name, &figure);
}

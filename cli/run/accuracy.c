// perp run --accuracy: the step is halved until two runs agree.
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 5, MOST_HALVINGS = 12, LEAST_HALVINGS = 2 };
static const double TOLERANCE = 1e-3, FINEST = 1e-10; // of the accuracy: that of the solver

typedef struct Trial {
    const Run *run;
    int bodies;
    long steps; // of the coarsest run, a multiple of MOMENTS
    double duration;
    double *coarse, *fine; // 3 a body and moment
} Trial;

static void note_positions(const Trial *trial, const PerpSimulation *simulation, double *to)
{
    double rotation[4];
    for (int b = 0; b < trial->bodies; b++)
        perp_simulation_pose(simulation, b, to + 3 * b, rotation);
}

// One run of steps << halvings steps, its positions into trial->fine.
static PerpStatus run_once(const Trial *trial, int halvings, PerpError *error)
{
    PerpSimulation *simulation = NULL;
    PerpSimulationSettings settings = trial->run->settings;
    long steps = trial->steps << halvings;
    settings.step = trial->duration / (double)steps;
    PerpStatus status =
        perp_simulation_create(NULL, trial->run->opened.model, &settings, &simulation, error);
    for (long k = 1; k <= steps && !status; k++) {
        status = perp_simulation_step(simulation, 0, error);
        if (!status && k % (steps / MOMENTS) == 0)
            note_positions(trial, simulation,
                           trial->fine + (k / (steps / MOMENTS) - 1) * 3 * trial->bodies);
    }
    perp_simulation_destroy(simulation);
    return status;
}

// m: the largest distance of a body between the two runs
static double difference(const Trial *trial)
{
    double largest = 0;
    for (int k = 0; k < MOMENTS * trial->bodies; k++) {
        const double *a = trial->coarse + 3 * k, *b = trial->fine + 3 * k;
        largest = fmax(largest, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    return largest;
}

static void swap(Trial *trial)
{
    double *coarse = trial->coarse;
    trial->coarse = trial->fine;
    trial->fine = coarse;
}

static PerpStatus fail(Run *run, double estimate)
{
    run->error = (PerpError){.status = PERP_NOT_SOLVED};
    snprintf(run->error.message, sizeof run->error.message,
             "positions are not right within %g m with %d halvings of the step: two runs differ by "
             "%.3g m; the motion may depend on its beginning without bound",
             run->options->accuracy, MOST_HALVINGS, estimate);
    return PERP_NOT_SOLVED;
}

static PerpStatus halve(Run *run, Trial *trial)
{
    PerpStatus status = run_once(trial, 0, &run->error);
    double estimate = INFINITY;
    for (int k = 1; k <= MOST_HALVINGS && !status; k++) {
        swap(trial);
        status = run_once(trial, k, &run->error);
        estimate = status ? INFINITY : difference(trial);
        run->settings.step = trial->duration / (double)(trial->steps << k);
        run->accuracy = estimate;
        if (k >= LEAST_HALVINGS && estimate <= run->options->accuracy)
            return PERP_OK;
    }
    return status ? status : fail(run, estimate);
}

PerpStatus run_choose_step(Run *run)
{
    const PerpRunDef *def = perp_scene_run(run->opened.scene);
    Trial trial = {.run = run, .bodies = perp_model_body_count(run->opened.model)};
    if (!(run->options->accuracy > 0))
        return PERP_OK;
    trial.duration = run->options->duration > 0 ? run->options->duration : def->duration;
    double steps = fmax(ceil(trial.duration / run->settings.step / MOMENTS), 1);
    if (!(steps < 1e9)) {
        run->error = (PerpError){.status = PERP_BAD_VALUE, .message = "too many steps"};
        return PERP_BAD_VALUE;
    }
    trial.steps = MOMENTS * (long)steps;
    if (!(run->options->tolerance > 0))
        run->settings.tolerance =
            fmin(run->settings.tolerance, fmax(TOLERANCE * run->options->accuracy, FINEST));
    size_t numbers = (size_t)(3 * MOMENTS * trial.bodies) + 1;
    trial.coarse = calloc(numbers, sizeof *trial.coarse);
    trial.fine = calloc(numbers, sizeof *trial.fine);
    run->error.status = PERP_NO_MEMORY;
    PerpStatus status = trial.coarse && trial.fine ? halve(run, &trial) : PERP_NO_MEMORY;
    free(trial.coarse);
    free(trial.fine);
    return status;
}

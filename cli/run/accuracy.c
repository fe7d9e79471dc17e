// perp run --accuracy: shorter and shorter steps, until runs agree. Each has sqrt(2) times the
// steps of the one before, so that events fall at other moments of its steps: two runs of which one
// halves the steps of the other may agree on an error that both make.
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 5, KEPT = 4, MOST_TRIALS = 24 };
static const double TOLERANCE = 1e-3, FINEST = 1e-10; // of the accuracy: that of the solver

// The last runs, the finest first.
typedef struct Trial {
    const Run *run;
    int bodies;
    double duration;
    long steps[KEPT]; // multiples of MOMENTS
    double *at[KEPT]; // 3 a body and moment
} Trial;

static void note_positions(const Trial *trial, const PerpSimulation *simulation, double *to)
{
    double rotation[4];
    for (int b = 0; b < trial->bodies; b++)
        perp_simulation_pose(simulation, b, to + 3 * b, rotation);
}

// The run with trial->steps[0] steps.
static PerpStatus run_once(Trial *trial, PerpError *error)
{
    PerpSimulation *simulation = NULL;
    PerpSimulationSettings settings = trial->run->settings;
    long steps = trial->steps[0];
    settings.step = trial->duration / (double)steps;
    PerpStatus status = start_simulation(&trial->run->opened, &settings, &simulation, error);
    for (long k = 1; k <= steps && !status; k++) {
        status = perp_simulation_step(simulation, 0, error);
        if (!status && k % (steps / MOMENTS) == 0)
            note_positions(trial, simulation,
                           trial->at[0] + (k / (steps / MOMENTS) - 1) * 3 * trial->bodies);
    }
    perp_simulation_destroy(simulation);
    return status;
}

// m: the largest distance of a body between two runs
static double difference(const Trial *trial, int other)
{
    double largest = 0;
    for (int k = 0; k < MOMENTS * trial->bodies; k++) {
        const double *a = trial->at[0] + 3 * k, *b = trial->at[other] + 3 * k;
        largest = fmax(largest, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    return largest;
}

// m: an error of first order is 1/(r - 1) of the distance from a run with r times the step, one of
// higher order less. Of irregular errors, as of stops and impacts, the largest distance counts.
static double estimate(const Trial *trial)
{
    double largest = 0;
    for (int k = 1; k < KEPT; k++) {
        double ratio = (double)trial->steps[0] / (double)trial->steps[k];
        largest = fmax(largest, difference(trial, k) / (ratio - 1));
    }
    return largest;
}

static void make_room(Trial *trial)
{
    double *oldest = trial->at[KEPT - 1];
    for (int k = KEPT - 1; k > 0; k--) {
        trial->at[k] = trial->at[k - 1];
        trial->steps[k] = trial->steps[k - 1];
    }
    trial->at[0] = oldest;
}

static PerpStatus fail(Run *run)
{
    run->error = (PerpError){.status = PERP_NOT_SOLVED};
    snprintf(
        run->error.message, sizeof run->error.message,
        "positions are not right within %g m with steps of %.3g s: by estimate they are off by "
        "%.3g m; the motion may depend on its beginning without bound",
        run->options->accuracy, run->settings.step, run->accuracy);
    return PERP_NOT_SOLVED;
}

static PerpStatus refine(Run *run, Trial *trial, double coarsest)
{
    for (int k = 0; k <= MOST_TRIALS; k++) {
        make_room(trial);
        trial->steps[0] = MOMENTS * lround(ceil(coarsest * pow(2, k / 2.0)));
        PerpStatus status = run_once(trial, &run->error);
        if (status)
            return status;
        run->settings.step = trial->duration / (double)trial->steps[0];
        run->accuracy = k + 1 < KEPT ? INFINITY : estimate(trial);
        if (run->accuracy <= run->options->accuracy)
            return PERP_OK;
    }
    return fail(run);
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
    if (!(run->options->tolerance > 0))
        run->settings.tolerance =
            fmin(run->settings.tolerance, fmax(TOLERANCE * run->options->accuracy, FINEST));
    size_t numbers = (size_t)(3 * MOMENTS * trial.bodies);
    double *positions = calloc(KEPT * numbers + 1, sizeof *positions);
    for (int k = 0; k < KEPT && positions; k++)
        trial.at[k] = positions + (size_t)k * numbers;
    run->error.status = PERP_NO_MEMORY;
    PerpStatus status = positions ? refine(run, &trial, steps) : PERP_NO_MEMORY;
    free(positions);
    return status;
}

// Many simulations at once, on several threads; states as arrays.

#include "perp/batch.h"

#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"
#include "model/joint.h"
#include "model/model.h"
#include "step/simulation_data.h"

#include "perp/system.h"

#include <math.h>
#include <string.h>

enum { VELOCITY_NUMBERS = 3, POSITION_NUMBERS = 3, ROTATION_NUMBERS = 4, MOST_THREADS = 1024 };

void perp_fill_state_arrays(PerpStateArrays *made, size_t size)
{
    const PerpStateArrays defaults = {0};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

void perp_fill_batch_options(PerpBatchOptions *made, size_t size)
{
    const PerpBatchOptions defaults = {.steps = 1};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

// --- states as arrays ---------------------------------------------------------------------------

static void read_numbers(double *to, const double *from, int count)
{
    if (to && count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static void read_body(const PerpSimulation *sim, const PerpStateArrays *arrays, int body)
{
    double position[3], rotation[4], velocity[3], spin[3];
    if (arrays->position || arrays->rotation) {
        perp_simulation_pose(sim, body, position, rotation);
        if (arrays->position)
            memcpy(arrays->position + POSITION_NUMBERS * body, position, sizeof position);
        if (arrays->rotation)
            memcpy(arrays->rotation + ROTATION_NUMBERS * body, rotation, sizeof rotation);
    }
    if (arrays->velocity || arrays->spin) {
        perp_simulation_velocity(sim, body, velocity, spin);
        if (arrays->velocity)
            memcpy(arrays->velocity + VELOCITY_NUMBERS * body, velocity, sizeof velocity);
        if (arrays->spin)
            memcpy(arrays->spin + VELOCITY_NUMBERS * body, spin, sizeof spin);
    }
}

static void read_joint(const PerpSimulation *sim, const PerpStateArrays *arrays, int joint)
{
    int count = perp_joint_table(sim->bodies.model->joints[joint].kind)->coordinates;
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++) {
        int at = PERP_JOINT_COORDINATES * joint + k;
        if (arrays->coordinate)
            arrays->coordinate[at] = k < count ? perp_simulation_coordinate(sim, joint, k) : 0;
        if (arrays->speed)
            arrays->speed[at] = k < count ? perp_simulation_joint_speed(sim, joint, k) : 0;
    }
}

static void read_state(const PerpSimulation *sim, const PerpStateArrays *arrays)
{
    const PerpModel *model = sim->bodies.model;
    read_numbers(arrays->t, &sim->state.t, 1);
    read_numbers(arrays->q, sim->state.q, sim->n_q);
    read_numbers(arrays->v, sim->state.v, sim->n_v);
    for (int b = 0; model && b < model->n_bodies; b++)
        read_body(sim, arrays, b);
    for (int j = 0; model && (arrays->coordinate || arrays->speed) && j < model->n_joints; j++)
        read_joint(sim, arrays, j);
    int n_sensor;
    const double *sensor = perp_simulation_sensors(sim, &n_sensor);
    read_numbers(arrays->sensor, sensor, n_sensor);
}

static PerpStatus take_arrays(const PerpSimulation *sim, const void *given, PerpStateArrays *arrays,
                              PerpError *error)
{
    *arrays = (PerpStateArrays){0};
    PerpStatus status =
        perp_read_sized(arrays, sizeof *arrays, given, "perp_default_state_arrays", error);
    bool asks_for_bodies = arrays->position || arrays->rotation || arrays->velocity ||
                           arrays->spin || arrays->coordinate || arrays->speed || arrays->sensor;
    if (!status && !sim->bodies.model && asks_for_bodies)
        status = perp_fail(error, PERP_BAD_VALUE, "a custom system has no bodies and joints");
    return status;
}

PerpStatus perp_simulation_read(const PerpSimulation *sim, const PerpStateArrays *arrays,
                                PerpError *error)
{
    PerpStateArrays taken;
    PerpStatus status = take_arrays(sim, arrays, &taken, error);
    if (!status)
        read_state(sim, &taken);
    return status;
}

static double *next_row(double *at, int numbers)
{
    return at ? at + numbers : NULL;
}

static void move_to_next_row(const PerpSimulation *sim, PerpStateArrays *arrays)
{
    const PerpModel *model = sim->bodies.model;
    int bodies = model ? model->n_bodies : 0, joints = model ? model->n_joints : 0;
    arrays->t = next_row(arrays->t, 1);
    arrays->q = next_row(arrays->q, sim->n_q);
    arrays->v = next_row(arrays->v, sim->n_v);
    arrays->position = next_row(arrays->position, POSITION_NUMBERS * bodies);
    arrays->rotation = next_row(arrays->rotation, ROTATION_NUMBERS * bodies);
    arrays->velocity = next_row(arrays->velocity, VELOCITY_NUMBERS * bodies);
    arrays->spin = next_row(arrays->spin, VELOCITY_NUMBERS * bodies);
    arrays->coordinate = next_row(arrays->coordinate, PERP_JOINT_COORDINATES * joints);
    arrays->speed = next_row(arrays->speed, PERP_JOINT_COORDINATES * joints);
    arrays->sensor = next_row(arrays->sensor, model ? perp_model_sensor_numbers(model) : 0);
}

// --- controls -----------------------------------------------------------------------------------

static int count_actuators(const PerpSimulation *sim)
{
    return sim->bodies.model ? perp_model_actuator_count(sim->bodies.model) : 0;
}

PerpStatus perp_simulation_set_controls(PerpSimulation *sim, const double *controls,
                                        PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; k < count_actuators(sim) && !status; k++)
        if (!isnan(controls[k]))
            status = perp_simulation_set_control(sim, k, controls[k], error);
    return status;
}

// --- many simulations ---------------------------------------------------------------------------

typedef struct Batch {
    PerpSimulation *const *simulations;
    PerpBatchOptions options;
    PerpBatchResult *results; // NULL: not wanted
    int actuators;            // of each simulation; -1: they have different numbers of them
} Batch;

static int common_actuators(PerpSimulation *const *simulations, int count)
{
    int first = count > 0 ? count_actuators(simulations[0]) : 0;
    for (int k = 1; k < count; k++)
        if (count_actuators(simulations[k]) != first)
            return -1;
    return first;
}

// Those of simulation k; none if there are no arrays.
static PerpStatus arrays_of(const Batch *batch, int k, PerpStateArrays *arrays, PerpError *error)
{
    const PerpStateArrays *first = batch->options.arrays;
    const char *given = first ? (const char *)first + (size_t)k * first->size : NULL;
    return take_arrays(batch->simulations[k], given, arrays, error);
}

// The controls of the first row of simulation k; NULL: none.
static const double *controls_of(const Batch *batch, int k, long rows)
{
    const double *controls = batch->options.controls;
    if (!controls)
        return NULL;
    size_t before = 0; // actuators of the simulations before it
    if (batch->actuators >= 0)
        before = (size_t)k * (size_t)batch->actuators;
    for (int j = 0; batch->actuators < 0 && j < k; j++)
        before += (size_t)count_actuators(batch->simulations[j]);
    return controls + (size_t)rows * before;
}

static PerpStatus step_one(const Batch *batch, int k, long *steps, PerpError *error)
{
    PerpSimulation *sim = batch->simulations[k];
    long all = batch->options.steps, every = batch->options.every > 0 ? batch->options.every : all;
    const double *control = controls_of(batch, k, all > 0 ? (all + every - 1) / every : 0);
    PerpStateArrays arrays;
    PerpStatus status = arrays_of(batch, k, &arrays, error);
    for (*steps = 0; !status && *steps < all;) {
        if (control && *steps % every == 0) {
            status = perp_simulation_set_controls(sim, control, error);
            control += count_actuators(sim);
        }
        if (!status)
            status = perp_simulation_step(sim, batch->options.h, error);
        if (status)
            break;
        if (++*steps % every == 0) {
            read_state(sim, &arrays);
            move_to_next_row(sim, &arrays);
        }
    }
    return status;
}

static void work(void *user, int item, int thread)
{
    const Batch *batch = user;
    PerpBatchResult *result = batch->results ? batch->results + item : NULL;
    PerpError *error = result ? &result->error : NULL;
    long steps = 0;
    (void)thread;
    if (error)
        error->line = error->column = error->file[0] = error->message[0] = 0;
    PerpStatus status = step_one(batch, item, &steps, error);
    if (!result)
        return;
    result->steps = steps;
    error->status = status;
}

static PerpStatus check_options(const PerpBatchOptions *options, int count, PerpError *error)
{
    if (count < 0)
        return perp_fail(error, PERP_BAD_SIZE, "the batch has %d simulations", count);
    if (options->steps < 0 || options->every < 0)
        return perp_fail(error, PERP_BAD_VALUE, "steps and every are %ld and %ld, not >= 0",
                         options->steps, options->every);
    if (!(isfinite(options->h) && options->h >= 0))
        return perp_fail(error, PERP_BAD_VALUE, "the step is %g s, not >= 0", options->h);
    if (options->threads < 0 || options->threads > MOST_THREADS)
        return perp_fail(error, PERP_BAD_VALUE, "threads is %d, not in 0 (all) .. %d",
                         options->threads, MOST_THREADS);
    return PERP_OK;
}

PerpStatus perp_batch_step(PerpSimulation *const *simulations, int count,
                           const PerpBatchOptions *options, PerpBatchResult *results,
                           PerpError *error)
{
    Batch batch = {
        .simulations = simulations, .options = perp_default_batch_options(), .results = results};
    PerpStatus status = perp_read_sized(&batch.options, sizeof batch.options, options,
                                        "perp_default_batch_options", error);
    if (!status)
        status = check_options(&batch.options, count, error);
    if (status)
        return status;
    batch.actuators = common_actuators(simulations, count);
    int threads = batch.options.threads > 0 ? batch.options.threads : perp_threads_available();
    perp_parallel(threads, count, work, &batch);
    return PERP_OK;
}

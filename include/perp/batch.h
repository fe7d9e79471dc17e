// Many simulations at once, and their states as arrays: for learning, sampling, parameter studies.
#ifndef PERP_BATCH_H
#define PERP_BATCH_H

#include "perp/api.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays of the caller's that receive the state of a simulation; NULL: not wanted. A custom system
// has t, q and v only.
typedef struct PerpStateArrays {
    size_t size;        // set by perp_default_state_arrays
    double *t;          // s, one number
    double *q, *v;      // as many as perp_simulation_q and perp_simulation_v say
    double *position;   // m, of the body's frame, 3 a body
    double *rotation;   // w x y z, 4 a body
    double *velocity;   // m/s, of the frame's origin, 3 a body
    double *spin;       // rad/s, about the world's axes, 3 a body
    double *coordinate; // rad or m, PERP_JOINT_COORDINATES a joint, 0 where it has fewer
    double *speed;      // rad/s or m/s, likewise
    double *sensor;     // perp_model_sensor_numbers
} PerpStateArrays;

PERP_DEFAULTS(PerpStateArrays, state_arrays)

// The state as it is now. Fails only if the struct did not begin with its defaults, or asks a
// custom system for bodies.
PERP_API PerpStatus perp_simulation_read(const PerpSimulation *simulation,
                                         const PerpStateArrays *arrays, PerpError *error);

// All controls at once, one an actuator; NaN leaves one as it is, such as those that follow a
// signal. See perp_simulation_set_control; a failure may leave those before it set.
PERP_API PerpStatus perp_simulation_set_controls(PerpSimulation *simulation, const double *controls,
                                                 PerpError *error);

// How far and how fast.
typedef struct PerpBatchOptions {
    size_t size;  // set by perp_default_batch_options
    long steps;   // of each simulation, default 1, >= 0
    double h;     // s, default 0: settings.step of each
    int threads;  // that step simulations at the same time, default 0: one a core
    int reserved; //
    long every;   // steps between rows of the arrays, default 0: one row, of the end
    // one a simulation, items of arrays[0].size bytes: each pointer to row after row, one for every
    // `every` steps; what a simulation that fails does not reach is left as it was. NULL: none
    const PerpStateArrays *arrays;
    // a row an `every` steps and one number an actuator, all rows of a simulation one behind the
    // other, simulation by simulation: set before the steps of the row. NULL: none are set
    const double *controls;
} PerpBatchOptions;

PERP_DEFAULTS(PerpBatchOptions, batch_options)

// What became of one simulation. Keeps its layout.
typedef struct PerpBatchResult {
    long steps;      // that it took
    PerpError error; // status OK: all of them; else what stopped it, before that step
} PerpBatchResult;

// Steps `count` simulations, which must differ from each other; their models may be shared. A
// simulation that fails keeps its last good state and does not stop the others. Each comes to the
// same bits as alone, for any number of threads. Callbacks are called by these threads.
// results: count of them, or NULL. options NULL: one step. The status is that of the options.
PERP_API PerpStatus perp_batch_step(PerpSimulation *const *simulations, int count,
                                    const PerpBatchOptions *options, PerpBatchResult *results,
                                    PerpError *error);

#ifdef __cplusplus
}
#endif
#endif

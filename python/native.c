// Loops over steps, and the callbacks of custom systems, for the extension module.
#define _POSIX_C_SOURCE 200809L

#include "native.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// defined by cffi, see callbacks.h
void python_force(void *user, double t, int body, const double *position, const double *rotation,
                  double *force, double *torque);
void python_control(void *user, PerpSimulation *simulation);
void python_watch(void *user, const PerpSolvedProblem *solved);
double python_system(void *user, unsigned which, double t, const double *q, const double *v,
                     int index, double *to, double *more);

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- turns --------------------------------------------------------------------------------------

// A turn is known by its thread and by how many functions of Python this is within.
enum { DEEPEST = 63 };
static _Thread_local char levels[DEEPEST + 1];
static _Thread_local int depth;

static NativeTurn own_turn(void)
{
    return (NativeTurn)(uintptr_t)(levels + (depth < DEEPEST ? depth : DEEPEST));
}

int native_take(NativeTurn *turn)
{
    NativeTurn now = 0, own = own_turn();
    if (__atomic_compare_exchange_n(turn, &now, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return NATIVE_TAKEN;
    return now == own ? NATIVE_TAKEN_BEFORE : NATIVE_REFUSED;
}

void native_leave(NativeTurn *turn)
{
    NativeTurn own = own_turn();
    __atomic_compare_exchange_n(turn, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

// --- owners -------------------------------------------------------------------------------------

struct NativeModel {
    PerpModel *model;
    atomic_int holders;
};

NativeModel *native_model_create(PerpModel *model)
{
    NativeModel *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    made->model = model;
    atomic_init(&made->holders, 1);
    return made;
}

const PerpModel *native_model(const NativeModel *holder)
{
    return holder->model;
}

void native_model_release(NativeModel *holder)
{
    if (!holder || atomic_fetch_sub(&holder->holders, 1) > 1)
        return;
    perp_model_destroy(holder->model);
    free(holder);
}

NativeRun *native_run_create(void)
{
    NativeRun *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->arrays = perp_default_state_arrays();
    made->process = (long)getpid();
    return made;
}

int native_run_start(NativeRun *run, NativeModel *model, const PerpSimulationSettings *settings)
{
    PerpStatus status =
        perp_simulation_create(NULL, model->model, settings, &run->simulation, &run->error);
    if (!status) {
        atomic_fetch_add(&model->holders, 1);
        run->model = model;
    }
    return (int)status;
}

int native_run_start_custom(NativeRun *run, const PerpSystemDef *def,
                            const PerpSimulationSettings *settings)
{
    return (int)perp_simulation_create_custom(NULL, def, settings, &run->simulation, &run->error);
}

void native_run_close(NativeRun *run)
{
    if (run->process == (long)getpid())
        perp_recorder_close(run->recorder, false, NULL);
    run->recorder = NULL;
    perp_simulation_destroy(run->simulation);
    run->simulation = NULL;
    native_model_release(run->model);
    run->model = NULL;
}

void native_run_destroy(NativeRun *run)
{
    if (run)
        native_run_close(run);
    free(run);
}

// --- steps --------------------------------------------------------------------------------------

static PerpStatus step_and_record(NativeRun *run, double h)
{
    double start = run->recorder ? seconds_now() : 0;
    PerpStatus status = PERP_OK;
    if (run->controls)
        status = perp_simulation_set_controls(run->simulation, run->controls, &run->error);
    if (!status)
        status = perp_simulation_step(run->simulation, h, &run->error);
    if (!status && run->recorder)
        status = perp_recorder_append(run->recorder, seconds_now() - start, &run->error);
    return status;
}

int native_step(NativeRun *run, double h, long count, double seconds)
{
    PerpStatus status = PERP_OK;
    if (!run->simulation)
        return NATIVE_CLOSED;
    double end = count > 1 ? seconds_now() + seconds : 0;
    run->stop = false;
    for (run->taken = 0; run->taken < count && !run->stop; run->taken++) {
        if (run->taken > 0 && seconds_now() > end)
            break;
        status = step_and_record(run, h);
        if (status)
            break;
    }
    if (native_read(run) && !status)
        status = run->error.status;
    return (int)status;
}

int native_step_once(NativeRun *run)
{
    if (native_take(&run->turn) != NATIVE_TAKEN)
        return NATIVE_BUSY;
    int status = run->recorder ? NATIVE_RECORDED : native_step(run, 0, 1, 0);
    native_leave(&run->turn);
    return status;
}

int native_read(NativeRun *run)
{
    if (!run->simulation)
        return NATIVE_CLOSED;
    return (int)perp_simulation_read(run->simulation, &run->arrays, &run->error);
}

int native_contacts(const NativeRun *run, PerpContactReport *to, int room)
{
    int count;
    if (!run->simulation)
        return NATIVE_CLOSED;
    const PerpContactReport *contacts = perp_simulation_contacts(run->simulation, &count);
    if (count > 0 && count <= room)
        memcpy(to, contacts, (size_t)count * sizeof *to);
    return count;
}

// --- callbacks ----------------------------------------------------------------------------------

static void call_force(void *user, double t, int body, const double *position,
                       const double *rotation, double *force, double *torque)
{
    depth++;
    python_force(user, t, body, position, rotation, force, torque);
    depth--;
}

static void call_control(void *user, PerpSimulation *simulation)
{
    depth++;
    python_control(user, simulation);
    depth--;
}

static void call_watch(void *user, const PerpSolvedProblem *solved)
{
    depth++;
    python_watch(user, solved);
    depth--;
}

static double call_system(void *user, unsigned which, double t, const double *q, const double *v,
                          int index, double *to, double *more)
{
    depth++;
    double value = python_system(user, which, t, q, v, index, to, more);
    depth--;
    return value;
}

void native_set_force(PerpSimulationSettings *settings, void *user)
{
    settings->force = call_force;
    settings->force_user = user;
}

void native_set_control_callback(PerpSimulation *simulation, void *user)
{
    perp_simulation_set_control_callback(simulation, user ? call_control : NULL, user);
}

void native_watch(PerpSimulation *simulation, void *user)
{
    perp_simulation_watch(simulation, user ? call_watch : NULL, user);
}

static void system_mass(void *user, const double *q, double *M)
{
    call_system(user, 0, 0, q, NULL, 0, M, NULL);
}

static void system_force(void *user, double t, const double *q, const double *v, double *k)
{
    call_system(user, NATIVE_FORCE, t, q, v, 0, k, NULL);
}

static double system_potential(void *user, const double *q)
{
    return call_system(user, NATIVE_POTENTIAL, 0, q, NULL, 0, NULL, NULL);
}

static double system_power(void *user, double t, const double *q, const double *v)
{
    return call_system(user, NATIVE_POWER, t, q, v, 0, NULL, NULL);
}

static void system_tangents(void *user, const double *q, int constraint, double *T)
{
    call_system(user, NATIVE_TANGENTS, 0, q, NULL, constraint, T, NULL);
}

static void system_force_derivatives(void *user, double t, const double *q, const double *v,
                                     double *k_q, double *k_v)
{
    call_system(user, NATIVE_FORCE_DERIVATIVES, t, q, v, 0, k_q, k_v);
}

#define SYSTEM_FUNCTION_OF_Q(name, BIT)                                                            \
    static void system_##name(void *user, const double *q, double *to)                             \
    {                                                                                              \
        call_system(user, BIT, 0, q, NULL, 0, to, NULL);                                           \
    }
SYSTEM_FUNCTION_OF_Q(joints, NATIVE_JOINTS)
SYSTEM_FUNCTION_OF_Q(constraints, NATIVE_CONSTRAINTS)
SYSTEM_FUNCTION_OF_Q(rates, NATIVE_RATES)
SYSTEM_FUNCTION_OF_Q(links, NATIVE_LINKS)
SYSTEM_FUNCTION_OF_Q(joint_gradients, NATIVE_JOINT_GRADIENTS)
SYSTEM_FUNCTION_OF_Q(constraint_gradients, NATIVE_CONSTRAINT_GRADIENTS)
SYSTEM_FUNCTION_OF_Q(link_gradients, NATIVE_LINK_GRADIENTS)

void native_set_system(PerpSystemDef *def, void *user, unsigned given)
{
#define SET(BIT, name) def->name = given & (BIT) ? system_##name : NULL
    def->user = user;
    def->mass = system_mass;
    SET(NATIVE_FORCE, force);
    SET(NATIVE_POTENTIAL, potential);
    SET(NATIVE_POWER, power);
    SET(NATIVE_JOINTS, joints);
    SET(NATIVE_CONSTRAINTS, constraints);
    SET(NATIVE_TANGENTS, tangents);
    SET(NATIVE_RATES, rates);
    SET(NATIVE_LINKS, links);
    SET(NATIVE_FORCE_DERIVATIVES, force_derivatives);
    SET(NATIVE_JOINT_GRADIENTS, joint_gradients);
    SET(NATIVE_CONSTRAINT_GRADIENTS, constraint_gradients);
    SET(NATIVE_LINK_GRADIENTS, link_gradients);
#undef SET
}

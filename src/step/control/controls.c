// Signals sampled at the beginning of a step, and what they command.

#include "step/control/controls.h"

#include "base/error.h"
#include "step/systems/rigid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- memory -------------------------------------------------------------------------------------

// Hands out the next n numbers of the block; counts alone if there is none yet.
static double *part(PerpControls *c, int n)
{
    double *first = c->numbers ? c->numbers + c->n_numbers : NULL;
    c->n_numbers += n;
    return first;
}

static void divide(PerpControls *c, const PerpModel *model)
{
    const PerpControlModel *m = &model->control;
    c->n_numbers = 0;
    c->steps = part(c, 1);
    c->gravity = part(c, 3);
    c->signal = part(c, m->n_signals);
    c->control = part(c, m->n_actuators);
    c->activation = part(c, m->n_actuators);
    c->command = part(c, m->n_actuators);
    c->actuator_force = part(c, m->n_actuators);
    c->actuator_power = part(c, m->n_actuators);
    c->reaction = part(c, 6 * model->n_joints);
    c->motor = part(c, PERP_JOINT_COORDINATES * model->n_joints);
    c->motion = part(c, 6 * m->n_motions);
    c->sensor = part(c, m->n_sensor_numbers);
    c->n_presence = perp_presence_count(model);
    c->presence = part(c, c->n_presence);
}

static PerpStatus refuse(const PerpSimulation *sim, const char *what, const char *where,
                         PerpError *error)
{
    return perp_fail(error, PERP_NOT_SUPPORTED, "%s needs the scheme default%s, not %s", what,
                     where, sim->scheme->name);
}

static PerpStatus check_scheme(const PerpSimulation *sim, PerpError *error)
{
    const PerpModel *model = sim->bodies.model;
    const PerpControlModel *m = &model->control;
    if (strcmp(sim->scheme->name, "default") == 0)
        return PERP_OK;
    if (model->has_surface_velocity)
        return refuse(sim, "the velocity of a surface", "", error);
    if (m->n_motions > 0)
        return refuse(sim, "prescribed motion", "", error);
    for (int k = 0; k < m->n_actuators; k++)
        if (m->actuators[k].kind == PERP_ACTUATOR_MOTION)
            return refuse(sim, "prescribed motion", "", error);
        else if (perp_actuator_is_compliant(&m->actuators[k]) && !sim->scheme->takes_soft)
            return refuse(sim, "a servo with kp or kd", " or trapezoidal-damped", error);
    return PERP_OK;
}

PerpStatus perp_controls_begin(PerpSimulation *sim, PerpError *error)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    const PerpModel *model = sim->bodies.model;
    const PerpControlModel *m = &model->control;
    PerpControls *c = &sim->controls;
    PerpStatus status = check_scheme(sim, error);
    if (status)
        return status;
    divide(c, sim->bodies.given);
    c->numbers = perp_allocate(allocator, (size_t)c->n_numbers, sizeof(double));
    c->before = perp_allocate(allocator, (size_t)c->n_numbers, sizeof(double));
    c->variables =
        perp_allocate(allocator, (size_t)(m->n_signals + m->n_measured), sizeof *c->variables);
    c->length = perp_allocate(allocator, (size_t)m->n_actuators, sizeof(double));
    if (!c->numbers || !c->before || !c->variables || !c->length)
        return perp_fail_memory(error);
    divide(c, sim->bodies.given);
    return PERP_OK;
}

void perp_controls_note(PerpSimulation *sim)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    PerpControls *c = &sim->controls;
    c->drives = m->n_motions > 0;
    for (int k = 0; k < m->n_actuators; k++)
        c->drives = c->drives || m->actuators[k].kind == PERP_ACTUATOR_MOTION;
    c->acts = m->n_signals > 0 || m->n_actuators > 0 || c->callback;
}

void perp_controls_start(PerpSimulation *sim)
{
    const PerpModel *model = sim->bodies.model;
    const PerpControlModel *m = &model->control;
    PerpControls *c = &sim->controls;
    memset(c->numbers, 0, (size_t)c->n_numbers * sizeof(double));
    perp_vec3_store(model->gravity, c->gravity);
    sim->bodies.rigid.gravity = model->gravity;
    for (int k = 0; k < m->n_signals; k++)
        if (m->signals[k].kind == PERP_SIGNAL_INPUT)
            c->signal[k] = m->signals[k].value;
    perp_controls_note(sim);
    perp_free(&sim->context.allocator, c->wrench);
    c->wrench = NULL;
    perp_presence_start(sim);
    perp_sensors_read(sim, 0);
}

void perp_controls_end(PerpSimulation *sim)
{
    PerpControls *c = &sim->controls;
    void *const owned[] = {c->numbers, c->before, c->variables, c->length, c->wrench};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        perp_free(&sim->context.allocator, owned[k]);
}

void perp_controls_save(PerpSimulation *sim)
{
    if (sim->bodies.model)
        memcpy(sim->controls.before, sim->controls.numbers,
               (size_t)sim->controls.n_numbers * sizeof(double));
}

void perp_controls_undo(PerpSimulation *sim)
{
    PerpControls *c = &sim->controls;
    if (!sim->bodies.model)
        return;
    memcpy(c->numbers, c->before, (size_t)c->n_numbers * sizeof(double));
    sim->bodies.rigid.gravity = perp_vec3_load(c->gravity); // a callback may have set it
    perp_presence_apply(sim);
}

// --- signals ------------------------------------------------------------------------------------

static bool evaluate(const PerpSignal *signal, double t, const PerpDual *variables, PerpDual *value,
                     PerpExpressionFault *fault)
{
    if (signal->kind == PERP_SIGNAL_EXPRESSION)
        return perp_program_evaluate(&signal->program, t, variables, value, fault);
    *value = perp_table_at(&signal->table, t);
    return true;
}

PerpStatus perp_controls_sample_signals(PerpSimulation *sim, PerpError *error)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    PerpControls *c = &sim->controls;
    for (int k = 0; k < m->n_measured; k++)
        c->variables[m->n_signals + k] = (PerpDual){perp_measure(sim, &m->measured[k]), 0};
    for (int k = 0; k < m->n_signals; k++)
        c->variables[k] = (PerpDual){c->signal[k], 0};
    for (int i = 0; i < m->n_signals; i++) {
        int k = m->order[i];
        PerpExpressionFault fault;
        if (m->signals[k].kind == PERP_SIGNAL_INPUT)
            continue;
        if (!evaluate(&m->signals[k], sim->state.t, c->variables, &c->variables[k], &fault))
            return perp_signal_blame(&m->signals[k], PERP_BAD_VALUE, &fault, error);
        c->signal[k] = c->variables[k].x;
    }
    return PERP_OK;
}

const PerpDual *perp_controls_at(const PerpSimulation *sim, double t)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    PerpDual *values = sim->controls.variables;
    for (int i = 0; i < m->n_signals; i++) {
        int k = m->order[i];
        PerpExpressionFault fault;
        if (m->signals[k].is_measured)
            values[k] = (PerpDual){sim->controls.signal[k], 0};
        else if (!evaluate(&m->signals[k], t, values, &values[k], &fault))
            values[k] = (PerpDual){NAN, NAN};
    }
    return values;
}

// --- commands -----------------------------------------------------------------------------------

static double clamp(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

double perp_actuator_control(const PerpSimulation *sim, int actuator)
{
    const PerpActuator *a = &sim->bodies.model->control.actuators[actuator];
    double u = a->control >= 0 ? sim->controls.signal[a->control] : sim->controls.control[actuator];
    return clamp(u, a->control_lower, a->control_upper);
}

// a(h) of da/dt = (u - a)/time_constant
static double activate(const PerpActuator *actuator, double a, double u, double h)
{
    return actuator->time_constant > 0 ? u + (a - u) * exp(-h / actuator->time_constant) : u;
}

// What acts over the step is the activation at its middle.
static void set_commands(PerpSimulation *sim, double h)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    PerpControls *c = &sim->controls;
    for (int k = 0; k < m->n_actuators; k++) {
        const PerpActuator *a = &m->actuators[k];
        bool acts = perp_actuator_acts(sim, a);
        c->command[k] =
            acts ? activate(a, c->activation[k], perp_actuator_control(sim, k), h / 2) : 0;
        if (!acts || a->kind != PERP_ACTUATOR_FORCE)
            continue;
        c->command[k] = clamp(c->command[k], a->force_lower, a->force_upper);
        c->length[k] = perp_actuator_path(sim->bodies.model, a, pose, sim->state.turn).length;
    }
}

static PerpStatus check_rate(const PerpSignal *signal, double rate, double t, PerpError *error)
{
    PerpExpressionFault fault = {0};
    if (!signal->is_followed || isfinite(rate))
        return PERP_OK;
    snprintf(fault.message, sizeof fault.message,
             "its rate, with which a prescribed motion moves, is not finite at t = %.9g s", t);
    return perp_signal_blame(signal, PERP_BAD_VALUE, &fault, error);
}

// Prescribed motions are evaluated when rows are made; their values at both ends are looked at
// here, and the rate at the end.
static PerpStatus check_motions(const PerpSimulation *sim, double h, PerpError *error)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    double end = sim->state.t + h;
    PerpStatus status = PERP_OK;
    for (int i = 0; i < m->n_signals && !status; i++) {
        int k = m->order[i];
        PerpExpressionFault fault;
        if (m->signals[k].is_measured)
            continue;
        PerpDual *value = &sim->controls.variables[k];
        if (!evaluate(&m->signals[k], end, sim->controls.variables, value, &fault))
            return perp_signal_blame(&m->signals[k], PERP_BAD_VALUE, &fault, error);
        status = check_rate(&m->signals[k], value->rate, end, error);
    }
    return status;
}

PerpStatus perp_controls_sample(PerpSimulation *sim, double h, PerpError *error)
{
    PerpControls *c = &sim->controls;
    if (!sim->bodies.model || !c->acts)
        return PERP_OK;
    PerpStatus status = PERP_OK;
    if (fmod(*c->steps, sim->bodies.model->control.every) == 0) {
        if (c->callback)
            c->callback(c->user, sim);
        status = perp_controls_sample_signals(sim, error);
    }
    if (!status && c->drives)
        status = check_motions(sim, h, error);
    if (!status)
        set_commands(sim, h);
    return status;
}

// --- after the step -----------------------------------------------------------------------------

// The impulses of rows become forces; those of given forces are known.
static void settle_actuators(PerpSimulation *sim, double h)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    PerpControls *c = &sim->controls;
    for (int k = 0; k < m->n_actuators; k++) {
        const PerpActuator *a = &m->actuators[k];
        c->activation[k] = activate(a, c->activation[k], perp_actuator_control(sim, k), h);
        if (a->kind != PERP_ACTUATOR_FORCE) {
            c->actuator_force[k] /= h;
            c->actuator_power[k] /= h;
            continue;
        }
        PerpActuatorPath path = perp_actuator_path(sim->bodies.model, a, pose, sim->state.turn);
        bool is_wrench = a->n_terms == 0 && a->site_b < 0;
        double speed = is_wrench ? (perp_actuator_speed(&sim->bodies.rigid, &path, sim->before.v) +
                                    perp_actuator_speed(&sim->bodies.rigid, &path, sim->state.v)) /
                                       2
                                 : (path.length - c->length[k]) / h;
        c->actuator_force[k] = c->command[k];
        c->actuator_power[k] = c->command[k] * speed;
    }
}

static void divide_by(double h, double *impulse, int n)
{
    for (int i = 0; i < n; i++)
        impulse[i] /= h;
}

void perp_controls_commit(PerpSimulation *sim, double h)
{
    PerpControls *c = &sim->controls;
    const PerpModel *model = sim->bodies.model;
    if (!model)
        return;
    *c->steps += 1;
    divide_by(h, c->reaction, 6 * model->n_joints);
    divide_by(h, c->motor, PERP_JOINT_COORDINATES * model->n_joints);
    divide_by(h, c->motion, 6 * model->control.n_motions);
    settle_actuators(sim, h);
    perp_sensors_read(sim, h);
}

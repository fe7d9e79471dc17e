#include "step/control/control_rows.h"

#include "step/control/controls.h"
#include "step/rows/implicit_force.h"
#include "step/rows/mobility.h"
#include "step/systems/rigid.h"

#include <math.h>

static bool is_row(const PerpActuator *a)
{
    return a->kind == PERP_ACTUATOR_VELOCITY || a->kind == PERP_ACTUATOR_POSITION;
}

static int bodies_of(const PerpActuator *a)
{
    return a->n_terms > 0 ? 2 * a->n_terms : 2;
}

PerpControlRoom perp_control_room(const PerpModel *model)
{
    const PerpControlModel *m = &model->control;
    PerpControlRoom room = {.equations = 6 * m->n_motions, .entries = 6 * m->n_motions};
    for (int k = 0; k < m->n_actuators; k++) {
        bool is_motion = m->actuators[k].kind == PERP_ACTUATOR_MOTION;
        room.equations += is_motion;
        room.boxes += is_row(&m->actuators[k]);
        if (is_motion || is_row(&m->actuators[k]))
            room.entries += bodies_of(&m->actuators[k]);
    }
    room.values = 6 * room.entries;
    return room;
}

static void add_path(PerpAssembly *a, const PerpActuatorPath *path)
{
    for (int k = 0; k < path->n_bodies; k++)
        perp_row_add(a, path->body[k], path->linear[k], path->angular[k]);
}

// --- prescribed motion --------------------------------------------------------------------------

// An equation  J v = rate, with the error theta of its position.
static void begin_equation(PerpAssembly *a, int source, double theta, double rate)
{
    a->theta[a->rows] = theta;
    a->row_joint[a->rows] = source;
    perp_row_begin(a, -rate);
}

// gear x = u(t): the rate at the end of the problem, the error where the rows are
static void add_joint_motion(PerpAssembly *a, const PerpPose *pose, const double *turn,
                             const PerpSimulation *sim, int index, double here, double end)
{
    const PerpActuator *actuator = &a->rigid->model->control.actuators[index];
    PerpActuatorPath path = perp_actuator_path(a->rigid->model, actuator, pose, turn);
    double theta = path.length - perp_controls_at(sim, here)[actuator->control].x;
    double rate = perp_controls_at(sim, end)[actuator->control].rate;
    begin_equation(a, perp_source_of_actuator(index), theta, rate);
    add_path(a, &path);
    perp_row_end(a);
}

static PerpDual value_of(const PerpDual *values, int signal, double start)
{
    return signal < 0 ? (PerpDual){start, 0} : values[signal];
}

// Where a prescribed motion leads its body: pose and twist of the centre of mass.
typedef struct Target {
    PerpPose pose;
    PerpVec3 velocity, spin; // world axes; body axes
} Target;

static Target target_of(const PerpSimulation *sim, const PerpMotion *m, double t)
{
    const PerpDual *values = perp_controls_at(sim, t);
    const PerpBody *body = &sim->bodies.model->bodies[m->body];
    PerpDual x = value_of(values, m->position[0], m->origin.x);
    PerpDual y = value_of(values, m->position[1], m->origin.y);
    PerpDual z = value_of(values, m->position[2], m->origin.z);
    PerpDual angle = value_of(values, m->angle, 0);
    PerpVec3 axis = perp_quat_rotate_back(m->start, m->axis); // the same in the turned body
    Target to = {.pose.rotation = perp_quat_plus(m->start, perp_vec3_scale(angle.x, axis)),
                 .spin = perp_vec3_scale(angle.rate, axis)};
    PerpVec3 arm = perp_quat_rotate(to.pose.rotation, body->centre);
    to.pose.position = perp_vec3_add((PerpVec3){x.x, y.x, z.x}, arm);
    to.velocity = perp_vec3_add((PerpVec3){x.rate, y.rate, z.rate},
                                perp_vec3_cross(perp_vec3_scale(angle.rate, m->axis), arm));
    return to;
}

// The signals are velocities of the frame's origin, and a spin, as they were sampled.
static Target velocity_target(const PerpSimulation *sim, const PerpMotion *m, PerpPose pose)
{
    const double *signal = sim->controls.signal;
    const PerpBody *body = &sim->bodies.model->bodies[m->body];
    double v[3] = {0}, spin = m->angle >= 0 ? signal[m->angle] : 0;
    for (int k = 0; k < 3; k++)
        v[k] = m->position[k] >= 0 ? signal[m->position[k]] : 0;
    PerpVec3 w = perp_vec3_scale(spin, m->axis);
    PerpVec3 arm = perp_quat_rotate(pose.rotation, body->centre);
    return (Target){pose, perp_vec3_add(perp_vec3_load(v), perp_vec3_cross(w, arm)),
                    perp_quat_rotate_back(pose.rotation, w)};
}

// From the target to a pose: m, rad.
static void find_error(const Target *target, PerpPose pose, double theta[6])
{
    perp_vec3_store(perp_vec3_sub(pose.position, target->pose.position), theta);
    perp_vec3_store(perp_quat_minus(pose.rotation, target->pose.rotation), theta + 3);
}

static void add_body_motion(PerpAssembly *a, const PerpPose *pose, const PerpSimulation *sim,
                            int index, double here, double end)
{
    const PerpMotion *m = &a->rigid->model->control.motions[index];
    PerpPose now = pose[m->body];
    Target at = m->is_velocity ? velocity_target(sim, m, now) : target_of(sim, m, here);
    Target to = m->is_velocity ? at : target_of(sim, m, end);
    double theta[6];
    find_error(&at, now, theta);
    const double rate[6] = {to.velocity.x, to.velocity.y, to.velocity.z,
                            to.spin.x,     to.spin.y,     to.spin.z};
    for (int k = 0; k < 6; k++) {
        PerpVec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, none = {0, 0, 0};
        begin_equation(a, perp_source_of_motion(index), theta[k], rate[k]);
        perp_row_add(a, m->body, k < 3 ? e : none, k < 3 ? none : e);
        perp_row_end(a);
    }
}

void perp_control_rows_add_motions(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                   const PerpSimulation *sim, double h)
{
    const PerpControlModel *m = &a->rigid->model->control;
    double here = sim->state.t + h / 2, end = sim->state.t + h; // rows are at the middle
    for (int k = 0; k < m->n_actuators; k++)
        if (m->actuators[k].kind == PERP_ACTUATOR_MOTION &&
            perp_actuator_acts(sim, &m->actuators[k]))
            add_joint_motion(a, pose, turn, sim, k, here, end);
    for (int k = 0; k < m->n_motions; k++)
        add_body_motion(a, pose, sim, k, here, end);
}

static double motion_error(const PerpSimulation *sim, const PerpMotion *m)
{
    double theta[6], worst = 0;
    if (m->is_velocity)
        return 0;
    Target target = target_of(sim, m, sim->state.t);
    find_error(&target, perp_rigid_poses(sim->state.q)[m->body], theta);
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, fabs(theta[i]));
    return worst;
}

static double length_error(const PerpSimulation *sim, int actuator)
{
    int signal = sim->bodies.model->control.actuators[actuator].control;
    return fabs(perp_simulation_actuator_length(sim, actuator) -
                perp_controls_at(sim, sim->state.t)[signal].x);
}

double perp_simulation_motion_error(const PerpSimulation *sim, int *actuator, int *motion)
{
    double worst = 0, error;
    *actuator = *motion = -1;
    if (!sim->bodies.model)
        return 0;
    const PerpControlModel *m = &sim->bodies.model->control;
    for (int k = 0; k < m->n_actuators; k++)
        if (m->actuators[k].kind == PERP_ACTUATOR_MOTION &&
            perp_actuator_acts(sim, &m->actuators[k]) && (error = length_error(sim, k)) > worst) {
            worst = error;
            *actuator = k;
        }
    for (int k = 0; k < m->n_motions; k++)
        if ((error = motion_error(sim, &m->motions[k])) > worst) {
            worst = error;
            *actuator = -1;
            *motion = k;
        }
    return worst;
}

// --- servos -------------------------------------------------------------------------------------

// N s: what a force may do in h; an impact is over before a bounded one does anything
static double impulse(double force, double h)
{
    return h > 0 || isinf(force) ? (h > 0 ? h * force : force) : 0;
}

// What a servo's row needs of the bodies besides its path: their mobility.
typedef struct Servos {
    PerpBlockDiagonal mass;
    double *x; // scratch
} Servos;

// The force of a servo with kp or kd, from the length and speed u0 at the beginning of the step:
// that of a spring and a damper which follow the control.
//
//     position    kp (u - L) - kd L'
//     velocity    kd (u - L')
static PerpImplicitForce servo_force(const PerpActuator *actuator, double u, double length,
                                     double speed)
{
    if (actuator->kind == PERP_ACTUATOR_POSITION)
        return (PerpImplicitForce){.stiffness = actuator->kp,
                                   .damping = actuator->kd,
                                   .value = length - u,
                                   .speed = speed};
    return (PerpImplicitForce){.damping = actuator->kd, .push = actuator->kd * u, .speed = speed};
}

// C and d of the row that was added last; speed: at the beginning.
static PerpImplicitRow compliant_row(const PerpAssembly *a, const PerpActuator *actuator, double u,
                                     double length, double speed, double h, const Servos *servos)
{
    int first = a->row_start[a->rows - 1];
    PerpImplicitForce force = servo_force(actuator, u, length, speed);
    double W = perp_mobility(&servos->mass, a->entries - first, a->entry_body + first,
                             a->J + a->row_values[a->rows - 1], servos->x);
    return perp_implicit_row(&force, h, W);
}

// Rows  J v_new + C c + d = 0,  h force_lower <= c <= h force_upper: of second order and stable for
// any kp and kd (implicit_force.h). A velocity servo without kd is rigid, d = -u. Where J is that
// at the middle of the step, the speed at its end is J v_new + (J - J(q))'v.
static void add_servo(PerpAssembly *a, const PerpPose *pose, const double *turn,
                      const PerpSimulation *sim, int index, double h, const Servos *servos)
{
    const PerpModel *model = a->rigid->model;
    const PerpActuator *actuator = &model->control.actuators[index];
    PerpActuatorPath path = perp_actuator_path(model, actuator, pose, turn);
    double u = sim->controls.command[index];
    int i = a->problem.n_boxes++, row = a->rows;
    a->lo[i] = impulse(actuator->force_lower, h);
    a->hi[i] = impulse(actuator->force_upper, h);
    a->box_joint[i] = perp_source_of_actuator(index);
    perp_row_begin(a, -u);
    add_path(a, &path);
    perp_row_end(a);
    if (!(h > 0) || !sim->scheme->takes_soft) // other schemes have J elsewhere
        return;
    PerpActuatorPath start =
        perp_actuator_path(model, actuator, perp_rigid_poses(sim->state.q), sim->state.turn);
    double speed = perp_actuator_speed(a->rigid, &start, sim->state.v);
    if (perp_actuator_is_compliant(actuator)) {
        PerpImplicitRow servo = compliant_row(a, actuator, u, start.length, speed, h, servos);
        if (isinf(servo.compliance)) { // kp and kd so small that it does nothing
            a->lo[i] = a->hi[i] = 0;
            return;
        }
        a->d[row] = servo.d;
        a->compliance[row] = servo.compliance;
    }
    a->d[row] += perp_actuator_speed(a->rigid, &path, sim->state.v) - speed;
}

static bool take_servos(PerpAssembly *a, Servos *servos)
{
    PerpProblem masses = {
        .n_bodies = a->rigid->n_bodies, .body_start = a->rigid->body_start, .Mt = a->rigid->Mt};
    servos->x = PERP_TAKE_RAW(a->arena, double, a->rigid->n_v);
    return servos->x && perp_mobility_factor(a->arena, &masses, &servos->mass);
}

bool perp_control_rows_add_servos(PerpAssembly *a, const PerpPose *pose, const double *turn,
                                  const PerpSimulation *sim, double h)
{
    const PerpControlModel *m = &a->rigid->model->control;
    Servos servos = {.x = NULL};
    for (int k = 0; k < m->n_actuators; k++) {
        const PerpActuator *actuator = &m->actuators[k];
        bool is_compliant = perp_actuator_is_compliant(actuator);
        if (!is_row(actuator) || !perp_actuator_acts(sim, actuator) || (is_compliant && !(h > 0)))
            continue; // an impact is over before a spring or a damper does anything
        if (is_compliant && !servos.x && !take_servos(a, &servos))
            return false;
        add_servo(a, pose, turn, sim, k, h, &servos);
    }
    return true;
}

// --- forces -------------------------------------------------------------------------------------

static void add_twist(const PerpSimulation *sim, int body, double factor, PerpVec3 linear,
                      PerpVec3 angular, double *b)
{
    perp_rigid_add_twist(
        &sim->bodies.rigid, body,
        (PerpTwist){perp_vec3_scale(factor, linear), perp_vec3_scale(factor, angular)}, b);
}

static void add_actuators(const PerpSimulation *sim, const PerpPose *pose, double h, double *b)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    for (int k = 0; k < m->n_actuators; k++) {
        if (m->actuators[k].kind != PERP_ACTUATOR_FORCE)
            continue;
        PerpActuatorPath path =
            perp_actuator_path(sim->bodies.model, &m->actuators[k], pose, sim->state.turn);
        for (int i = 0; i < path.n_bodies; i++)
            add_twist(sim, path.body[i], h * sim->controls.command[k], path.linear[i],
                      path.angular[i], b);
    }
}

static void add_applied(const PerpSimulation *sim, const PerpPose *pose, double h, double *b)
{
    for (int k = 0; k < sim->bodies.rigid.n_bodies && sim->controls.wrench; k++) {
        int body = sim->bodies.rigid.body_of[k];
        const double *wrench = sim->controls.wrench + 6 * body;
        add_twist(sim, body, h, perp_vec3_load(wrench),
                  perp_quat_rotate_back(pose[body].rotation, perp_vec3_load(wrench + 3)), b);
    }
}

static PerpVec3 signals_of(const PerpSimulation *sim, const int signal[3])
{
    double x[3] = {0};
    for (int k = 0; k < 3; k++)
        x[k] = signal[k] >= 0 ? sim->controls.signal[signal[k]] : 0;
    return perp_vec3_load(x);
}

// The part of given forces that signals say.
static void add_force_signals(const PerpSimulation *sim, const PerpPose *pose, double h, double *b)
{
    const PerpModel *model = sim->bodies.model;
    for (int i = 0; i < model->n_forces && model->control.n_signals > 0; i++) {
        const PerpForce *f = &model->forces[i];
        if (!(sim->state.t >= f->start && sim->state.t < f->end))
            continue;
        PerpPose at = pose[f->body];
        PerpVec3 force = signals_of(sim, f->force_signal),
                 torque = signals_of(sim, f->torque_signal);
        PerpVec3 arm = perp_quat_rotate(at.rotation, f->point);
        PerpVec3 moment = perp_vec3_add(perp_vec3_cross(arm, force), torque);
        add_twist(sim, f->body, h, force, perp_quat_rotate_back(at.rotation, moment), b);
    }
}

void perp_control_add_forces(const PerpSimulation *sim, const PerpPose *pose, double h, double *b)
{
    add_actuators(sim, pose, h, b);
    add_force_signals(sim, pose, h, b);
    add_applied(sim, pose, h, b);
}

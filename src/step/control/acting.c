// What a caller may set between steps, and what it may ask for.

#include "base/error.h"
#include "math/union_find.h"
#include "step/control/controls.h"
#include "step/rows/joint_rows.h"
#include "step/systems/rigid_system.h"

#include "perp/system.h"

#include <math.h>
#include <string.h>

// --- checks -------------------------------------------------------------------------------------

static PerpStatus check_index(const char *what, int index, int count, PerpError *error)
{
    if (index >= 0 && index < count)
        return PERP_OK;
    return perp_fail(error, PERP_BAD_VALUE, "%s %d: there are %d, counted from 0", what, index,
                     count);
}

static PerpStatus check_finite(const char *what, const double *numbers, int count, PerpError *error)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(numbers[k]))
            return perp_fail(error, PERP_BAD_VALUE, "%s: a number is not finite", what);
    return PERP_OK;
}

static PerpStatus check_model(const PerpSimulation *sim, PerpError *error)
{
    return sim->bodies.model
               ? PERP_OK
               : perp_fail(error, PERP_NOT_SUPPORTED, "a custom system has no bodies or joints");
}

static int count_bodies(const PerpSimulation *sim)
{
    return sim->bodies.model ? sim->bodies.model->n_bodies : 0;
}

// --- controls -----------------------------------------------------------------------------------

PerpStatus perp_simulation_set_control(PerpSimulation *sim, int actuator, double value,
                                       PerpError *error)
{
    PerpStatus status = check_model(sim, error);
    if (!status)
        status = check_index("actuator", actuator, sim->bodies.model->control.n_actuators, error);
    if (!status)
        status = check_finite("control", &value, 1, error);
    if (status)
        return status;
    const PerpActuator *a = &sim->bodies.model->control.actuators[actuator];
    if (a->control >= 0)
        return perp_fail(error, PERP_BAD_VALUE,
                         "actuator \"%.100s\" follows the signal \"%.100s\"; leave its control out "
                         "to set it, or set an input that the signal uses",
                         a->name, sim->bodies.model->control.signals[a->control].name);
    sim->controls.control[actuator] = value;
    perp_journal_note(sim, PERP_JOURNAL_CONTROL, 1, &actuator, 1, &value);
    return PERP_OK;
}

PerpStatus perp_simulation_set_input(PerpSimulation *sim, int signal, double value,
                                     PerpError *error)
{
    PerpStatus status = check_model(sim, error);
    if (!status)
        status = check_index("signal", signal, sim->bodies.model->control.n_signals, error);
    if (!status)
        status = check_finite("input", &value, 1, error);
    if (status)
        return status;
    const PerpSignal *s = &sim->bodies.model->control.signals[signal];
    if (s->kind != PERP_SIGNAL_INPUT)
        return perp_fail(error, PERP_BAD_VALUE, "signal \"%.100s\" is %s; only inputs can be set",
                         s->name, s->kind == PERP_SIGNAL_TABLE ? "a table" : "an expression");
    sim->controls.signal[signal] = value;
    perp_journal_note(sim, PERP_JOURNAL_INPUT, 1, &signal, 1, &value);
    return PERP_OK;
}

void perp_simulation_set_control_callback(PerpSimulation *sim, PerpControlCallback callback,
                                          void *user)
{
    sim->controls.callback = callback;
    sim->controls.user = user;
    sim->sleep.ready = false;
    if (sim->bodies.model)
        perp_controls_note(sim);
    perp_journal_note(sim, PERP_JOURNAL_CALLBACK, 1, (const int[]){callback != NULL}, 0, NULL);
}

PerpStatus perp_simulation_set_wrench(PerpSimulation *sim, int body, const double force[3],
                                      const double torque[3], PerpError *error)
{
    PerpControls *c = &sim->controls;
    PerpStatus status = check_index("body", body, count_bodies(sim), error);
    if (!status)
        status = check_finite("force", force, 3, error);
    if (!status)
        status = check_finite("torque", torque, 3, error);
    if (status)
        return status;
    if (!c->wrench)
        c->wrench =
            perp_allocate(&sim->context.allocator, 6 * (size_t)count_bodies(sim), sizeof(double));
    if (!c->wrench)
        return perp_fail_memory(error);
    memcpy(c->wrench + 6 * body, force, 3 * sizeof(double));
    memcpy(c->wrench + 6 * body + 3, torque, 3 * sizeof(double));
    perp_journal_note(sim, PERP_JOURNAL_WRENCH, 1, &body, 6, c->wrench + 6 * body);
    sim->sleep.ready = false;
    return PERP_OK;
}

// --- friction -----------------------------------------------------------------------------------

static PerpStatus check_materials(const PerpSimulation *sim, int a, int b, PerpError *error)
{
    PerpStatus status = check_model(sim, error);
    if (!status)
        status = check_index("material", a, sim->bodies.model->n_materials, error);
    return status ? status : check_index("material", b, sim->bodies.model->n_materials, error);
}

PerpStatus perp_simulation_set_friction(PerpSimulation *sim, int material_a, int material_b,
                                        double mu, PerpError *error)
{
    PerpStatus status = check_materials(sim, material_a, material_b, error);
    if (status)
        return status;
    if (!(mu >= 0) || !isfinite(mu))
        return perp_fail(error, PERP_BAD_VALUE, "the coefficient of friction is %g, not >= 0", mu);
    int n = sim->bodies.model->n_materials;
    PerpSurface *const both[2] = {&sim->bodies.own.surfaces[material_a + n * material_b],
                                  &sim->bodies.own.surfaces[material_b + n * material_a]};
    for (int k = 0; k < 2; k++) {
        both[k]->mu = mu;
        both[k]->mu_second = -1;
        both[k]->axis = (PerpVec3){0, 0, 0};
    }
    sim->controls.has_friction = true;
    perp_journal_note(sim, PERP_JOURNAL_FRICTION, 2, (const int[]){material_a, material_b}, 1, &mu);
    sim->sleep.ready = false;
    return PERP_OK;
}

double perp_simulation_friction(const PerpSimulation *sim, int material_a, int material_b)
{
    if (check_materials(sim, material_a, material_b, NULL))
        return NAN;
    return sim->bodies.model->surfaces[material_a + sim->bodies.model->n_materials * material_b].mu;
}

// --- the state ----------------------------------------------------------------------------------

// The state or gravity is about to change by the caller's will: what is stored before and after is
// neither work nor loss.
static void open_state(PerpSimulation *sim)
{
    sim->sleep.ready = false;
    sim->run.given = 1;
    sim->ledger.start -= perp_energy_stored(sim);
}

static void close_state(PerpSimulation *sim)
{
    sim->ledger.start += perp_energy_stored(sim);
    perp_journal_note_state(sim);
}

PerpStatus perp_simulation_set_gravity(PerpSimulation *sim, const double gravity[3],
                                       PerpError *error)
{
    PerpStatus status = check_model(sim, error);
    if (!status)
        status = check_finite("gravity", gravity, 3, error);
    if (status)
        return status;
    open_state(sim);
    memcpy(sim->controls.gravity, gravity, 3 * sizeof(double));
    sim->bodies.rigid.gravity = perp_vec3_load(gravity);
    sim->ledger.start += perp_energy_stored(sim);
    perp_journal_note(sim, PERP_JOURNAL_GRAVITY, 0, NULL, 3, gravity);
    return PERP_OK;
}

PerpStatus perp_simulation_set_pose(PerpSimulation *sim, int body, const double position[3],
                                    const double rotation[4], PerpError *error)
{
    PerpStatus status = check_index("body", body, count_bodies(sim), error);
    if (!status)
        status = check_finite("position", position, 3, error);
    if (!status)
        status = check_finite("rotation", rotation, 4, error);
    if (status)
        return status;
    PerpQuat q = {rotation[0], rotation[1], rotation[2], rotation[3]};
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(square > 0) || !isfinite(square))
        return perp_fail(error, PERP_BAD_VALUE, "rotation: not a quaternion other than 0");
    open_state(sim);
    memcpy(sim->scratch.q, sim->state.q, (size_t)sim->n_q * sizeof(double));
    PerpPose *pose = (PerpPose *)sim->scratch.q + body;
    pose->rotation = perp_quat_normalise(q);
    pose->position =
        perp_vec3_add(perp_vec3_load(position),
                      perp_quat_rotate(pose->rotation, sim->bodies.model->bodies[body].centre));
    perp_step_go(sim, sim->scratch.q, sim->state.t);
    close_state(sim);
    return PERP_OK;
}

// --- joints -------------------------------------------------------------------------------------

// Which bodies are joined to the second body of a joint once that joint is gone; index n_bodies is
// the world. Couplings join nothing.
static void find_hanging(const PerpModel *model, int joint, int *parent)
{
    int world = model->n_bodies;
    for (int k = 0; k <= world; k++)
        parent[k] = k;
    for (int k = 0; k < world; k++)
        if (model->bodies[k].freedom == 0)
            perp_unite(parent, k, world);
    for (int j = 0; j < model->n_joints; j++) {
        const PerpJoint *other = &model->joints[j];
        if (j == joint || other->absent || other->kind == PERP_JOINT_COUPLING ||
            other->kind == PERP_JOINT_ROPE)
            continue;
        perp_unite(parent, other->body_a < 0 ? world : other->body_a,
                   other->body_b < 0 ? world : other->body_b);
    }
}

// The bodies that move with the second body of a joint; memory in the step's arena.
static PerpStatus take_hanging(PerpSimulation *sim, int joint, int coordinate, int **parent,
                               int *root, PerpError *error)
{
    PerpStatus status = check_model(sim, error);
    if (!status)
        status = check_index("joint", joint, sim->bodies.model->n_joints, error);
    if (!status)
        status = check_index("coordinate", coordinate,
                             perp_model_joint_coordinates(sim->bodies.model, joint), error);
    if (status)
        return status;
    const PerpModel *model = sim->bodies.model;
    const PerpJoint *j = &model->joints[joint];
    int first = j->body_a < 0 ? model->n_bodies : j->body_a;
    perp_arena_rewind(&sim->arena);
    sim->sleep.ready = false;
    *parent = PERP_TAKE(&sim->arena, int, model->n_bodies + 1);
    if (!*parent)
        return perp_fail_memory(error);
    find_hanging(model, joint, *parent);
    *root = j->body_b < 0 ? perp_find_root(*parent, model->n_bodies)
                          : perp_find_root(*parent, j->body_b);
    if (*root == perp_find_root(*parent, model->n_bodies) ||
        *root == perp_find_root(*parent, first))
        return perp_fail(error, PERP_BAD_VALUE,
                         "joint \"%.100s\" is part of a loop or its second body is held by the "
                         "world; set the poses of its bodies",
                         j->name);
    return PERP_OK;
}

// The motion of the second body against the first that a coordinate's unit rate is: a twist about
// and along the axis through the anchor.
typedef struct Screw {
    PerpVec3 point, spin, velocity; // world
} Screw;

static Screw screw_of(const PerpSimulation *sim, int joint, int coordinate)
{
    const PerpJoint *j = &sim->bodies.model->joints[joint];
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    PerpPose a =
        perp_pose_product(perp_rigid_pose(&sim->bodies.rigid, pose, j->body_a), j->frame_a);
    PerpPose b =
        perp_pose_product(perp_rigid_pose(&sim->bodies.rigid, pose, j->body_b), j->frame_b);
    PerpVec3 z = perp_quat_rotate(a.rotation, (PerpVec3){0, 0, 1}), none = {0, 0, 0};
    bool is_angle = perp_joint_table(j->kind)->angles >> coordinate & 1;
    if (j->kind == PERP_JOINT_UNIVERSAL && coordinate == 1)
        z = perp_quat_rotate(b.rotation, (PerpVec3){1, 0, 0}); // the axis of b
    return (Screw){b.position, is_angle ? z : none, is_angle ? none : z};
}

// Moves a body by the amount along the screw. Against the first body it moves as before, turned
// along: joints allow that, whatever the first body does.
static void move_by(PerpSimulation *sim, const Screw *screw, double amount, int first, int body)
{
    PerpPose *pose = (PerpPose *)sim->scratch.q + body, before = *pose;
    PerpQuat turn = perp_quat_exp(perp_vec3_scale(amount, screw->spin)); // world axes
    PerpVec3 arm = perp_vec3_sub(before.position, screw->point);
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
    pose->position = perp_vec3_add(perp_vec3_add(screw->point, perp_quat_rotate(turn, arm)),
                                   perp_vec3_scale(amount, screw->velocity));
    pose->rotation = perp_quat_normalise(perp_quat_product(turn, before.rotation));

    const double *q = sim->state.q, *v = sim->state.v;
    PerpVec3 spin = perp_rigid_spin(sim, q, v, first);
    PerpVec3 carried = perp_rigid_point_velocity(sim, q, v, first, before.position);
    PerpVec3 against = perp_quat_rotate(turn, perp_vec3_sub(twist.linear, carried));
    carried = perp_rigid_point_velocity(sim, q, v, first, pose->position);
    twist.linear = perp_vec3_add(against, carried);
    twist.angular =
        perp_vec3_add(perp_vec3_sub(twist.angular, perp_quat_rotate_back(before.rotation, spin)),
                      perp_quat_rotate_back(pose->rotation, spin));
    perp_rigid_set_twist(&sim->bodies.rigid, body, twist, sim->state.v);
}

PerpStatus perp_simulation_set_coordinate(PerpSimulation *sim, int joint, int coordinate,
                                          double value, PerpError *error)
{
    const double turn = 6.28318530717958647692;
    int *parent, root;
    PerpStatus status = take_hanging(sim, joint, coordinate, &parent, &root, error);
    if (!status)
        status = check_finite("coordinate", &value, 1, error);
    if (status)
        return status;
    open_state(sim);
    memcpy(sim->scratch.q, sim->state.q, (size_t)sim->n_q * sizeof(double));
    Screw screw = screw_of(sim, joint, coordinate);
    double change = value - perp_simulation_coordinate(sim, joint, coordinate);
    for (int b = 0; b < sim->bodies.model->n_bodies; b++)
        if (perp_find_root(parent, b) == root)
            move_by(sim, &screw, change, sim->bodies.model->joints[joint].body_a, b);
    perp_step_go(sim, sim->scratch.q, sim->state.t);
    double left = value - perp_simulation_coordinate(sim, joint, coordinate);
    sim->state.turn[PERP_JOINT_COORDINATES * joint + coordinate] += turn * round(left / turn);
    close_state(sim);
    return PERP_OK;
}

PerpStatus perp_simulation_set_joint_speed(PerpSimulation *sim, int joint, int coordinate,
                                           double speed, PerpError *error)
{
    int *parent, root;
    PerpStatus status = take_hanging(sim, joint, coordinate, &parent, &root, error);
    if (!status)
        status = check_finite("speed", &speed, 1, error);
    if (status)
        return status;
    open_state(sim);
    Screw screw = screw_of(sim, joint, coordinate);
    double change = speed - perp_simulation_joint_speed(sim, joint, coordinate);
    for (int b = 0; b < sim->bodies.model->n_bodies; b++) {
        if (perp_find_root(parent, b) != root)
            continue;
        PerpPose pose = perp_rigid_poses(sim->state.q)[b];
        PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, b);
        PerpVec3 arm = perp_vec3_sub(pose.position, screw.point);
        PerpVec3 velocity = perp_vec3_add(screw.velocity, perp_vec3_cross(screw.spin, arm));
        twist.linear = perp_vec3_add_scaled(twist.linear, change, velocity);
        twist.angular = perp_vec3_add_scaled(twist.angular, change,
                                             perp_quat_rotate_back(pose.rotation, screw.spin));
        perp_rigid_set_twist(&sim->bodies.rigid, b, twist, sim->state.v);
    }
    close_state(sim);
    return PERP_OK;
}

// --- measuring ----------------------------------------------------------------------------------

const double *perp_simulation_sensors(const PerpSimulation *sim, int *count)
{
    *count = sim->bodies.model ? sim->bodies.model->control.n_sensor_numbers : 0;
    return sim->controls.sensor;
}

static bool is_index(const PerpSimulation *sim, int index, int count)
{
    return sim->bodies.model && index >= 0 && index < count;
}

static const PerpControlModel *control_of(const PerpSimulation *sim)
{
    static const PerpControlModel none;
    return sim->bodies.model ? &sim->bodies.model->control : &none;
}

// n numbers of row `index`, or NAN where there is none.
static void copy_row(const PerpSimulation *sim, const double *rows, int index, int count, int width,
                     int first, int n, double *to)
{
    for (int k = 0; k < n; k++)
        to[k] = is_index(sim, index, count) ? rows[width * index + first + k] : NAN;
}

int perp_simulation_sensor(const PerpSimulation *sim, int sensor,
                           double values[PERP_SENSOR_NUMBERS])
{
    const PerpControlModel *m = control_of(sim);
    if (!is_index(sim, sensor, m->n_sensors))
        return 0;
    const PerpSensor *s = &m->sensors[sensor];
    int count = perp_sensor_kind_numbers(s->kind);
    memcpy(values, sim->controls.sensor + s->start, (size_t)count * sizeof(double));
    return count;
}

double perp_simulation_signal(const PerpSimulation *sim, int signal)
{
    return is_index(sim, signal, control_of(sim)->n_signals) ? sim->controls.signal[signal] : NAN;
}

double perp_simulation_control(const PerpSimulation *sim, int actuator)
{
    return is_index(sim, actuator, control_of(sim)->n_actuators)
               ? perp_actuator_control(sim, actuator)
               : NAN;
}

double perp_simulation_actuator_force(const PerpSimulation *sim, int actuator)
{
    double force;
    copy_row(sim, sim->controls.actuator_force, actuator, control_of(sim)->n_actuators, 1, 0, 1,
             &force);
    return force;
}

double perp_simulation_actuator_power(const PerpSimulation *sim, int actuator)
{
    double power;
    copy_row(sim, sim->controls.actuator_power, actuator, control_of(sim)->n_actuators, 1, 0, 1,
             &power);
    return power;
}

double perp_simulation_actuator_length(const PerpSimulation *sim, int actuator)
{
    const PerpControlModel *m = control_of(sim);
    return is_index(sim, actuator, m->n_actuators)
               ? perp_actuator_path(sim->bodies.model, &m->actuators[actuator],
                                    perp_rigid_poses(sim->state.q), sim->state.turn)
                     .length
               : NAN;
}

static int count_joints(const PerpSimulation *sim)
{
    return sim->bodies.model ? sim->bodies.model->n_joints : 0;
}

void perp_simulation_joint_reaction(const PerpSimulation *sim, int joint, double force[3],
                                    double moment[3])
{
    copy_row(sim, sim->controls.reaction, joint, count_joints(sim), 6, 0, 3, force);
    copy_row(sim, sim->controls.reaction, joint, count_joints(sim), 6, 3, 3, moment);
}

double perp_simulation_motor_force(const PerpSimulation *sim, int joint, int coordinate)
{
    return perp_is_coordinate(sim, joint, coordinate)
               ? sim->controls.motor[PERP_JOINT_COORDINATES * joint + coordinate]
               : NAN;
}

void perp_simulation_motion_force(const PerpSimulation *sim, int motion, double force[3],
                                  double moment[3])
{
    copy_row(sim, sim->controls.motion, motion, control_of(sim)->n_motions, 6, 0, 3, force);
    copy_row(sim, sim->controls.motion, motion, control_of(sim)->n_motions, 6, 3, 3, moment);
}

void perp_simulation_site(const PerpSimulation *sim, int site, double position[3],
                          double rotation[4])
{
    PerpPose at = {{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
    if (is_index(sim, site, control_of(sim)->n_sites))
        at = perp_site_pose(sim->bodies.model, perp_rigid_poses(sim->state.q), site);
    perp_vec3_store(at.position, position);
    rotation[0] = at.rotation.w;
    rotation[1] = at.rotation.x;
    rotation[2] = at.rotation.y;
    rotation[3] = at.rotation.z;
}

// Sensors, read at the start and after every step, and what signals may measure.

#include "step/control/controls.h"
#include "step/rows/joint_rows.h"
#include "step/systems/rigid_system.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const PerpPose *poses(const PerpSimulation *sim)
{
    return perp_rigid_poses(sim->state.q);
}

// --- joints -------------------------------------------------------------------------------------

double perp_simulation_joint_speed(const PerpSimulation *sim, int joint, int coordinate)
{
    if (!perp_is_coordinate(sim, joint, coordinate))
        return NAN;
    const PerpJoint *j = &sim->bodies.model->joints[joint];
    PerpJointRow row;
    perp_joint_value(sim->bodies.model, poses(sim), joint, coordinate, &row);
    PerpTwist a = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, j->body_a);
    PerpTwist b = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, j->body_b);
    return perp_vec3_dot(row.a_linear, a.linear) + perp_vec3_dot(row.a_angular, a.angular) +
           perp_vec3_dot(row.b_linear, b.linear) + perp_vec3_dot(row.b_angular, b.angular);
}

// Motors, and actuators on this coordinate.
static double motor_force(const PerpSimulation *sim, int joint, int coordinate)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    double force = sim->controls.motor[PERP_JOINT_COORDINATES * joint + coordinate];
    for (int k = 0; k < m->n_actuators; k++)
        for (int i = 0; i < m->actuators[k].n_terms; i++) {
            const PerpTendonTerm *term = &m->actuators[k].term[i];
            if (term->joint == joint && term->coordinate == coordinate)
                force += m->actuators[k].gear * term->ratio * sim->controls.actuator_force[k];
        }
    return force;
}

// Where a body was in the middle of the step behind, to which means over the step belong:
// q (+) (-h/2) v. At its end they would be off by h/2 times their rate, as the body turns.
static PerpPose middle_pose(const PerpSimulation *sim, int body, double h)
{
    PerpPose pose = perp_rigid_pose(&sim->bodies.rigid, poses(sim), body);
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
    pose.position = perp_vec3_add_scaled(pose.position, -h / 2, twist.linear);
    pose.rotation = perp_quat_plus(pose.rotation, perp_vec3_scale(-h / 2, twist.angular));
    return pose;
}

static PerpPose middle_site_pose(const PerpSimulation *sim, int site, double h)
{
    const PerpSite *s = &sim->bodies.model->control.sites[site];
    return perp_pose_product(middle_pose(sim, s->body, h), s->pose);
}

static PerpVec3 anchor_of(const PerpSimulation *sim, int joint, double h)
{
    const PerpJoint *j = &sim->bodies.model->joints[joint];
    return perp_pose_point(middle_pose(sim, j->body_b, h), j->frame_b.position);
}

// A mean force and its moment about a point, in the axes of a site and about its origin.
static void to_frame(const PerpSimulation *sim, int site, double h, PerpVec3 about, PerpVec3 *force,
                     PerpVec3 *moment)
{
    if (site < 0)
        return;
    PerpPose frame = middle_site_pose(sim, site, h);
    PerpVec3 arm = perp_vec3_sub(about, frame.position);
    *moment = perp_vec3_add(*moment, perp_vec3_cross(arm, *force));
    *force = perp_quat_rotate_back(frame.rotation, *force);
    *moment = perp_quat_rotate_back(frame.rotation, *moment);
}

static void read_reaction(const PerpSimulation *sim, const PerpSensor *s, double h, double *to)
{
    const double *reaction = sim->controls.reaction + 6 * s->index;
    PerpVec3 force = perp_vec3_load(reaction), moment = perp_vec3_load(reaction + 3);
    to_frame(sim, s->frame, h, anchor_of(sim, s->index, h), &force, &moment);
    perp_vec3_store(s->kind == PERP_SENSOR_JOINT_MOMENT ? moment : force, to);
}

// --- contacts -----------------------------------------------------------------------------------

// Whether a contact of a body's shape with another one is the sensor's.
static bool concerns(const PerpSensor *s, int body, int shape, int other, int other_shape)
{
    return body == s->index && (s->other == PERP_ANY_BODY || s->other == other) &&
           (s->shape < 0 || s->shape == shape) &&
           (s->other_shape < 0 || s->other_shape == other_shape);
}

static void read_contacts(const PerpSimulation *sim, const PerpSensor *s, double h, double *to)
{
    const PerpReports *reports = &sim->contacts.last;
    PerpVec3 force = {0, 0, 0}, moment = {0, 0, 0};
    PerpVec3 centre = middle_pose(sim, s->index, h).position;
    double touch = 0;
    for (int k = 0; k < reports->n_contacts && h > 0; k++) {
        const PerpContactReport *c = &reports->contacts[k];
        bool is_a = concerns(s, c->body_a, c->shape_a, c->body_b, c->shape_b);
        bool is_b = concerns(s, c->body_b, c->shape_b, c->body_a, c->shape_a);
        if (!is_a && !is_b)
            continue;
        PerpVec3 f = perp_vec3_scale((is_a ? 1 : -1) / h, perp_vec3_load(c->impulse));
        PerpVec3 arm = perp_vec3_sub(perp_vec3_load(c->point), centre);
        force = perp_vec3_add(force, f);
        moment = perp_vec3_add(moment, perp_vec3_cross(arm, f));
        touch += fabs(perp_vec3_dot(f, perp_vec3_load(c->normal)));
    }
    to_frame(sim, s->frame, h, centre, &force, &moment);
    if (s->kind == PERP_SENSOR_TOUCH)
        *to = touch;
    else
        perp_vec3_store(s->kind == PERP_SENSOR_CONTACT_MOMENT ? moment : force, to);
}

// --- sites --------------------------------------------------------------------------------------

static PerpVec3 site_velocity(const PerpSimulation *sim, const double *q, const double *v, int site)
{
    return perp_rigid_point_velocity(
        sim, q, v, sim->bodies.model->control.sites[site].body,
        perp_site_pose(sim->bodies.model, perp_rigid_poses(q), site).position);
}

// (v - v_before)/h - g, in world axes
static PerpVec3 acceleration(const PerpSimulation *sim, int site, double h)
{
    if (!(h > 0))
        return (PerpVec3){0, 0, 0};
    PerpVec3 now = site_velocity(sim, sim->state.q, sim->state.v, site);
    PerpVec3 before = site_velocity(sim, sim->before.q, sim->before.v, site);
    return perp_vec3_sub(perp_vec3_scale(1 / h, perp_vec3_sub(now, before)),
                         sim->bodies.rigid.gravity);
}

static void read_site(const PerpSimulation *sim, const PerpSensor *s, double h, double *to)
{
    PerpPose at = perp_site_pose(sim->bodies.model, poses(sim), s->index);
    int body = sim->bodies.model->control.sites[s->index].body;
    PerpQuat back = perp_quat_conjugate(at.rotation);
    switch (s->kind) {
    case PERP_SENSOR_POSITION:
        perp_vec3_store(at.position, to);
        break;
    case PERP_SENSOR_VELOCITY:
        perp_vec3_store(site_velocity(sim, sim->state.q, sim->state.v, s->index), to);
        break;
    case PERP_SENSOR_GYROSCOPE:
        perp_vec3_store(
            perp_quat_rotate(back, perp_rigid_spin(sim, sim->state.q, sim->state.v, body)), to);
        break;
    case PERP_SENSOR_ACCELEROMETER:
        perp_vec3_store(perp_quat_rotate_back(middle_site_pose(sim, s->index, h).rotation,
                                              acceleration(sim, s->index, h)),
                        to);
        break;
    default: // PERP_SENSOR_ORIENTATION
        to[0] = at.rotation.w;
        to[1] = at.rotation.x;
        to[2] = at.rotation.y;
        to[3] = at.rotation.z;
    }
}

// --- rays ---------------------------------------------------------------------------------------

static double read_range(const PerpSimulation *sim, const PerpSensor *s)
{
    PerpPose at = perp_site_pose(sim->bodies.model, poses(sim), s->index);
    PerpVec3 z = perp_quat_rotate(at.rotation, (PerpVec3){0, 0, 1});
    int own = sim->bodies.model->control.sites[s->index].body;
    return perp_ray_cast(sim, (PerpRay){at.position, z, s->limit}, own < 0 ? PERP_ANY_BODY : own)
        .distance;
}

// --- sets of bodies -----------------------------------------------------------------------------

typedef struct Set {
    double mass;
    PerpVec3 centre, momentum, angular; // angular momentum about the centre
    double energy;
} Set;

static Set measure_set(const PerpSimulation *sim, const PerpSensor *s)
{
    Set set = {0};
    for (int k = 0; k < s->n_bodies; k++) {
        const PerpBody *body = &sim->bodies.model->bodies[s->bodies[k]];
        PerpVec3 x = poses(sim)[s->bodies[k]].position;
        PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, s->bodies[k]);
        PerpVec3 spin = perp_mat3_times(body->inertia, twist.angular);
        set.mass += body->mass;
        set.centre = perp_vec3_add_scaled(set.centre, body->mass, x);
        set.momentum = perp_vec3_add_scaled(set.momentum, body->mass, twist.linear);
        set.angular =
            perp_vec3_add(set.angular, perp_quat_rotate(poses(sim)[s->bodies[k]].rotation, spin));
        set.angular = perp_vec3_add(set.angular,
                                    perp_vec3_cross(x, perp_vec3_scale(body->mass, twist.linear)));
        set.energy += (body->mass * perp_vec3_dot(twist.linear, twist.linear) +
                       perp_vec3_dot(twist.angular, spin)) /
                          2 -
                      body->mass * perp_vec3_dot(sim->bodies.rigid.gravity, x);
    }
    if (set.mass > 0)
        set.centre = perp_vec3_scale(1 / set.mass, set.centre);
    set.angular = perp_vec3_sub(set.angular, perp_vec3_cross(set.centre, set.momentum));
    return set;
}

static void read_set(const PerpSimulation *sim, const PerpSensor *s, double *to)
{
    Set set = measure_set(sim, s);
    if (s->kind == PERP_SENSOR_ENERGY)
        *to = set.energy;
    else
        perp_vec3_store(s->kind == PERP_SENSOR_CENTRE_OF_MASS ? set.centre
                        : s->kind == PERP_SENSOR_MOMENTUM     ? set.momentum
                                                              : set.angular,
                        to);
}

// --- all of them --------------------------------------------------------------------------------

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

// A normal number that depends on seed, step and place alone, so that a run that is resumed has the
// same noise: SplitMix64's mixing of a counter, Box and Muller's transform.
static double noise(const PerpSimulation *sim, double number, int place)
{
    const double turn = 6.28318530717958647692;
    uint64_t step = (uint64_t)number, golden = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t key = mix(sim->bodies.model->control.noise_seed + golden);
    key = mix(key ^ mix(step * golden + 1) ^
              mix(((uint64_t)place + 1) * UINT64_C(0xD1B54A32D192ED03)));
    double u = ((double)(mix(key + golden) >> 11) + 1) * 0x1p-53; // 0 < u <= 1
    double w = (double)(mix(key + 2 * golden) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(turn * w);
}

static void read(const PerpSimulation *sim, const PerpSensor *s, double h, double *to)
{
    const PerpControls *c = &sim->controls;
    switch (s->kind) {
    case PERP_SENSOR_JOINT_POSITION:
        *to = perp_simulation_coordinate(sim, s->index, s->coordinate);
        break;
    case PERP_SENSOR_JOINT_SPEED:
        *to = perp_simulation_joint_speed(sim, s->index, s->coordinate);
        break;
    case PERP_SENSOR_JOINT_FORCE:
    case PERP_SENSOR_JOINT_MOMENT:
        read_reaction(sim, s, h, to);
        break;
    case PERP_SENSOR_MOTOR_FORCE:
        *to = motor_force(sim, s->index, s->coordinate);
        break;
    case PERP_SENSOR_ACTUATOR_FORCE:
        *to = c->actuator_force[s->index];
        break;
    case PERP_SENSOR_ACTUATOR_POWER:
        *to = c->actuator_power[s->index];
        break;
    case PERP_SENSOR_CONTACT_FORCE:
    case PERP_SENSOR_CONTACT_MOMENT:
    case PERP_SENSOR_TOUCH:
        read_contacts(sim, s, h, to);
        break;
    case PERP_SENSOR_DISTANCE:
        *to = perp_shapes_distance(sim, s->index, s->shape, s->other, s->other_shape);
        break;
    case PERP_SENSOR_RANGE:
        *to = read_range(sim, s);
        break;
    case PERP_SENSOR_CENTRE_OF_MASS:
    case PERP_SENSOR_MOMENTUM:
    case PERP_SENSOR_ANGULAR_MOMENTUM:
    case PERP_SENSOR_ENERGY:
        read_set(sim, s, to);
        break;
    case PERP_SENSOR_SIGNAL:
        *to = c->signal[s->index];
        break;
    default:
        read_site(sim, s, h, to);
    }
}

// The frame of such a joint is taken when it begins.
static bool begins_late(const PerpSimulation *sim, int joint)
{
    return sim->bodies.given->joints[joint].start > 0;
}

// What is known of the state at hand besides itself.
typedef struct Known {
    bool before, contacts, reactions, motors, actuators;
    bool signals;       // they were sampled at the beginning of the step, as they are now
    const double *held; // or they are as the sensors showed before the step; NULL: not
} Known;

static bool is_told(const PerpSimulation *sim, const PerpSensor *s, const Known *known)
{
    bool is_load = s->kind == PERP_SENSOR_JOINT_FORCE || s->kind == PERP_SENSOR_JOINT_MOMENT ||
                   s->kind == PERP_SENSOR_MOTOR_FORCE;
    bool asks_joint = perp_sensor_kind_object(s->kind) == PERP_SENSES_JOINT &&
                      (!is_load || s->frame >= 0); // where it is
    if (asks_joint && begins_late(sim, s->index))
        return false;
    switch (s->kind) {
    case PERP_SENSOR_JOINT_FORCE:
    case PERP_SENSOR_JOINT_MOMENT:
        return known->reactions;
    case PERP_SENSOR_MOTOR_FORCE:
        return known->motors && known->actuators;
    case PERP_SENSOR_ACTUATOR_FORCE:
        return known->actuators;
    case PERP_SENSOR_ACTUATOR_POWER:
        return false;
    case PERP_SENSOR_ACCELEROMETER:
        return known->before;
    case PERP_SENSOR_SIGNAL:
        return known->signals || known->held;
    case PERP_SENSOR_CONTACT_FORCE:
    case PERP_SENSOR_CONTACT_MOMENT:
    case PERP_SENSOR_TOUCH:
        return known->contacts;
    default:
        return true;
    }
}

static void read_with_noise(const PerpSimulation *sim, const PerpSensor *s, double h, double *to)
{
    read(sim, s, h, to);
    for (int i = 0; i < perp_sensor_kind_numbers(s->kind) && s->noise > 0; i++)
        to[i] += s->noise * noise(sim, *sim->controls.steps, s->start + i);
}

// A signal that is held has another noise than in the step before.
static double read_held(const PerpSimulation *sim, const PerpSensor *s, double last)
{
    double step = *sim->controls.steps;
    return s->noise > 0 ? last - s->noise * noise(sim, step - 1, s->start) +
                              s->noise * noise(sim, step, s->start)
                        : last;
}

static void read_told(const PerpSimulation *sim, double h, const Known *known, double *values)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    for (int k = 0; k < m->n_sensors; k++) {
        const PerpSensor *s = &m->sensors[k];
        double *to = values + s->start;
        if (!is_told(sim, s, known))
            for (int i = 0; i < perp_sensor_kind_numbers(s->kind); i++)
                to[i] = NAN;
        else if (s->kind == PERP_SENSOR_SIGNAL && known->held)
            *to = read_held(sim, s, known->held[s->start]);
        else
            read_with_noise(sim, s, h, to);
    }
}

// --- at other states ----------------------------------------------------------------------------

static void take_state(PerpSimulation *sim, const PerpSensedState *at, double t)
{
    sim->state.q = (double *)at->q;
    sim->state.v = (double *)at->v;
    sim->state.t = t;
}

// Whole turns, so that coordinates are as they are known.
static void take_turns(PerpSimulation *sim, const double *coordinates)
{
    const double turn = 6.28318530717958647692;
    const PerpModel *model = sim->bodies.model;
    for (int j = 0; j < model->n_joints; j++)
        for (int k = 0; k < perp_joint_table(model->joints[j].kind)->coordinates; k++) {
            int at = PERP_JOINT_COORDINATES * j + k;
            double off = coordinates[at] - perp_simulation_coordinate(sim, j, k);
            sim->state.turn[at] += turn * round(off / turn);
        }
}

// Samples the signals at the state before. False: too little is known, or they have no values.
static bool sample_before(PerpSimulation *sim, const PerpSensedStep *step)
{
    PerpControls *c = &sim->controls;
    const PerpControlModel *m = &sim->bodies.model->control;
    for (int j = 0; j < sim->bodies.model->n_joints; j++)
        if (begins_late(sim, j))
            return false;
    PerpError error;
    take_state(sim, step->before, step->t);
    take_turns(sim, step->coordinates);
    memcpy(c->sensor, step->sensors, (size_t)m->n_sensor_numbers * sizeof(double));
    memcpy(c->actuator_force, step->forces, (size_t)m->n_actuators * sizeof(double));
    return perp_controls_sample_signals(sim, &error) == PERP_OK;
}

static void find_signals(PerpSimulation *sim, const PerpSensedState *at, const PerpSensedStep *step,
                         Known *known)
{
    if (!step->before || !step->coordinates || !step->sensors || !step->forces)
        return;
    if (fmod((double)at->step - 1, sim->bodies.model->control.every) == 0)
        known->signals = sample_before(sim, step);
    else
        known->held = step->sensors;
}

static bool take_load(const double *from, int count, double *to)
{
    if (from)
        memcpy(to, from, (size_t)count * sizeof *to);
    return from;
}

static Known take_step(PerpSimulation *sim, const PerpSensedState *at, const PerpSensedStep *step)
{
    Known known = {0};
    int joints = sim->bodies.model->n_joints;
    find_signals(sim, at, step, &known);
    known.before = step->before;
    known.contacts = at->n_contacts >= 0;
    if (step->before) {
        sim->before.q = (double *)step->before->q;
        sim->before.v = (double *)step->before->v;
    }
    known.reactions = take_load(step->reactions, 6 * joints, sim->controls.reaction);
    known.motors = take_load(step->motors, PERP_JOINT_COORDINATES * joints, sim->controls.motor);
    known.actuators = take_load(step->actuators, sim->bodies.model->control.n_actuators,
                                sim->controls.actuator_force);
    return known;
}

// The states take the place of the simulation's own meanwhile.
void perp_simulation_sensors_after(PerpSimulation *sim, const PerpSensedState *at,
                                   const PerpSensedStep *step, double *values)
{
    const PerpSensedStep nothing = {0};
    PerpState now = sim->state, before = sim->before;
    PerpReports contacts = sim->contacts.last;
    if (!sim->bodies.model)
        return;
    size_t turns = (size_t)sim->n_turn * sizeof(double);
    perp_controls_save(sim);
    memcpy(before.turn, now.turn, turns);
    Known known = take_step(sim, at, step ? step : &nothing);
    take_state(sim, at, now.t);
    memcpy(now.turn, before.turn, turns);
    sim->contacts.last.contacts = (PerpContactReport *)at->contacts;
    sim->contacts.last.n_contacts = known.contacts ? at->n_contacts : 0;
    *sim->controls.steps = (double)at->step;
    read_told(sim, at->h, &known, values);
    sim->contacts.last = contacts;
    sim->state = now;
    sim->before = before;
    memcpy(sim->controls.numbers, sim->controls.before,
           (size_t)sim->controls.n_numbers * sizeof(double));
}

void perp_simulation_sensors_at(PerpSimulation *sim, const PerpSensedState *at, double *values)
{
    perp_simulation_sensors_after(sim, at, NULL, values);
}

void perp_sensors_read(PerpSimulation *sim, double h)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    for (int k = 0; k < m->n_sensors; k++) {
        const PerpSensor *s = &m->sensors[k];
        read_with_noise(sim, s, h, sim->controls.sensor + s->start);
    }
}

// --- what signals measure -----------------------------------------------------------------------

// R = R_z(yaw) R_y(pitch) R_x(roll)
static double body_angle(PerpQuat rotation, int part)
{
    PerpMat3 R = perp_quat_to_matrix(rotation); // by columns
    if (part == PERP_BODY_ROLL)
        return atan2(R.y.z, R.z.z);
    if (part == PERP_BODY_PITCH)
        return atan2(-R.x.z, hypot(R.y.z, R.z.z));
    return atan2(R.x.y, R.x.x);
}

static double measure_body(const PerpSimulation *sim, int body, int part)
{
    double position[3], rotation[4], velocity[3], spin[3];
    if (part >= PERP_BODY_ROLL)
        return body_angle(poses(sim)[body].rotation, part);
    if (part < PERP_BODY_VELOCITY) {
        perp_simulation_pose(sim, body, position, rotation);
        return position[part];
    }
    perp_simulation_velocity(sim, body, velocity, spin);
    return part < PERP_BODY_SPIN ? velocity[part - PERP_BODY_VELOCITY]
                                 : spin[part - PERP_BODY_SPIN];
}

double perp_measure(const PerpSimulation *sim, const PerpMeasured *m)
{
    switch (m->kind) {
    case PERP_MEASURED_COORDINATE:
        return perp_simulation_coordinate(sim, m->index, m->part);
    case PERP_MEASURED_SPEED:
        return perp_simulation_joint_speed(sim, m->index, m->part);
    case PERP_MEASURED_BODY:
        return measure_body(sim, m->index, m->part);
    case PERP_MEASURED_SENSOR:
        return sim->controls.sensor[sim->bodies.model->control.sensors[m->index].start + m->part];
    default:
        return sim->controls.actuator_force[m->index];
    }
}

// The system of rigid bodies, compiled from a model: motion, contact search, rows, names.

#include "step/systems/rigid_system.h"
#include "step/control/controls.h"
#include "step/rows/assemble.h"
#include "step/rows/contact_rows.h"
#include "step/rows/joint_rows.h"
#include "step/timing.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- motion -------------------------------------------------------------------------------------

static void advance(const PerpSimulation *sim, const double *q, const double *v, double h,
                    double *to)
{
    perp_rigid_advance(&sim->bodies.rigid, perp_rigid_poses(q), v, h, (PerpPose *)to);
}

// dx/dt = v,  dR/dt = R (0, w)/2 as quaternions
static void rate(const PerpSimulation *sim, const double *q, const double *v, double *dq)
{
    PerpPose *to = (PerpPose *)dq;
    for (int b = 0; b < sim->bodies.model->n_bodies; b++) {
        PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, v, b);
        PerpQuat half = {0, twist.angular.x / 2, twist.angular.y / 2, twist.angular.z / 2};
        to[b].position = twist.linear;
        to[b].rotation = perp_quat_product(perp_rigid_poses(q)[b].rotation, half);
    }
}

static bool is_angle(const PerpJoint *joint, int coordinate)
{
    return perp_joint_table(joint->kind)->angles >> coordinate & 1;
}

static void find_angles(const PerpModel *model, const PerpPose *pose, double *value)
{
    for (int j = 0; j < model->n_joints; j++)
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            if (is_angle(&model->joints[j], k))
                value[PERP_JOINT_COORDINATES * j + k] = perp_joint_value(model, pose, j, k, NULL);
}

// The angles at the state are in angles.value, those at `to` in angles.next; atan2 jumps by a whole
// turn where the angle does not.
static void count_turns(PerpSimulation *sim, const double *to, double *turn)
{
    static const double pi = 3.14159265358979323846;
    const PerpModel *model = sim->bodies.model;
    PerpJointAngles *angles = &sim->bodies.angles;
    size_t bytes = (size_t)sim->n_q * sizeof(double);
    if (!angles->known || memcmp(angles->q, sim->state.q, bytes) != 0) {
        find_angles(model, perp_rigid_poses(sim->state.q), angles->value);
        memcpy(angles->q, sim->state.q, bytes);
        angles->known = true;
    }
    find_angles(model, perp_rigid_poses(to), angles->next);
    for (int j = 0; j < model->n_joints; j++)
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++) {
            int at = PERP_JOINT_COORDINATES * j + k;
            if (!is_angle(&model->joints[j], k))
                continue;
            double change = angles->next[at] - angles->value[at];
            if (fabs(change) > pi)
                turn[at] -= copysign(2 * pi, change);
        }
}

static void follow(PerpSimulation *sim, const double *to)
{
    PerpJointAngles *angles = &sim->bodies.angles;
    double *before = angles->value;
    if (!sim->bodies.has_axes)
        return;
    count_turns(sim, to, sim->state.turn);
    memcpy(angles->q, to, (size_t)sim->n_q * sizeof(double));
    angles->value = angles->next;
    angles->next = before;
}

const double *perp_rigid_turns_at(PerpSimulation *sim, const PerpPose *pose)
{
    if (!sim->bodies.reads_turns ||
        memcmp(pose, sim->state.q, (size_t)sim->n_q * sizeof(double)) == 0)
        return sim->state.turn; // nobody reads them, or as they are
    memcpy(sim->bodies.turn, sim->state.turn, (size_t)sim->n_turn * sizeof(double));
    count_turns(sim, (const double *)pose, sim->bodies.turn);
    return sim->bodies.turn;
}

static void transport(const PerpSimulation *sim, double h, const double *before, const double *mean,
                      double *v)
{
    const PerpInertialMotion *last = &sim->bodies.inertial;
    bool same = last->known && last->h == h && !sim->scheme->explicit_turn &&
                memcmp(last->from, before, (size_t)sim->n_v * sizeof(double)) == 0;
    perp_rigid_transport(&sim->bodies.rigid, h, before, same ? last->v : NULL, mean, v);
}

// Of the fastest point; and, where joints have limits, of angles, in rad/s.
static double speed_of(const PerpSimulation *sim, const double *v, int body)
{
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, v, body);
    double spin = perp_vec3_norm(twist.angular);
    double point = perp_vec3_norm(twist.linear) + sim->bodies.radius[body] * spin;
    return sim->bodies.rigid.joint_room.unilateral > 0 ? fmax(point, spin) : point;
}

// Twice the displacement of the fastest point; of no interest where nothing can be hit.
static double reach(const PerpSimulation *sim, const double *v_free, double h)
{
    double fastest = 0;
    if (sim->bodies.model->n_shapes == 0 && sim->bodies.rigid.joint_room.unilateral == 0)
        return 0;
    for (int b = 0; b < sim->bodies.model->n_bodies; b++)
        fastest = fmax(fastest, fmax(speed_of(sim, sim->state.v, b), speed_of(sim, v_free, b)));
    return 2 * h * fastest;
}

// --- rows ---------------------------------------------------------------------------------------

// The contacts in the step's arena: the finder's own last until its next search, which a step may
// do before it reports them. What is read at once need not be copied.
static PerpStatus find_contacts(PerpSimulation *sim, const PerpPose *pose,
                                const PerpRowChoice *choice, const PerpContact **contacts,
                                int *count)
{
    const PerpContact *found;
    PerpReach all = {.margin = choice->reach, .deepest = choice->gaps};
    PerpStatus status = perp_contact_finder_find_near(
        sim->bodies.finder, pose, choice->speculative ? choice->speculative : &all, &found, count);
    *contacts = found;
    if (status || choice->transient)
        return status;
    PerpContact *copy = PERP_TAKE_RAW(&sim->arena, PerpContact, *count);
    if (!copy)
        return PERP_NO_MEMORY;
    if (*count > 0)
        memcpy(copy, found, (size_t)*count * sizeof *copy);
    *contacts = copy;
    return PERP_OK;
}

static bool has_rows_of_control(const PerpSimulation *sim)
{
    const PerpControlModel *m = &sim->bodies.model->control;
    return m->n_actuators > 0 || m->n_motions > 0;
}

static PerpStatus assemble(PerpSimulation *sim, const double *q, const PerpRowChoice *choice,
                           PerpAssembly *rows, PerpError *error)
{
    const PerpPose *pose = perp_rigid_poses(q);
    const PerpContact *contacts = NULL;
    int n_contacts = 0;
    PerpAssemblyOptions options = {.facets = sim->settings.facets,
                                   .h = choice->h,
                                   .reach = choice->reach,
                                   .turn = perp_rigid_turns_at(sim, pose),
                                   .friction = !choice->positions,
                                   .boxes = !choice->positions,
                                   .cache = q == sim->state.q ? &sim->bodies.joint_rows : NULL,
                                   .transient = choice->transient,
                                   .gaps = choice->gaps,
                                   .unilateral = choice->unilateral,
                                   .sim = has_rows_of_control(sim) ? sim : NULL};
    PerpStatus status = PERP_OK;
    PerpTiming stage = perp_timing_enter(sim, PERP_TIMING_COLLIDE);
    if (choice->reach > -INFINITY)
        status = find_contacts(sim, pose, choice, &contacts, &n_contacts);
    perp_timing_enter(sim, PERP_TIMING_ASSEMBLE);
    if (!status &&
        !perp_assemble(&sim->arena, &sim->bodies.rigid, pose, contacts, n_contacts, &options, rows))
        status = PERP_NO_MEMORY;
    perp_timing_enter(sim, stage);
    return status ? perp_fail(error, status, "%s", perp_status_text(status)) : PERP_OK;
}

static void name_spring(const PerpSimulation *sim, int spring, char *text, size_t size)
{
    const char *given = sim->bodies.model->springs[spring].name;
    if (given && *given)
        snprintf(text, size, "of spring %s", given);
    else
        snprintf(text, size, "of spring %d", spring);
}

static void name_control(const PerpSimulation *sim, int source, char *text, size_t size)
{
    const PerpModel *model = sim->bodies.model;
    int index = perp_source_index(source);
    if (perp_source_is_actuator(source))
        snprintf(text, size, "of actuator %s", perp_model_actuator_name(model, index));
    else
        snprintf(text, size, "of the motion of %s",
                 perp_model_body_name(model, model->control.motions[index].body));
}

// Each step names its worst residual: without the price of printing.
static void name_contact(const PerpSimulation *sim, const PerpContact *contact, char *text,
                         size_t size)
{
    const PerpModel *model = sim->bodies.model;
    size_t length =
        perp_write_words(text, size, "between ", perp_model_body_name(model, contact->body_a));
    perp_write_words(text + length, size - length, " and ",
                     perp_model_body_name(model, contact->body_b));
}

static void name(const PerpSimulation *sim, const PerpAssembly *rows, PerpResidual kind, int row,
                 int contact, char *text, size_t size)
{
    const PerpUnilateral *u = contact >= 0 ? &rows->unilateral[contact] : NULL;
    int joint = u ? u->index : kind == PERP_RESIDUAL_JOINT ? rows->row_joint[row] : -1;
    if (kind == PERP_RESIDUAL_BOX_RANGE || kind == PERP_RESIDUAL_BOX_SIGN)
        joint = rows->box_joint[row];
    if (kind == PERP_RESIDUAL_MOMENTUM)
        perp_write_words(text, size, "of ",
                         perp_model_body_name(sim->bodies.model, sim->bodies.rigid.body_of[row]));
    else if (u && u->kind == PERP_UNILATERAL_CONTACT)
        name_contact(sim, &rows->contact[u->index], text, size);
    else if (perp_source_is_control(joint))
        name_control(sim, joint, text, size);
    else if (joint < 0)
        name_spring(sim, -1 - joint, text, size);
    else
        perp_write_words(text, size, "of joint ", perp_model_joint_name(sim->bodies.model, joint));
}

PerpVec3 perp_rigid_spin(const PerpSimulation *sim, const double *q, const double *v, int body)
{
    if (body < 0)
        return (PerpVec3){0, 0, 0};
    return perp_quat_rotate(perp_rigid_poses(q)[body].rotation,
                            perp_rigid_twist(&sim->bodies.rigid, v, body).angular);
}

PerpVec3 perp_rigid_point_velocity(const PerpSimulation *sim, const double *q, const double *v,
                                   int body, PerpVec3 point)
{
    if (body < 0)
        return (PerpVec3){0, 0, 0};
    PerpVec3 arm = perp_vec3_sub(point, perp_rigid_poses(q)[body].position);
    return perp_vec3_add(perp_rigid_twist(&sim->bodies.rigid, v, body).linear,
                         perp_vec3_cross(perp_rigid_spin(sim, q, v, body), arm));
}

PerpVec3 perp_rigid_contact_velocity(const PerpSimulation *sim, const double *q, const double *v,
                                     const PerpContact *contact)
{
    const PerpContactPoint *at = &contact->point;
    return perp_vec3_sub(perp_rigid_point_velocity(sim, q, v, contact->body_a, at->point_a),
                         perp_rigid_point_velocity(sim, q, v, contact->body_b, at->point_b));
}

static bool describe_contact(const PerpSimulation *sim, const PerpAssembly *rows, int contact,
                             const double *q, const double *v, PerpContactReport *report)
{
    const PerpContact *from = &rows->contact[rows->unilateral[contact].index];
    const PerpContactPoint *at = &from->point;
    PerpVec3 velocity = perp_rigid_contact_velocity(sim, q, v, from);
    if (sim->bodies.model->has_surface_velocity)
        velocity = perp_vec3_add(
            velocity, perp_contact_surface_velocity(sim->bodies.model, perp_rigid_poses(q), from));
    report->mu = from->surface->mu;
    perp_vec3_store(velocity, report->velocity);
    report->id = from->id;
    report->body_a = from->body_a;
    report->body_b = from->body_b;
    report->shape_a = from->shape_a;
    report->shape_b = from->shape_b;
    perp_vec3_store(at->point_a, report->point);
    perp_vec3_store(at->normal, report->normal);
    return true;
}

// --- the simulation's rigid part ----------------------------------------------------------------

static bool has_restitution(const PerpModel *model)
{
    for (int i = 0; i < model->n_materials * model->n_materials; i++)
        if (model->surfaces[i].restitution > 0)
            return true;
    for (int j = 0; j < model->n_joints; j++) {
        if (model->joints[j].restitution > 0)
            return true;
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            if (model->joints[j].axis[k].restitution > 0)
                return true;
    }
    return false;
}

static bool has_links(const PerpModel *model)
{
    bool has = model->n_springs > 0;
    for (int j = 0; j < model->n_joints && !has; j++)
        for (int k = 0; k < PERP_JOINT_COORDINATES && !has; k++)
            has = model->joints[j].axis[k].stiffness > 0 || model->joints[j].axis[k].damping > 0 ||
                  model->joints[j].soft[k].armature > 0;
    return has;
}

static bool has_armature(const PerpModel *model)
{
    bool has = false;
    for (int j = 0; j < model->n_joints; j++)
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            has = has || model->joints[j].soft[k].armature > 0;
    return has;
}

static bool has_soft(const PerpModel *model)
{
    bool has = false;
    for (int i = 0; i < model->n_materials * model->n_materials; i++)
        has = has || model->surfaces[i].stiffness < INFINITY;
    for (int j = 0; j < model->n_joints; j++)
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            has = has || model->joints[j].soft[k].limit_stiffness < INFINITY;
    return has;
}

static bool has_axes(const PerpModel *model)
{
    for (int j = 0; j < model->n_joints; j++)
        if (perp_joint_table(model->joints[j].kind)->coordinates > 0)
            return true;
    return false;
}

// Does a row or force depend on the value of a coordinate, and so on whole turns?
static bool reads_turns(const PerpModel *model)
{
    bool reads = model->control.n_actuators > 0 || model->control.n_motions > 0;
    for (int j = 0; j < model->n_joints; j++) {
        const PerpJoint *joint = &model->joints[j];
        reads = reads || joint->kind == PERP_JOINT_COUPLING;
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            reads = reads || isfinite(joint->axis[k].lower) || isfinite(joint->axis[k].upper) ||
                    joint->axis[k].stiffness > 0 || joint->axis[k].damping > 0 ||
                    joint->soft[k].armature > 0;
    }
    return reads;
}

static void set_radii(PerpSimulation *sim)
{
    for (int s = 0; s < sim->bodies.model->n_shapes; s++) {
        const PerpModelShape *shape = &sim->bodies.model->shapes[s];
        if (shape->body >= 0)
            sim->bodies.radius[shape->body] =
                fmax(sim->bodies.radius[shape->body],
                     perp_vec3_norm(shape->pose.position) + shape->shape.radius);
    }
}

PerpStatus perp_rigid_begin(PerpSimulation *sim, PerpError *error)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    PerpStatus status = perp_rigid_create(sim->bodies.model, &sim->bodies.rigid, error);
    if (status)
        return status;
    sim->n_q = sim->bodies.model->n_bodies * PERP_POSE_NUMBERS;
    sim->n_v = sim->bodies.rigid.n_v;
    sim->n_turn = sim->bodies.model->n_joints * PERP_JOINT_COORDINATES;
    sim->bodies.radius =
        perp_allocate(allocator, (size_t)sim->bodies.model->n_bodies, sizeof(double));
    sim->bodies.turn = perp_allocate(allocator, (size_t)sim->n_turn, sizeof(double));
    sim->bodies.angles.q = perp_allocate(allocator, (size_t)sim->n_q, sizeof(double));
    sim->bodies.angles.value = perp_allocate(allocator, (size_t)sim->n_turn, sizeof(double));
    sim->bodies.angles.next = perp_allocate(allocator, (size_t)sim->n_turn, sizeof(double));
    sim->bodies.inertial.from = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    sim->bodies.inertial.v = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    if (!sim->bodies.radius || !sim->bodies.turn || !sim->bodies.angles.q ||
        !sim->bodies.angles.value || !sim->bodies.angles.next || !sim->bodies.inertial.from ||
        !sim->bodies.inertial.v ||
        !perp_joint_row_cache_create(sim->bodies.model, &sim->bodies.joint_rows) ||
        perp_contact_finder_create(&sim->context, sim->bodies.model, &sim->bodies.finder))
        return perp_fail_memory(error);
    return perp_controls_begin(sim, error);
}

void perp_rigid_start(PerpSimulation *sim)
{
    PerpPose *pose = (PerpPose *)sim->state.q;
    for (int b = 0; b < sim->bodies.model->n_bodies; b++) {
        const PerpBody *body = &sim->bodies.model->bodies[b];
        pose[b] = body->pose;
        perp_rigid_set_twist(&sim->bodies.rigid, b, (PerpTwist){body->velocity, body->spin},
                             sim->state.v);
    }
    perp_controls_start(sim);
    set_radii(sim);
    sim->has_restitution = has_restitution(sim->bodies.model);
    sim->has_links = has_links(sim->bodies.model);
    sim->has_armature = has_armature(sim->bodies.model);
    sim->has_soft = has_soft(sim->bodies.model);
    sim->bodies.has_axes = has_axes(sim->bodies.model);
    sim->bodies.reads_turns = reads_turns(sim->bodies.model);
}

void perp_rigid_end(PerpSimulation *sim)
{
    perp_free(&sim->context.allocator, sim->bodies.radius);
    perp_free(&sim->context.allocator, sim->bodies.turn);
    perp_free(&sim->context.allocator, sim->bodies.angles.q);
    perp_free(&sim->context.allocator, sim->bodies.angles.value);
    perp_free(&sim->context.allocator, sim->bodies.angles.next);
    perp_free(&sim->context.allocator, sim->bodies.inertial.from);
    perp_free(&sim->context.allocator, sim->bodies.inertial.v);
    perp_joint_row_cache_free(sim->bodies.model, &sim->bodies.joint_rows);
    perp_contact_finder_destroy(sim->bodies.finder);
    perp_controls_end(sim);
    perp_presence_end(sim);
    perp_rigid_free(&sim->bodies.rigid);
}

const PerpSystem perp_system_rigid = {
    .advance = advance,
    .rate = rate,
    .follow = follow,
    .assemble = assemble,
    .force = perp_rigid_force,
    .force_derivatives = perp_rigid_force_derivatives,
    .coriolis = perp_rigid_coriolis,
    .power = perp_rigid_power,
    .links = perp_rigid_links,
    .link_derivatives = perp_rigid_link_derivatives,
    .free_motion = perp_rigid_free_motion,
    .inertial_motion = perp_rigid_inertial_motion,
    .transport = transport,
    .reach = reach,
    .store = perp_rigid_store,
    .name = name,
    .describe_contact = describe_contact,
};

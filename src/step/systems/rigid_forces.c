// Forces of rigid systems: gravity, springs and dampers, given forces, the caller's own, and what
// keeps the angular momentum of a free body.

#include "model/springs.h"
#include "step/control/control_rows.h"
#include "step/control/controls.h"
#include "step/rows/joint_rows.h"
#include "step/systems/rigid_system.h"
#include "step/timing.h"

#include "base/error.h"
#include "math/dense.h"

#include <string.h>

// Adds the impulse of a force and torque (world axes) on a model body.
static void add_impulse(const PerpSimulation *sim, const PerpPose *pose, int body, PerpVec3 force,
                        PerpVec3 torque, double h, double *b)
{
    if (body < 0)
        return;
    PerpVec3 turned = perp_quat_rotate_back(pose[body].rotation, torque);
    perp_rigid_add_twist(&sim->bodies.rigid, body,
                         (PerpTwist){perp_vec3_scale(h, force), perp_vec3_scale(h, turned)}, b);
}

// Velocities as inertia alone leaves them after h, into v.
static void turn_free_bodies(const PerpSimulation *sim, double h, double *v)
{
    memcpy(v, sim->state.v, (size_t)sim->n_v * sizeof(double));
    for (int k = 0; k < sim->bodies.rigid.n_bodies; k++) {
        int body = sim->bodies.rigid.body_of[k];
        PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
        twist.angular = perp_rigid_free_spin(&sim->bodies.model->bodies[body], twist.angular, h,
                                             sim->scheme->explicit_turn);
        perp_rigid_set_twist(&sim->bodies.rigid, body, twist, v);
    }
}

static void add_gravity(const PerpSimulation *sim, double h, double *b)
{
    for (int k = 0; k < sim->bodies.rigid.n_bodies; k++) {
        int body = sim->bodies.rigid.body_of[k];
        PerpVec3 weight =
            perp_vec3_scale(sim->bodies.model->bodies[body].mass, sim->bodies.rigid.gravity);
        perp_rigid_add_twist(&sim->bodies.rigid, body,
                             (PerpTwist){perp_vec3_scale(h, weight), {0, 0, 0}}, b);
    }
}

static void add_wrench(const PerpSimulation *sim, int body, PerpWrench wrench, double h, double *b)
{
    perp_rigid_add_twist(
        &sim->bodies.rigid, body,
        (PerpTwist){perp_vec3_scale(h, wrench.force), perp_vec3_scale(h, wrench.torque)}, b);
}

static PerpBodyMotion motion_of(const PerpSimulation *sim, const PerpPose *pose, int body)
{
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
    return (PerpBodyMotion){perp_rigid_pose(&sim->bodies.rigid, pose, body), twist.linear,
                            twist.angular};
}

static PerpSpringForce spring_force(const PerpSimulation *sim, const PerpPose *pose, int spring)
{
    const PerpSpring *s = &sim->bodies.model->springs[spring];
    return perp_spring_force(s, motion_of(sim, pose, s->body_a), motion_of(sim, pose, s->body_b));
}

static void add_springs(PerpSimulation *sim, const PerpPose *pose, double h, double *b)
{
    for (int i = 0; i < sim->bodies.model->n_springs; i++) {
        const PerpSpring *s = &sim->bodies.model->springs[i];
        PerpSpringForce f = spring_force(sim, pose, i);
        PerpPose a = perp_rigid_pose(&sim->bodies.rigid, pose, s->body_a);
        PerpPose c = perp_rigid_pose(&sim->bodies.rigid, pose, s->body_b);
        add_wrench(sim, s->body_a, perp_wrench_of_force(a, f.point_a, perp_vec3_scale(-1, f.force)),
                   h, b);
        add_wrench(sim, s->body_b, perp_wrench_of_force(c, f.point_b, f.force), h, b);
        sim->ledger.damper_work += h * f.power;
    }
}

static double square(double x)
{
    return x * x;
}

static double speed_along(const PerpSimulation *sim, const PerpJoint *j, const PerpJointRow *row)
{
    PerpTwist a = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, j->body_a);
    PerpTwist b = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, j->body_b);
    return perp_vec3_dot(row->a_linear, a.linear) + perp_vec3_dot(row->a_angular, a.angular) +
           perp_vec3_dot(row->b_linear, b.linear) + perp_vec3_dot(row->b_angular, b.angular);
}

// Force of the spring and damper of one coordinate of a joint, and its row.
static PerpAxisForce axis_force(const PerpSimulation *sim, const PerpPose *pose, const double *turn,
                                int joint, int k, PerpJointRow *row)
{
    const PerpJoint *j = &sim->bodies.model->joints[joint];
    double x = perp_joint_value(sim->bodies.model, pose, joint, k, row) +
               turn[PERP_JOINT_COORDINATES * joint + k];
    return perp_axis_force(&j->axis[k], x, speed_along(sim, j, row));
}

static bool has_spring(const PerpJoint *joint, int k)
{
    return joint->axis[k].stiffness > 0 || joint->axis[k].damping > 0;
}

static void add_axis_springs(PerpSimulation *sim, const PerpPose *pose, double h, double *b)
{
    const double *turn = perp_rigid_turns_at(sim, pose);
    for (int i = 0; i < sim->bodies.model->n_joints && sim->bodies.has_axes; i++) {
        const PerpJoint *joint = &sim->bodies.model->joints[i];
        for (int k = 0; k < perp_joint_table(joint->kind)->coordinates; k++) {
            PerpJointRow row;
            if (!has_spring(joint, k))
                continue;
            PerpAxisForce f = axis_force(sim, pose, turn, i, k, &row);
            add_wrench(sim, joint->body_a, (PerpWrench){row.a_linear, row.a_angular}, h * f.force,
                       b);
            add_wrench(sim, joint->body_b, (PerpWrench){row.b_linear, row.b_angular}, h * f.force,
                       b);
            sim->ledger.damper_work += h * f.power;
        }
    }
}

static void note_force(PerpSimulation *sim, const double force[3], const double torque[3])
{
    const double both[6] = {force[0], force[1], force[2], torque[0], torque[1], torque[2]};
    perp_journal_note(sim, PERP_JOURNAL_FORCE, 0, NULL, 6, both);
}

// The impulses of given forces and of the caller's own.
static void add_external(PerpSimulation *sim, double t, const PerpPose *pose, double h, double *b)
{
    for (int i = 0; i < sim->bodies.model->n_forces; i++) {
        const PerpForce *force = &sim->bodies.model->forces[i];
        add_wrench(sim, force->body, perp_force_at(force, t, pose[force->body]), h, b);
    }
    for (int k = 0; k < sim->bodies.rigid.n_bodies && sim->settings.force; k++) {
        int body = sim->bodies.rigid.body_of[k];
        double position[3], rotation[4], force[3] = {0}, torque[3] = {0};
        perp_rigid_user_pose(&sim->bodies.rigid, pose, body, position, rotation);
        sim->settings.force(sim->settings.force_user, t, body, position, rotation, force, torque);
        add_impulse(sim, pose, body, perp_vec3_load(force), perp_vec3_load(torque), h, b);
        note_force(sim, force, torque);
    }
    if (sim->controls.acts || sim->controls.wrench)
        perp_control_add_forces(sim, pose, h, b);
}

// M v = b
static void free_velocity(const PerpSimulation *sim, const double *b, double *v)
{
    for (int k = 0; k < sim->bodies.rigid.n_bodies; k++) {
        const PerpBody *body = &sim->bodies.model->bodies[sim->bodies.rigid.body_of[k]];
        PerpTwist momentum = perp_rigid_twist(&sim->bodies.rigid, b, sim->bodies.rigid.body_of[k]);
        PerpTwist twist = {perp_vec3_scale(1 / body->mass, momentum.linear), {0, 0, 0}};
        if (body->freedom & ~(unsigned)PERP_FREE_POINT)
            perp_mat3_solve(body->inertia, momentum.angular, &twist.angular);
        perp_rigid_set_twist(&sim->bodies.rigid, sim->bodies.rigid.body_of[k], twist, v);
    }
}

void perp_rigid_inertial_motion(PerpSimulation *sim, double h, double *b)
{
    PerpInertialMotion *inertial = &sim->bodies.inertial;
    turn_free_bodies(sim, h, inertial->v);
    memcpy(inertial->from, sim->state.v, (size_t)sim->n_v * sizeof(double));
    inertial->h = h;
    inertial->known = true;
    perp_rigid_momentum(&sim->bodies.rigid, inertial->v, b);
}

// M v, turned, + h k
PerpStatus perp_rigid_free_motion(PerpSimulation *sim, double h, double t, const double *q,
                                  double *b, double *v_free, PerpError *error)
{
    const PerpPose *pose = perp_rigid_poses(q);
    (void)error;
    PerpTiming stage = perp_timing_enter(sim, PERP_TIMING_FORCES);
    sim->ledger.damper_work = 0;
    memset(sim->ledger.external, 0, (size_t)sim->n_v * sizeof(double));
    add_external(sim, t, pose, h, sim->ledger.external);
    perp_rigid_inertial_motion(sim, h, b);
    for (int i = 0; i < sim->n_v; i++)
        b[i] += sim->ledger.external[i];
    add_gravity(sim, h, b);
    if (!sim->scheme->link_rows) {
        add_springs(sim, pose, h, b);
        add_axis_springs(sim, pose, h, b);
    }
    free_velocity(sim, b, v_free);
    perp_timing_enter(sim, stage);
    return PERP_OK;
}

// I u^2/2 of the inertia of a joint coordinate
static double armature_energy(const PerpSimulation *sim, const PerpPose *pose, int joint, int k)
{
    const PerpJoint *j = &sim->bodies.model->joints[joint];
    PerpJointRow row;
    perp_joint_value(sim->bodies.model, pose, joint, k, &row);
    return j->soft[k].armature * square(speed_along(sim, j, &row)) / 2;
}

void perp_rigid_store(PerpSimulation *sim, PerpEnergy *energy)
{
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    energy->kinetic = perp_rigid_kinetic(&sim->bodies.rigid, sim->state.v);
    energy->gravity = perp_rigid_gravity(&sim->bodies.rigid, pose);
    energy->spring = 0;
    for (int i = 0; i < sim->bodies.model->n_springs; i++)
        energy->spring += spring_force(sim, pose, i).energy;
    for (int i = 0; i < sim->bodies.model->n_joints && sim->bodies.has_axes; i++) {
        const PerpJoint *joint = &sim->bodies.model->joints[i];
        PerpJointRow row;
        for (int k = 0; k < perp_joint_table(joint->kind)->coordinates; k++)
            if (has_spring(joint, k))
                energy->spring += axis_force(sim, pose, sim->state.turn, i, k, &row).energy;
        for (int k = 0; k < perp_joint_table(joint->kind)->coordinates; k++)
            if (joint->soft[k].armature > 0)
                energy->kinetic += armature_energy(sim, pose, i, k);
    }
}

// --- forces and their derivatives, without springs ----------------------------------------------

static bool turns_freely(const PerpBody *body)
{
    return (body->freedom & PERP_FREE_ALL) >> 3 == 7;
}

// (I w) x w in body axes; of a body held about some axis, what holds it takes the torque
static void add_coriolis(const PerpSimulation *sim, const double *v, double *k)
{
    for (int b = 0; b < sim->bodies.rigid.n_bodies; b++) {
        int body = sim->bodies.rigid.body_of[b];
        PerpVec3 w = perp_rigid_twist(&sim->bodies.rigid, v, body).angular;
        PerpVec3 L = perp_mat3_times(sim->bodies.model->bodies[body].inertia, w);
        if (turns_freely(&sim->bodies.model->bodies[body]))
            perp_rigid_add_twist(&sim->bodies.rigid, body,
                                 (PerpTwist){{0, 0, 0}, perp_vec3_cross(L, w)}, k);
    }
}

void perp_rigid_force(PerpSimulation *sim, double t, const double *q, const double *v, double *k)
{
    const PerpPose *pose = perp_rigid_poses(q);
    memset(k, 0, (size_t)sim->n_v * sizeof(double));
    add_external(sim, t, pose, 1, k);
    add_gravity(sim, 1, k);
    add_coriolis(sim, v, k);
}

double perp_rigid_power(PerpSimulation *sim, double t, const double *q, const double *v)
{
    memset(sim->scratch.v, 0, (size_t)sim->n_v * sizeof(double));
    add_external(sim, t, perp_rigid_poses(q), 1, sim->scratch.v);
    return perp_dot(sim->n_v, sim->scratch.v, v);
}

// d/dw ((I w) x w) = [I w]x - [w]x I, the lower right block of k_v
static void fill_coriolis_derivative(const PerpBody *body, PerpVec3 w, double *k_v)
{
    PerpVec3 L = perp_mat3_times(body->inertia, w);
    for (int j = 0; j < 3; j++) {
        PerpVec3 e = {j == 0, j == 1, j == 2};
        PerpVec3 column = perp_vec3_add(perp_vec3_cross(perp_mat3_times(body->inertia, e), w),
                                        perp_vec3_cross(L, e));
        int n = body->n_velocities, at = n - 3;
        perp_vec3_store(column, k_v + n * (at + j) + at);
    }
}

// F(w) = [I w]x, with which F(w) w = (I w) x w  [PAGT06 section 8]
void perp_rigid_coriolis(const PerpSimulation *sim, const double *v, double *F)
{
    const PerpRigid *rigid = &sim->bodies.rigid;
    memset(F, 0, (size_t)rigid->block_start[rigid->n_bodies] * sizeof(double));
    for (int b = 0; b < rigid->n_bodies; b++) {
        const PerpBody *body = &sim->bodies.model->bodies[rigid->body_of[b]];
        int n = body->n_velocities, at = n - 3;
        if (!turns_freely(body))
            continue;
        PerpVec3 w = perp_rigid_twist(rigid, v, rigid->body_of[b]).angular;
        PerpMat3 skew = perp_mat3_skew(perp_mat3_times(body->inertia, w));
        const PerpVec3 column[3] = {skew.x, skew.y, skew.z};
        for (int j = 0; j < 3; j++)
            perp_vec3_store(column[j], F + rigid->block_start[b] + n * (at + j) + at);
    }
}

// Given forces depend on the pose of their own body: one velocity of every body at a time moves,
// and all blocks of k_q get a column.  k' = (k(e) - k(-e))/(2 e), of forces smooth on the scale of
// the step.
static void differentiate_external(PerpSimulation *sim, double t, const double *q, double *moved,
                                   double *v, double *k, double *k_q)
{
    const double e = 0x1p-17;
    const PerpRigid *rigid = &sim->bodies.rigid;
    for (int column = 0; column < 6; column++)
        for (int side = -1; side <= 1; side += 2) {
            memset(v, 0, (size_t)sim->n_v * sizeof(double));
            memset(k, 0, (size_t)sim->n_v * sizeof(double));
            for (int b = 0; b < rigid->n_bodies; b++)
                if (rigid->body_start[b] + column < rigid->body_start[b + 1])
                    v[rigid->body_start[b] + column] = side;
            sim->system->advance(sim, q, v, e, moved);
            add_external(sim, t, perp_rigid_poses(moved), 1, k);
            for (int b = 0; b < rigid->n_bodies; b++) {
                int first = rigid->body_start[b], n = rigid->body_start[b + 1] - first;
                for (int i = 0; i < n && column < n; i++)
                    k_q[rigid->block_start[b] + n * column + i] += side * k[first + i] / (2 * e);
            }
        }
}

PerpStatus perp_rigid_force_derivatives(PerpSimulation *sim, double t, const double *q,
                                        const double *v, double *k_q, double *k_v, PerpError *error)
{
    const PerpRigid *rigid = &sim->bodies.rigid;
    size_t size = (size_t)rigid->block_start[rigid->n_bodies] * sizeof(double);
    double *moved = PERP_TAKE(&sim->arena, double, sim->n_q);
    double *scratch = PERP_TAKE(&sim->arena, double, 2 * sim->n_v);
    if (!moved || !scratch)
        return perp_fail_memory(error);
    memset(k_q, 0, size);
    memset(k_v, 0, size);
    for (int b = 0; b < rigid->n_bodies; b++) {
        const PerpBody *body = &sim->bodies.model->bodies[rigid->body_of[b]];
        if (turns_freely(body))
            fill_coriolis_derivative(body, perp_rigid_twist(rigid, v, rigid->body_of[b]).angular,
                                     k_v + rigid->block_start[b]);
    }
    if (sim->bodies.model->n_forces > 0 || sim->settings.force || sim->controls.acts)
        differentiate_external(sim, t, q, moved, scratch, scratch + sim->n_v, k_q);
    return PERP_OK;
}

// Derivatives of the forces of a model's springs and dampers by the motion of bodies: exact for
// springs between points, by differences of the row for joint coordinates.

#include "model/springs.h"
#include "step/rows/joint_rows.h"
#include "step/systems/rigid_system.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// One side of a spring: a body, where it is held, and whether the force acts on it or against it.
typedef struct Side {
    int body;
    PerpPose pose;
    PerpVec3 anchor, spin; // body axes
    double sign;
} Side;

typedef struct Pair {
    const PerpSimulation *sim;
    PerpAddPair add;
    void *user;
} Pair;

static Side side_of(const PerpSimulation *sim, const PerpPose *pose, const double *v, int body,
                    PerpVec3 anchor, double sign)
{
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, v, body);
    return (Side){body, perp_rigid_pose(&sim->bodies.rigid, pose, body), anchor, twist.angular,
                  sign};
}

static PerpBodyMotion motion_of(const PerpSimulation *sim, const double *v, Side side)
{
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, v, side.body);
    return (PerpBodyMotion){side.pose, twist.linear, twist.angular};
}

// With d = p_b - p_a: a motion x of one side moves it by dd, and turns the velocity of its anchor.
//     dd = sign (x + R (turn x r))      dd' = sign R (turn x (w x r))      df = -K dd - C dd'
static PerpVec3 change_of_force(const PerpSpringForce *f, Side moved, PerpTwist x)
{
    PerpVec3 arm = perp_quat_rotate(moved.pose.rotation, perp_vec3_cross(x.angular, moved.anchor));
    PerpVec3 swing = perp_vec3_cross(x.angular, perp_vec3_cross(moved.spin, moved.anchor));
    PerpVec3 d = perp_vec3_scale(moved.sign, perp_vec3_add(x.linear, arm));
    PerpVec3 rate = perp_vec3_scale(moved.sign, perp_quat_rotate(moved.pose.rotation, swing));
    PerpVec3 change =
        perp_vec3_add(perp_mat3_times(f->stiffness, d), perp_mat3_times(f->damping, rate));
    return perp_vec3_scale(-1, change);
}

// The wrench on a side is sign (f, r x R'f); if the side itself turns, R' turns too.
static PerpTwist change_of_wrench(Side on, PerpVec3 change, PerpVec3 force, PerpVec3 turn)
{
    PerpVec3 local = perp_quat_rotate_back(on.pose.rotation, change);
    PerpVec3 turned = perp_vec3_cross(turn, perp_quat_rotate_back(on.pose.rotation, force));
    PerpVec3 torque = perp_vec3_cross(on.anchor, perp_vec3_sub(local, turned));
    return (PerpTwist){perp_vec3_scale(on.sign, change), perp_vec3_scale(on.sign, torque)};
}

// The six motions of a body, of which its freedom leaves some.
static PerpTwist unit_motion(int k)
{
    return (PerpTwist){{k == 0, k == 1, k == 2}, {k == 3, k == 4, k == 5}};
}

// The components of a twist that the body's freedom leaves; returns how many.
static int pick(unsigned freedom, PerpTwist twist, double *to)
{
    double full[6];
    int n = 0;
    perp_vec3_store(twist.linear, full);
    perp_vec3_store(twist.angular, full + 3);
    for (int i = 0; i < 6; i++)
        if (freedom >> i & 1)
            to[n++] = full[i];
    return n;
}

static bool moves(const PerpSimulation *sim, int body)
{
    return body >= 0 && sim->bodies.rigid.block_of[body] >= 0;
}

static void add_pair(const Pair *pair, const PerpSpringForce *f, Side on, Side moved)
{
    const PerpSimulation *sim = pair->sim;
    double A[36];
    int n = 0;
    if (!moves(sim, on.body) || !moves(sim, moved.body))
        return;
    for (int k = 0; k < 6; k++) {
        PerpTwist x = unit_motion(k);
        if (!(sim->bodies.model->bodies[moved.body].freedom >> k & 1))
            continue;
        PerpVec3 turn = on.body == moved.body ? x.angular : (PerpVec3){0, 0, 0};
        PerpTwist wrench = change_of_wrench(on, change_of_force(f, moved, x), f->force, turn);
        n += pick(sim->bodies.model->bodies[on.body].freedom, wrench, A + n);
    }
    pair->add(pair->user, sim->bodies.rigid.block_of[on.body],
              sim->bodies.rigid.block_of[moved.body], A);
}

static void add_spring(const Pair *pair, const PerpPose *pose, const double *v,
                       const PerpSpring *spring)
{
    const Side side[2] = {
        side_of(pair->sim, pose, v, spring->body_a, spring->anchor_a, -1),
        side_of(pair->sim, pose, v, spring->body_b, spring->anchor_b, 1),
    };
    PerpSpringForce f = perp_spring_force(spring, motion_of(pair->sim, v, side[0]),
                                          motion_of(pair->sim, v, side[1]));
    for (int on = 0; on < 2; on++)
        for (int moved = 0; moved < 2; moved++)
            add_pair(pair, &f, side[on], side[moved]);
}

// --- joint coordinates --------------------------------------------------------------------------

typedef struct Coordinate {
    const PerpJoint *joint;
    int index, k;
    double value; // at the poses q, over whole turns
    const double *v;
    double *q, *x, *moved; // scratch: poses, a motion, poses
} Coordinate;

static PerpTwist part_of(const PerpJointRow *row, int side)
{
    return side == 0 ? (PerpTwist){row->a_linear, row->a_angular}
                     : (PerpTwist){row->b_linear, row->b_angular};
}

static double row_speed(const PerpSimulation *sim, const PerpJoint *joint, const PerpJointRow *row,
                        const double *v)
{
    const int body[2] = {joint->body_a, joint->body_b};
    double speed = 0;
    for (int side = 0; side < 2; side++) {
        PerpTwist part = part_of(row, side),
                  twist = perp_rigid_twist(&sim->bodies.rigid, v, body[side]);
        speed +=
            perp_vec3_dot(part.linear, twist.linear) + perp_vec3_dot(part.angular, twist.angular);
    }
    return speed;
}

// The force along the row at poses where one body has moved by e x, times the row.
static double force_there(const PerpSimulation *sim, const Coordinate *c, double e,
                          PerpJointRow *row)
{
    const double turn = 6.28318530717958647692;
    sim->system->advance(sim, c->q, c->x, e, c->moved);
    double value =
        perp_joint_value(sim->bodies.model, perp_rigid_poses(c->moved), c->index, c->k, row);
    if (perp_joint_table(c->joint->kind)->angles >> c->k & 1) // atan2 jumps, the angle does not
        value = c->value + remainder(value - c->value, turn);
    return perp_axis_force(&c->joint->axis[c->k], value, row_speed(sim, c->joint, row, c->v)).force;
}

// (f(e) row(e) - f(-e) row(-e)) / (2 e) for each motion of `moved`, on both sides.
static void add_coordinate_pairs(const Pair *pair, const Coordinate *c, int moved)
{
    const PerpSimulation *sim = pair->sim;
    const int body[2] = {c->joint->body_a, c->joint->body_b};
    const double e = 0x1p-17;
    double A[2][36];
    int n[2] = {0, 0}, first;
    if (!moves(sim, body[moved]))
        return;
    first = sim->bodies.rigid.body_start[sim->bodies.rigid.block_of[body[moved]]];
    for (int j = 0; j < sim->bodies.model->bodies[body[moved]].n_velocities; j++) {
        PerpJointRow plus, minus;
        memset(c->x, 0, (size_t)sim->n_v * sizeof(double));
        c->x[first + j] = 1;
        double f_plus = force_there(sim, c, e, &plus);
        double f_minus = force_there(sim, c, -e, &minus);
        for (int on = 0; on < 2; on++) {
            double after[6], before[6];
            unsigned freedom = body[on] >= 0 ? sim->bodies.model->bodies[body[on]].freedom : 0;
            int count = pick(freedom, part_of(&plus, on), after);
            pick(freedom, part_of(&minus, on), before);
            for (int i = 0; i < count; i++)
                A[on][n[on]++] = (f_plus * after[i] - f_minus * before[i]) / (2 * e);
        }
    }
    for (int on = 0; on < 2; on++)
        if (moves(sim, body[on]))
            pair->add(pair->user, sim->bodies.rigid.block_of[body[on]],
                      sim->bodies.rigid.block_of[body[moved]], A[on]);
}

static void add_coordinates(const Pair *pair, const double *turn, Coordinate *c)
{
    const PerpModel *model = pair->sim->bodies.model;
    for (c->index = 0; c->index < model->n_joints; c->index++) {
        c->joint = &model->joints[c->index];
        for (c->k = 0; c->k < perp_joint_table(c->joint->kind)->coordinates; c->k++) {
            PerpJointRow row;
            if (c->joint->axis[c->k].stiffness <= 0 && c->joint->axis[c->k].damping <= 0)
                continue;
            c->value = perp_joint_value(model, perp_rigid_poses(c->q), c->index, c->k, &row) +
                       turn[PERP_JOINT_COORDINATES * c->index + c->k];
            for (int moved = 0; moved < 2; moved++)
                add_coordinate_pairs(pair, c, moved);
        }
    }
}

PerpStatus perp_rigid_link_derivatives(PerpSimulation *sim, const double *q, const double *v,
                                       PerpAddPair add, void *user, PerpError *error)
{
    const PerpPose *pose = perp_rigid_poses(q);
    Pair pair = {sim, add, user};
    Coordinate c = {.v = v,
                    .q = PERP_TAKE(&sim->arena, double, sim->n_q),
                    .x = PERP_TAKE(&sim->arena, double, sim->n_v),
                    .moved = PERP_TAKE(&sim->arena, double, sim->n_q)};
    if (!c.q || !c.x || !c.moved)
        return perp_fail_memory(error);
    memcpy(c.q, q, (size_t)sim->n_q * sizeof(double));
    for (int i = 0; i < sim->bodies.model->n_springs; i++)
        add_spring(&pair, pose, v, &sim->bodies.model->springs[i]);
    add_coordinates(&pair, perp_rigid_turns_at(sim, pose), &c);
    return PERP_OK;
}

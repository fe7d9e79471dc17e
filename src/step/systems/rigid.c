// Rigid bodies: blocks of velocities, kinetic energy, motion that keeps the angular momentum.

#include "step/systems/rigid.h"

#include "base/error.h"
#include "math/sparse/block_sparse.h"

#include <string.h>

static bool take_arrays(const PerpModel *model, PerpRigid *rigid, size_t values)
{
    const PerpAllocator *allocator = &model->context.allocator;
    size_t bodies = (size_t)model->n_bodies;
    rigid->block_of = perp_allocate(allocator, bodies, sizeof(int));
    rigid->body_of = perp_allocate(allocator, bodies, sizeof(int));
    rigid->body_start = perp_allocate(allocator, bodies + 1, sizeof(int));
    rigid->block_start = perp_allocate(allocator, bodies + 1, sizeof(int));
    rigid->Mt = perp_allocate(allocator, values, sizeof(double));
    return rigid->block_of && rigid->body_of && rigid->body_start && rigid->block_start &&
           rigid->Mt;
}

void perp_rigid_free(PerpRigid *rigid)
{
    if (!rigid->model)
        return;
    const PerpAllocator *allocator = &rigid->model->context.allocator;
    perp_free(allocator, rigid->block_of);
    perp_free(allocator, rigid->body_of);
    perp_free(allocator, rigid->body_start);
    perp_free(allocator, rigid->block_start);
    perp_free(allocator, rigid->Mt);
    *rigid = (PerpRigid){0};
}

static void load_inertia(const PerpBody *body, double full[36])
{
    memset(full, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++)
        full[7 * i] = body->mass;
    const PerpVec3 column[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    for (int j = 0; j < 3; j++)
        perp_vec3_store(column[j], full + 3 + 6 * (3 + j));
}

// The rows and columns of diag(m, m, m, I) that the body's freedom leaves, by columns.
static void fill_block(const PerpBody *body, double *block)
{
    double full[36];
    load_inertia(body, full);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++)
            if (body->freedom >> j & body->freedom >> i & 1)
                *block++ = full[i + 6 * j];
}

static PerpJointRoom room_of_joints(const PerpModel *model)
{
    PerpJointRoom room = {0};
    for (int j = 0; j < model->n_joints; j++) {
        const PerpJointTable *table = perp_joint_table(model->joints[j].kind);
        room.equations += table->equations;
        room.unilateral += (model->joints[j].kind == PERP_JOINT_ROPE) + model->joints[j].ratchet;
        for (int k = 0; k < table->coordinates; k++) {
            const PerpAxisDef *axis = &model->joints[j].axis[k];
            room.boxes += (axis->motor_force > 0) + (axis->friction > 0);
            room.unilateral += isfinite(axis->lower) + isfinite(axis->upper);
        }
    }
    return room;
}

PerpStatus perp_rigid_create(const PerpModel *model, PerpRigid *rigid, PerpError *error)
{
    size_t values = 0;
    for (int b = 0; b < model->n_bodies; b++)
        values += (size_t)(model->bodies[b].n_velocities * model->bodies[b].n_velocities);
    *rigid =
        (PerpRigid){.model = model, .joint_room = room_of_joints(model), .gravity = model->gravity};
    if (!take_arrays(model, rigid, values)) {
        perp_rigid_free(rigid);
        return perp_fail_memory(error);
    }
    double *block = rigid->Mt;
    for (int b = 0; b < model->n_bodies; b++) {
        int n = model->bodies[b].n_velocities;
        rigid->block_of[b] = n > 0 ? rigid->n_bodies : -1;
        if (n == 0)
            continue;
        fill_block(&model->bodies[b], block);
        block += n * n;
        rigid->n_v += n;
        rigid->body_of[rigid->n_bodies++] = b;
        rigid->body_start[rigid->n_bodies] = rigid->n_v;
        rigid->block_start[rigid->n_bodies] = (int)(block - rigid->Mt);
    }
    return PERP_OK;
}

PerpTwist perp_rigid_twist_of_some(const PerpRigid *rigid, const double *v, int body)
{
    double full[6] = {0};
    int block = body < 0 ? -1 : rigid->block_of[body];
    const double *from = block >= 0 ? v + rigid->body_start[block] : NULL;
    for (int i = 0; i < 6 && from; i++)
        if (rigid->model->bodies[body].freedom >> i & 1)
            full[i] = *from++;
    return (PerpTwist){perp_vec3_load(full), perp_vec3_load(full + 3)};
}

void perp_rigid_set_twist_of_some(const PerpRigid *rigid, int body, PerpTwist twist, double *v)
{
    double full[6];
    int block = body < 0 ? -1 : rigid->block_of[body];
    double *to = block >= 0 ? v + rigid->body_start[block] : NULL;
    perp_vec3_store(twist.linear, full);
    perp_vec3_store(twist.angular, full + 3);
    for (int i = 0; i < 6 && to; i++)
        if (rigid->model->bodies[body].freedom >> i & 1)
            *to++ = full[i];
}

PerpPose perp_rigid_pose(const PerpRigid *rigid, const PerpPose *pose, int body)
{
    (void)rigid;
    const PerpPose world = {{0, 0, 0}, {1, 0, 0, 0}};
    return body < 0 ? world : pose[body];
}

void perp_rigid_user_pose(const PerpRigid *rigid, const PerpPose *pose, int body,
                          double position[3], double rotation[4])
{
    PerpQuat q = pose[body].rotation;
    PerpVec3 arm = perp_quat_rotate(q, rigid->model->bodies[body].centre);
    perp_vec3_store(perp_vec3_sub(pose[body].position, arm), position);
    rotation[0] = q.w;
    rotation[1] = q.x;
    rotation[2] = q.y;
    rotation[3] = q.z;
}

void perp_rigid_advance(const PerpRigid *rigid, const PerpPose *from, const double *v, double h,
                        PerpPose *to)
{
    for (int b = 0; b < rigid->model->n_bodies; b++) {
        PerpTwist twist = perp_rigid_twist(rigid, v, b);
        to[b].position = perp_vec3_add_scaled(from[b].position, h, twist.linear);
        to[b].rotation = perp_quat_plus(from[b].rotation, perp_vec3_scale(h, twist.angular));
    }
}

void perp_rigid_momentum(const PerpRigid *rigid, const double *v, double *p)
{
    const double *block = rigid->Mt;
    for (int k = 0; k < rigid->n_bodies; k++) {
        int first = rigid->body_start[k], n = rigid->body_start[k + 1] - first;
        perp_block_times(n, block, v + first, p + first);
        block += n * n;
    }
}

double perp_rigid_block_kinetic(const PerpRigid *rigid, const double *v, int block)
{
    int first = rigid->body_start[block], n = rigid->body_start[block + 1] - first;
    const double *M = rigid->Mt + rigid->block_start[block];
    return perp_block_form(n, M, v + first) / 2;
}

double perp_rigid_kinetic(const PerpRigid *rigid, const double *v)
{
    double energy = 0;
    for (int k = 0; k < rigid->n_bodies; k++)
        energy += perp_rigid_block_kinetic(rigid, v, k);
    return energy;
}

double perp_rigid_gravity(const PerpRigid *rigid, const PerpPose *pose)
{
    double energy = 0;
    for (int k = 0; k < rigid->n_bodies; k++) {
        int b = rigid->body_of[k];
        energy -= rigid->model->bodies[b].mass * perp_vec3_dot(rigid->gravity, pose[b].position);
    }
    return energy;
}

// exp(-turn) L = L: of bodies that turn about a principal axis, as all do in a plane
static bool keeps_axis(PerpVec3 L, PerpVec3 turn)
{
    PerpVec3 change = perp_vec3_cross(L, turn);
    return change.x == 0 && change.y == 0 && change.z == 0;
}

// exp(-turn) L
static PerpVec3 turn_back(PerpVec3 L, PerpVec3 turn)
{
    return keeps_axis(L, turn) ? L : perp_quat_rotate_back(perp_quat_exp(turn), L);
}

// I^-1 exp(-turn) L: the spin after the body has turned
static bool turned_spin(const PerpBody *body, PerpVec3 L, PerpVec3 turn, PerpVec3 *spin)
{
    return perp_mat3_solve(body->inertia, turn_back(L, turn), spin);
}

// One Newton step on f(w') = I w' - exp(-h (w + w')/2) I w, whose Jacobian is I - h/2 [I w']x to
// first order in h; false if that is singular.
static bool improve_spin(const PerpBody *body, PerpVec3 L, PerpVec3 before, double h, PerpVec3 *w,
                         double *change)
{
    PerpVec3 turn = perp_vec3_scale(h / 2, perp_vec3_add(before, *w)), step;
    PerpVec3 turned = perp_quat_rotate_back(perp_quat_exp(turn), L);
    PerpVec3 error = perp_vec3_sub(perp_mat3_times(body->inertia, *w), turned);
    PerpMat3 slope = perp_mat3_skew(perp_vec3_scale(-h / 2, turned)), I = body->inertia;
    slope.x = perp_vec3_add(slope.x, I.x);
    slope.y = perp_vec3_add(slope.y, I.y);
    slope.z = perp_vec3_add(slope.z, I.z);
    PerpVec3 across = perp_vec3_cross(slope.y, slope.z); // Cramer's rule
    double volume = perp_vec3_dot(slope.x, across);
    if (!(fabs(volume) > 0))
        return false;
    step = perp_vec3_scale(1 / volume,
                           (PerpVec3){perp_vec3_dot(error, across),
                                      perp_vec3_dot(error, perp_vec3_cross(slope.z, slope.x)),
                                      perp_vec3_dot(error, perp_vec3_cross(slope.x, slope.y))});
    *w = perp_vec3_sub(*w, step);
    *change = perp_vec3_norm(step);
    return true;
}

// Of the spin: a change after which the next is below rounding.
static const double CONVERGED = 1e-13;

PerpVec3 perp_rigid_free_spin(const PerpBody *body, PerpVec3 spin, double h, bool explicit_turn)
{
    if ((body->freedom & PERP_FREE_ALL) >> 3 != 7)
        return spin; // what holds the other axes also takes the torque
    if (spin.x == 0 && spin.y == 0 && spin.z == 0)
        return spin;
    PerpVec3 L = perp_mat3_times(body->inertia, spin), w = spin;
    if (keeps_axis(L, perp_vec3_scale(h, spin)))
        return spin;
    if (explicit_turn)
        return turned_spin(body, L, perp_vec3_scale(h, spin), &w) ? w : spin;
    double change = INFINITY;
    for (int round = 0; round < 20 && change > CONVERGED * perp_vec3_norm(w); round++)
        if (!improve_spin(body, L, spin, h, &w, &change))
            return spin;
    return w;
}

// I w'' = exp(-h mean) (I w + exp(h w/2) (I w' - I w_free))
static PerpVec3 transport_spin(const PerpBody *body, PerpVec3 before, PerpVec3 free,
                               PerpVec3 solved, PerpVec3 mean, double h)
{
    PerpVec3 spin;
    PerpVec3 torque = perp_mat3_times(body->inertia, perp_vec3_sub(solved, free));
    PerpVec3 L = perp_vec3_add(perp_mat3_times(body->inertia, before),
                               turn_back(torque, perp_vec3_scale(-h / 2, before)));
    return turned_spin(body, L, perp_vec3_scale(h, mean), &spin) ? spin : solved;
}

void perp_rigid_transport(const PerpRigid *rigid, double h, const double *before,
                          const double *inertial, const double *mean, double *v)
{
    for (int k = 0; k < rigid->n_bodies; k++) {
        int b = rigid->body_of[k];
        const PerpBody *body = &rigid->model->bodies[b];
        PerpTwist twist = perp_rigid_twist(rigid, v, b);
        if ((body->freedom & PERP_FREE_ALL) >> 3 != 7 ||
            perp_vec3_dot(twist.angular, twist.angular) == 0)
            continue;
        PerpVec3 spin = perp_rigid_twist(rigid, before, b).angular;
        PerpVec3 free = inertial ? perp_rigid_twist(rigid, inertial, b).angular
                                 : perp_rigid_free_spin(body, spin, h, false);
        twist.angular = transport_spin(body, spin, free, twist.angular,
                                       perp_rigid_twist(rigid, mean, b).angular, h);
        perp_rigid_set_twist(rigid, b, twist, v);
    }
}

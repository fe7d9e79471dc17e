// What a caller may ask between steps: rays, distances, overlaps, mass matrix, Jacobians.

#include "collide/ray.h"
#include "step/control/controls.h"
#include "step/systems/rigid_system.h"

#include <math.h>
#include <string.h>

static PerpPose shape_pose(const PerpSimulation *sim, int shape)
{
    const PerpModelShape *s = &sim->bodies.model->shapes[shape];
    return perp_pose_product(
        perp_rigid_pose(&sim->bodies.rigid, perp_rigid_poses(sim->state.q), s->body), s->pose);
}

static bool is_index(int index, int first, int count)
{
    return index >= first && index < count;
}

// --- rays ---------------------------------------------------------------------------------------

PerpRayHit perp_ray_cast(const PerpSimulation *sim, PerpRay ray, int except)
{
    const PerpModel *model = sim->bodies.model;
    PerpRayHit hit = {.body = PERP_ANY_BODY, .shape = -1, .distance = ray.limit};
    for (int k = 0; k < model->n_shapes; k++) {
        PerpRayPoint point;
        if (model->shapes[k].body == except ||
            !perp_ray_meets(&model->shapes[k].shape, shape_pose(sim, k), &ray, &point) ||
            (hit.shape >= 0 && point.distance >= hit.distance))
            continue;
        hit.body = model->shapes[k].body;
        hit.shape = k;
        hit.distance = ray.limit = point.distance;
        perp_vec3_store(point.normal, hit.normal);
    }
    return hit;
}

bool perp_simulation_cast_ray(const PerpSimulation *sim, const double origin[3],
                              const double direction[3], double limit, int except, PerpRayHit *hit)
{
    PerpVec3 along = perp_vec3_load(direction);
    double length = perp_vec3_norm(along);
    *hit = (PerpRayHit){.body = PERP_ANY_BODY, .shape = -1, .distance = limit};
    if (!sim->bodies.model || !(length > 0) || !isfinite(length) || !(limit >= 0))
        return false;
    PerpRay ray = {perp_vec3_load(origin), perp_vec3_scale(1 / length, along), limit};
    *hit = perp_ray_cast(sim, ray, except);
    return hit->shape >= 0;
}

// --- distances and overlaps ---------------------------------------------------------------------

enum { FARTHEST = 1000000 }; // m

static bool is_convex(const PerpShape *shape)
{
    return !shape->triangles && shape->kind != PERP_SHAPE_PLANE;
}

// The nearest points of two shapes; false: farther apart than `margin`.
static bool find_nearest(const PerpSimulation *sim, int a, int b, double margin,
                         PerpContactPoint *nearest)
{
    const PerpShape *shape_a = &sim->bodies.model->shapes[a].shape;
    const PerpShape *shape_b = &sim->bodies.model->shapes[b].shape;
    PerpPose pose_a = shape_pose(sim, a), pose_b = shape_pose(sim, b);
    PerpContactPoint points[PERP_CONTACT_POINTS];
    int count = 1;
    if (is_convex(shape_a) && is_convex(shape_b))
        perp_distance(shape_a, pose_a, shape_b, pose_b, points);
    else
        count = perp_collide(shape_a, pose_a, shape_b, pose_b, margin, points);
    for (int k = 0; k < count; k++)
        if (k == 0 || points[k].gap < nearest->gap)
            *nearest = points[k];
    return count > 0 && nearest->gap < margin;
}

bool perp_simulation_nearest(const PerpSimulation *sim, int shape_a, int shape_b,
                             PerpNearest *nearest)
{
    int count = sim->bodies.model ? sim->bodies.model->n_shapes : 0;
    PerpContactPoint point;
    *nearest = (PerpNearest){.distance = INFINITY};
    if (!is_index(shape_a, 0, count) || !is_index(shape_b, 0, count) || shape_a == shape_b ||
        !find_nearest(sim, shape_a, shape_b, FARTHEST, &point))
        return false;
    nearest->distance = point.gap;
    perp_vec3_store(point.point_a, nearest->point_a);
    perp_vec3_store(perp_vec3_add_scaled(point.point_a, -point.gap, point.normal),
                    nearest->point_b);
    perp_vec3_store(point.normal, nearest->normal);
    return true;
}

double perp_shapes_distance(const PerpSimulation *sim, int body_a, int shape_a, int body_b,
                            int shape_b)
{
    const PerpModel *model = sim->bodies.model;
    double nearest = INFINITY;
    PerpContactPoint point;
    for (int i = 0; i < model->n_shapes; i++)
        for (int k = 0; k < model->n_shapes && model->shapes[i].body == body_a; k++)
            if (model->shapes[k].body == body_b && (shape_a < 0 || i == shape_a) &&
                (shape_b < 0 || k == shape_b) &&
                find_nearest(sim, i, k, fmin(nearest, FARTHEST), &point))
                nearest = fmin(nearest, point.gap);
    return nearest;
}

double perp_simulation_distance(const PerpSimulation *sim, int body_a, int body_b)
{
    int count = sim->bodies.model ? sim->bodies.model->n_bodies : 0;
    if (!is_index(body_a, -1, count) || !is_index(body_b, -1, count))
        return NAN;
    return sim->bodies.model ? perp_shapes_distance(sim, body_a, -1, body_b, -1) : INFINITY;
}

int perp_simulation_overlaps(const PerpSimulation *sim, int shape, int *others, int room)
{
    int count = 0, shapes = sim->bodies.model ? sim->bodies.model->n_shapes : 0;
    PerpContactPoint point;
    for (int k = 0; k < shapes && is_index(shape, 0, shapes); k++) {
        if (k == shape || !perp_model_may_touch(sim->bodies.model, shape, k) ||
            !find_nearest(sim, shape, k, 0, &point))
            continue;
        if (count < room)
            others[count] = k;
        count++;
    }
    return count;
}

// --- dynamics -----------------------------------------------------------------------------------

void perp_simulation_mass_product(const PerpSimulation *sim, const double *v, double *p)
{
    for (int k = 0; k < sim->n_v && !sim->bodies.model; k++)
        p[k] = NAN;
    perp_rigid_momentum(&sim->bodies.rigid, v, p);
}

// v_point = v + R w x arm,  spin = R w: columns of the body's free directions
void perp_simulation_jacobian(const PerpSimulation *sim, int body, const double point[3], double *J)
{
    const PerpRigid *rigid = &sim->bodies.rigid;
    int count = sim->bodies.model ? sim->bodies.model->n_bodies : 0;
    memset(J, 0, 6 * (size_t)sim->n_v * sizeof(double));
    if (!is_index(body, 0, count) || rigid->block_of[body] < 0)
        return;
    PerpPose pose = perp_rigid_poses(sim->state.q)[body];
    PerpVec3 arm = perp_vec3_sub(perp_vec3_load(point), pose.position);
    int column = rigid->body_start[rigid->block_of[body]];
    for (int k = 0; k < 6; k++) {
        if (!(sim->bodies.model->bodies[body].freedom >> k & 1))
            continue;
        PerpVec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, none = {0, 0, 0};
        PerpVec3 spin = k < 3 ? none : perp_quat_rotate(pose.rotation, e);
        PerpVec3 velocity = k < 3 ? e : perp_vec3_cross(spin, arm);
        const double entries[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
        for (int i = 0; i < 6; i++)
            J[(size_t)i * (size_t)sim->n_v + (size_t)column] = entries[i];
        column++;
    }
}

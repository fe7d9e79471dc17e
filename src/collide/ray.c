// Rays against shapes: planes and triangles by formulas, convex shapes by conservative advancement.
#include "collide/ray.h"

#include "collide/collide.h"
#include "geom/triangles.h"

#include <math.h>

enum { ROUNDS = 128 };
static const double CLOSED = 1e-12; // of 1 + the distance: nearer is a hit

static PerpVec3 along(const PerpRay *ray, double s)
{
    return perp_vec3_add_scaled(ray->origin, s, ray->direction);
}

// --- convex shapes ------------------------------------------------------------------------------

// A point as a shape.
static double distance_to(const PerpShape *shape, PerpPose pose, PerpVec3 from, PerpVec3 *normal)
{
    PerpVec3 vertex = {0, 0, 0};
    int none[2] = {0, 0};
    PerpPolyhedron point = {.n_vertices = 1, .vertex = &vertex, .incident_start = none};
    PerpShape dot = {.kind = PERP_SHAPE_POINT, .polyhedron = &point};
    PerpContactPoint nearest;
    perp_distance(&dot, (PerpPose){from, {1, 0, 0, 0}}, shape, pose, &nearest);
    *normal = nearest.normal;
    return nearest.gap;
}

// The shape lies behind the plane through its point nearest to where the ray stands: the ray goes
// on to that plane, or misses if it leads away from it.
static bool meets_convex(const PerpShape *shape, PerpPose pose, const PerpRay *ray,
                         PerpRayPoint *point)
{
    double s = 0;
    PerpVec3 normal;
    *point = (PerpRayPoint){0};
    for (int round = 0; round < ROUNDS; round++) {
        double gap = distance_to(shape, pose, along(ray, s), &normal);
        if (gap <= CLOSED * (1 + s)) {
            if (s > 0)
                *point = (PerpRayPoint){s, normal};
            return true;
        }
        double approach = -perp_vec3_dot(normal, ray->direction);
        if (!(approach > 0) || !(s + gap / approach <= ray->limit))
            return false;
        s += gap / approach;
    }
    *point = (PerpRayPoint){s, normal}; // grazing: as near as it gets
    return true;
}

// --- planes and triangles -----------------------------------------------------------------------

// The half space z <= 0 of its frame.
static bool meets_plane(PerpPose pose, const PerpRay *ray, PerpRayPoint *point)
{
    PerpVec3 normal = perp_quat_rotate(pose.rotation, (PerpVec3){0, 0, 1});
    double height = perp_vec3_dot(normal, perp_vec3_sub(ray->origin, pose.position));
    double approach = -perp_vec3_dot(normal, ray->direction);
    *point = (PerpRayPoint){0};
    if (height <= 0)
        return true;
    if (!(approach > 0) || !(height / approach <= ray->limit))
        return false;
    *point = (PerpRayPoint){height / approach, normal};
    return true;
}

typedef struct Search {
    const PerpTriangles *triangles;
    PerpVec3 origin, direction; // in their frame
    double nearest;
    int triangle; // -1: none
} Search;

// s and the barycentric coordinates from the three volumes        [Moeller and Trumbore 1997]
static void try_triangle(void *user, int number)
{
    Search *search = user;
    const PerpTriangle *triangle = &search->triangles->triangle[number];
    PerpVec3 a = search->triangles->vertex[triangle->vertex[0]];
    PerpVec3 u = perp_vec3_sub(search->triangles->vertex[triangle->vertex[1]], a);
    PerpVec3 v = perp_vec3_sub(search->triangles->vertex[triangle->vertex[2]], a);
    PerpVec3 across = perp_vec3_cross(search->direction, v);
    double volume = perp_vec3_dot(u, across);
    if (volume == 0)
        return;
    PerpVec3 from = perp_vec3_sub(search->origin, a), around = perp_vec3_cross(from, u);
    double x = perp_vec3_dot(from, across) / volume;
    double y = perp_vec3_dot(search->direction, around) / volume;
    double s = perp_vec3_dot(v, around) / volume;
    if (x >= 0 && y >= 0 && x + y <= 1 && s >= 0 && s <= search->nearest) {
        search->nearest = s;
        search->triangle = number;
    }
}

static bool meets_triangles(const PerpShape *shape, PerpPose pose, const PerpRay *ray,
                            PerpRayPoint *point)
{
    Search search = {.triangles = shape->triangles,
                     .origin = perp_pose_local(pose, ray->origin),
                     .direction = perp_quat_rotate_back(pose.rotation, ray->direction),
                     .nearest = ray->limit,
                     .triangle = -1};
    PerpBounds box = perp_bounds_with(
        perp_bounds_with(perp_bounds_empty(), search.origin),
        perp_vec3_add_scaled(search.origin, fmin(ray->limit, 1e9), search.direction));
    perp_box_tree_visit(&shape->triangles->tree, box, try_triangle, &search);
    if (search.triangle < 0)
        return false;
    PerpVec3 normal = shape->triangles->triangle[search.triangle].normal;
    *point = (PerpRayPoint){search.nearest, perp_quat_rotate(pose.rotation, normal)};
    return true;
}

// Does the ray pass the ball about the shape at all?
static bool passes(const PerpShape *shape, PerpPose pose, const PerpRay *ray)
{
    PerpVec3 to = perp_vec3_sub(pose.position, ray->origin);
    double s = fmin(fmax(perp_vec3_dot(to, ray->direction), 0), ray->limit);
    return perp_vec3_norm(perp_vec3_sub(to, perp_vec3_scale(s, ray->direction))) <=
           shape->radius * (1 + 1e-9) + 1e-9;
}

bool perp_ray_meets(const PerpShape *shape, PerpPose pose, const PerpRay *ray, PerpRayPoint *point)
{
    if (shape->kind == PERP_SHAPE_PLANE)
        return meets_plane(pose, ray, point);
    if (!passes(shape, pose, ray))
        return false;
    return shape->triangles ? meets_triangles(shape, pose, ray, point)
                            : meets_convex(shape, pose, ray, point);
}

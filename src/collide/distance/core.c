// Support functions of convex cores, and their faces.
#include "collide/distance/core.h"

#include <assert.h>
#include <string.h>

PerpCore perp_core(const PerpShape *shape, PerpPose pose)
{
    assert(shape->polyhedron || shape->kind == PERP_SHAPE_CYLINDER ||
           shape->kind == PERP_SHAPE_ELLIPSOID);
    PerpCore core = {.polyhedron = shape->polyhedron,
                     .kind = shape->kind,
                     .rounding = shape->rounding,
                     .extent = shape->rounding > 0 ? perp_polyhedron_extent(shape->polyhedron)
                                                   : shape->radius,
                     .R = perp_quat_to_matrix(pose.rotation),
                     .position = pose.position};
    memcpy(core.size, shape->size, sizeof core.size);
    return core;
}

static int farthest_vertex(const PerpPolyhedron *p, PerpVec3 d)
{
    int best = 0;
    double most = perp_vec3_dot(d, p->vertex[0]);
    for (int i = 1; i < p->n_vertices; i++) {
        double along = perp_vec3_dot(d, p->vertex[i]);
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

// The same of a box, whose corner i has the signs of the bits of i, without its vertices.
static int farthest_corner(const double *half, PerpVec3 d)
{
    double x = d.x * half[0], y = d.y * half[1], z = d.z * half[2];
    int best = 0;
    double most = -x - y - z;
    for (int i = 1; i < 8; i++) {
        double along = (i & 1 ? x : -x) + (i & 2 ? y : -y) + (i & 4 ? z : -z);
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

// Of an ellipsoid with the axes S: S S d / |S d|
static PerpVec3 farthest_on_ellipsoid(const double *size, PerpVec3 d)
{
    PerpVec3 s = perp_vec3_normalise((PerpVec3){size[0] * d.x, size[1] * d.y, size[2] * d.z});
    return (PerpVec3){size[0] * s.x, size[1] * s.y, size[2] * s.z};
}

// On the rim; along the axis any point of the cap would do, and the middle is taken.
static PerpVec3 farthest_on_cylinder(const double *size, PerpVec3 d)
{
    double across = perp_length(d.x, d.y);
    double s = across > 0 ? size[0] / across : 0;
    return (PerpVec3){s * d.x, s * d.y, copysign(size[1], d.z)};
}

PerpVec3 perp_core_support(const PerpCore *c, PerpVec3 direction, int *vertex)
{
    PerpVec3 d = perp_mat3_transposed_times(c->R, direction);
    *vertex = -1;
    if (c->kind == PERP_SHAPE_BOX) {
        int i = *vertex = farthest_corner(c->size, d);
        const double *h = c->size;
        return perp_core_point(
            c, (PerpVec3){i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]});
    }
    if (c->polyhedron) {
        *vertex = farthest_vertex(c->polyhedron, d);
        return perp_core_vertex(c, *vertex);
    }
    PerpVec3 local = c->kind == PERP_SHAPE_ELLIPSOID ? farthest_on_ellipsoid(c->size, d)
                                                     : farthest_on_cylinder(c->size, d);
    return perp_core_point(c, local);
}

static double clamped(double x, double half)
{
    return fmin(half, fmax(-half, x));
}

static PerpVec3 nearest_of_cylinder(const double *size, PerpVec3 x)
{
    double across = perp_length(x.x, x.y), s = across > size[0] ? size[0] / across : 1;
    return (PerpVec3){s * x.x, s * x.y, clamped(x.z, size[1])};
}

static PerpVec3 nearest_of_segment(const PerpVec3 *vertex, int n, PerpVec3 x)
{
    PerpSegment g = {vertex[0], perp_vec3_sub(vertex[n - 1], vertex[0])};
    return perp_segment_at(&g, perp_segment_nearest(&g, x));
}

bool perp_core_nearest(const PerpCore *c, PerpVec3 x, PerpVec3 *nearest)
{
    const double *size = c->size;
    const PerpPolyhedron *p = c->polyhedron;
    PerpVec3 y = perp_mat3_transposed_times(c->R, perp_vec3_sub(x, c->position));
    if (c->kind == PERP_SHAPE_BOX)
        y = (PerpVec3){clamped(y.x, size[0]), clamped(y.y, size[1]), clamped(y.z, size[2])};
    else if (c->kind == PERP_SHAPE_CYLINDER)
        y = nearest_of_cylinder(size, y);
    else if (p && p->n_vertices <= 2)
        y = nearest_of_segment(p->vertex, p->n_vertices, y);
    else if (p && p->n_faces == 1 && p->n_vertices == 3)
        y = perp_triangle_nearest(p->vertex, p->normal[0], y);
    else
        return false;
    *nearest = perp_core_point(c, y);
    return true;
}

static const double ACROSS = 1e-12; // cosine: across but for rounding

// The edge at a vertex that is most nearly across the direction, if it is so but for rounding.
static PerpSegment edge_across(const PerpCore *c, int vertex, PerpVec3 d)
{
    const PerpPolyhedron *p = c->polyhedron;
    PerpSegment best = {p->vertex[vertex], {0, 0, 0}};
    double least = ACROSS;
    for (int e = 0; e < p->n_edges; e++) {
        const int *ends = p->edge[e].vertex;
        if (ends[0] != vertex && ends[1] != vertex)
            continue;
        PerpVec3 along = perp_vec3_sub(p->vertex[ends[ends[0] == vertex]], best.x);
        double sine = fabs(perp_vec3_dot(along, d)) / perp_vec3_norm(along);
        best.u = sine < least ? along : best.u;
        least = fmin(least, sine);
    }
    return best;
}

PerpSegment perp_core_side(const PerpCore *c, PerpVec3 direction)
{
    int vertex;
    PerpVec3 d = perp_mat3_transposed_times(c->R, direction);
    PerpSegment side = {perp_core_support(c, direction, &vertex), {0, 0, 0}};
    if (c->polyhedron)
        side.u = perp_mat3_times(c->R, edge_across(c, vertex, d).u);
    else if (c->kind == PERP_SHAPE_CYLINDER && fabs(d.z) < ACROSS)
        side.u = perp_vec3_scale(-copysign(2 * c->size[1], d.z), c->R.z);
    return side;
}

double perp_core_separation(const PerpCore *a, const PerpCore *b, PerpVec3 n)
{
    int vertex;
    PerpVec3 on_a = perp_core_support(a, perp_vec3_scale(-1, n), &vertex);
    PerpVec3 on_b = perp_core_support(b, n, &vertex);
    return perp_vec3_dot(n, perp_vec3_sub(on_a, on_b));
}

int perp_core_face_towards(const PerpCore *c, PerpVec3 direction)
{
    PerpVec3 d = perp_mat3_transposed_times(c->R, direction);
    int best = -1;
    double most = -INFINITY;
    for (int f = 0; f < c->polyhedron->n_faces; f++) {
        double along = perp_vec3_dot(d, c->polyhedron->normal[f]);
        if (along > most) {
            most = along;
            best = f;
        }
    }
    return best;
}

int perp_core_face_at(const PerpCore *c, int vertex, PerpVec3 direction)
{
    PerpVec3 d = perp_mat3_transposed_times(c->R, direction);
    const PerpPolyhedron *p = c->polyhedron;
    int best = -1;
    double most = -INFINITY;
    for (int k = p->incident_start[vertex]; k < p->incident_start[vertex + 1]; k++) {
        double along = perp_vec3_dot(d, p->normal[p->incident[k]]);
        if (along > most) {
            most = along;
            best = p->incident[k];
        }
    }
    return best;
}

bool perp_core_is_curved(const PerpCore *c, PerpVec3 d)
{
    static const double FLAT = 1e-6;
    if (c->kind != PERP_SHAPE_CYLINDER)
        return c->kind == PERP_SHAPE_ELLIPSOID;
    return fabs(perp_vec3_dot(c->R.z, d)) > FLAT &&
           perp_vec3_norm(perp_vec3_cross(c->R.z, d)) > FLAT;
}

// A convex shape against a mesh or a height field: every triangle near it, as a polyhedron of one
// face.
#include "collide/manifold/manifold.h"
#include "collide/manifold/surface.h"
#include "collide/pairs.h"
#include "geom/bounds.h"

#include <math.h>
#include <string.h>

// The triangle at hand, and what all triangles of one contact share.
typedef struct Visit {
    const PerpTriangles *triangles;
    int triangle;
    PerpVec3 vertex[3], normal; // in the axes of the triangles, from the first vertex
    double offset;              // 0
    int face_start[2], loop[3];
    PerpEdge edge[3];
    PerpPolyhedron polyhedron;
    PerpCore a, b;   // b: the triangle
    PerpVec3 front;  // its normal in the world
    PerpVec3 centre; // of the ball that holds a, in the axes of the triangles
    double reach;    // its radius and the margin
    double behind;   // m: cores that are no farther behind a triangle went through it
    PerpPose frame;  // of the triangles
    PerpManifold manifold;
} Visit;

// The part of a that a feature tells: a vertex; of a crossing the side, which is counted in steps
// of 3 x 3 pairs of the triangle's vertices; of the triangle's own corners nothing.
static uint32_t part_of_a(uint32_t feature)
{
    uint32_t index = feature & 0x3fffffffu;
    switch ((PerpFeature)(feature >> 30)) {
    case PERP_FEATURE_A:
        return index;
    case PERP_FEATURE_CROSSING:
        return index / 9;
    default:
        return 0;
    }
}

static bool accepts(const void *user, uint32_t *feature, PerpVec3 on_b, PerpVec3 normal)
{
    const Visit *v = user;
    PerpFeature kind = (PerpFeature)(*feature >> 30);
    uint32_t part;
    bool accepted =
        perp_surface_accepts(v->triangles, v->triangle, kind, perp_pose_local(v->frame, on_b),
                             perp_quat_rotate_back(v->frame.rotation, normal), &part);
    *feature = perp_feature(kind, part_of_a(*feature) * 2654435769u + part);
    return accepted;
}

static bool holds(const void *user, PerpVec3 corner)
{
    const Visit *v = user;
    return perp_surface_holds(v->triangles, v->triangle, perp_pose_local(v->frame, corner));
}

static void start(Visit *v, const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                  PerpPose pose_b)
{
    static const int face_start[2] = {0, 3}, loop[3] = {0, 1, 2};
    static const PerpEdge edge[3] = {{{0, 1}, {0, -1}}, {{1, 2}, {0, -1}}, {{2, 0}, {0, -1}}};
    *v = (Visit){.triangles = b->triangles, .a = perp_core(a, pose_a), .frame = pose_b};
    memcpy(v->face_start, face_start, sizeof face_start);
    memcpy(v->loop, loop, sizeof loop);
    memcpy(v->edge, edge, sizeof edge);
    v->polyhedron = (PerpPolyhedron){
        3, 1, 3, 3, v->vertex, &v->normal, &v->offset, v->face_start, v->loop, v->edge};
    v->b = (PerpCore){.polyhedron = &v->polyhedron,
                      .kind = PERP_SHAPE_HULL,
                      .R = perp_quat_to_matrix(pose_b.rotation)};
}

static void place_triangle(Visit *v, int number)
{
    const PerpTriangle *triangle = &v->triangles->triangle[number];
    PerpVec3 first = v->triangles->vertex[triangle->vertex[0]];
    v->triangle = number;
    for (int k = 0; k < 3; k++)
        v->vertex[k] = perp_vec3_sub(v->triangles->vertex[triangle->vertex[k]], first);
    v->normal = triangle->normal;
    v->b.position = perp_pose_point(v->frame, first);
    v->front = perp_mat3_times(v->b.R, v->normal);
}

// Height of the core's lowest point above the plane of the triangle.
static double lowest(const Visit *v)
{
    int vertex;
    PerpVec3 point = perp_core_support(&v->a, perp_vec3_scale(-1, v->front), &vertex);
    return perp_vec3_dot(v->front, perp_vec3_sub(point, v->b.position));
}

static bool is_point(const PerpCore *core)
{
    return core->kind == PERP_SHAPE_POINT || core->kind == PERP_SHAPE_SPHERE;
}

// A core just behind the triangle, which only its rounding (of points the margin) reaches back
// through, is one that went through it.
static bool went_through(const Visit *v, const PerpSeparation *s)
{
    bool is_below = perp_vec3_norm(perp_vec3_cross(s->normal, v->front)) < 1e-6;
    return s->gap < v->behind && (is_below || (is_point(&v->a) && holds(v, v->a.position)));
}

// Would a core that overlaps the triangle leave it over an edge where the surface goes on?
static bool leaves_inwards(const Visit *v, PerpSeparation *s)
{
    uint32_t feature = perp_feature(PERP_FEATURE_NEAREST, 0);
    if (s->gap > 0)
        return false;
    perp_core_witnesses(&v->a, &v->b, s);
    return !accepts(v, &feature, s->point_b, s->normal);
}

// The separation of the core and the triangle, or just the way out through the front: its corners
// above the triangle. False: they have nothing to do with each other.
static bool separate(const Visit *v, PerpSeparation *s)
{
    double reach = fmax(v->manifold.margin + v->a.rounding, v->behind);
    *s = perp_core_distance(&v->a, &v->b, reach);
    if (s->gap > reach)
        return false;
    bool from_behind = perp_vec3_dot(s->normal, v->front) < -1e-9;
    if (from_behind && s->gap > 0 && !went_through(v, s))
        return false;
    if (from_behind || leaves_inwards(v, s))
        *s = (PerpSeparation){.gap = INFINITY, .normal = v->front};
    return true;
}

// The foot of x on the line through a and b lies between them, or is the nearer end: |x - foot|^2.
static double square_to_edge(PerpVec3 x, PerpVec3 a, PerpVec3 b)
{
    PerpVec3 ab = perp_vec3_sub(b, a), ax = perp_vec3_sub(x, a);
    double length = perp_vec3_dot(ab, ab);
    double part = length > 0 ? fmin(fmax(perp_vec3_dot(ab, ax) / length, 0), 1) : 0;
    PerpVec3 off = perp_vec3_sub(ax, perp_vec3_scale(part, ab));
    return perp_vec3_dot(off, off);
}

// Does the ball that holds a come within the margin of the triangle? Boxes of a wheel on flat
// ground hold many triangles that the wheel is far from.
static bool is_within_reach(const Visit *v, const PerpTriangle *triangle)
{
    const PerpVec3 *vertex = v->triangles->vertex;
    PerpVec3 x = v->centre, corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = vertex[triangle->vertex[k]];
    double height = perp_vec3_dot(triangle->normal, perp_vec3_sub(x, corner[0]));
    double reach = v->reach * (1 + 1e-9), least = INFINITY; // for rounding
    if (fabs(height) > reach)
        return false;
    bool above = true;
    for (int k = 0; k < 3; k++) {
        PerpVec3 a = corner[k], b = corner[(k + 1) % 3];
        PerpVec3 inward = perp_vec3_cross(triangle->normal, perp_vec3_sub(b, a));
        above = above && perp_vec3_dot(inward, perp_vec3_sub(x, a)) >= 0;
        least = fmin(least, square_to_edge(x, a, b));
    }
    return above || least <= reach * reach;
}

static void visit(void *user, int number)
{
    Visit *v = user;
    PerpSeparation s;
    if (!is_within_reach(v, &v->triangles->triangle[number]))
        return;
    place_triangle(v, number);
    if (lowest(v) <= v->manifold.margin + v->a.rounding && separate(v, &s))
        perp_manifold_facets(&v->manifold, &v->a, &v->b, &s);
}

static PerpPose inverse(PerpPose pose)
{
    PerpQuat back = perp_quat_conjugate(pose.rotation);
    return (PerpPose){perp_vec3_scale(-1, perp_quat_rotate(back, pose.position)), back};
}

int perp_collide_convex_triangles(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                                  PerpPose pose_b, double margin, PerpContactPoint *points)
{
    Visit v;
    start(&v, a, pose_a, b, pose_b);
    v.manifold = (PerpManifold){.rounding_a = a->rounding,
                                .margin = margin,
                                .merge = 1e-5 * (a->radius > 0 ? a->radius : b->radius),
                                .accepts = accepts,
                                .holds = holds,
                                .user = &v,
                                .point = points};
    PerpPose local = perp_pose_product(inverse(pose_b), pose_a);
    v.centre = local.position;
    v.behind =
        v.a.rounding > 0 ? v.a.rounding : fmax(margin, is_point(&v.a) ? perp_shape_sunk(b) : 0);
    double around = fmax(margin, v.behind - a->radius);
    v.reach = a->radius + around;
    PerpBounds box = perp_bounds_grown(perp_shape_bounds(a, local), around);
    perp_box_tree_visit(&b->triangles->tree, box, visit, &v);
    return v.manifold.n;
}

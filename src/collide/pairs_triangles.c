// A convex shape against a mesh or a height field: every triangle near it, as a polyhedron of one
// face.
#include "collide/manifold/manifold.h"
#include "collide/manifold/surface.h"
#include "collide/pairs.h"
#include "geom/bounds.h"
#include "geom/nearest.h"

#include <math.h>
#include <string.h>

// The triangle at hand, and what all triangles of one contact share.
typedef struct Visit {
    const PerpTriangles *triangles;
    int triangle;
    PerpVec3 vertex[3], normal; // in the axes of the triangles, from the first vertex
    double offset;              // 0
    int face_start[2], loop[3], incident_start[4], incident[3];
    PerpEdge edge[3];
    PerpPolyhedron polyhedron;
    PerpCore a, b;   // b: the triangle
    PerpVec3 front;  // its normal in the world
    PerpVec3 centre; // of the ball that holds a, in the axes of the triangles
    double reach;    // its radius and the margin
    PerpVec3 apart;  // from the nearest point of the triangle to the centre, in the world
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
    static const int face_start[2] = {0, 3}, loop[3] = {0, 1, 2}, incident_start[4] = {0, 1, 2, 3};
    static const PerpEdge edge[3] = {{{0, 1}, {0, -1}}, {{1, 2}, {0, -1}}, {{2, 0}, {0, -1}}};
    *v = (Visit){.triangles = b->triangles, .a = perp_core(a, pose_a), .frame = pose_b};
    memcpy(v->face_start, face_start, sizeof face_start);
    memcpy(v->loop, loop, sizeof loop);
    memcpy(v->edge, edge, sizeof edge);
    memcpy(v->incident_start, incident_start, sizeof incident_start);
    v->polyhedron = (PerpPolyhedron){3,
                                     1,
                                     3,
                                     3,
                                     v->vertex,
                                     &v->normal,
                                     &v->offset,
                                     v->face_start,
                                     v->loop,
                                     v->edge,
                                     v->incident_start,
                                     v->incident};
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
    v->b.extent = perp_polyhedron_extent(&v->polyhedron);
    v->front = perp_mat3_times(v->b.R, v->normal);
}

// The core's lowest point above the plane of the triangle, from the triangle's first corner, and
// its height.
static double lowest(const Visit *v, PerpVec3 *point)
{
    int vertex;
    *point = perp_vec3_sub(perp_core_support(&v->a, perp_vec3_scale(-1, v->front), &vertex),
                           v->b.position);
    return perp_vec3_dot(v->front, *point);
}

// m: how far inside of the triangle a point above or below it is, x from its first corner.
static double inside(const Visit *v, PerpVec3 x)
{
    PerpVec3 local = perp_mat3_transposed_times(v->b.R, x);
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        PerpVec3 edge = perp_vec3_sub(v->vertex[(k + 1) % 3], v->vertex[k]);
        PerpVec3 inward = perp_vec3_cross(v->normal, edge);
        double along = perp_vec3_dot(inward, perp_vec3_sub(local, v->vertex[k]));
        least = fmin(least, along / perp_vec3_norm(edge));
    }
    return least;
}

// Is the way through the front the shortest, by the core's lowest point alone? If that is above the
// inside of the triangle, it is the nearest. If it is below, by a depth, the core holds the segment
// from there up to its highest point, which crosses the triangle at c. Moved by t, |t| less than
// the depth, the segment crosses the plane within |t| (1 + length / height) of c, unless it has
// gone behind the plane altogether, from where nothing is pushed.
static bool faces_front(const Visit *v, PerpVec3 low, double height)
{
    if (height > 0)
        return inside(v, low) >= 0;
    int vertex;
    PerpVec3 top = perp_core_support(&v->a, v->front, &vertex);
    PerpVec3 up = perp_vec3_sub(perp_vec3_sub(top, v->b.position), low);
    double rise = perp_vec3_dot(v->front, up), depth = -height;
    if (!(rise > depth))
        return false;
    PerpVec3 crossing = perp_vec3_add_scaled(low, depth / rise, up);
    return inside(v, crossing) > depth * (1 + perp_vec3_norm(up) / rise);
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

static PerpSeparation front_separation(const Visit *v, PerpVec3 low, double height)
{
    PerpVec3 point = perp_vec3_add(v->b.position, low);
    return (PerpSeparation){.gap = height > 0 ? height : INFINITY,
                            .normal = v->front,
                            .point_a = point,
                            .point_b = perp_vec3_add_scaled(point, -height, v->front),
                            .has_points = true};
}

// The separation of the core and the triangle, or just the way out through the front: its corners
// above the triangle. False: they have nothing to do with each other.
static bool separate(const Visit *v, PerpSeparation *s)
{
    PerpVec3 low;
    double reach = fmax(v->manifold.margin + v->a.rounding, v->behind), height = lowest(v, &low);
    if (height > v->manifold.margin + v->a.rounding)
        return false;
    if (faces_front(v, low, height)) {
        *s = front_separation(v, low, height);
        return true;
    }
    *s = perp_core_distance(&v->a, &v->b, v->apart, reach);
    if (s->gap > reach)
        return false;
    bool from_behind = perp_vec3_dot(s->normal, v->front) < -1e-9;
    if (from_behind && s->gap > 0 && !went_through(v, s))
        return false;
    if (from_behind || leaves_inwards(v, s))
        *s = (PerpSeparation){.gap = INFINITY, .normal = v->front};
    return true;
}

// From the nearest point of a triangle to the centre, in the axes of the triangles.
static PerpVec3 from_nearest(const Visit *v, const PerpTriangle *triangle)
{
    PerpVec3 corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = v->triangles->vertex[triangle->vertex[k]];
    return perp_vec3_sub(v->centre, perp_triangle_nearest(corner, triangle->normal, v->centre));
}

static void visit(void *user, int number)
{
    Visit *v = user;
    PerpSeparation s;
    // boxes of a wheel on flat ground hold many triangles that the wheel is far from
    PerpVec3 apart = from_nearest(v, &v->triangles->triangle[number]);
    double reach = v->reach * (1 + 1e-9); // for rounding
    if (perp_vec3_dot(apart, apart) > reach * reach)
        return;
    place_triangle(v, number);
    v->apart = perp_mat3_times(v->b.R, apart);
    if (separate(v, &s))
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
    double around = fmax(fmax(margin, 0), v.behind - a->radius);
    v.reach = a->radius + around;
    PerpBounds box = perp_bounds_grown(perp_shape_bounds(a, local), around);
    perp_box_tree_visit(&b->triangles->tree, box, visit, &v);
    return v.manifold.n;
}

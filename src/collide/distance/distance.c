// Signed distance of two convex cores: GJK apart, SAT or EPA in overlap, then a refined normal.
#include "collide/distance/distance.h"

#include "collide/distance/epa.h"
#include "collide/distance/gjk.h"
#include "collide/distance/refine_normal.h"
#include "collide/distance/sat.h"
#include "geom/bounds.h"

#include <math.h>

// Closer than this, relative to their size, the shortest vector between two cores has lost digits
// of its direction; their features tell the normal.
static const double NEAR = 1e-6;

// How near to the largest separation GJK (relative) and EPA (to the sizes) come.
static const double FAR_DOUBT = 2e-13, NEAR_DOUBT = 1e-12;

// Of the square of the distance: so well GJK knows the direction between curved cores before
// Newton's method takes over.
static const double DIRECTION = 0.1;

// Relative to the sizes: from this gap on two points of the cores prove its normal.
static const double PROVEN = 1e-8;

static void take_if_better(const PerpCore *a, const PerpCore *b, PerpVec3 normal,
                           PerpSeparation *best)
{
    double gap = perp_core_separation(a, b, normal);
    if (gap > best->gap) {
        best->gap = gap;
        best->normal = normal;
    }
}

// Any direction across both cores will do where neither has an inside: points and segments.
static PerpVec3 any_normal(const PerpCore *a, const PerpCore *b)
{
    PerpVec3 along = a->polyhedron && a->polyhedron->n_vertices > 1 ? a->R.z : b->R.z, other;
    perp_vec3_tangents(along, &along, &other);
    return other;
}

// Trying all pairs of edges is exact and, for few of them, fast.
static bool has_few_edges(const PerpCore *a, const PerpCore *b)
{
    return a->polyhedron && b->polyhedron &&
           (double)a->polyhedron->n_edges * b->polyhedron->n_edges <= 1000;
}

// The largest separation is not larger than `most`.
static void find_overlap(const PerpCore *a, const PerpCore *b, PerpSeparation *best, double *most)
{
    PerpVec3 normal;
    double bound = INFINITY;
    bool found =
        has_few_edges(a, b) ? perp_sat(a, b, &normal) > -INFINITY : perp_epa(a, b, &normal, &bound);
    *most = fmin(*most, bound);
    if (found)
        take_if_better(a, b, normal, best);
    if (best->gap == -INFINITY)
        take_if_better(a, b, any_normal(a, b), best);
}

// The faces that face each other are better normals than a difference of points.
static void align_with_faces(const PerpCore *a, const PerpCore *b, PerpSeparation *best)
{
    PerpVec3 towards_b = perp_vec3_scale(-1, best->normal);
    int face_a = perp_core_face_towards(a, towards_b);
    int face_b = perp_core_face_towards(b, best->normal);
    if (face_a >= 0)
        take_if_better(a, b, perp_vec3_scale(-1, perp_core_normal(a, face_a)), best);
    if (face_b >= 0)
        take_if_better(a, b, perp_core_normal(b, face_b), best);
}

// Drawn apart along the normal, the cores have their nearest points where they touch or overlap
// most: s(m) + t m'n is largest at m = n for every t > 0, if s(m) is.
static void draw_apart(const PerpCore *a, const PerpCore *b, double size, PerpSeparation *best)
{
    PerpCore moved = *a;
    PerpVec3 v = best->normal, shift = perp_vec3_scale(size - best->gap, v);
    moved.position = perp_vec3_add(a->position, shift);
    perp_gjk(&moved, b, INFINITY, PERP_GJK_EXACT, &v, &best->point_a, &best->point_b);
    best->point_a = perp_vec3_sub(best->point_a, shift);
}

// The farthest point of a curved core is known to the last digits; else what rounding left beside
// the normal is shared out.
static void put_right(const PerpCore *a, const PerpCore *b, PerpSeparation *best)
{
    int vertex;
    PerpVec3 towards_b = perp_vec3_scale(-1, best->normal);
    PerpVec3 middle = perp_vec3_scale(0.5, perp_vec3_add(best->point_a, best->point_b));
    if (perp_core_is_curved(a, towards_b))
        middle = perp_vec3_add_scaled(perp_core_support(a, towards_b, &vertex), -0.5 * best->gap,
                                      best->normal);
    else if (perp_core_is_curved(b, best->normal))
        middle = perp_vec3_add_scaled(perp_core_support(b, best->normal, &vertex), 0.5 * best->gap,
                                      best->normal);
    best->point_a = perp_vec3_add_scaled(middle, 0.5 * best->gap, best->normal);
    best->point_b = perp_vec3_add_scaled(middle, -0.5 * best->gap, best->normal);
}

// How far boxes are apart is known from few axes, before any search.
static bool are_boxes(const PerpCore *a, const PerpCore *b)
{
    return a->kind == PERP_SHAPE_BOX && b->kind == PERP_SHAPE_BOX;
}

// The shortest vector; false: there is none. GJK, which takes 20 to 30 iterations to put polyhedra
// into curved cores, finds its direction, and Newton's method the rest: is_final, if two points
// prove it.
static bool find_vector(const PerpCore *a, const PerpCore *b, double reach, PerpVec3 *v,
                        PerpSeparation *best)
{
    bool rough = !a->polyhedron || !b->polyhedron;
    double tolerance = rough ? DIRECTION : PERP_GJK_EXACT;
    if (!perp_gjk(a, b, reach, tolerance, v, &best->point_a, &best->point_b))
        return false;
    take_if_better(a, b, perp_vec3_normalise(*v), best);
    if (!rough || best->gap > reach)
        return true;
    double least = PROVEN * (a->extent + b->extent);
    PerpSeparation refined = *best;
    if (perp_refine_apart(a, b, &refined) && refined.gap > least) {
        *best = refined;
        best->is_final = true;
        return true;
    }
    bool apart = perp_gjk(a, b, reach, PERP_GJK_EXACT, v, &best->point_a, &best->point_b);
    if (apart)
        take_if_better(a, b, perp_vec3_normalise(*v), best);
    return apart;
}

// How far a box and a segment, the core of a capsule, are apart along the axes of the box: more
// than the reach, of most pairs that no contact comes of.
static double apart_from_box(const PerpCore *box, const PerpCore *segment)
{
    PerpVec3 end = perp_mat3_times(segment->R, segment->polyhedron->vertex[0]);
    PerpVec3 half = perp_mat3_transposed_times(box->R, end);
    PerpVec3 way =
        perp_mat3_transposed_times(box->R, perp_vec3_sub(segment->position, box->position));
    double x = fabs(way.x) - fabs(half.x) - box->size[0];
    double y = fabs(way.y) - fabs(half.y) - box->size[1];
    double z = fabs(way.z) - fabs(half.z) - box->size[2];
    return perp_larger(x, perp_larger(y, z));
}

// The same of any two cores; -INFINITY: not known without a search.
static double apart_along_axes(const PerpCore *a, const PerpCore *b)
{
    if (a->kind == PERP_SHAPE_BOX && b->kind == PERP_SHAPE_CAPSULE)
        return apart_from_box(a, b);
    if (b->kind == PERP_SHAPE_BOX && a->kind == PERP_SHAPE_CAPSULE)
        return apart_from_box(b, a);
    return -INFINITY;
}

// The gap and a normal; is_far: what GJK found of it is good. The largest separation is not larger
// than `most`.
static PerpSeparation separate(const PerpCore *a, const PerpCore *b, PerpVec3 guess, double reach,
                               double *most)
{
    PerpSeparation best = {.gap = -INFINITY};
    PerpVec3 v = guess;
    *most = INFINITY;
    double near = NEAR * (a->extent + b->extent);
    if (are_boxes(a, b)) {
        PerpVec3 axis;
        perp_sat_boxes(a, b, &axis);
        take_if_better(a, b, axis, &best);
    }
    if (are_boxes(a, b) && (best.gap > reach || best.gap <= near))
        return best;
    double least = apart_along_axes(a, b);
    if (least > reach + near) {
        best.gap = least;
        return best;
    }
    bool apart = find_vector(a, b, reach, &v, &best);
    if (apart)
        *most = perp_vec3_norm(v);
    best.is_far = best.is_final || (apart && *most > near);
    if (best.gap <= reach && !best.is_far && !are_boxes(a, b))
        find_overlap(a, b, &best, most);
    return best;
}

PerpSeparation perp_core_distance(const PerpCore *a, const PerpCore *b, PerpVec3 guess,
                                  double reach)
{
    double most;
    PerpSeparation best = separate(a, b, guess, reach, &most);
    if (best.gap > reach || best.is_final)
        return best;
    if (a->polyhedron && b->polyhedron) {
        align_with_faces(a, b, &best);
        return best;
    }
    double doubt = best.is_far ? FAR_DOUBT * most : NEAR_DOUBT * (a->extent + b->extent);
    perp_refine_normal(a, b, most - doubt, &best);
    return best;
}

void perp_core_witnesses(const PerpCore *a, const PerpCore *b, PerpSeparation *s)
{
    double size = a->extent + b->extent;
    if (s->has_points)
        return;
    if (!s->is_far)
        draw_apart(a, b, size > 0 ? size : 1, s);
    put_right(a, b, s);
    s->has_points = true;
}

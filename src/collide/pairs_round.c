// Points, spheres and capsules among themselves: segments, perhaps of length zero, made round.
#include "collide/manifold/manifold.h"
#include "collide/manifold/patch.h"
#include "collide/pairs.h"
#include "geom/nearest.h"

static PerpSegment segment(const PerpShape *shape, PerpPose pose)
{
    const PerpPolyhedron *p = shape->polyhedron;
    PerpVec3 start = perp_pose_point(pose, p->vertex[0]);
    PerpVec3 end = perp_pose_point(pose, p->vertex[p->n_vertices - 1]);
    return (PerpSegment){start, perp_vec3_sub(end, start)};
}

// From b to a; of crossing segments across both, of coincident points anything.
static PerpVec3 normal_between(PerpVec3 on_a, PerpVec3 on_b, const PerpSegment *a,
                               const PerpSegment *b)
{
    PerpVec3 v = perp_vec3_sub(on_a, on_b), t1, t2;
    if (perp_vec3_dot(v, v) > 0)
        return perp_vec3_normalise(v);
    PerpVec3 across = perp_vec3_cross(a->u, b->u);
    if (perp_vec3_dot(across, across) > 0)
        return perp_vec3_normalise(across);
    PerpVec3 along = perp_vec3_dot(a->u, a->u) > 0 ? a->u : b->u;
    if (!(perp_vec3_dot(along, along) > 0))
        return (PerpVec3){0, 0, 1};
    perp_vec3_tangents(perp_vec3_normalise(along), &t1, &t2);
    return t1;
}

static bool is_parallel(const PerpSegment *a, const PerpSegment *b, double angle)
{
    double lengths = perp_vec3_norm(a->u) * perp_vec3_norm(b->u);
    return lengths > 0 && perp_vec3_norm(perp_vec3_cross(a->u, b->u)) <= angle * lengths;
}

// An end of one segment that lies beside the other, and not before or behind it.
static void add_end(PerpManifold *m, const PerpSegment *of, double s, const PerpSegment *beside,
                    bool of_a)
{
    PerpVec3 end = perp_segment_at(of, s);
    double t = perp_segment_nearest(beside, end);
    PerpVec3 foot = perp_segment_at(beside, t);
    if (t <= 0 || t >= 1)
        return;
    if (of_a)
        perp_manifold_add(m, end, foot, normal_between(end, foot, of, beside),
                          perp_feature(PERP_FEATURE_A, (uint32_t)s));
    else
        perp_manifold_add(m, foot, end, normal_between(foot, end, beside, of),
                          perp_feature(PERP_FEATURE_B, (uint32_t)s));
}

static bool is_ball(const PerpShape *shape)
{
    return shape->polyhedron->n_vertices == 1;
}

// Two spheres touch on the line of their centres.
static int collide_balls(const PerpShape *a, PerpVec3 at_a, const PerpShape *b, PerpVec3 at_b,
                         double margin, PerpContactPoint *points)
{
    PerpVec3 v = perp_vec3_sub(at_a, at_b);
    PerpManifold m = {
        .rounding_a = a->rounding, .rounding_b = b->rounding, .margin = margin, .point = points};
    PerpVec3 normal = perp_vec3_dot(v, v) > 0 ? perp_vec3_normalise(v) : (PerpVec3){0, 0, 1};
    perp_manifold_add(&m, at_a, at_b, normal, perp_feature(PERP_FEATURE_NEAREST, 0));
    return m.n;
}

int perp_collide_round_round(const PerpShape *a, PerpPose pose_a, const PerpShape *b,
                             PerpPose pose_b, double margin, PerpContactPoint *points)
{
    if (is_ball(a) && is_ball(b))
        return collide_balls(a, pose_a.position, b, pose_b.position, margin, points);
    PerpSegment on_a = segment(a, pose_a), on_b = segment(b, pose_b);
    PerpManifold m = {.rounding_a = a->rounding,
                      .rounding_b = b->rounding,
                      .margin = margin,
                      .merge = 1e-5 * (a->radius + b->radius),
                      .deepest = INFINITY,
                      .point = points};
    if (is_parallel(&on_a, &on_b, PERP_LEANING))
        for (int end = 0; end <= 1; end++) {
            add_end(&m, &on_a, end, &on_b, true);
            add_end(&m, &on_b, end, &on_a, false);
        }
    // where both ends at one side lie a little beyond each other, the points found are those of the
    // other side
    PerpVec3 p, q;
    perp_segments_nearest(&on_a, &on_b, &p, &q);
    double gap = perp_vec3_norm(perp_vec3_sub(p, q)) - a->rounding - b->rounding;
    if (m.n < 2 || !is_parallel(&on_a, &on_b, PERP_PARALLEL) || gap < m.deepest - m.merge) {
        perp_manifold_add(&m, p, q, normal_between(p, q, &on_a, &on_b),
                          perp_feature(PERP_FEATURE_NEAREST, 0));
    }
    return m.n;
}

// Contact of two cores with faces, edges or corners that face each other: every point is a
// corner above a face, or two sides that cross, so that its gap is a function of the motion.
#include "collide/manifold/edges.h"
#include "collide/manifold/manifold.h"
#include "collide/manifold/patch.h"
#include "collide/manifold/rims.h"

static bool is_held(const PerpManifold *m, const PerpPatch *face, bool of_a, PerpVec3 x)
{
    return perp_patch_is_over(face, x) || (of_a && m->holds && m->holds(m->user, x));
}

// The corners of the other core over `face`. The corners are a's if `of_a`.
static void add_corners(PerpManifold *m, const PerpCore *other, const PerpPatch *face, bool of_a)
{
    PerpPatch incident = perp_patch_towards(other, perp_vec3_scale(-1, face->normal));
    for (int k = 0; k < incident.n; k++) {
        PerpVec3 x = perp_patch_corner(&incident, k);
        if (!is_held(m, face, of_a, x))
            continue;
        double gap = perp_vec3_dot(face->normal, perp_vec3_sub(x, face->middle));
        PerpVec3 foot = perp_vec3_add_scaled(x, -gap, face->normal);
        uint32_t number = perp_patch_number(&incident, k);
        if (of_a)
            perp_manifold_add(m, x, foot, face->normal, perp_feature(PERP_FEATURE_A, number));
        else
            perp_manifold_add(m, foot, x, perp_vec3_scale(-1, face->normal),
                              perp_feature(PERP_FEATURE_B, number));
    }
}

// Adds where two sides cross, seen along n: s and t with a.x + s a.u - b.x - t b.u parallel to n.
static void add_crossing_along(PerpManifold *m, PerpSide a, PerpSide b, PerpVec3 n, uint32_t number)
{
    double area = perp_vec3_dot(n, perp_vec3_cross(a.u, b.u));
    PerpVec3 apart = perp_vec3_sub(b.x, a.x);
    double s = perp_vec3_dot(n, perp_vec3_cross(apart, b.u)) / area;
    double t = perp_vec3_dot(n, perp_vec3_cross(apart, a.u)) / area;
    if (s < 0 || s > 1 || t < 0 || t > 1)
        return;
    PerpVec3 on_a = perp_vec3_add_scaled(perp_vec3_add_scaled(a.x, s, a.u), -a.radius, n);
    PerpVec3 on_b = perp_vec3_add_scaled(perp_vec3_add_scaled(b.x, t, b.u), b.radius, n);
    double gap = perp_vec3_dot(n, perp_vec3_sub(on_a, on_b));
    perp_manifold_add(m, on_a, perp_vec3_add_scaled(on_a, -gap, n), n,
                      perp_feature(PERP_FEATURE_CROSSING, number));
}

// Sides that cross touch along u x v; if that is far from n, because they are almost parallel to
// each other, along n, which is right only between parallel faces. The two points are g m apart, m
// their own normal, hence n'm g is at least the separation along n: no point is deeper than the
// cores, to second order in the angle between m and n.
static void add_crossing(PerpManifold *m, PerpSide a, PerpSide b, PerpVec3 n, bool parallel,
                         uint32_t number)
{
    PerpVec3 across = perp_vec3_cross(a.u, b.u), off = perp_vec3_cross(across, n);
    double along = perp_vec3_dot(across, n), square = perp_vec3_dot(across, across);
    double lengths = perp_vec3_dot(a.u, a.u) * perp_vec3_dot(b.u, b.u);
    if (along * along <= 1e-18 * lengths)
        return;
    if (perp_vec3_dot(off, off) <= PERP_LEANING * PERP_LEANING * square)
        add_crossing_along(
            m, a, b, perp_vec3_scale(copysign(1, along), perp_vec3_normalise(across)), number);
    else if (parallel)
        add_crossing_along(m, a, b, n, number);
}

static void add_crossings(PerpManifold *m, const PerpPatch *a, const PerpPatch *b, PerpVec3 n,
                          bool parallel)
{
    uint32_t stride = b->loop ? (uint32_t)b->core->polyhedron->n_vertices : 10;
    for (int i = 0; i < a->n_sides; i++) {
        PerpSide side = perp_patch_side(a, i);
        uint32_t number = perp_patch_side_number(a, i) * stride * stride;
        for (int j = 0; j < b->n_sides; j++)
            add_crossing(m, side, perp_patch_side(b, j), n, parallel,
                         number + perp_patch_side_number(b, j));
    }
}

// A face that leans little has all points that are within the margin: it may come to lie flat
// before the next look at it.
void perp_manifold_facets(PerpManifold *m, const PerpCore *a, const PerpCore *b, PerpSeparation *s)
{
    PerpVec3 n = s->normal, back = perp_vec3_scale(-1, n);
    PerpPatch on_a = perp_patch_towards(a, back), on_b = perp_patch_towards(b, n);
    bool a_faces = perp_patch_faces(&on_a, back, PERP_LEANING);
    bool b_faces = perp_patch_faces(&on_b, n, PERP_LEANING);
    bool parallel =
        perp_patch_faces(&on_a, back, PERP_PARALLEL) && perp_patch_faces(&on_b, n, PERP_PARALLEL);
    m->deepest = INFINITY;
    if (b_faces)
        add_corners(m, a, &on_b, true);
    if (a_faces)
        add_corners(m, b, &on_a, false);
    if (a_faces || b_faces)
        add_crossings(m, &on_a, &on_b, n, parallel);
    if (a_faces || b_faces)
        perp_manifold_rims(m, &on_a, &on_b, n, parallel);
    else
        perp_manifold_edges(m, a, b, s);
    if (m->deepest <= s->gap - m->rounding_a - m->rounding_b + 0.01 * m->merge)
        return;
    perp_core_witnesses(a, b, s);
    perp_manifold_add(m, s->point_a, s->point_b, n, perp_feature(PERP_FEATURE_NEAREST, 0));
}

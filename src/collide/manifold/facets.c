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

// Side i of a and side j of b.
typedef struct SidePair {
    const PerpPatch *on_a, *on_b;
    int i, j;
    PerpSide a, b;
} SidePair;

static uint32_t crossing_number(const SidePair *p)
{
    uint32_t stride = p->on_b->loop ? (uint32_t)p->on_b->core->polyhedron->n_vertices : 10;
    return perp_patch_side_number(p->on_a, p->i) * stride * stride +
           perp_patch_side_number(p->on_b, p->j);
}

// Adds where two sides cross, seen along n: s and t with a.x + s a.u - b.x - t b.u parallel to n.
static void add_crossing_along(PerpManifold *m, const SidePair *p, PerpVec3 n)
{
    const PerpSide *a = &p->a, *b = &p->b;
    double area = perp_vec3_dot(n, perp_vec3_cross(a->u, b->u));
    PerpVec3 apart = perp_vec3_sub(b->x, a->x);
    double s = perp_vec3_dot(n, perp_vec3_cross(apart, b->u)) / area;
    double t = perp_vec3_dot(n, perp_vec3_cross(apart, a->u)) / area;
    if (s < 0 || s > 1 || t < 0 || t > 1)
        return;
    PerpVec3 on_a = perp_vec3_add_scaled(perp_vec3_add_scaled(a->x, s, a->u), -a->radius, n);
    PerpVec3 on_b = perp_vec3_add_scaled(perp_vec3_add_scaled(b->x, t, b->u), b->radius, n);
    double gap = perp_vec3_dot(n, perp_vec3_sub(on_a, on_b));
    perp_manifold_add(m, on_a, perp_vec3_add_scaled(on_a, -gap, n), n,
                      perp_feature(PERP_FEATURE_CROSSING, crossing_number(p)));
}

// Do the sides, seen along their own normal, end before they cross, all rounding apart?
static bool is_missed(const SidePair *p, PerpVec3 across, double square)
{
    static const double SLACK = 1e-9; // of the sides
    PerpVec3 apart = perp_vec3_sub(p->b.x, p->a.x);
    double s = perp_vec3_dot(across, perp_vec3_cross(apart, p->b.u));
    double t = perp_vec3_dot(across, perp_vec3_cross(apart, p->a.u));
    return fmin(s, t) < -SLACK * square || fmax(s, t) > (1 + SLACK) * square;
}

// Sides that cross touch along u x v; if that is far from n, because they are almost parallel to
// each other, along n, which is right only between parallel faces. The two points are g m apart, m
// their own normal, hence n'm g is at least the separation along n: no point is deeper than the
// cores, to second order in the angle between m and n.
static void add_crossing(PerpManifold *m, const SidePair *p, PerpVec3 n, bool parallel)
{
    PerpVec3 across = perp_vec3_cross(p->a.u, p->b.u), off = perp_vec3_cross(across, n);
    double along = perp_vec3_dot(across, n), square = perp_vec3_dot(across, across);
    double lengths = perp_vec3_dot(p->a.u, p->a.u) * perp_vec3_dot(p->b.u, p->b.u);
    if (along * along <= 1e-18 * lengths)
        return;
    if (perp_vec3_dot(off, off) <= PERP_LEANING * PERP_LEANING * square) {
        if (!is_missed(p, across, square))
            add_crossing_along(m, p,
                               perp_vec3_scale(copysign(1, along), perp_vec3_normalise(across)));
    } else if (parallel) {
        add_crossing_along(m, p, n);
    }
}

static void add_crossings(PerpManifold *m, const PerpPatch *a, const PerpPatch *b, PerpVec3 n,
                          bool parallel)
{
    SidePair p = {.on_a = a, .on_b = b};
    for (p.i = 0; p.i < a->n_sides; p.i++) {
        p.a = perp_patch_side(a, p.i);
        for (p.j = 0; p.j < b->n_sides; p.j++) {
            p.b = perp_patch_side(b, p.j);
            add_crossing(m, &p, n, parallel);
        }
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

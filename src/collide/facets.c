// Contact of two polyhedra with faces, edges or corners that look at each other: every point is a
// vertex above a face, or two edges that cross, so that its gap is an exact function of the motion.
#include "collide/manifold.h"

static const double PARALLEL = 1e-3; // rad: faces that look at each other touch with all corners
static const double STEEP = 0.02;    // rad: crossing edges have their own normal up to this
static const double OUTSIDE = 1e-6;  // a vertex may be this far beside a face, relative to a side

// A face as a loop of vertices, or all vertices of a point or a segment.
typedef struct Patch {
    const PerpCore *core;
    const int *loop;
    int n;
    PerpVec3 normal; // outward; of faces only
    bool is_face;
} Patch;

// The face nearest to the direction of those about the vertex farthest along it.
static int face_at_support(const PerpCore *c, PerpVec3 direction)
{
    int vertex, best = -1;
    perp_core_support(c, direction, &vertex);
    double most = -INFINITY;
    for (int e = 0; e < c->polyhedron->n_edges; e++) {
        const PerpEdge *edge = &c->polyhedron->edge[e];
        if (edge->vertex[0] != vertex && edge->vertex[1] != vertex)
            continue;
        for (int k = 0; k < 2; k++) {
            if (edge->face[k] < 0)
                continue;
            double along = perp_vec3_dot(direction, perp_core_normal(c, edge->face[k]));
            if (along > most) {
                most = along;
                best = edge->face[k];
            }
        }
    }
    return best;
}

static Patch patch_towards(const PerpCore *c, PerpVec3 direction)
{
    static const int both[2] = {0, 1};
    int face = face_at_support(c, direction);
    if (face < 0)
        return (Patch){.core = c, .loop = both, .n = c->polyhedron->n_vertices};
    int start = c->polyhedron->face_start[face];
    return (Patch){.core = c,
                   .loop = c->polyhedron->loop + start,
                   .n = c->polyhedron->face_start[face + 1] - start,
                   .normal = perp_core_normal(c, face),
                   .is_face = true};
}

static PerpVec3 corner(const Patch *p, int k)
{
    return perp_core_vertex(p->core, p->loop[k % p->n]);
}

static int sides(const Patch *p)
{
    return p->is_face ? p->n : p->n - 1;
}

// Above or below the face, within its sides?
static bool is_over(const Patch *face, PerpVec3 x)
{
    for (int k = 0; k < face->n; k++) {
        PerpVec3 start = corner(face, k), side = perp_vec3_sub(corner(face, k + 1), start);
        PerpVec3 outward = perp_vec3_cross(side, face->normal);
        if (perp_vec3_dot(outward, perp_vec3_sub(x, start)) > OUTSIDE * perp_vec3_dot(side, side))
            return false;
    }
    return true;
}

// The corners of `incident` over `face`. The vertices are a's if `of_a`.
static void add_corners(PerpManifold *m, const Patch *incident, const Patch *face, bool of_a)
{
    for (int k = 0; k < incident->n; k++) {
        PerpVec3 x = corner(incident, k);
        if (!is_over(face, x))
            continue;
        double gap = perp_vec3_dot(face->normal, perp_vec3_sub(x, corner(face, 0)));
        PerpVec3 foot = perp_vec3_add_scaled(x, -gap, face->normal);
        uint32_t index = (uint32_t)incident->loop[k];
        if (of_a)
            perp_manifold_add(m, x, foot, face->normal, perp_feature(PERP_FEATURE_A, index));
        else
            perp_manifold_add(m, foot, x, perp_vec3_scale(-1, face->normal),
                              perp_feature(PERP_FEATURE_B, index));
    }
}

// Where two lines p + s u, q + t v cross, seen along n.
typedef struct Crossing {
    PerpVec3 on_a, on_b;
    bool inside; // 0 <= s, t <= 1
} Crossing;

static Crossing crossing(PerpVec3 p, PerpVec3 u, PerpVec3 q, PerpVec3 v, PerpVec3 n)
{
    double area = perp_vec3_dot(n, perp_vec3_cross(u, v));
    PerpVec3 apart = perp_vec3_sub(q, p);
    double s = perp_vec3_dot(n, perp_vec3_cross(apart, v)) / area;
    double t = perp_vec3_dot(n, perp_vec3_cross(apart, u)) / area;
    return (Crossing){perp_vec3_add_scaled(p, s, u), perp_vec3_add_scaled(q, t, v),
                      s >= 0 && s <= 1 && t >= 0 && t <= 1};
}

static uint32_t side_key(const Patch *p, int k)
{
    int i = p->loop[k], j = p->loop[(k + 1) % p->n], n = p->core->polyhedron->n_vertices;
    return (uint32_t)(i < j ? i * n + j : j * n + i);
}

static uint32_t crossing_feature(const Patch *a, int i, const Patch *b, int j)
{
    uint32_t n = (uint32_t)b->core->polyhedron->n_vertices;
    return perp_feature(PERP_FEATURE_CROSSING, side_key(a, i) * n * n + side_key(b, j));
}

// Edges that cross touch along u x v; those almost parallel to each other along n.
static void add_crossing(PerpManifold *m, const Patch *a, int i, const Patch *b, int j, PerpVec3 n,
                         bool parallel)
{
    PerpVec3 p = corner(a, i), u = perp_vec3_sub(corner(a, i + 1), p);
    PerpVec3 q = corner(b, j), v = perp_vec3_sub(corner(b, j + 1), q);
    PerpVec3 across = perp_vec3_cross(u, v);
    double along = perp_vec3_dot(across, n);
    double lengths = perp_vec3_norm(u) * perp_vec3_norm(v);
    if (fabs(along) <= 1e-9 * lengths)
        return;
    PerpVec3 own = perp_vec3_scale(along < 0 ? -1 : 1, perp_vec3_normalise(across));
    bool is_near = perp_vec3_norm(perp_vec3_cross(own, n)) <= STEEP;
    if (!is_near && !parallel)
        return;
    PerpVec3 normal = is_near ? own : n;
    Crossing c = crossing(p, u, q, v, normal);
    if (!c.inside)
        return;
    PerpVec3 gap = perp_vec3_sub(c.on_a, c.on_b);
    PerpVec3 on_b = perp_vec3_add_scaled(c.on_a, -perp_vec3_dot(gap, normal), normal);
    perp_manifold_add(m, c.on_a, on_b, normal, crossing_feature(a, i, b, j));
}

static void add_crossings(PerpManifold *m, const Patch *a, const Patch *b, PerpVec3 n,
                          bool parallel)
{
    for (int i = 0; i < sides(a); i++)
        for (int j = 0; j < sides(b); j++)
            add_crossing(m, a, i, b, j, n, parallel);
}

static double angle(PerpVec3 a, PerpVec3 b)
{
    return perp_vec3_dot(a, b) > 0 ? perp_vec3_norm(perp_vec3_cross(a, b)) : 2;
}

void perp_manifold_facets(PerpManifold *m, const PerpCore *a, const PerpCore *b,
                          const PerpSeparation *s)
{
    PerpVec3 n = s->normal, back = perp_vec3_scale(-1, n);
    Patch on_a = patch_towards(a, back), on_b = patch_towards(b, n);
    bool looks_a = on_a.is_face && angle(on_a.normal, back) <= PARALLEL;
    bool looks_b = on_b.is_face && angle(on_b.normal, n) <= PARALLEL;
    bool parallel = looks_a && looks_b;
    if (looks_b)
        add_corners(m, &on_a, &on_b, true);
    if (looks_a)
        add_corners(m, &on_b, &on_a, false);
    if (looks_a || looks_b)
        add_crossings(m, &on_a, &on_b, n, parallel);
    if (perp_manifold_deepest(m) > s->gap - m->rounding_a - m->rounding_b + 0.01 * m->merge)
        perp_manifold_add(m, s->point_a, s->point_b, n, perp_feature(PERP_FEATURE_NEAREST, 0));
}

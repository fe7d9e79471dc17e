#include "collide/gjk.h"

#include <float.h>
#include <string.h>

static const double TOLERANCE = 1e-13; // of the distance's square, relative
static const int LIMIT = 200;          // iterations; polyhedra need about ten

// Up to four points of the difference a - b; the nearest point of their hull to the origin is their
// weighted sum v.
typedef struct Simplex {
    int n;
    PerpDifference point[4];
    double weight[4];
    PerpVec3 v;
} Simplex;

PerpDifference perp_core_difference(const PerpCore *a, const PerpCore *b, PerpVec3 direction)
{
    PerpDifference d;
    d.a = perp_core_support(a, direction, &d.vertex_a);
    d.b = perp_core_support(b, perp_vec3_scale(-1, direction), &d.vertex_b);
    d.w = perp_vec3_sub(d.a, d.b);
    return d;
}

static Simplex single(const PerpDifference *p)
{
    return (Simplex){.n = 1, .point = {*p}, .weight = {1}, .v = p->w};
}

static const Simplex *nearer(const Simplex *a, const Simplex *b)
{
    return perp_vec3_dot(b->v, b->v) < perp_vec3_dot(a->v, a->v) ? b : a;
}

static Simplex nearest_on_segment(const PerpDifference *p, const PerpDifference *q)
{
    PerpVec3 along = perp_vec3_sub(q->w, p->w);
    double t = -perp_vec3_dot(p->w, along), length = perp_vec3_dot(along, along);
    if (t <= 0)
        return single(p);
    if (t >= length)
        return single(q);
    t /= length;
    return (Simplex){
        .n = 2, .point = {*p, *q}, .weight = {1 - t, t}, .v = perp_vec3_add_scaled(p->w, t, along)};
}

static Simplex nearest_on_sides(const PerpDifference *p, const PerpDifference *q,
                                const PerpDifference *r)
{
    Simplex pq = nearest_on_segment(p, q), qr = nearest_on_segment(q, r);
    Simplex rp = nearest_on_segment(r, p);
    return *nearer(nearer(&pq, &qr), &rp);
}

// The origin's projection onto the plane has the weights n'(q x r) / n'n and so on around.
static Simplex nearest_on_triangle(const PerpDifference *p, const PerpDifference *q,
                                   const PerpDifference *r)
{
    PerpVec3 n = perp_vec3_cross(perp_vec3_sub(q->w, p->w), perp_vec3_sub(r->w, p->w));
    double area = perp_vec3_dot(n, n);
    double u = perp_vec3_dot(n, perp_vec3_cross(q->w, r->w));
    double v = perp_vec3_dot(n, perp_vec3_cross(r->w, p->w));
    double w = perp_vec3_dot(n, perp_vec3_cross(p->w, q->w));
    if (!(area > 0) || u <= 0 || v <= 0 || w <= 0)
        return nearest_on_sides(p, q, r);
    double sum = u + v + w;
    return (Simplex){.n = 3,
                     .point = {*p, *q, *r},
                     .weight = {u / sum, v / sum, w / sum},
                     .v = perp_vec3_scale(perp_vec3_dot(n, p->w) / area, n)};
}

// Is the origin on the other side of the plane p q r than `inner`, or is that not clear?
static bool is_outside(const PerpDifference *p, const PerpDifference *q, const PerpDifference *r,
                       const PerpDifference *inner)
{
    PerpVec3 n = perp_vec3_cross(perp_vec3_sub(q->w, p->w), perp_vec3_sub(r->w, p->w));
    double depth = perp_vec3_dot(n, perp_vec3_sub(inner->w, p->w));
    double origin = -perp_vec3_dot(n, p->w);
    double doubt = 8 * DBL_EPSILON * perp_vec3_norm(n) * perp_vec3_norm(p->w);
    return fabs(depth) <= doubt || (depth > 0 ? origin <= doubt : origin >= -doubt);
}

// All four faces that the origin is outside of; n = 4 if there is none.
static Simplex nearest_on_tetrahedron(const Simplex *s)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    const PerpDifference *p = s->point;
    Simplex best = {.n = 4};
    for (int f = 0; f < 4; f++) {
        const int *k = faces[f];
        if (!is_outside(&p[k[0]], &p[k[1]], &p[k[2]], &p[k[3]]))
            continue;
        Simplex face = nearest_on_triangle(&p[k[0]], &p[k[1]], &p[k[2]]);
        best = best.n == 4 ? face : *nearer(&best, &face);
    }
    return best;
}

static Simplex reduced(const Simplex *s)
{
    switch (s->n) {
    case 1:
        return single(&s->point[0]);
    case 2:
        return nearest_on_segment(&s->point[0], &s->point[1]);
    case 3:
        return nearest_on_triangle(&s->point[0], &s->point[1], &s->point[2]);
    default:
        return nearest_on_tetrahedron(s);
    }
}

static double largest_square(const Simplex *s)
{
    double most = 0;
    for (int i = 0; i < s->n; i++)
        most = fmax(most, perp_vec3_dot(s->point[i].w, s->point[i].w));
    return most;
}

static bool has_point(const Simplex *s, const PerpDifference *p)
{
    for (int i = 0; i < s->n; i++)
        if (memcmp(&s->point[i].w, &p->w, sizeof p->w) == 0)
            return true;
    return false;
}

static void witnesses(const Simplex *s, PerpVec3 *point_a, PerpVec3 *point_b)
{
    *point_a = *point_b = (PerpVec3){0, 0, 0};
    for (int i = 0; i < s->n; i++) {
        *point_a = perp_vec3_add_scaled(*point_a, s->weight[i], s->point[i].a);
        *point_b = perp_vec3_add_scaled(*point_b, s->weight[i], s->point[i].b);
    }
}

bool perp_gjk(const PerpCore *a, const PerpCore *b, double reach, PerpVec3 *v, PerpVec3 *point_a,
              PerpVec3 *point_b)
{
    PerpVec3 apart = perp_vec3_sub(a->position, b->position);
    PerpDifference first = perp_core_difference(a, b, perp_vec3_scale(-1, apart));
    Simplex s = single(&first);
    for (int iteration = 0; iteration < LIMIT; iteration++) {
        // v'w <= |v| d <= v'v: the distance d is between the plane through w and v
        double square = perp_vec3_dot(s.v, s.v);
        PerpDifference p = perp_core_difference(a, b, perp_vec3_scale(-1, s.v));
        double along = perp_vec3_dot(s.v, p.w);
        bool far = along > 0 && along * along > reach * reach * square;
        if (far || square - along <= TOLERANCE * square || has_point(&s, &p))
            break;
        Simplex larger = s;
        larger.point[larger.n++] = p;
        Simplex next = reduced(&larger);
        double nearest = perp_vec3_dot(next.v, next.v);
        if (next.n == 4 || nearest <= 1e-28 * largest_square(&larger))
            return false;
        if (nearest >= square)
            break;
        s = next;
    }
    *v = s.v;
    witnesses(&s, point_a, point_b);
    return perp_vec3_dot(s.v, s.v) > 1e-28 * largest_square(&s);
}

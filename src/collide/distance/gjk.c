// The Gilbert-Johnson-Keerthi algorithm: simplices of support points approach the origin.
#include "collide/distance/gjk.h"

#include "geom/bounds.h"

#include <float.h>
#include <string.h>

static const int LIMIT = 200; // iterations; polyhedra need about ten

// Up to four points of the difference a - b, by their places in an array of four; the nearest point
// of their hull to the origin is their weighted sum v.
typedef struct Simplex {
    int n, at[4];
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

static Simplex single(const PerpDifference *p, int i)
{
    return (Simplex){.n = 1, .at = {i}, .weight = {1}, .v = p[i].w};
}

static const Simplex *nearer(const Simplex *a, const Simplex *b)
{
    return perp_vec3_dot(b->v, b->v) < perp_vec3_dot(a->v, a->v) ? b : a;
}

static Simplex nearest_on_segment(const PerpDifference *p, int i, int j)
{
    PerpVec3 along = perp_vec3_sub(p[j].w, p[i].w);
    double t = -perp_vec3_dot(p[i].w, along), length = perp_vec3_dot(along, along);
    if (t <= 0)
        return single(p, i);
    if (t >= length)
        return single(p, j);
    t /= length;
    return (Simplex){
        .n = 2, .at = {i, j}, .weight = {1 - t, t}, .v = perp_vec3_add_scaled(p[i].w, t, along)};
}

static Simplex nearest_on_sides(const PerpDifference *p, int i, int j, int k)
{
    Simplex ij = nearest_on_segment(p, i, j), jk = nearest_on_segment(p, j, k);
    Simplex ki = nearest_on_segment(p, k, i);
    return *nearer(nearer(&ij, &jk), &ki);
}

// (q - p) x (r - p)
static PerpVec3 area_vector(PerpVec3 p, PerpVec3 q, PerpVec3 r)
{
    return perp_vec3_cross(perp_vec3_sub(q, p), perp_vec3_sub(r, p));
}

// The origin's projection onto the plane has the weights n'(q x r) / n'n and so on around.
static Simplex nearest_on_triangle(const PerpDifference *point, int i, int j, int k)
{
    PerpVec3 p = point[i].w, q = point[j].w, r = point[k].w;
    PerpVec3 n = area_vector(p, q, r);
    double area = perp_vec3_dot(n, n);
    double u = perp_vec3_dot(n, perp_vec3_cross(q, r));
    double v = perp_vec3_dot(n, perp_vec3_cross(r, p));
    double w = perp_vec3_dot(n, perp_vec3_cross(p, q));
    if (!(area > 0) || u <= 0 || v <= 0 || w <= 0)
        return nearest_on_sides(point, i, j, k);
    double sum = u + v + w;
    return (Simplex){.n = 3,
                     .at = {i, j, k},
                     .weight = {u / sum, v / sum, w / sum},
                     .v = perp_vec3_scale(perp_vec3_dot(n, p) / area, n)};
}

static double sum_of_sizes(PerpVec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// Is the origin on the other side of the plane p q r than `inner`, or is that not clear?
static bool is_outside(PerpVec3 p, PerpVec3 q, PerpVec3 r, PerpVec3 inner)
{
    PerpVec3 n = area_vector(p, q, r);
    double depth = perp_vec3_dot(n, perp_vec3_sub(inner, p));
    double origin = -perp_vec3_dot(n, p);
    double most = 8 * DBL_EPSILON * sum_of_sizes(n) * sum_of_sizes(p); // no less than the doubt
    if (fabs(depth) > most && fabs(origin) > most)
        return (depth > 0) != (origin > 0);
    double doubt = 8 * DBL_EPSILON * perp_vec3_norm(n) * perp_vec3_norm(p);
    return fabs(depth) <= doubt || (depth > 0 ? origin <= doubt : origin >= -doubt);
}

// All four faces that the origin is outside of; n = 4 if there is none.
static Simplex nearest_on_tetrahedron(const PerpDifference *p, const int *at)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    Simplex best = {.n = 4};
    for (int f = 0; f < 4; f++) {
        int i = at[faces[f][0]], j = at[faces[f][1]], k = at[faces[f][2]], l = at[faces[f][3]];
        if (!is_outside(p[i].w, p[j].w, p[k].w, p[l].w))
            continue;
        Simplex face = nearest_on_triangle(p, i, j, k);
        best = best.n == 4 ? face : *nearer(&best, &face);
    }
    return best;
}

// Of the n points at these places.
static Simplex nearest_on_hull(const PerpDifference *p, int n, const int *at)
{
    switch (n) {
    case 1:
        return single(p, at[0]);
    case 2:
        return nearest_on_segment(p, at[0], at[1]);
    case 3:
        return nearest_on_triangle(p, at[0], at[1], at[2]);
    default:
        return nearest_on_tetrahedron(p, at);
    }
}

static double largest_square(const PerpDifference *p, int n, const int *at)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = perp_larger(most, perp_vec3_dot(p[at[i]].w, p[at[i]].w));
    return most;
}

static bool has_point(const PerpDifference *p, const Simplex *s, PerpVec3 w)
{
    for (int i = 0; i < s->n; i++)
        if (memcmp(&p[s->at[i]].w, &w, sizeof w) == 0)
            return true;
    return false;
}

// The first place that the simplex, of up to three points, leaves free.
static int free_place(const Simplex *s)
{
    bool taken[4] = {false};
    int place = 0;
    for (int i = 0; i < s->n; i++)
        taken[s->at[i]] = true;
    while (taken[place])
        place++;
    return place;
}

static void witnesses(const PerpDifference *p, const Simplex *s, PerpVec3 *point_a,
                      PerpVec3 *point_b)
{
    *point_a = *point_b = (PerpVec3){0, 0, 0};
    for (int i = 0; i < s->n; i++) {
        *point_a = perp_vec3_add_scaled(*point_a, s->weight[i], p[s->at[i]].a);
        *point_b = perp_vec3_add_scaled(*point_b, s->weight[i], p[s->at[i]].b);
    }
}

// Does w, the farthest point against v, show that the cores are farther apart?
static bool is_farther(PerpVec3 v, PerpVec3 w, double reach)
{
    double along = perp_vec3_dot(v, w);
    return along > 0 && along * along > reach * reach * perp_vec3_dot(v, v);
}

bool perp_gjk(const PerpCore *a, const PerpCore *b, double reach, double tolerance, PerpVec3 *v,
              PerpVec3 *point_a, PerpVec3 *point_b)
{
    PerpDifference point[4] = {perp_core_difference(a, b, perp_vec3_scale(-1, *v))};
    if (is_farther(*v, point[0].w, reach))
        return true;
    Simplex s = single(point, 0);
    for (int iteration = 0; iteration < LIMIT; iteration++) {
        // v'w <= |v| d <= v'v: the distance d is between the plane through w and v
        int place = free_place(&s);
        PerpDifference *p = &point[place];
        double square = perp_vec3_dot(s.v, s.v);
        *p = perp_core_difference(a, b, perp_vec3_scale(-1, s.v));
        double along = perp_vec3_dot(s.v, p->w);
        if (is_farther(s.v, p->w, reach) || square - along <= tolerance * square ||
            has_point(point, &s, p->w))
            break;
        s.at[s.n++] = place;
        Simplex next = nearest_on_hull(point, s.n, s.at);
        double nearest = perp_vec3_dot(next.v, next.v);
        if (next.n == 4 || nearest <= 1e-28 * largest_square(point, s.n, s.at))
            return false;
        if (nearest >= square) {
            s.n--;
            break;
        }
        s = next;
    }
    *v = s.v;
    witnesses(point, &s, point_a, point_b);
    return perp_vec3_dot(s.v, s.v) > 1e-28 * largest_square(point, s.n, s.at);
}

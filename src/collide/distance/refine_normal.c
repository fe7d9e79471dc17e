// Newton's method for the normal n of largest separation between two curved cores. The separation
// s(n) = -h_a(-n) - h_b(n), h the support functions, is smooth where the features stay the same:
// normals n across an edge or the side of a cylinder, normal to a face or a cap, free at a vertex,
// a rim or an ellipsoid. On each such set Newton's method finds the stationary point; the largest s
// wins. Bounds from above, by GJK, EPA or two points, tell when it is found.
#include "collide/distance/refine_normal.h"

#include <float.h>

enum { MOST_FEATURES = 4, ITERATIONS = 30 };
enum { PROMISING = 2 }; // searches from a rough normal: if none is right, a better one is needed

// Directions that n must be perpendicular to.
typedef struct Feature {
    int n;
    PerpVec3 across[2];
} Feature;

typedef struct FeatureList {
    int n;
    Feature feature[MOST_FEATURES];
} FeatureList;

static void add_feature(FeatureList *list, int n, PerpVec3 first, PerpVec3 second)
{
    list->feature[list->n++] = (Feature){n, {first, second}};
}

// The two edges at the vertex that lean least away from d.
static void add_edges(FeatureList *list, const PerpCore *c, int vertex, PerpVec3 d)
{
    const PerpPolyhedron *p = c->polyhedron;
    PerpVec3 best[2];
    double most[2] = {-INFINITY, -INFINITY};
    for (int e = 0; e < p->n_edges; e++) {
        int from = p->edge[e].vertex[0], to = p->edge[e].vertex[1];
        if (from != vertex && to != vertex)
            continue;
        PerpVec3 edge = perp_vec3_sub(p->vertex[from == vertex ? to : from], p->vertex[vertex]);
        edge = perp_mat3_times(c->R, perp_vec3_normalise(edge));
        int place = perp_vec3_dot(edge, d) > most[0] ? 0 : 1;
        if (perp_vec3_dot(edge, d) <= most[place])
            continue;
        if (place == 0) {
            best[1] = best[0];
            most[1] = most[0];
        }
        best[place] = edge;
        most[place] = perp_vec3_dot(edge, d);
    }
    for (int k = 0; k < 2; k++)
        if (most[k] > -INFINITY)
            add_feature(list, 1, best[k], best[k]);
}

static FeatureList polyhedron_features(const PerpCore *c, PerpVec3 d)
{
    FeatureList list = {0};
    int vertex;
    PerpVec3 zero = {0, 0, 0}, t1, t2;
    perp_core_support(c, d, &vertex);
    add_feature(&list, 0, zero, zero);
    add_edges(&list, c, vertex, d);
    int face = perp_core_face_at(c, vertex, d);
    if (face >= 0) {
        perp_vec3_tangents(perp_core_normal(c, face), &t1, &t2);
        add_feature(&list, 2, t1, t2);
    }
    return list;
}

static FeatureList features(const PerpCore *c, PerpVec3 d)
{
    if (c->polyhedron)
        return polyhedron_features(c, d);
    FeatureList list = {0};
    PerpVec3 zero = {0, 0, 0};
    add_feature(&list, 0, zero, zero);
    if (c->kind == PERP_SHAPE_CYLINDER) {
        add_feature(&list, 1, c->R.z, zero);
        add_feature(&list, 2, c->R.x, c->R.y);
    }
    return list;
}

// t' (second derivative of h at d) u, for t and u across the unit d.
//     ellipsoid  h = |S d|:                 ((S t)'(S u) - (S t)'e (S u)'e) / h,  e = S d / h
//     cylinder   h = r |d_across| + h|d_z|:  r (t'tau)(u'tau) / |d_across|,  tau around the rim
static double curvature(const PerpCore *c, PerpVec3 d, PerpVec3 t, PerpVec3 u)
{
    if (c->polyhedron)
        return 0;
    d = perp_mat3_transposed_times(c->R, d);
    t = perp_mat3_transposed_times(c->R, t);
    u = perp_mat3_transposed_times(c->R, u);
    if (c->kind == PERP_SHAPE_CYLINDER) {
        double across = perp_length(d.x, d.y);
        PerpVec3 tau = {-d.y / across, d.x / across, 0};
        return across > 0 ? c->size[0] * perp_vec3_dot(t, tau) * perp_vec3_dot(u, tau) / across : 0;
    }
    PerpMat3 S = perp_mat3_diagonal(perp_vec3_load(c->size));
    PerpVec3 Sd = perp_mat3_times(S, d), St = perp_mat3_times(S, t), Su = perp_mat3_times(S, u);
    double h = perp_vec3_norm(Sd);
    PerpVec3 e = perp_vec3_scale(1 / h, Sd);
    return (perp_vec3_dot(St, Su) - perp_vec3_dot(St, e) * perp_vec3_dot(Su, e)) / h;
}

// An orthonormal basis of the directions across n and across the features.
typedef struct Basis {
    int n;
    PerpVec3 t[2];
} Basis;

static PerpVec3 without(PerpVec3 v, PerpVec3 unit)
{
    return perp_vec3_add_scaled(v, -perp_vec3_dot(v, unit), unit);
}

// The constraints of both features made orthonormal; returns their number, up to 3.
static int join(const Feature *f, const Feature *g, PerpVec3 *unit)
{
    static const double DEPENDENT = 1e-9;
    int n = 0;
    for (int k = 0; k < f->n + g->n; k++) {
        PerpVec3 v = k < f->n ? f->across[k] : g->across[k - f->n];
        for (int i = 0; i < n; i++)
            v = without(v, unit[i]);
        double length = perp_vec3_norm(v);
        if (length > DEPENDENT && n < 3)
            unit[n++] = perp_vec3_scale(1 / length, v);
    }
    return n;
}

static Basis free_directions(PerpVec3 n, int constraints, const PerpVec3 *unit)
{
    Basis basis = {.n = 2 - constraints};
    if (constraints == 0)
        perp_vec3_tangents(n, &basis.t[0], &basis.t[1]);
    if (constraints == 1)
        basis.t[0] = perp_vec3_cross(unit[0], n);
    return basis;
}

static PerpVec3 gradient(const PerpCore *a, const PerpCore *b, PerpVec3 n)
{
    int vertex;
    return perp_vec3_sub(perp_core_support(a, perp_vec3_scale(-1, n), &vertex),
                         perp_core_support(b, n, &vertex));
}

// The step xi of  (t_i' s'' t_j - s delta_ij) xi = -t_i' s',  or one along the gradient where s is
// not concave.
static PerpVec3 newton_step(const PerpCore *a, const PerpCore *b, PerpVec3 n, double s, PerpVec3 ds,
                            const Basis *basis)
{
    double g[2] = {0}, H[2][2] = {{-1, 0}, {0, -1}};
    PerpVec3 back = perp_vec3_scale(-1, n), step = {0, 0, 0};
    for (int i = 0; i < basis->n; i++) {
        g[i] = perp_vec3_dot(basis->t[i], ds);
        for (int j = 0; j < basis->n; j++)
            H[i][j] = -curvature(a, back, basis->t[i], basis->t[j]) -
                      curvature(b, n, basis->t[i], basis->t[j]) - (i == j ? s : 0);
    }
    double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    bool concave = H[0][0] < 0 && det > 0;
    double ascent = 0.1 / (fabs(g[0]) + fabs(g[1]) + DBL_MIN);
    double xi[2] = {ascent * g[0], ascent * g[1]};
    if (concave) {
        xi[0] = -(H[1][1] * g[0] - H[0][1] * g[1]) / det;
        xi[1] = -(H[0][0] * g[1] - H[1][0] * g[0]) / det;
    }
    for (int i = 0; i < basis->n; i++)
        step = perp_vec3_add_scaled(step, xi[i], basis->t[i]);
    return step;
}

// The norm of the projected gradient.
static double slope(PerpVec3 ds, const Basis *basis)
{
    double sum = 0;
    for (int i = 0; i < basis->n; i++)
        sum = perp_length(sum, perp_vec3_dot(basis->t[i], ds));
    return sum;
}

// A normal n under the constraints of two features.
typedef struct Search {
    const PerpCore *a, *b;
    int constraints;
    PerpVec3 unit[3];
    double rounding; // m, error of s
    PerpVec3 n, ds;  // ds: the gradient of s
    double s, slope;
} Search;

static void take(Search *c, PerpVec3 n)
{
    Basis basis = free_directions(n, c->constraints, c->unit);
    c->n = n;
    c->ds = gradient(c->a, c->b, n);
    c->s = perp_vec3_dot(n, c->ds); // s is homogeneous of degree 1
    c->slope = slope(c->ds, &basis);
}

// Larger, or with a smaller gradient where rounding hides the difference: near its maximum s
// determines n to half the digits only, its gradient to all of them.
static bool is_better(const Search *next, const Search *c)
{
    return next->s > c->s + c->rounding ||
           (next->s >= c->s - c->rounding && next->slope < c->slope);
}

// Backtracking: the longest of the Newton step, its half, its quarter ... that is better; false if
// none is.
static bool line_search(Search *c)
{
    Basis basis = free_directions(c->n, c->constraints, c->unit);
    PerpVec3 step = newton_step(c->a, c->b, c->n, c->s, c->ds, &basis);
    for (double scale = 1; scale > 1e-6; scale /= 2) {
        Search next = *c;
        take(&next, perp_vec3_normalise(perp_vec3_add_scaled(c->n, scale, step)));
        if (is_better(&next, c)) {
            *c = next;
            return true;
        }
    }
    return false;
}

// n made perpendicular to the constraints; false if nothing is left of it.
static bool project(Search *c, PerpVec3 n)
{
    for (int i = 0; i < c->constraints; i++)
        n = without(n, c->unit[i]);
    if (perp_vec3_norm(n) < 0.5)
        return false;
    if (c->constraints == 2) {
        PerpVec3 only = perp_vec3_cross(c->unit[0], c->unit[1]);
        n = perp_vec3_scale(copysign(1, perp_vec3_dot(n, only)), only);
    }
    take(c, perp_vec3_normalise(n));
    return true;
}

// Is it stationary, and as large as any can be?
static bool is_settled(const Search *c, double enough)
{
    return c->slope <= c->rounding && c->s >= enough - c->rounding;
}

// The searches to be made, each at its first normal.
typedef struct SearchList {
    int n;
    Search search[MOST_FEATURES * MOST_FEATURES];
} SearchList;

static void add_search(SearchList *list, const Search *from, const Feature *f, const Feature *g)
{
    Search *c = &list->search[list->n];
    *c = *from;
    c->constraints = join(f, g, c->unit);
    if (c->constraints <= 2 && project(c, from->n))
        list->n++;
}

// The largest separation first. Of those that are enough the most constrained: where it is right,
// those with fewer constraints are not smooth.
static bool goes_before(const Search *c, const Search *d, double enough)
{
    bool both = c->s >= enough - c->rounding && d->s >= enough - d->rounding;
    return both ? c->constraints > d->constraints : c->s > d->s;
}

static Search take_next(SearchList *list, double enough)
{
    int best = 0;
    for (int k = 1; k < list->n; k++)
        if (goes_before(&list->search[k], &list->search[best], enough))
            best = k;
    Search taken = list->search[best];
    list->search[best] = list->search[--list->n];
    return taken;
}

static void ascend(Search *c)
{
    for (int k = 0; k < ITERATIONS && c->slope > c->rounding; k++)
        if (!line_search(c))
            break;
}

// All searches near the normal that is known.
static Search start_at(const PerpCore *a, const PerpCore *b, const PerpSeparation *s,
                       SearchList *list)
{
    FeatureList on_a = features(a, perp_vec3_scale(-1, s->normal)), on_b = features(b, s->normal);
    double rounding = 4 * DBL_EPSILON * (a->extent + b->extent + fabs(s->gap));
    Search start = {
        .a = a, .b = b, .rounding = rounding, .n = s->normal, .s = s->gap, .slope = INFINITY};
    list->n = 0;
    for (int i = 0; i < on_a.n; i++)
        for (int j = 0; j < on_b.n; j++)
            add_search(list, &start, &on_a.feature[i], &on_b.feature[j]);
    return start;
}

void perp_refine_normal(const PerpCore *a, const PerpCore *b, double enough, PerpSeparation *s)
{
    SearchList list;
    Search best = start_at(a, b, s, &list);
    while (list.n > 0 && !is_settled(&best, enough)) {
        Search c = take_next(&list, enough);
        ascend(&c);
        if (is_better(&c, &best))
            best = c;
    }
    s->normal = best.n;
    s->gap = best.s;
}

static const double DOUBT = 2e-13; // relative: distances that differ by less are the same

static double distance_of(PerpVec3 x, PerpVec3 y)
{
    return perp_vec3_norm(perp_vec3_sub(x, y));
}

// No separation is larger than the distance of two points of the cores. Is it as large as that of
// the farthest point of one and the nearest to it of the other, or as that of two sides?
static bool has_points(const Search *c, PerpVec3 *point_a, PerpVec3 *point_b)
{
    PerpSegment a = perp_core_side(c->a, perp_vec3_scale(-1, c->n)), b = perp_core_side(c->b, c->n);
    double most = (c->s + c->rounding) * (1 + DOUBT);
    if (c->slope > c->rounding)
        return false;
    *point_a = a.x;
    if (perp_core_nearest(c->b, a.x, point_b) && distance_of(*point_a, *point_b) <= most)
        return true;
    *point_b = b.x;
    if (perp_core_nearest(c->a, b.x, point_a) && distance_of(*point_a, *point_b) <= most)
        return true;
    perp_segments_nearest(&a, &b, point_a, point_b);
    return distance_of(*point_a, *point_b) <= most;
}

bool perp_refine_apart(const PerpCore *a, const PerpCore *b, PerpSeparation *s)
{
    SearchList list;
    Search best = start_at(a, b, s, &list);
    bool proven = false;
    for (int k = 0; k < PROMISING && list.n > 0 && !proven; k++) {
        Search c = take_next(&list, INFINITY);
        ascend(&c);
        if (is_better(&c, &best))
            best = c;
        proven = has_points(&best, &s->point_a, &s->point_b);
    }
    s->normal = best.n;
    s->gap = best.s;
    return proven;
}

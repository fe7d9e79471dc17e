// The separating axis test for polyhedra, and its special case for boxes.
#include "collide/distance/sat.h"

static const double PARALLEL = 1e-10; // sine of the angle between two edges

typedef struct Best {
    double separation;
    PerpVec3 normal; // from b to a
} Best;

static void take_if_larger(Best *best, double separation, PerpVec3 normal)
{
    if (separation > best->separation)
        *best = (Best){separation, normal};
}

// How far a point is in front of the face.
static double in_front(const PerpCore *c, int face, PerpVec3 normal, PerpVec3 x)
{
    return perp_vec3_dot(normal, perp_vec3_sub(x, c->position)) - c->polyhedron->offset[face];
}

// A single triangle is the surface of something: nothing pushes it from behind.
static bool is_from_behind(const PerpCore *c, PerpVec3 outward)
{
    return c->polyhedron->n_faces == 1 && perp_vec3_dot(perp_core_normal(c, 0), outward) < 0;
}

// sign: +1 if the normals of c point to a, -1 if they point to b. A face that the nearest point so
// far is deeper behind than the best separation, all rounding apart, is not better.
static void try_faces(Best *best, const PerpCore *c, const PerpCore *other, double sign)
{
    static const double SLACK = 1e-9; // of the size
    PerpVec3 nearest = other->position;
    bool is_known = false;
    int vertex;
    for (int f = 0; f < c->polyhedron->n_faces; f++) {
        PerpVec3 normal = perp_core_normal(c, f), back = perp_vec3_scale(-1, normal);
        double enough = best->separation - SLACK * c->extent;
        if ((is_known && in_front(c, f, normal, nearest) < enough) || is_from_behind(other, back))
            continue;
        PerpVec3 point = perp_core_support(other, back, &vertex);
        double separation = in_front(c, f, normal, point);
        if (separation > best->separation || !is_known)
            nearest = point;
        is_known = true;
        take_if_larger(best, separation, perp_vec3_scale(sign, normal));
    }
}

static PerpVec3 edge_vector(const PerpCore *c, int edge)
{
    const PerpEdge *e = &c->polyhedron->edge[edge];
    return perp_mat3_times(c->R, perp_vec3_sub(c->polyhedron->vertex[e->vertex[1]],
                                               c->polyhedron->vertex[e->vertex[0]]));
}

// An edge at its place. Its normals, perpendicular to it, are those n with wedge'n >= 0 for both.
typedef struct Edge {
    PerpVec3 along, from, wedge[2];
    double square; // of its length
} Edge;

// Between the normals of two faces, with u = n_0 x n_1: (n_0 x n)'u >= 0 and (n x n_1)'u >= 0. A
// segment's edge has any n, that of a triangle what is outward and not from behind.
static void find_wedge(const PerpCore *c, const int face[2], Edge *edge)
{
    const PerpVec3 *normal = c->polyhedron->normal;
    if (face[0] >= 0 && face[1] < 0) {
        edge->wedge[0] = perp_core_normal(c, 0);
        edge->wedge[1] = perp_vec3_cross(edge->along, edge->wedge[0]);
    } else if (face[0] >= 0) {
        PerpVec3 u = perp_vec3_cross(normal[face[0]], normal[face[1]]);
        edge->wedge[0] = perp_mat3_times(c->R, perp_vec3_cross(u, normal[face[0]]));
        edge->wedge[1] = perp_mat3_times(c->R, perp_vec3_cross(normal[face[1]], u));
    }
}

static Edge edge_at(const PerpCore *c, int number)
{
    const PerpEdge *e = &c->polyhedron->edge[number];
    Edge edge = {.along = edge_vector(c, number), .from = perp_core_vertex(c, e->vertex[0])};
    edge.square = perp_vec3_dot(edge.along, edge.along);
    find_wedge(c, e->face, &edge);
    return edge;
}

static bool is_normal_of(const Edge *edge, PerpVec3 n)
{
    return perp_vec3_dot(edge->wedge[0], n) >= 0 && perp_vec3_dot(edge->wedge[1], n) >= 0;
}

// Across both, either way. Roots are taken of what is the farthest so far, which most are not:
//     x / |n| > y   where   x |x| > y |y| n'n
static void try_edge_pair(Best *best, const Edge *u, const Edge *v)
{
    PerpVec3 across = perp_vec3_cross(u->along, v->along);
    double square = perp_vec3_dot(across, across);
    if (square <= PARALLEL * PARALLEL * u->square * v->square)
        return;
    double apart = perp_vec3_dot(across, perp_vec3_sub(u->from, v->from));
    for (int sign = -1; sign <= 1; sign += 2) {
        PerpVec3 n = perp_vec3_scale(sign, across);
        double x = sign * apart, y = best->separation;
        if (x * fabs(x) > y * fabs(y) * square && is_normal_of(v, n) &&
            is_normal_of(u, perp_vec3_scale(-1, n)))
            take_if_larger(best, x / sqrt(square), perp_vec3_scale(1 / sqrt(square), n));
    }
}

// May a normal of the edge be better than what was found already, all rounding apart? Along a
// normal m the cores are no farther apart than m'd, d from the edge to any point of the other one,
// which is given in the axes of c. All m = s m_0 + t m_1 with s + t >= 1 are between those of two
// faces: if m_0'd and m_1'd are negative, none is better than the larger of them.
static bool is_promising(const Best *best, const PerpCore *c, int number, PerpVec3 point)
{
    static const double SLACK = 1e-9; // relative
    const PerpEdge *edge = &c->polyhedron->edge[number];
    if (edge->face[0] < 0 || edge->face[1] < 0)
        return true;
    PerpVec3 d = perp_vec3_sub(point, c->polyhedron->vertex[edge->vertex[0]]);
    double most = fmax(perp_vec3_dot(c->polyhedron->normal[edge->face[0]], d),
                       perp_vec3_dot(c->polyhedron->normal[edge->face[1]], d));
    return most >= fmin(best->separation, 0) - SLACK * (fabs(d.x) + fabs(d.y) + fabs(d.z));
}

enum { EDGES_AT_ONCE = 32 };

// The next promising edges, from number *at on; returns how many.
static int next_edges(const Best *best, const PerpCore *c, PerpVec3 point, int *at, Edge *edge)
{
    int n = 0;
    for (; *at < c->polyhedron->n_edges && n < EDGES_AT_ONCE; ++*at)
        if (is_promising(best, c, *at, point))
            edge[n++] = edge_at(c, *at);
    return n;
}

static PerpVec3 in_axes_of(const PerpCore *c, PerpVec3 x)
{
    return perp_mat3_transposed_times(c->R, perp_vec3_sub(x, c->position));
}

// Of two polyhedra in contact few edges are promising: the points of both that are farthest along
// the best normal so far tell it of the others.
static void try_edges(Best *best, const PerpCore *a, const PerpCore *b)
{
    Edge of_b[EDGES_AT_ONCE];
    int vertex, n;
    PerpVec3 point_a = perp_core_support(a, perp_vec3_scale(-1, best->normal), &vertex);
    PerpVec3 point_b = perp_core_support(b, best->normal, &vertex);
    PerpVec3 a_seen = in_axes_of(b, point_a), b_seen = in_axes_of(a, point_b);
    for (int at = 0; (n = next_edges(best, b, a_seen, &at, of_b)) > 0;)
        for (int i = 0; i < a->polyhedron->n_edges; i++) {
            if (!is_promising(best, a, i, b_seen))
                continue;
            Edge u = edge_at(a, i);
            for (int j = 0; j < n; j++)
                try_edge_pair(best, &u, &of_b[j]);
        }
}

// --- boxes --------------------------------------------------------------------------------------

// Two boxes seen along the axes of both.
typedef struct Boxes {
    PerpVec3 axis[2][3];   // unit
    const double *half[2]; // m, of the sides
    double apart[2][3];    // m: from b to a along the axes
    double cosine[3][3];   // of the angle between axis i of a and j of b; not negative
    double product[3][3];  // the same with its sign
} Boxes;

static Boxes see_boxes(const PerpCore *a, const PerpCore *b)
{
    PerpVec3 apart = perp_vec3_sub(a->position, b->position);
    Boxes s = {.axis = {{a->R.x, a->R.y, a->R.z}, {b->R.x, b->R.y, b->R.z}},
               .half = {a->size, b->size}};
    for (int i = 0; i < 3; i++) {
        s.apart[0][i] = perp_vec3_dot(s.axis[0][i], apart);
        s.apart[1][i] = perp_vec3_dot(s.axis[1][i], apart);
        for (int j = 0; j < 3; j++) {
            s.product[i][j] = perp_vec3_dot(s.axis[0][i], s.axis[1][j]);
            s.cosine[i][j] = fabs(s.product[i][j]);
        }
    }
    return s;
}

// Along axis i of a box, with c_k the cosines of the other's axes:  |d| - h_i - sum c_k h_k
static void try_box_faces(Best *best, const Boxes *s)
{
    for (int i = 0; i < 3; i++) {
        const double *h = s->half[1], *c = s->cosine[i], d = s->apart[0][i];
        take_if_larger(best, fabs(d) - s->half[0][i] - (c[0] * h[0] + c[1] * h[1] + c[2] * h[2]),
                       perp_vec3_scale(copysign(1, d), s->axis[0][i]));
    }
    for (int j = 0; j < 3; j++) {
        const double *h = s->half[0], d = s->apart[1][j];
        double of_a = s->cosine[0][j] * h[0] + s->cosine[1][j] * h[1] + s->cosine[2][j] * h[2];
        take_if_larger(best, fabs(d) - s->half[1][j] - of_a,
                       perp_vec3_scale(copysign(1, d), s->axis[1][j]));
    }
}

// Along n = a_i x b_j, in a's frame e_i x R'b_j; |n| is the sine of their angle. Sides along the
// other axes k, l of a reach |n'a_k| h_k = |b_j'a_l| h_k, and so do those of b.
static void try_box_edges(Best *best, const Boxes *s, int i, int j)
{
    int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
    double square = s->product[k][j] * s->product[k][j] + s->product[l][j] * s->product[l][j];
    double d = s->apart[0][l] * s->product[k][j] - s->apart[0][k] * s->product[l][j];
    double x = fabs(d) - s->half[0][k] * s->cosine[l][j] - s->half[0][l] * s->cosine[k][j] -
               s->half[1][m] * s->cosine[i][n] - s->half[1][n] * s->cosine[i][m];
    double y = best->separation;
    if (square > PARALLEL * PARALLEL && x * fabs(x) > y * fabs(y) * square)
        take_if_larger(best, x / sqrt(square),
                       perp_vec3_scale(copysign(1, d) / sqrt(square),
                                       perp_vec3_cross(s->axis[0][i], s->axis[1][j])));
}

double perp_sat_boxes(const PerpCore *a, const PerpCore *b, PerpVec3 *normal)
{
    Best best = {.separation = -INFINITY};
    Boxes seen = see_boxes(a, b);
    try_box_faces(&best, &seen);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            try_box_edges(&best, &seen, i, j);
    *normal = best.normal;
    return best.separation;
}

// --- polyhedra ----------------------------------------------------------------------------------

double perp_sat(const PerpCore *a, const PerpCore *b, PerpVec3 *normal)
{
    Best best = {.separation = -INFINITY};
    try_faces(&best, a, b, -1);
    try_faces(&best, b, a, 1);
    try_edges(&best, a, b);
    *normal = best.normal;
    return best.separation;
}

#include "collide/sat.h"

typedef struct Best {
    double separation;
    PerpVec3 normal; // from b to a
} Best;

static void offer(Best *best, double separation, PerpVec3 normal)
{
    if (separation > best->separation)
        *best = (Best){separation, normal};
}

// How far `other` is in front of the face.
static double in_front(const PerpCore *c, int face, PerpVec3 normal, const PerpCore *other)
{
    int vertex;
    PerpVec3 nearest = perp_core_support(other, perp_vec3_scale(-1, normal), &vertex);
    return perp_vec3_dot(normal, perp_vec3_sub(nearest, c->position)) - c->polyhedron->offset[face];
}

// A single triangle is the surface of something: nothing pushes it from behind.
static bool is_from_behind(const PerpCore *c, PerpVec3 outward)
{
    return c->polyhedron->n_faces == 1 && perp_vec3_dot(perp_core_normal(c, 0), outward) < 0;
}

// sign: +1 if the normals of c point to a, -1 if they point to b
static void try_faces(Best *best, const PerpCore *c, const PerpCore *other, double sign)
{
    for (int f = 0; f < c->polyhedron->n_faces; f++) {
        PerpVec3 normal = perp_core_normal(c, f);
        if (is_from_behind(other, perp_vec3_scale(-1, normal)))
            continue;
        offer(best, in_front(c, f, normal, other), perp_vec3_scale(sign, normal));
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
    static const double PARALLEL = 1e-10; // sine of the angle
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
            offer(best, x / sqrt(square), perp_vec3_scale(1 / sqrt(square), n));
    }
}

enum { EDGES_AT_ONCE = 32 };

static void try_edges(Best *best, const PerpCore *a, const PerpCore *b)
{
    Edge of_b[EDGES_AT_ONCE];
    int n = b->polyhedron->n_edges;
    for (int j = 0; j < n && j < EDGES_AT_ONCE; j++)
        of_b[j] = edge_at(b, j);
    for (int i = 0; i < a->polyhedron->n_edges; i++) {
        Edge u = edge_at(a, i);
        for (int j = 0; j < n; j++) {
            Edge v = j < EDGES_AT_ONCE ? of_b[j] : edge_at(b, j);
            try_edge_pair(best, &u, &v);
        }
    }
}

double perp_sat(const PerpCore *a, const PerpCore *b, PerpVec3 *normal)
{
    Best best = {.separation = -INFINITY};
    try_faces(&best, a, b, -1);
    try_faces(&best, b, a, 1);
    try_edges(&best, a, b);
    *normal = best.normal;
    return best.separation;
}

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

// Is n, perpendicular to the edge, between the normals of its two faces? With the edge along
// u = n_0 x n_1 that is (n_0 x n)'u >= 0 and (n x n_1)'u >= 0. A segment's edge has any n, that of
// a triangle what is outward and not from behind.
static bool is_normal_of_edge(const PerpCore *c, int edge, PerpVec3 n)
{
    const PerpEdge *e = &c->polyhedron->edge[edge];
    if (e->face[0] < 0)
        return true;
    if (e->face[1] < 0)
        return !is_from_behind(c, n) &&
               perp_vec3_dot(perp_vec3_cross(edge_vector(c, edge), perp_core_normal(c, 0)), n) >= 0;
    PerpVec3 d = perp_mat3_transposed_times(c->R, n);
    PerpVec3 n_0 = c->polyhedron->normal[e->face[0]], n_1 = c->polyhedron->normal[e->face[1]];
    PerpVec3 u = perp_vec3_cross(n_0, n_1);
    return perp_vec3_dot(perp_vec3_cross(n_0, d), u) >= 0 &&
           perp_vec3_dot(perp_vec3_cross(d, n_1), u) >= 0;
}

// An edge of a at its place, against all of b.
typedef struct Edge {
    int number;
    PerpVec3 along, from;
    double length;
} Edge;

static Edge edge_at(const PerpCore *c, int number)
{
    PerpVec3 along = edge_vector(c, number);
    return (Edge){number, along, perp_core_vertex(c, c->polyhedron->edge[number].vertex[0]),
                  perp_vec3_norm(along)};
}

// Whether the normal is one of the edges' is asked last: most pairs are not the farthest so far.
static void try_edge_pair(Best *best, const PerpCore *a, const Edge *u, const PerpCore *b,
                          const Edge *v)
{
    static const double PARALLEL = 1e-10; // sine of the angle
    PerpVec3 across = perp_vec3_cross(u->along, v->along);
    double sine = perp_vec3_norm(across);
    if (sine <= PARALLEL * u->length * v->length)
        return;
    for (int sign = -1; sign <= 1; sign += 2) {
        PerpVec3 n = perp_vec3_scale(sign / sine, across);
        double separation = perp_vec3_dot(n, perp_vec3_sub(u->from, v->from));
        if (separation > best->separation && is_normal_of_edge(b, v->number, n) &&
            is_normal_of_edge(a, u->number, perp_vec3_scale(-1, n)))
            offer(best, separation, n);
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
            try_edge_pair(best, a, &u, b, &v);
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

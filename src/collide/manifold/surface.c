// Contacts at inner edges and vertices of a mesh: which of them the surface supports.
#include "collide/manifold/surface.h"

#include "collide/manifold/patch.h"

static const double ON_EDGE = 1e-6; // how near to an edge is on it, relative to the sides

// Distance of x, in the plane of the triangle, from its edge k, and the length of the edge.
static double edge_distance(const PerpTriangles *t, const PerpTriangle *triangle, int k, PerpVec3 x,
                            double *length)
{
    PerpVec3 start = t->vertex[triangle->vertex[k]];
    PerpVec3 edge = perp_vec3_sub(t->vertex[triangle->vertex[(k + 1) % 3]], start);
    *length = perp_vec3_norm(edge);
    PerpVec3 inward = perp_vec3_scale(1 / *length, perp_vec3_cross(triangle->normal, edge));
    return perp_vec3_dot(inward, perp_vec3_sub(x, start));
}

// A bit for each edge that x is on.
static unsigned edges_at(const PerpTriangles *t, const PerpTriangle *triangle, PerpVec3 x)
{
    double distance[3], longest = 0;
    for (int k = 0; k < 3; k++) {
        double length;
        distance[k] = edge_distance(t, triangle, k, x, &length);
        longest = fmax(longest, length);
    }
    unsigned edges = 0;
    for (int k = 0; k < 3; k++)
        edges |= distance[k] <= ON_EDGE * longest ? 1u << k : 0;
    return edges;
}

static int third_vertex(const PerpTriangle *triangle, int u, int v)
{
    for (int k = 0; k < 3; k++)
        if (triangle->vertex[k] != u && triangle->vertex[k] != v)
            return triangle->vertex[k];
    return u;
}

// Does the neighbour across edge k fall away below the plane across n? The direction into it is
// the one to its third vertex, made perpendicular to the edge.
static bool falls_beyond_edge(const PerpTriangles *t, const PerpTriangle *triangle, int k,
                              PerpVec3 n)
{
    int neighbour = triangle->neighbour[k];
    if (neighbour < 0)
        return true;
    int from = triangle->vertex[k], to = triangle->vertex[(k + 1) % 3];
    int third = third_vertex(&t->triangle[neighbour], from, to);
    PerpVec3 edge = perp_vec3_normalise(perp_vec3_sub(t->vertex[to], t->vertex[from]));
    PerpVec3 into = perp_vec3_sub(t->vertex[third], t->vertex[from]);
    into = perp_vec3_normalise(perp_vec3_add_scaled(into, -perp_vec3_dot(into, edge), edge));
    return perp_vec3_dot(n, into) <= PERP_PARALLEL;
}

// Does the surface fall away from the vertex on all sides?
static bool falls_about_vertex(const PerpTriangles *t, int vertex, PerpVec3 n)
{
    for (int i = t->incident_start[vertex]; i < t->incident_start[vertex + 1]; i++)
        for (int k = 0; k < 3; k++) {
            int other = t->triangle[t->incident[i]].vertex[k];
            PerpVec3 away = perp_vec3_normalise(perp_vec3_sub(t->vertex[other], t->vertex[vertex]));
            if (perp_vec3_dot(n, away) > PERP_PARALLEL)
                return false;
        }
    return true;
}

// Is the vertex in the middle of a flat patch?
static bool is_inside_patch(const PerpTriangles *t, int vertex)
{
    int patch = t->triangle[t->incident[t->incident_start[vertex]]].patch;
    for (int i = t->incident_start[vertex]; i < t->incident_start[vertex + 1]; i++) {
        const PerpTriangle *triangle = &t->triangle[t->incident[i]];
        if (triangle->patch != patch)
            return false;
        for (int k = 0; k < 3; k++)
            if (triangle->vertex[k] == vertex && triangle->neighbour[k] < 0)
                return false;
    }
    return true;
}

static bool is_flat_edge(const PerpTriangles *t, const PerpTriangle *triangle, int k)
{
    int neighbour = triangle->neighbour[k];
    return neighbour >= 0 && t->triangle[neighbour].patch == triangle->patch;
}

// The vertex on edges k and k + 1 is k + 1.
static int vertex_of_edges(const PerpTriangle *triangle, unsigned edges)
{
    return triangle->vertex[edges == 3 ? 1 : edges == 6 ? 2 : 0];
}

static bool accepts_corner(const PerpTriangles *t, int vertex, PerpVec3 n, uint32_t *part)
{
    *part = (uint32_t)vertex;
    return !is_inside_patch(t, vertex) && falls_about_vertex(t, vertex, n);
}

static bool accepts_edge(const PerpTriangles *t, const PerpTriangle *triangle, int k, PerpVec3 n,
                         uint32_t *part)
{
    int from = triangle->vertex[k], to = triangle->vertex[(k + 1) % 3];
    *part = (uint32_t)(from < to ? from : to) * 31u + (uint32_t)(from < to ? to : from);
    return !is_flat_edge(t, triangle, k) && falls_beyond_edge(t, triangle, k, n);
}

bool perp_surface_accepts(const PerpTriangles *t, int number, PerpFeature kind, PerpVec3 x,
                          PerpVec3 n, uint32_t *part)
{
    const PerpTriangle *triangle = &t->triangle[number];
    *part = (uint32_t)triangle->patch;
    if (kind == PERP_FEATURE_A)
        return true;
    // of what lies flat on the triangle only corners and crossings count
    unsigned edges = edges_at(t, triangle, x);
    if (edges == 0 || perp_vec3_dot(n, triangle->normal) < -PERP_PARALLEL)
        return false;
    if (edges == 1 || edges == 2 || edges == 4)
        return accepts_edge(t, triangle, edges == 4 ? 2 : (int)edges - 1, n, part);
    return accepts_corner(t, vertex_of_edges(triangle, edges), n, part);
}

static double height_above(const PerpTriangles *t, const PerpTriangle *triangle, PerpVec3 x)
{
    return perp_vec3_dot(triangle->normal, perp_vec3_sub(x, t->vertex[triangle->vertex[0]]));
}

bool perp_surface_holds(const PerpTriangles *t, int number, PerpVec3 x)
{
    const PerpTriangle *triangle = &t->triangle[number];
    if (height_above(t, triangle, x) >= 0)
        return false;
    for (int k = 0; k < 3; k++) {
        double length;
        if (edge_distance(t, triangle, k, x, &length) >= 0)
            continue;
        if (falls_beyond_edge(t, triangle, k, triangle->normal) ||
            height_above(t, &t->triangle[triangle->neighbour[k]], x) >= 0)
            return false;
    }
    return true;
}

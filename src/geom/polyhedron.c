// Convex polyhedra: points, segments, boxes; normals and edges from faces.
#include "geom/polyhedron.h"

#include <stddef.h>

// Every array of a polyhedron starts at a multiple of this behind the struct.
enum { ALIGNMENT = 16 };

static size_t padded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *cut(char **memory, size_t count, size_t size)
{
    char *start = *memory;
    *memory += padded(count * size);
    return start;
}

PerpPolyhedron *perp_polyhedron_create(const PerpAllocator *allocator, int n_vertices, int n_faces,
                                       int n_loop, int n_edges)
{
    size_t v = (size_t)n_vertices, f = (size_t)n_faces, l = (size_t)n_loop, e = (size_t)n_edges;
    size_t bytes = padded(sizeof(PerpPolyhedron)) + padded(v * sizeof(PerpVec3)) +
                   padded(f * sizeof(PerpVec3)) + padded(f * sizeof(double)) +
                   padded((f + 1) * sizeof(int)) + padded(l * sizeof(int)) +
                   padded(e * sizeof(PerpEdge)) + padded((v + 1) * sizeof(int)) +
                   padded(l * sizeof(int));
    char *memory = perp_allocate(allocator, bytes, 1);
    if (!memory)
        return NULL;
    PerpPolyhedron *p = cut(&memory, 1, sizeof(PerpPolyhedron));
    p->n_vertices = n_vertices;
    p->n_faces = n_faces;
    p->n_loop = n_loop;
    p->n_edges = n_edges;
    p->vertex = cut(&memory, v, sizeof(PerpVec3));
    p->normal = cut(&memory, f, sizeof(PerpVec3));
    p->offset = cut(&memory, f, sizeof(double));
    p->face_start = cut(&memory, f + 1, sizeof(int));
    p->loop = cut(&memory, l, sizeof(int));
    p->edge = cut(&memory, e, sizeof(PerpEdge));
    p->incident_start = cut(&memory, v + 1, sizeof(int));
    p->incident = cut(&memory, l, sizeof(int));
    return p;
}

PerpPolyhedron *perp_polyhedron_point(const PerpAllocator *allocator)
{
    return perp_polyhedron_create(allocator, 1, 0, 0, 0);
}

PerpPolyhedron *perp_polyhedron_segment(const PerpAllocator *allocator, double half_length)
{
    PerpPolyhedron *p = perp_polyhedron_create(allocator, 2, 0, 0, 1);
    if (!p)
        return NULL;
    p->vertex[0].z = -half_length;
    p->vertex[1].z = half_length;
    p->edge[0] = (PerpEdge){{0, 1}, {-1, -1}};
    return p;
}

PerpPolyhedron *perp_polyhedron_box(const PerpAllocator *allocator, const double half[3])
{
    // corner i has the signs of the bits of i: x, y, z; faces -x, x, -y, y, -z, z
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    PerpPolyhedron *p = perp_polyhedron_create(allocator, 8, 6, 24, 12);
    if (!p)
        return NULL;
    for (int i = 0; i < 8; i++)
        p->vertex[i] = (PerpVec3){i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                                  i & 4 ? half[2] : -half[2]};
    for (int k = 0; k < 24; k++)
        p->loop[k] = faces[k / 4][k % 4];
    for (int f = 0; f <= 6; f++)
        p->face_start[f] = 4 * f;
    perp_polyhedron_complete(p);
    return p;
}

// The area vector of the loop about its first vertex: sum (x_k - x_0) x (x_k+1 - x_0) / 2.
static void complete_face(PerpPolyhedron *p, int face)
{
    const int *loop = p->loop + p->face_start[face];
    int n = p->face_start[face + 1] - p->face_start[face];
    PerpVec3 first = p->vertex[loop[0]], area = {0, 0, 0};
    for (int k = 1; k + 1 < n; k++)
        area = perp_vec3_add(area, perp_vec3_cross(perp_vec3_sub(p->vertex[loop[k]], first),
                                                   perp_vec3_sub(p->vertex[loop[k + 1]], first)));
    p->normal[face] = perp_vec3_normalise(area);
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += perp_vec3_dot(p->normal[face], p->vertex[loop[k]]);
    p->offset[face] = sum / n;
}

static PerpEdge *find_edge(PerpPolyhedron *p, int from, int to)
{
    for (int e = 0; e < p->n_edges; e++)
        if (p->edge[e].vertex[0] == from && p->edge[e].vertex[1] == to)
            return &p->edge[e];
    return NULL;
}

// The first face that meets an edge opens it, the second one closes it.
static void add_side(PerpPolyhedron *p, int from, int to, int face, int room)
{
    PerpEdge *opened = find_edge(p, to, from);
    if (opened)
        opened->face[1] = face;
    else if (p->n_edges < room)
        p->edge[p->n_edges++] = (PerpEdge){{from, to}, {face, -1}};
}

// Every side of a face is a side of one other face, and Euler's V - E + F = 2.
static bool is_closed(const PerpPolyhedron *p, int room)
{
    for (int e = 0; e < p->n_edges; e++)
        if (p->edge[e].face[1] < 0)
            return false;
    return p->n_edges == room && p->n_vertices - p->n_edges + p->n_faces == 2;
}

static void add_incident(PerpPolyhedron *p, int vertex, int face)
{
    int k = p->incident_start[vertex], end = p->incident_start[vertex + 1];
    while (k < end && p->incident[k] >= 0 && p->incident[k] != face)
        k++;
    if (k < end)
        p->incident[k] = face;
}

// The faces about each vertex, in the order of the edges.
static void find_incident(PerpPolyhedron *p)
{
    for (int k = 0; k < p->n_loop; k++) {
        p->incident_start[p->loop[k] + 1]++;
        p->incident[k] = -1;
    }
    for (int i = 0; i < p->n_vertices; i++)
        p->incident_start[i + 1] += p->incident_start[i];
    for (int k = 0; k < 2 * p->n_edges; k++)
        for (int end = 0; end < 2; end++)
            add_incident(p, p->edge[k / 2].vertex[end], p->edge[k / 2].face[k % 2]);
}

double perp_polyhedron_extent(const PerpPolyhedron *p)
{
    int farthest = 0;
    double most = 0;
    for (int i = 0; i < p->n_vertices; i++) {
        double square = perp_vec3_dot(p->vertex[i], p->vertex[i]);
        farthest = square > most ? i : farthest;
        most = square > most ? square : most;
    }
    return perp_vec3_norm(p->vertex[farthest]);
}

bool perp_polyhedron_complete(PerpPolyhedron *p)
{
    int room = p->n_edges;
    p->n_edges = 0;
    for (int f = 0; f < p->n_faces; f++) {
        complete_face(p, f);
        int start = p->face_start[f], n = p->face_start[f + 1] - start;
        for (int k = 0; k < n; k++)
            add_side(p, p->loop[start + k], p->loop[start + (k + 1) % n], f, room);
    }
    if (!is_closed(p, room))
        return false;
    find_incident(p);
    return true;
}

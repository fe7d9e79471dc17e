// Triangle meshes and height fields: adjacency, flat patches, bounding volume tree.
#include "geom/triangles.h"

#include "base/error.h"
#include "geom/bounds.h"

#include <stdlib.h>

// Neighbours whose normals differ by less than this, rad, lie in one flat patch.
static const double FLATNESS = 1e-6;

static PerpVec3 area_vector(const PerpVec3 *vertex, const int *corner)
{
    return perp_vec3_cross(perp_vec3_sub(vertex[corner[1]], vertex[corner[0]]),
                           perp_vec3_sub(vertex[corner[2]], vertex[corner[0]]));
}

static PerpTriangles *allocate(const PerpAllocator *allocator, int n_vertices, int n_triangles)
{
    PerpTriangles *t = perp_allocate(allocator, 1, sizeof *t);
    if (!t)
        return NULL;
    size_t v = (size_t)n_vertices, n = (size_t)n_triangles;
    t->n_vertices = n_vertices;
    t->n_triangles = n_triangles;
    t->vertex = perp_allocate(allocator, v, sizeof *t->vertex);
    t->triangle = perp_allocate(allocator, n, sizeof *t->triangle);
    t->incident_start = perp_allocate(allocator, v + 1, sizeof *t->incident_start);
    t->incident = perp_allocate(allocator, 3 * n, sizeof *t->incident);
    t->box = perp_allocate(allocator, n, sizeof *t->box);
    t->tree.order = perp_allocate(allocator, n, sizeof *t->tree.order);
    t->tree.node = perp_allocate(allocator, 2 * n, sizeof *t->tree.node);
    if (t->vertex && t->triangle && t->incident_start && t->incident && t->box && t->tree.order &&
        t->tree.node)
        return t;
    perp_triangles_free(allocator, t);
    return NULL;
}

void perp_triangles_free(const PerpAllocator *allocator, PerpTriangles *t)
{
    if (!t)
        return;
    perp_free(allocator, t->vertex);
    perp_free(allocator, t->triangle);
    perp_free(allocator, t->incident_start);
    perp_free(allocator, t->incident);
    perp_free(allocator, t->box);
    perp_free(allocator, t->tree.order);
    perp_free(allocator, t->tree.node);
    perp_free(allocator, t);
}

// Triangles without area have no normal and bound nothing.
static void copy_triangles(PerpTriangles *t, int n, const int *indices)
{
    t->n_triangles = 0;
    for (int i = 0; i < n; i++) {
        PerpVec3 area = area_vector(t->vertex, indices + 3 * i);
        if (perp_vec3_norm(area) <= 0)
            continue;
        PerpTriangle *triangle = &t->triangle[t->n_triangles++];
        *triangle = (PerpTriangle){.normal = perp_vec3_normalise(area)};
        for (int k = 0; k < 3; k++)
            triangle->vertex[k] = indices[3 * i + k];
    }
}

// The triangles about each vertex, by counting.
static void build_fans(PerpTriangles *t)
{
    for (int i = 0; i < t->n_triangles; i++)
        for (int k = 0; k < 3; k++)
            t->incident_start[t->triangle[i].vertex[k] + 1]++;
    for (int v = 0; v < t->n_vertices; v++)
        t->incident_start[v + 1] += t->incident_start[v];
    for (int i = t->n_triangles - 1; i >= 0; i--)
        for (int k = 2; k >= 0; k--)
            t->incident[--t->incident_start[t->triangle[i].vertex[k] + 1]] = i;
    for (int v = 0; v < t->n_vertices; v++)
        t->incident_start[v] = t->incident_start[v + 1];
    t->incident_start[t->n_vertices] = 3 * t->n_triangles;
}

// A side of a triangle, which leads from the vertex `from` to another; in the order of incident.
typedef struct Side {
    int from, triangle;
} Side;

static int compare_sides(const void *a, const void *b)
{
    const Side *s = a, *t = b;
    return s->from != t->from           ? (s->from > t->from) - (s->from < t->from)
           : s->triangle != t->triangle ? (s->triangle > t->triangle) - (s->triangle < t->triangle)
                                        : 0;
}

// The sides that end at each vertex, by where they come from: a vertex may have thousands.
static void sort_sides(const PerpTriangles *t, Side *sides)
{
    for (int v = 0; v < t->n_vertices; v++) {
        int start = t->incident_start[v], end = t->incident_start[v + 1];
        for (int i = start; i < end; i++) {
            const int *corner = t->triangle[t->incident[i]].vertex;
            int k = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
            sides[i] = (Side){corner[(k + 2) % 3], t->incident[i]};
        }
        if (end - start > 1)
            qsort(sides + start, (size_t)(end - start), sizeof *sides, compare_sides);
    }
}

// The first triangle that has the side from -> to the other way round.
static int find_neighbour(const PerpTriangles *t, const Side *sides, int from, int to)
{
    int low = t->incident_start[from], high = t->incident_start[from + 1], end = high;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sides[middle].from < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && sides[low].from == to ? sides[low].triangle : -1;
}

// False if memory is short.
static bool find_neighbours(const PerpAllocator *allocator, PerpTriangles *t)
{
    Side *sides = perp_allocate(allocator, 3 * (size_t)t->n_triangles, sizeof *sides);
    if (!sides)
        return false;
    sort_sides(t, sides);
    for (int i = 0; i < t->n_triangles; i++)
        for (int k = 0; k < 3; k++) {
            int *corner = t->triangle[i].vertex;
            t->triangle[i].neighbour[k] = find_neighbour(t, sides, corner[k], corner[(k + 1) % 3]);
        }
    perp_free(allocator, sides);
    return true;
}

static bool is_flat(const PerpTriangles *t, int i, int j)
{
    PerpVec3 a = t->triangle[i].normal, b = t->triangle[j].normal;
    return perp_vec3_dot(a, b) > 0 && perp_vec3_norm(perp_vec3_cross(a, b)) < FLATNESS;
}

// Spreads the number of the first triangle over its flat surroundings; the tree's order is the
// stack.
static void spread_patch(PerpTriangles *t, int first)
{
    int depth = 0;
    t->triangle[first].patch = first;
    t->tree.order[depth++] = first;
    while (depth > 0) {
        int i = t->tree.order[--depth];
        for (int k = 0; k < 3; k++) {
            int j = t->triangle[i].neighbour[k];
            if (j >= 0 && t->triangle[j].patch < 0 && is_flat(t, first, j)) {
                t->triangle[j].patch = first;
                t->tree.order[depth++] = j;
            }
        }
    }
}

static void find_patches(PerpTriangles *t)
{
    for (int i = 0; i < t->n_triangles; i++)
        t->triangle[i].patch = -1;
    for (int i = 0; i < t->n_triangles; i++)
        if (t->triangle[i].patch < 0)
            spread_patch(t, i);
}

static void build_tree(PerpTriangles *t)
{
    for (int i = 0; i < t->n_triangles; i++) {
        t->box[i] = perp_bounds_empty();
        for (int k = 0; k < 3; k++)
            t->box[i] = perp_bounds_with(t->box[i], t->vertex[t->triangle[i].vertex[k]]);
        t->tree.order[i] = i;
    }
    t->tree.n = t->n_triangles;
    t->tree.box = t->box;
    perp_box_tree_build(&t->tree);
}

PerpBounds perp_triangles_bounds(const PerpTriangles *t)
{
    return t->tree.node[0].bounds;
}

static PerpStatus complete(const PerpAllocator *allocator, PerpTriangles *t, int n,
                           const int *indices, PerpError *error)
{
    copy_triangles(t, n, indices);
    if (t->n_triangles == 0)
        return perp_fail(error, PERP_BAD_VALUE, "none of the %d triangles has an area", n);
    build_fans(t);
    if (!find_neighbours(allocator, t))
        return PERP_NO_MEMORY;
    find_patches(t);
    build_tree(t);
    return PERP_OK;
}

PerpStatus perp_triangles_create(const PerpAllocator *allocator, int n_vertices,
                                 const double *vertices, int n_triangles, const int *indices,
                                 PerpTriangles **triangles, PerpError *error)
{
    PerpTriangles *t = allocate(allocator, n_vertices, n_triangles);
    if (!t)
        return PERP_NO_MEMORY;
    for (int i = 0; i < n_vertices; i++)
        t->vertex[i] = perp_vec3_load(vertices + 3 * i);
    PerpStatus status = complete(allocator, t, n_triangles, indices, error);
    if (status)
        perp_triangles_free(allocator, t);
    else
        *triangles = t;
    return status;
}

static void place_heights(const PerpShapeDef *def, double *vertices)
{
    for (int row = 0; row < def->rows; row++)
        for (int column = 0; column < def->columns; column++) {
            int i = row * def->columns + column;
            vertices[3 * i] = def->size[0] * (column - (def->columns - 1) / 2.0);
            vertices[3 * i + 1] = def->size[1] * (row - (def->rows - 1) / 2.0);
            vertices[3 * i + 2] = def->heights[i];
        }
}

static void place_cells(const PerpShapeDef *def, int *indices)
{
    for (int row = 0; row + 1 < def->rows; row++)
        for (int column = 0; column + 1 < def->columns; column++) {
            int i = row * def->columns + column, above = i + def->columns;
            int corners[6] = {i, i + 1, above + 1, i, above + 1, above};
            for (int k = 0; k < 6; k++)
                *indices++ = corners[k];
        }
}

PerpStatus perp_triangles_height_field(const PerpAllocator *allocator, const PerpShapeDef *def,
                                       PerpTriangles **triangles, PerpError *error)
{
    int n_vertices = def->rows * def->columns;
    int n_triangles = 2 * (def->rows - 1) * (def->columns - 1);
    double *vertices = perp_allocate(allocator, 3 * (size_t)n_vertices, sizeof(double));
    int *indices = perp_allocate(allocator, 3 * (size_t)n_triangles, sizeof(int));
    PerpStatus status = PERP_NO_MEMORY;
    if (vertices && indices) {
        place_heights(def, vertices);
        place_cells(def, indices);
        status = perp_triangles_create(allocator, n_vertices, vertices, n_triangles, indices,
                                       triangles, error);
    }
    perp_free(allocator, vertices);
    perp_free(allocator, indices);
    return status;
}

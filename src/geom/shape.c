// Shapes compiled from their definitions, with all checks.
#include "geom/shape.h"

#include "base/error.h"
#include "base/sized.h"
#include "geom/polyhedron.h"
#include "geom/triangles.h"

#include <limits.h>
#include <math.h>

static const char *const kind_names[] = {
#define PERP_SHAPE_WORD(name, word, text) word,
    PERP_SHAPE_LIST(PERP_SHAPE_WORD)
#undef PERP_SHAPE_WORD
};

// Of vertices and heights: squares and products of what is beyond may overflow.
static const double LARGEST = 1e100; // m

// How many of size[] a kind uses.
static const int size_counts[PERP_SHAPE_KIND_COUNT] = {
    [PERP_SHAPE_SPHERE] = 1,   [PERP_SHAPE_CAPSULE] = 2,   [PERP_SHAPE_BOX] = 3,
    [PERP_SHAPE_CYLINDER] = 2, [PERP_SHAPE_ELLIPSOID] = 3, [PERP_SHAPE_HEIGHT_FIELD] = 2,
};

const char *perp_shape_kind_name(PerpShapeKind kind)
{
    return (unsigned)kind < PERP_SHAPE_KIND_COUNT ? kind_names[kind] : "?";
}

void perp_fill_shape(PerpShapeDef *made, size_t size)
{
    const PerpShapeDef defaults = {
        .name = "",
        .kind = PERP_SHAPE_SPHERE,
        .size = {0.5, 0.5, 0.5},
        .body = -1,
        .rotation = {1, 0, 0, 0},
        .density = 1000,
        .group = 1,
        .mask = ~0u,
        .colour = {-1, -1, -1, -1},
    };
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

static PerpStatus check_sizes(const PerpShapeDef *def, PerpError *error)
{
    for (int i = 0; i < size_counts[def->kind]; i++)
        if (!isfinite(def->size[i]) || def->size[i] <= 0)
            return perp_fail(error, PERP_BAD_VALUE, "size[%d] of the %s is %g, not > 0 and finite",
                             i, perp_shape_kind_name(def->kind), def->size[i]);
    return PERP_OK;
}

static PerpStatus check_numbers(const double *x, size_t n, const char *what, PerpError *error)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= LARGEST))
            return perp_fail(error, PERP_BAD_VALUE, "%s %zu is %g, not a number of at most %g",
                             what, i, x[i], LARGEST);
    return PERP_OK;
}

static PerpStatus check_vertices(const PerpShapeDef *def, int least, PerpError *error)
{
    if (def->n_vertices < least || !def->vertices)
        return perp_fail(error, PERP_BAD_SIZE, "a %s needs at least %d vertices, not %d",
                         perp_shape_kind_name(def->kind), least, def->n_vertices);
    return check_numbers(def->vertices, 3 * (size_t)def->n_vertices, "vertex coordinate", error);
}

static PerpStatus check_triangles(const PerpShapeDef *def, PerpError *error)
{
    if (def->n_triangles < 1 || def->n_triangles > INT_MAX / 3 || !def->triangles)
        return perp_fail(error, PERP_BAD_SIZE, "a mesh needs at least one triangle, not %d",
                         def->n_triangles);
    for (int k = 0; k < 3 * def->n_triangles; k++)
        if (def->triangles[k] < 0 || def->triangles[k] >= def->n_vertices)
            return perp_fail(error, PERP_BAD_VALUE, "triangle %d has the vertex %d, not 0 .. %d",
                             k / 3, def->triangles[k], def->n_vertices - 1);
    return PERP_OK;
}

static PerpStatus check_grid(const PerpShapeDef *def, PerpError *error)
{
    if (def->rows < 2 || def->columns < 2 || def->rows > INT_MAX / 6 / def->columns)
        return perp_fail(error, PERP_BAD_SIZE,
                         "a height field needs at least 2 rows and 2 columns, not %d and %d",
                         def->rows, def->columns);
    if (!def->heights)
        return perp_fail(error, PERP_BAD_VALUE, "a height field needs heights");
    return check_numbers(def->heights, (size_t)def->rows * (size_t)def->columns, "height", error);
}

static PerpStatus check(const PerpShapeDef *def, PerpError *error)
{
    if ((unsigned)def->kind >= PERP_SHAPE_KIND_COUNT)
        return perp_fail(error, PERP_BAD_VALUE, "there is no kind %d of shapes", (int)def->kind);
    PerpStatus status = check_sizes(def, error);
    if (!status && def->kind == PERP_SHAPE_HULL)
        status = check_vertices(def, 4, error);
    if (!status && def->kind == PERP_SHAPE_MESH)
        status = check_vertices(def, 3, error);
    if (!status && def->kind == PERP_SHAPE_MESH)
        status = check_triangles(def, error);
    if (!status && def->kind == PERP_SHAPE_HEIGHT_FIELD)
        status = check_grid(def, error);
    return status;
}

static PerpStatus create_core(const PerpAllocator *allocator, const PerpShapeDef *def,
                              PerpShape *shape)
{
    if (def->kind == PERP_SHAPE_CAPSULE)
        shape->polyhedron = perp_polyhedron_segment(allocator, def->size[1]);
    else if (def->kind == PERP_SHAPE_BOX)
        shape->polyhedron = perp_polyhedron_box(allocator, def->size);
    else
        shape->polyhedron = perp_polyhedron_point(allocator);
    return shape->polyhedron ? PERP_OK : PERP_NO_MEMORY;
}

static PerpStatus create_parts(const PerpAllocator *allocator, const PerpShapeDef *def,
                               PerpShape *shape, PerpError *error)
{
    switch (def->kind) {
    case PERP_SHAPE_SPHERE:
    case PERP_SHAPE_CAPSULE:
        shape->rounding = def->size[0];
        return create_core(allocator, def, shape);
    case PERP_SHAPE_POINT:
    case PERP_SHAPE_BOX:
        return create_core(allocator, def, shape);
    case PERP_SHAPE_HULL:
        return perp_polyhedron_hull(allocator, def->n_vertices, def->vertices, &shape->polyhedron,
                                    error);
    case PERP_SHAPE_MESH:
        return perp_triangles_create(allocator, def->n_vertices, def->vertices, def->n_triangles,
                                     def->triangles, &shape->triangles, error);
    case PERP_SHAPE_HEIGHT_FIELD:
        return perp_triangles_height_field(allocator, def, &shape->triangles, error);
    default:
        return PERP_OK;
    }
}

static double farthest(const PerpVec3 *points, int n)
{
    double radius = 0;
    for (int i = 0; i < n; i++)
        radius = fmax(radius, perp_vec3_norm(points[i]));
    return radius;
}

static double bounding_radius(const PerpShape *shape)
{
    const double *s = shape->size;
    if (shape->polyhedron)
        return shape->rounding + farthest(shape->polyhedron->vertex, shape->polyhedron->n_vertices);
    if (shape->triangles)
        return farthest(shape->triangles->vertex, shape->triangles->n_vertices);
    if (shape->kind == PERP_SHAPE_CYLINDER)
        return hypot(s[0], s[1]);
    if (shape->kind == PERP_SHAPE_ELLIPSOID)
        return fmax(s[0], fmax(s[1], s[2]));
    return INFINITY;
}

PerpStatus perp_shape_create(const PerpAllocator *allocator, const PerpShapeDef *def,
                             PerpShape *shape, PerpError *error)
{
    *shape = (PerpShape){.kind = def->kind};
    PerpStatus status = check(def, error);
    if (status)
        return status;
    for (int i = 0; i < size_counts[def->kind]; i++)
        shape->size[i] = def->size[i];
    status = create_parts(allocator, def, shape, error);
    if (status == PERP_NO_MEMORY)
        perp_fail(error, status, "no memory for the %s", perp_shape_kind_name(def->kind));
    if (!status)
        shape->radius = bounding_radius(shape);
    return status;
}

void perp_shape_free(const PerpAllocator *allocator, PerpShape *shape)
{
    perp_free(allocator, shape->polyhedron);
    perp_triangles_free(allocator, shape->triangles);
    *shape = (PerpShape){0};
}

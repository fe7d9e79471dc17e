// Shapes in a recording: what a viewer needs to draw them.
#include "io/recording/recorder.h"

#include "geom/triangles.h"
#include "io/hdf5/hdf5_sink.h"
#include "model/model.h"

#include <string.h>

// Triangles of hulls, meshes and height fields, in the shapes' own frames.
typedef struct Facets {
    int64_t vertices, triangles; // so many up to here
    float *vertex;               // NULL while counting
    int32_t *triangle;
} Facets;

static void add_vertex(Facets *facets, PerpVec3 vertex)
{
    if (facets->vertex) {
        float *to = facets->vertex + 3 * facets->vertices;
        to[0] = (float)vertex.x;
        to[1] = (float)vertex.y;
        to[2] = (float)vertex.z;
    }
    facets->vertices++;
}

static void add_triangle(Facets *facets, int a, int b, int c)
{
    if (facets->triangle) {
        int32_t *to = facets->triangle + 3 * facets->triangles;
        to[0] = a;
        to[1] = b;
        to[2] = c;
    }
    facets->triangles++;
}

static void add_polyhedron(Facets *facets, const PerpPolyhedron *p)
{
    for (int k = 0; k < p->n_vertices; k++)
        add_vertex(facets, p->vertex[k]);
    for (int f = 0; f < p->n_faces; f++)
        for (int k = p->face_start[f] + 1; k + 1 < p->face_start[f + 1]; k++)
            add_triangle(facets, p->loop[p->face_start[f]], p->loop[k], p->loop[k + 1]);
}

static void add_mesh(Facets *facets, const PerpTriangles *mesh)
{
    for (int k = 0; k < mesh->n_vertices; k++)
        add_vertex(facets, mesh->vertex[k]);
    for (int k = 0; k < mesh->n_triangles; k++)
        add_triangle(facets, mesh->triangle[k].vertex[0], mesh->triangle[k].vertex[1],
                     mesh->triangle[k].vertex[2]);
}

static void add_shape(Facets *facets, const PerpShape *shape)
{
    if (shape->kind == PERP_SHAPE_HULL)
        add_polyhedron(facets, shape->polyhedron);
    else if (shape->triangles)
        add_mesh(facets, shape->triangles);
}

static void add_shapes(Facets *facets, const PerpModel *model, int64_t *vertex_start,
                       int64_t *triangle_start)
{
    for (int s = 0; s <= model->n_shapes; s++) {
        if (vertex_start && triangle_start) {
            vertex_start[s] = facets->vertices;
            triangle_start[s] = facets->triangles;
        }
        if (s < model->n_shapes)
            add_shape(facets, &model->shapes[s].shape);
    }
}

static bool write_filled(hid_t group, const PerpModel *model, const Facets *facets,
                         const int64_t *vertex_start, const int64_t *triangle_start)
{
    const hsize_t starts = (hsize_t)model->n_shapes + 1;
    const hsize_t vertices[2] = {(hsize_t)facets->vertices, 3};
    const hsize_t triangles[2] = {(hsize_t)facets->triangles, 3};
    return perp_hdf5_write(group, "vertex_start", H5T_NATIVE_INT64, 1, &starts, vertex_start, "") &&
           perp_hdf5_write(group, "triangle_start", H5T_NATIVE_INT64, 1, &starts, triangle_start,
                           "") &&
           perp_hdf5_write(group, "vertex", H5T_NATIVE_FLOAT, 2, vertices, facets->vertex, "m") &&
           perp_hdf5_write(group, "triangle", H5T_NATIVE_INT32, 2, triangles, facets->triangle, "");
}

static bool write_facets(const PerpAllocator *allocator, const PerpModel *model, hid_t group)
{
    Facets facets = {0};
    size_t starts = (size_t)model->n_shapes + 1;
    add_shapes(&facets, model, NULL, NULL);
    facets.vertex = perp_allocate(allocator, 3 * (size_t)facets.vertices + 1, sizeof(float));
    facets.triangle = perp_allocate(allocator, 3 * (size_t)facets.triangles + 1, sizeof(int32_t));
    int64_t *vertex_start = perp_allocate(allocator, starts, sizeof *vertex_start);
    int64_t *triangle_start = perp_allocate(allocator, starts, sizeof *triangle_start);
    bool ok = facets.vertex && facets.triangle && vertex_start && triangle_start;
    facets.vertices = facets.triangles = 0;
    if (ok)
        add_shapes(&facets, model, vertex_start, triangle_start);
    ok = ok && write_filled(group, model, &facets, vertex_start, triangle_start);
    perp_free(allocator, facets.vertex);
    perp_free(allocator, facets.triangle);
    perp_free(allocator, vertex_start);
    perp_free(allocator, triangle_start);
    return ok;
}

static const char *shape_kind(const void *user, int index)
{
    const PerpModel *model = user;
    return perp_shape_kind_name(model->shapes[index].shape.kind);
}

// size[3], position[3], rotation[4] in the frame that the body's definition gave
static bool write_placement(const PerpAllocator *allocator, const PerpModel *model, hid_t group)
{
    const hsize_t extent[2] = {(hsize_t)model->n_shapes, 10};
    double *rows = perp_allocate(allocator, 10 * (size_t)model->n_shapes + 1, sizeof *rows);
    int32_t *body = perp_allocate(allocator, (size_t)model->n_shapes + 1, sizeof *body);
    for (int s = 0; rows && body && s < model->n_shapes; s++) {
        const PerpModelShape *shape = &model->shapes[s];
        PerpVec3 position = shape->pose.position;
        double *row = rows + 10 * (size_t)s;
        body[s] = shape->body;
        if (shape->body >= 0)
            position = perp_vec3_add(position, model->bodies[shape->body].centre);
        for (int k = 0; k < 3; k++)
            row[k] = shape->shape.size[k];
        perp_vec3_store(position, row + 3);
        row[6] = shape->pose.rotation.w;
        row[7] = shape->pose.rotation.x;
        row[8] = shape->pose.rotation.y;
        row[9] = shape->pose.rotation.z;
    }
    bool ok = rows && body &&
              perp_hdf5_write(group, "body", H5T_NATIVE_INT32, 1, extent, body, "") &&
              perp_hdf5_write(group, "placement", H5T_NATIVE_DOUBLE, 2, extent, rows,
                              "size m, position m, rotation");
    perp_free(allocator, rows);
    perp_free(allocator, body);
    return ok;
}

static bool has_colours(const PerpModel *model)
{
    for (int s = 0; s < model->n_shapes; s++)
        if (model->shapes[s].colour[0] >= 0)
            return true;
    return false;
}

// Missing: no shape has one.
static bool write_colours(const PerpAllocator *allocator, const PerpModel *model, hid_t group)
{
    const hsize_t extent[2] = {(hsize_t)model->n_shapes, 4};
    if (!has_colours(model))
        return true;
    double *rows = perp_allocate(allocator, 4 * (size_t)model->n_shapes, sizeof *rows);
    for (int s = 0; rows && s < model->n_shapes; s++)
        memcpy(rows + 4 * (size_t)s, model->shapes[s].colour, 4 * sizeof *rows);
    bool ok = rows && perp_hdf5_write(group, "colour", H5T_NATIVE_DOUBLE, 2, extent, rows,
                                      "red, green, blue (sRGB), opacity; -1: any");
    perp_free(allocator, rows);
    return ok;
}

bool perp_recorder_write_shapes(const PerpAllocator *allocator, const PerpModel *model, hid_t file)
{
    hid_t group = perp_hdf5_make_group(file, "shapes");
    bool ok = group >= 0 &&
              perp_hdf5_write_texts(group, "kind", model->n_shapes, shape_kind, model) &&
              write_placement(allocator, model, group) && write_colours(allocator, model, group) &&
              write_facets(allocator, model, group);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

// Triangulation of shapes for export.
#include "io/export/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MANY_SHAPES = 200, RINGS = 12 }; // rings from pole to pole at full resolution
static const double POINT = 0.005;      // m, radius that a point is drawn with
static const double PI = 3.14159265358979323846;

void perp_mesh_free(const PerpContext *context, PerpMesh *mesh)
{
    perp_free(&context->allocator, mesh->vertex);
    perp_free(&context->allocator, mesh->normal);
    perp_free(&context->allocator, mesh->triangle);
    *mesh = (PerpMesh){0};
}

static PerpStatus allocate(const PerpContext *context, int vertices, int triangles, PerpMesh *mesh,
                           PerpError *error)
{
    const PerpAllocator *allocator = &context->allocator;
    mesh->vertex = perp_allocate(allocator, 3 * (size_t)vertices + 1, sizeof *mesh->vertex);
    mesh->normal = perp_allocate(allocator, 3 * (size_t)vertices + 1, sizeof *mesh->normal);
    mesh->triangle = perp_allocate(allocator, 3 * (size_t)triangles + 1, sizeof *mesh->triangle);
    if (mesh->vertex && mesh->normal && mesh->triangle)
        return PERP_OK;
    perp_mesh_free(context, mesh);
    return perp_fail(error, PERP_NO_MEMORY, "out of memory");
}

static void add_vertex(PerpMesh *mesh, PerpVec3 at, PerpVec3 normal)
{
    float *v = mesh->vertex + 3 * (size_t)mesh->n_vertices;
    float *n = mesh->normal + 3 * (size_t)mesh->n_vertices++;
    v[0] = (float)at.x, v[1] = (float)at.y, v[2] = (float)at.z;
    n[0] = (float)normal.x, n[1] = (float)normal.y, n[2] = (float)normal.z;
}

static void add_triangle(PerpMesh *mesh, int a, int b, int c)
{
    int *t = mesh->triangle + 3 * (size_t)mesh->n_triangles++;
    t[0] = a, t[1] = b, t[2] = c;
}

// --- surfaces of revolution ---------------------------------------------------------------------

// A point of the outline, from the top down: distance from the axis, height, and its normal.
typedef struct Outline {
    double r, z, normal_r, normal_z;
} Outline;

static PerpStatus revolve(const PerpContext *context, const Outline *outline, int points,
                          int segments, PerpMesh *mesh, PerpError *error)
{
    PerpStatus status =
        allocate(context, points * segments, 2 * (points - 1) * segments, mesh, error);
    if (status)
        return status;
    for (int i = 0; i < points; i++)
        for (int k = 0; k < segments; k++) {
            double c = cos(2 * PI * k / segments), s = sin(2 * PI * k / segments);
            const Outline *o = &outline[i];
            add_vertex(mesh, (PerpVec3){o->r * c, o->r * s, o->z},
                       (PerpVec3){o->normal_r * c, o->normal_r * s, o->normal_z});
        }
    for (int i = 0; i + 1 < points; i++)
        for (int k = 0; k < segments; k++) {
            int next = (k + 1) % segments;
            int a = i * segments + k, b = i * segments + next, below = segments;
            bool same_place = outline[i].r == outline[i + 1].r && outline[i].z == outline[i + 1].z;
            if (outline[i].r > 0 && !same_place)
                add_triangle(mesh, a, a + below, b);
            if (outline[i + 1].r > 0 && !same_place)
                add_triangle(mesh, b, a + below, b + below);
        }
    return PERP_OK;
}

// A ball of radius r, cut at the equator and its halves moved apart by 2 half.
static PerpStatus make_capsule(const PerpContext *context, double r, double half, int segments,
                               PerpMesh *mesh, PerpError *error)
{
    Outline outline[2 * RINGS + 2];
    int rings = segments / 4; // a quarter circle
    int points = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k <= rings; k++) {
            if (side == 1 && k == 0 && half == 0)
                continue; // one equator
            double angle = PI / 2 * (side + (double)k / rings);
            bool pole = (side == 0 && k == 0) || (side == 1 && k == rings);
            double s = pole ? 0 : sin(angle), c = cos(angle);
            outline[points++] = (Outline){r * s, r * c + (side ? -half : half), s, c};
        }
    return revolve(context, outline, points, segments, mesh, error);
}

static PerpStatus make_cylinder(const PerpContext *context, double r, double half, int segments,
                                PerpMesh *mesh, PerpError *error)
{
    const Outline outline[6] = {{0, half, 0, 1},  {r, half, 0, 1},   {r, half, 1, 0},
                                {r, -half, 1, 0}, {r, -half, 0, -1}, {0, -half, 0, -1}};
    return revolve(context, outline, 6, segments, mesh, error);
}

static PerpStatus make_ellipsoid(const PerpContext *context, const double size[3], int segments,
                                 PerpMesh *mesh, PerpError *error)
{
    PerpStatus status = make_capsule(context, 1, 0, segments, mesh, error);
    for (int k = 0; !status && k < mesh->n_vertices; k++) {
        float *v = mesh->vertex + 3 * (size_t)k, *n = mesh->normal + 3 * (size_t)k;
        PerpVec3 normal =
            perp_vec3_normalise((PerpVec3){n[0] / size[0], n[1] / size[1], n[2] / size[2]});
        n[0] = (float)normal.x, n[1] = (float)normal.y, n[2] = (float)normal.z;
        for (int i = 0; i < 3; i++)
            v[i] = (float)(v[i] * size[i]);
    }
    return status;
}

// --- flat shapes --------------------------------------------------------------------------------

static void add_square(PerpMesh *mesh, PerpVec3 centre, PerpVec3 u, PerpVec3 v, PerpVec3 normal)
{
    int first = mesh->n_vertices;
    static const int signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 4; k++)
        add_vertex(
            mesh,
            perp_vec3_add_scaled(perp_vec3_add_scaled(centre, signs[k][0], u), signs[k][1], v),
            normal);
    add_triangle(mesh, first, first + 1, first + 2);
    add_triangle(mesh, first, first + 2, first + 3);
}

static PerpStatus make_box(const PerpContext *context, const double size[3], PerpMesh *mesh,
                           PerpError *error)
{
    PerpStatus status = allocate(context, 24, 12, mesh, error);
    for (int face = 0; !status && face < 6; face++) {
        int axis = face / 2, sign = face % 2 ? -1 : 1;
        double part[3][3] = {{0}};
        for (int k = 0; k < 3; k++)
            part[k][(axis + k) % 3] = k == 0   ? sign
                                      : k == 1 ? sign * size[(axis + 1) % 3]
                                               : size[(axis + 2) % 3];
        PerpVec3 normal = perp_vec3_load(part[0]);
        add_square(mesh, perp_vec3_scale(size[axis], normal), perp_vec3_load(part[1]),
                   perp_vec3_load(part[2]), normal);
    }
    return status;
}

static PerpStatus make_plane(const PerpContext *context, double half, PerpMesh *mesh,
                             PerpError *error)
{
    PerpStatus status = allocate(context, 4, 2, mesh, error);
    if (!status)
        add_square(mesh, (PerpVec3){0}, (PerpVec3){half, 0, 0}, (PerpVec3){0, half, 0},
                   (PerpVec3){0, 0, 1});
    return status;
}

// Each triangle has its own corners, so that edges stay sharp. Triangles without area are left out.
static PerpStatus make_triangles(const PerpContext *context, const PerpRecordedShape *shape,
                                 PerpMesh *mesh, PerpError *error)
{
    PerpStatus status = allocate(context, 3 * shape->n_triangles, shape->n_triangles, mesh, error);
    for (int k = 0; !status && k < shape->n_triangles; k++) {
        PerpVec3 corner[3];
        for (int i = 0; i < 3; i++) {
            const float *v = shape->vertex + 3 * (size_t)shape->triangle[3 * (size_t)k + (size_t)i];
            corner[i] = (PerpVec3){v[0], v[1], v[2]};
        }
        PerpVec3 normal = perp_vec3_normalise(perp_vec3_cross(perp_vec3_sub(corner[1], corner[0]),
                                                              perp_vec3_sub(corner[2], corner[0])));
        if (!(perp_vec3_dot(normal, normal) > 0.5))
            continue;
        int first = mesh->n_vertices;
        for (int i = 0; i < 3; i++)
            add_vertex(mesh, corner[i], normal);
        add_triangle(mesh, first, first + 1, first + 2);
    }
    return status;
}

// --- the whole ----------------------------------------------------------------------------------

PerpStatus perp_mesh_create(const PerpContext *context, const PerpRecordedShape *shape,
                            double plane, int segments, PerpMesh *mesh, PerpError *error)
{
    const double *size = shape->size;
    const char *kind = shape->kind;
    *mesh = (PerpMesh){0};
    if (shape->n_triangles > 0)
        return make_triangles(context, shape, mesh, error);
    if (strcmp(kind, "sphere") == 0)
        return make_capsule(context, size[0], 0, segments, mesh, error);
    if (strcmp(kind, "capsule") == 0)
        return make_capsule(context, size[0], size[1], segments, mesh, error);
    if (strcmp(kind, "box") == 0)
        return make_box(context, size, mesh, error);
    if (strcmp(kind, "cylinder") == 0)
        return make_cylinder(context, size[0], size[1], segments, mesh, error);
    if (strcmp(kind, "ellipsoid") == 0)
        return make_ellipsoid(context, size, segments, mesh, error);
    if (strcmp(kind, "plane") == 0)
        return make_plane(context, plane, mesh, error);
    return make_capsule(context, POINT, 0, segments, mesh, error);
}

int perp_mesh_segments(const PerpExport *x)
{
    return x->info->shapes > MANY_SHAPES ? 12 : 4 * (RINGS / 2);
}

PerpStatus perp_mesh_plane(PerpExport *x, double *plane, PerpError *error)
{
    double farthest = 1;
    PerpStatus status = PERP_OK;
    for (int end = 0; !status && end < 2; end++) {
        const double *pose;
        status = perp_export_motion(x, end ? x->frames - 1 : 0, &pose, NULL, error);
        for (int body = 0; !status && body < x->info->bodies; body++)
            for (int k = 0; k < 3; k++)
                farthest = fmax(farthest, fabs(pose[7 * (size_t)body + (size_t)k]));
    }
    *plane = 1.5 * ceil(farthest);
    return status;
}

// Axis-aligned boxes about shapes at their places in the world.
#include "geom/shape.h"
#include "geom/triangles.h"

#include <assert.h>

static PerpBounds about(PerpVec3 centre, PerpVec3 half)
{
    return (PerpBounds){perp_vec3_sub(centre, half), perp_vec3_add(centre, half)};
}

static PerpBounds polyhedron_bounds(const PerpPolyhedron *p, PerpMat3 R, PerpVec3 position)
{
    PerpBounds box = perp_bounds_empty();
    for (int i = 0; i < p->n_vertices; i++)
        box = perp_bounds_with(box, perp_vec3_add(position, perp_mat3_times(R, p->vertex[i])));
    return box;
}

// The support function h(e) along a world axis e with the components c in the shape's axes:
// r sqrt(c_x^2 + c_y^2) + h |c_z|
static double cylinder_reach(const double *size, PerpVec3 c)
{
    return size[0] * perp_length(c.x, c.y) + size[1] * fabs(c.z);
}

// |(s_x c_x, s_y c_y, s_z c_z)|
static double ellipsoid_reach(const double *size, PerpVec3 c)
{
    return perp_vec3_norm((PerpVec3){size[0] * c.x, size[1] * c.y, size[2] * c.z});
}

static PerpVec3 reaches(const double *size, PerpMat3 R, double (*reach)(const double *, PerpVec3))
{
    PerpMat3 rows = perp_mat3_transpose(R);
    return (PerpVec3){reach(size, rows.x), reach(size, rows.y), reach(size, rows.z)};
}

// The box of a turned box: the half sides are |R| times the local ones.
static PerpBounds turned(PerpBounds local, PerpMat3 R, PerpVec3 position)
{
    PerpVec3 half = perp_vec3_scale(0.5, perp_bounds_extent(local));
    PerpVec3 centre = perp_vec3_add(position, perp_mat3_times(R, perp_bounds_centre(local)));
    PerpVec3 reach = {fabs(R.x.x) * half.x + fabs(R.y.x) * half.y + fabs(R.z.x) * half.z,
                      fabs(R.x.y) * half.x + fabs(R.y.y) * half.y + fabs(R.z.y) * half.z,
                      fabs(R.x.z) * half.x + fabs(R.y.z) * half.y + fabs(R.z.z) * half.z};
    return about(centre, reach);
}

// A half space is bounded only along the axis that its normal is parallel to, if to any.
static PerpBounds plane_bounds(PerpVec3 n, PerpVec3 position)
{
    PerpBounds box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    if (n.y == 0 && n.z == 0)
        *(n.x > 0 ? &box.upper.x : &box.lower.x) = position.x;
    if (n.x == 0 && n.z == 0)
        *(n.y > 0 ? &box.upper.y : &box.lower.y) = position.y;
    if (n.x == 0 && n.y == 0)
        *(n.z > 0 ? &box.upper.z : &box.lower.z) = position.z;
    return box;
}

// Below a height field all is ground; a mesh may have another side.
double perp_shape_sunk(const PerpShape *shape)
{
    static const double OF_CELL = 0.1, OF_MESH = 1e-4; // m
    bool is_field = shape->kind == PERP_SHAPE_HEIGHT_FIELD;
    return is_field ? OF_CELL * fmin(shape->size[0], shape->size[1]) : OF_MESH;
}

static PerpBounds triangles_bounds(const PerpShape *shape)
{
    PerpBounds box = perp_triangles_bounds(shape->triangles);
    if (shape->kind != PERP_SHAPE_HEIGHT_FIELD)
        return perp_bounds_grown(box, perp_shape_sunk(shape));
    box.lower.z -= perp_shape_sunk(shape);
    return box;
}

PerpBounds perp_shape_bounds(const PerpShape *shape, PerpPose pose)
{
    PerpMat3 R = perp_quat_to_matrix(pose.rotation);
    if (shape->polyhedron)
        return perp_bounds_grown(polyhedron_bounds(shape->polyhedron, R, pose.position),
                                 shape->rounding);
    if (shape->triangles)
        return turned(triangles_bounds(shape), R, pose.position);
    if (shape->kind == PERP_SHAPE_CYLINDER)
        return about(pose.position, reaches(shape->size, R, cylinder_reach));
    if (shape->kind == PERP_SHAPE_ELLIPSOID)
        return about(pose.position, reaches(shape->size, R, ellipsoid_reach));
    assert(shape->kind == PERP_SHAPE_PLANE);
    return plane_bounds(R.z, pose.position);
}

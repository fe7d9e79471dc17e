#include "shapes.h"

#include "perp/context.h"

#include <stdlib.h>

const PerpPose perp_identity = {{0, 0, 0}, {1, 0, 0, 0}};

static PerpShape create(const PerpShapeDef *def)
{
    PerpContext context = perp_default_context();
    PerpShape shape;
    if (perp_shape_create(&context.allocator, def, &shape, NULL))
        abort();
    return shape;
}

PerpShape perp_test_shape(PerpShapeKind kind, double x, double y, double z)
{
    PerpShapeDef def = perp_default_shape();
    def.kind = kind;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    return create(&def);
}

PerpShape perp_test_hull(int n, const double *vertices)
{
    PerpShapeDef def = perp_default_shape();
    def.kind = PERP_SHAPE_HULL;
    def.n_vertices = n;
    def.vertices = vertices;
    return create(&def);
}

PerpShape perp_test_field(int rows, int columns, double cell, const double *heights)
{
    PerpShapeDef def = perp_default_shape();
    def.kind = PERP_SHAPE_HEIGHT_FIELD;
    def.size[0] = def.size[1] = cell;
    def.rows = rows;
    def.columns = columns;
    def.heights = heights;
    return create(&def);
}

void perp_test_shape_free(PerpShape *shape)
{
    PerpContext context = perp_default_context();
    perp_shape_free(&context.allocator, shape);
}

PerpShape perp_random_shape(PerpRandom *r, PerpShapeKind kind)
{
    double numbers[60] = {0};
    if (kind == PERP_SHAPE_MESH || kind == PERP_SHAPE_HEIGHT_FIELD)
        return perp_test_field(2, 2, 5, numbers);
    if (kind == PERP_SHAPE_HULL) {
        for (int i = 0; i < 60; i++)
            numbers[i] = 0.5 * perp_random_normal(r);
        return perp_test_hull(20, numbers);
    }
    double x = perp_random_uniform(r, 0.2, 1), y = perp_random_uniform(r, 0.2, 1);
    return perp_test_shape(kind, x, y, perp_random_uniform(r, 0.2, 1));
}

PerpVec3 perp_random_unit(PerpRandom *r)
{
    double n[3];
    perp_random_direction(r, n);
    return perp_vec3_load(n);
}

PerpQuat perp_random_rotation(PerpRandom *r)
{
    PerpQuat q = {perp_random_normal(r), perp_random_normal(r), perp_random_normal(r),
                  perp_random_normal(r)};
    return perp_quat_normalise(q);
}

PerpPose perp_random_pose(PerpRandom *r, double distance)
{
    PerpVec3 x = {perp_random_uniform(r, -distance, distance),
                  perp_random_uniform(r, -distance, distance),
                  perp_random_uniform(r, -distance, distance)};
    return (PerpPose){x, perp_random_rotation(r)};
}

PerpPose perp_pose_turned(double x, double y, double z, PerpVec3 turn)
{
    return (PerpPose){{x, y, z}, perp_quat_exp(turn)};
}

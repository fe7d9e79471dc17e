// Extent and principal inertias of bodies, measured through the public interface.
#include "check/check.h"

#include <math.h>

static const unsigned ROTATIONS =
    PERP_FREE_ROTATION_X | PERP_FREE_ROTATION_Y | PERP_FREE_ROTATION_Z;

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Radius of a ball about the shape's own origin that holds it; infinite shapes are not of bodies.
static double radius_of(const PerpShapeDef *shape)
{
    double radius = 0;
    switch (shape->kind) {
    case PERP_SHAPE_SPHERE:
        return shape->size[0];
    case PERP_SHAPE_CAPSULE:
        return shape->size[0] + shape->size[1];
    case PERP_SHAPE_CYLINDER:
        return hypot(shape->size[0], shape->size[1]);
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_ELLIPSOID:
        return norm(shape->size);
    default:
        for (int k = 0; k < shape->n_vertices; k++)
            radius = fmax(radius, norm(shape->vertices + 3 * k));
        return radius;
    }
}

static void measure_shapes(Check *check)
{
    const PerpModelDef *def = perp_scene_model_def(check->opened.scene);
    for (int k = 0; k < def->n_shapes; k++) {
        const PerpShapeDef *shape = &def->shapes[k];
        if (shape->body < 0)
            continue;
        CheckBody *body = &check->bodies[shape->body];
        body->shapes++;
        body->reach = fmax(body->reach, norm(shape->position) + radius_of(shape));
    }
}

static double determinant(double A[3][3])
{
    return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
           A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

// Eigenvalues of a symmetric matrix as the roots of its cubic, q + 2 p cos(phi + 2 k pi/3).
static void eigenvalues(double A[3][3], double values[3])
{
    const double third_of_turn = 2.09439510239319549231;
    double q = (A[0][0] + A[1][1] + A[2][2]) / 3, squares = 0;
    for (int k = 0; k < 3; k++)
        A[k][k] -= q;
    for (int k = 0; k < 9; k++)
        squares += A[k / 3][k % 3] * A[k / 3][k % 3];
    double p = sqrt(squares / 6);
    double r = p > 0 ? determinant(A) / (2 * p * p * p) : 1;
    double phi = acos(fmax(-1, fmin(1, r))) / 3;
    values[0] = q + 2 * p * cos(phi);
    values[2] = q + 2 * p * cos(phi + third_of_turn);
    values[1] = 3 * q - values[0] - values[2];
}

static void measure_inertia(const PerpModel *model, int body, double principal[3])
{
    double inertia[3][3];
    perp_model_body_inertia(model, body, inertia);
    eigenvalues(inertia, principal);
}

void check_measure_bodies(Check *check)
{
    const PerpModelDef *def = perp_scene_model_def(check->opened.scene);
    measure_shapes(check);
    for (int body = 0; body < def->n_bodies; body++) {
        CheckBody *measured = &check->bodies[body];
        measured->is_free_to_turn = (def->bodies[body].freedom & ROTATIONS) == ROTATIONS;
        if (measured->is_free_to_turn)
            measure_inertia(check->opened.model, body, measured->principal);
    }
}

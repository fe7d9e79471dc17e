// Orientations as unit quaternions. q turns body coordinates into world coordinates; rotation
// vectors phi (axis times angle) are in body axes: q (+) phi = q exp(phi).
#ifndef PERP_MATH_QUAT_H
#define PERP_MATH_QUAT_H

#include "math/mat3.h"

#include <assert.h>
#include <float.h>

typedef struct PerpQuat {
    double w, x, y, z;
} PerpQuat;

static inline PerpQuat perp_quat_product(PerpQuat a, PerpQuat b)
{
    return (PerpQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline PerpQuat perp_quat_conjugate(PerpQuat q)
{
    return (PerpQuat){q.w, -q.x, -q.y, -q.z};
}

// q / |q|, for |q|^2 > 0 within the range of double. What is unit to rounding comes back bit for
// bit, so that a body at rest keeps its orientation: 6 eps bounds this function's own errors in
// |q|^2. Which of the two happens is left to chance in motion: no branch depends on it.
static inline PerpQuat perp_quat_normalise(PerpQuat q)
{
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, root = sqrt(square);
    double norm = fabs(square - 1) <= 6 * DBL_EPSILON ? 1 : root;
    assert(square != 0);
    return (PerpQuat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

// R(q) v and R(q)' v, for a unit q: v + 2 u x (u x v + w v), u the vector part
static inline PerpVec3 perp_quat_rotate(PerpQuat q, PerpVec3 v)
{
    PerpVec3 u = {q.x, q.y, q.z};
    PerpVec3 t = perp_vec3_add_scaled(perp_vec3_cross(u, v), q.w, v);
    return perp_vec3_add_scaled(v, 2, perp_vec3_cross(u, t));
}

static inline PerpVec3 perp_quat_rotate_back(PerpQuat q, PerpVec3 v)
{
    return perp_quat_rotate(perp_quat_conjugate(q), v);
}

// R(q), for a unit q: 1 + 2 w u~ + 2 u~ u~
static inline PerpMat3 perp_quat_to_matrix(PerpQuat q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (PerpMat3){{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

PerpQuat perp_quat_from_matrix(PerpMat3 R); // of a rotation, perhaps with rounding; w >= 0

// The inverse of exp, with |log(q)| <= pi; -q has the same log as q but at pi, and so has s q for
// s > 0.
PerpVec3 perp_quat_log(PerpQuat q);

// (cos x, sin(x) / x phi/2), x = |phi|/2, by the series in x^2 up to x^10: to rounding for x < 0.1,
// and bodies turn by less in a step.
static inline PerpQuat perp_quat_exp_of_small(PerpVec3 phi, double x2)
{
    double c =
        1 - x2 * (1.0 / 2) *
                (1 - x2 * (1.0 / 12) *
                         (1 - x2 * (1.0 / 30) * (1 - x2 * (1.0 / 56) * (1 - x2 * (1.0 / 90)))));
    double s =
        1 - x2 * (1.0 / 6) *
                (1 - x2 * (1.0 / 20) *
                         (1 - x2 * (1.0 / 42) * (1 - x2 * (1.0 / 72) * (1 - x2 * (1.0 / 110)))));
    return (PerpQuat){c, 0.5 * s * phi.x, 0.5 * s * phi.y, 0.5 * s * phi.z};
}

PerpQuat perp_quat_exp_of_large(PerpVec3 phi);

// Turns by |phi| about phi; any |phi|.
static inline PerpQuat perp_quat_exp(PerpVec3 phi)
{
    double x2 = perp_vec3_dot(phi, phi) / 4;
    return x2 < 0.01 ? perp_quat_exp_of_small(phi, x2) : perp_quat_exp_of_large(phi);
}

// q (+) phi, normalised, and its inverse a (-) b: b (+) (a (-) b) is a or -a.
static inline PerpQuat perp_quat_plus(PerpQuat q, PerpVec3 phi)
{
    return perp_quat_normalise(perp_quat_product(q, perp_quat_exp(phi)));
}
PerpVec3 perp_quat_minus(PerpQuat a, PerpQuat b);

#endif

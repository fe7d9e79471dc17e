// Orientations as unit quaternions. q turns body coordinates into world coordinates; rotation
// vectors phi (axis times angle) are in body axes: q (+) phi = q exp(phi).
#ifndef PERP_MATH_QUAT_H
#define PERP_MATH_QUAT_H

#include "math/mat3.h"

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
// bit.
PerpQuat perp_quat_normalise(PerpQuat q);

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

// exp(phi) turns by |phi| about phi; any |phi|. log is its inverse, with |log(q)| <= pi; -q has the
// same log as q but at pi, and so has s q, s > 0.
PerpQuat perp_quat_exp(PerpVec3 phi);
PerpVec3 perp_quat_log(PerpQuat q);

// q (+) phi, normalised, and its inverse a (-) b: b (+) (a (-) b) is a or -a.
PerpQuat perp_quat_plus(PerpQuat q, PerpVec3 phi);
PerpVec3 perp_quat_minus(PerpQuat a, PerpQuat b);

#endif

// Matrices of space, by value: rotations and inertias.
#ifndef PERP_MATH_MAT3_H
#define PERP_MATH_MAT3_H

#include "math/vec3.h"

#include <stdbool.h>

// By columns: in memory nine numbers, row i of column j at i + 3 j. A rotation matrix of a body has
// the body's axes as its columns, written in the world.
typedef struct PerpMat3 {
    PerpVec3 x, y, z;
} PerpMat3;

static inline PerpMat3 perp_mat3_diagonal(PerpVec3 d)
{
    return (PerpMat3){{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}};
}

// a~, with a~ b = a x b
static inline PerpMat3 perp_mat3_skew(PerpVec3 a)
{
    return (PerpMat3){{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}};
}

static inline PerpMat3 perp_mat3_transpose(PerpMat3 A)
{
    return (PerpMat3){{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
}

// A v
static inline PerpVec3 perp_mat3_times(PerpMat3 A, PerpVec3 v)
{
    PerpVec3 sum = perp_vec3_add_scaled(perp_vec3_scale(v.x, A.x), v.y, A.y);
    return perp_vec3_add_scaled(sum, v.z, A.z);
}

// A' v
static inline PerpVec3 perp_mat3_transposed_times(PerpMat3 A, PerpVec3 v)
{
    return (PerpVec3){perp_vec3_dot(A.x, v), perp_vec3_dot(A.y, v), perp_vec3_dot(A.z, v)};
}

// A B
static inline PerpMat3 perp_mat3_product(PerpMat3 A, PerpMat3 B)
{
    return (PerpMat3){perp_mat3_times(A, B.x), perp_mat3_times(A, B.y), perp_mat3_times(A, B.z)};
}

static inline bool perp_mat3_is_diagonal(PerpMat3 A)
{
    return A.x.y == 0 && A.x.z == 0 && A.y.x == 0 && A.y.z == 0 && A.z.x == 0 && A.z.y == 0;
}

// A x = b by elimination with partial pivoting. False, with the result untouched, if a
// pivot is zero or not a number.
bool perp_mat3_eliminate(PerpMat3 A, PerpVec3 b, PerpVec3 *x);
static inline bool perp_mat3_solve(PerpMat3 A, PerpVec3 b, PerpVec3 *x)
{
    if (!perp_mat3_is_diagonal(A))
        return perp_mat3_eliminate(A, b, x);
    if (!(fabs(A.x.x) > 0 && fabs(A.y.y) > 0 && fabs(A.z.z) > 0))
        return false;
    *x = (PerpVec3){b.x / A.x.x, b.y / A.y.y, b.z / A.z.z}; // the same, bit for bit
    return true;
}

// A = Q diag(d) Q' for a symmetric A, of which the lower triangle is read. Returns d. Q is a
// rotation, near the identity if A is nearly diagonal: d is in the order of the axes, not sorted.
PerpVec3 perp_mat3_eigen(PerpMat3 A, PerpMat3 *Q);

#endif

// Vectors of space, by value.
#ifndef PERP_MATH_VEC3_H
#define PERP_MATH_VEC3_H

#include <math.h>

typedef struct PerpVec3 {
    double x, y, z;
} PerpVec3;

static inline PerpVec3 perp_vec3_load(const double *a)
{
    return (PerpVec3){a[0], a[1], a[2]};
}

static inline void perp_vec3_store(PerpVec3 a, double *target)
{
    target[0] = a.x;
    target[1] = a.y;
    target[2] = a.z;
}

static inline PerpVec3 perp_vec3_add(PerpVec3 a, PerpVec3 b)
{
    return (PerpVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline PerpVec3 perp_vec3_sub(PerpVec3 a, PerpVec3 b)
{
    return (PerpVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline PerpVec3 perp_vec3_scale(double s, PerpVec3 a)
{
    return (PerpVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline PerpVec3 perp_vec3_add_scaled(PerpVec3 a, double s, PerpVec3 b)
{
    return (PerpVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double perp_vec3_dot(PerpVec3 a, PerpVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline PerpVec3 perp_vec3_cross(PerpVec3 a, PerpVec3 b)
{
    return (PerpVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Whether a sum of squares is far enough from underflow and overflow to be accurate.
static inline int perp_square_is_safe(double square)
{
    return square > 1e-280 && square < 1e300;
}

// The length of (x, y), without underflow or overflow on the way.
static inline double perp_length(double x, double y)
{
    double square = x * x + y * y;
    if (y == 0)
        return fabs(x);
    return perp_square_is_safe(square) ? sqrt(square) : hypot(x, y);
}

// |a|, without underflow or overflow on the way.
static inline double perp_vec3_norm(PerpVec3 a)
{
    double square = perp_vec3_dot(a, a);
    return perp_square_is_safe(square) ? sqrt(square) : hypot(hypot(a.x, a.y), a.z);
}

// a / |a|; zero stays zero.
static inline PerpVec3 perp_vec3_normalise(PerpVec3 a)
{
    double square = perp_vec3_dot(a, a);
    if (!perp_square_is_safe(square)) {
        // 2^-k a has the direction of a, and its largest component is about 1
        int k;
        frexp(fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))), &k);
        a = (PerpVec3){ldexp(a.x, -k), ldexp(a.y, -k), ldexp(a.z, -k)};
        square = perp_vec3_dot(a, a);
    }
    double norm = square > 0 ? sqrt(square) : 1;
    return (PerpVec3){a.x / norm, a.y / norm, a.z / norm};
}

// Unit vectors t1, t2 with t1 x t2 = n, for a unit n. Smooth in n but for the jump at n.z = 0, and
// accurate everywhere, because 1 + |n.z| never cancels [Duff et al., JCGT 6(1), 2017].
static inline void perp_vec3_tangents(PerpVec3 n, PerpVec3 *t1, PerpVec3 *t2)
{
    double sign = copysign(1, n.z);
    double a = -1 / (sign + n.z);
    double b = n.x * n.y * a;
    *t1 = (PerpVec3){1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t2 = (PerpVec3){b, sign + n.y * n.y * a, -n.y};
}

#endif

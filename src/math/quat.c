#include "math/quat.h"

#include <assert.h>
#include <float.h>

static PerpVec3 vector_part(PerpQuat q)
{
    return (PerpVec3){q.x, q.y, q.z};
}

static PerpQuat negate(PerpQuat q)
{
    return (PerpQuat){-q.w, -q.x, -q.y, -q.z};
}

// The bound of this function's own rounding errors in |q|^2. Within it q is left alone, so that a
// body at rest keeps its orientation bit for bit.
static const double UNIT_ROUNDING = 6 * DBL_EPSILON;

PerpQuat perp_quat_normalise(PerpQuat q)
{
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    assert(square != 0);
    if (fabs(square - 1) <= UNIT_ROUNDING)
        return q;
    double norm = sqrt(square);
    return (PerpQuat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

// The rows of 4 q q', each a multiple of q, are sums and differences of entries of R. The row of
// the largest component has no cancellation    [Shepperd, J. Guidance and Control 1(3), 1978]
static PerpQuat longest_multiple(PerpMat3 R)
{
    double xx = R.x.x, yy = R.y.y, zz = R.z.z;
    double wx = R.y.z - R.z.y, wy = R.z.x - R.x.z, wz = R.x.y - R.y.x;
    double xy = R.x.y + R.y.x, xz = R.x.z + R.z.x, yz = R.y.z + R.z.y;
    double trace = xx + yy + zz;
    if (trace >= fmax(xx, fmax(yy, zz)))
        return (PerpQuat){1 + trace, wx, wy, wz};
    if (xx >= fmax(yy, zz))
        return (PerpQuat){wx, 1 + xx - yy - zz, xy, xz};
    if (yy >= zz)
        return (PerpQuat){wy, xy, 1 - xx + yy - zz, yz};
    return (PerpQuat){wz, xz, yz, 1 - xx - yy + zz};
}

PerpQuat perp_quat_from_matrix(PerpMat3 R)
{
    PerpQuat q = perp_quat_normalise(longest_multiple(R));
    return q.w < 0 ? negate(q) : q;
}

// The same by the series of cos x and sin x / x in x^2 up to x^10, to rounding for x < 0.1: bodies
// turn by less in a step.
static PerpQuat exp_of_small(PerpVec3 phi, double x2)
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

// (cos a/2, sin(a/2) / a phi), a = |phi|. sin(x) / x is accurate for every x > 0, however small.
PerpQuat perp_quat_exp(PerpVec3 phi)
{
    double square = perp_vec3_dot(phi, phi) / 4;
    if (square < 0.01)
        return exp_of_small(phi, square);
    double half = 0.5 * perp_vec3_norm(phi);
    double s = half > 0 ? 0.5 * (sin(half) / half) : 0.5;
    return (PerpQuat){cos(half), s * phi.x, s * phi.y, s * phi.z};
}

// 2 atan2(|u|, w) / |u| u, for the one of q and -q with w >= 0
PerpVec3 perp_quat_log(PerpQuat q)
{
    if (q.w < 0)
        q = negate(q);
    PerpVec3 u = vector_part(q);
    double sine = perp_vec3_norm(u);
    double s = sine > 0 ? 2 * (atan2(sine, q.w) / sine) : 0;
    return perp_vec3_scale(s, u);
}

PerpQuat perp_quat_plus(PerpQuat q, PerpVec3 phi)
{
    return perp_quat_normalise(perp_quat_product(q, perp_quat_exp(phi)));
}

PerpVec3 perp_quat_minus(PerpQuat a, PerpQuat b)
{
    return perp_quat_log(perp_quat_product(perp_quat_conjugate(b), a));
}

#include "math/quat.h"

static PerpVec3 vector_part(PerpQuat q)
{
    return (PerpVec3){q.x, q.y, q.z};
}

static PerpQuat negate(PerpQuat q)
{
    return (PerpQuat){-q.w, -q.x, -q.y, -q.z};
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

// sin(x) / x is accurate for every x > 0, however small.
PerpQuat perp_quat_exp_of_large(PerpVec3 phi)
{
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

PerpVec3 perp_quat_minus(PerpQuat a, PerpQuat b)
{
    return perp_quat_log(perp_quat_product(perp_quat_conjugate(b), a));
}

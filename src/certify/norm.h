// |x| of a vector of the plane, for certificates, without overflow.
#ifndef PERP_CERTIFY_NORM_H
#define PERP_CERTIFY_NORM_H

#include <float.h>
#include <math.h>

static inline double perp_norm(double x, double y)
{
    double square = x * x + y * y;
    if (y == 0)
        return fabs(x);
    return square > DBL_MIN / DBL_EPSILON && square <= DBL_MAX ? sqrt(square) : hypot(x, y);
}

#endif

// The barrier of the second-order cone { |x_T| <= x_n }: Nesterov and Todd's scaling in the algebra
// of Jordan [Nesterov and Todd 1997; Alizadeh and Goldfarb 2003].

#include "cones/barrier.h"
#include "cones/cone.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// --- the algebra --------------------------------------------------------------------------------

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double determinant(const double *a)
{
    double t = perp_length(a[1], a[2]);
    return (a[0] - t) * (a[0] + t);
}

// a o b
static void product(const double *a, const double *b, double *c)
{
    double head = dot(a, b);
    c[1] = a[0] * b[1] + b[0] * a[1];
    c[2] = a[0] * b[2] + b[0] * a[2];
    c[0] = head;
}

// x of a o x = b
static void quotient(const double *a, const double *b, double *x)
{
    double head = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a);
    x[1] = (b[1] - head * a[1]) / a[0];
    x[2] = (b[2] - head * a[2]) / a[0];
    x[0] = head;
}

// --- the scaling --------------------------------------------------------------------------------

// The symmetric scaling with s = scaling r: eta (2 w w' - diag(1, -1, -1)) with
// w_n^2 - |w_T|^2 = 1, whose factors are eta (w_n + |w_T|)^2, eta (w_n - |w_T|)^2 and eta.
static void find_scaling(const double *r, PerpBarrierPoint *it)
{
    double size_s = sqrt(determinant(it->s)), size_r = sqrt(determinant(r)), w[3];
    double gamma = sqrt((1 + dot(it->s, r) / (size_s * size_r)) / 2), eta = size_s / size_r;
    for (int i = 0; i < 3; i++)
        w[i] = (it->s[i] / size_s + (i == 0 ? r[i] : -r[i]) / size_r) / (2 * gamma);
    double across = perp_length(w[1], w[2]), far = (w[0] + across) * (w[0] + across);
    it->axis[0] = across > 0 ? w[1] / across : 1;
    it->axis[1] = across > 0 ? w[2] / across : 0;
    it->factor[0] = eta * far;
    it->factor[1] = eta / far;
    it->factor[2] = eta;
}

// y = f(scaling) x for a function that is given by its factors
static void scale(const PerpBarrierPoint *it, const double f[3], const double *x, double *y)
{
    const double *t = it->axis;
    double along = t[0] * x[1] + t[1] * x[2], turned = t[0] * x[2] - t[1] * x[1];
    double plus = f[0] * (x[0] + along) / 2, minus = f[1] * (x[0] - along) / 2;
    y[0] = plus + minus;
    y[1] = t[0] * (plus - minus) - t[1] * f[2] * turned;
    y[2] = t[1] * (plus - minus) + t[0] * f[2] * turned;
}

static void scale_root(const PerpBarrierPoint *it, const double *x, double *y)
{
    const double f[3] = {sqrt(it->factor[0]), sqrt(it->factor[1]), sqrt(it->factor[2])};
    scale(it, f, x, y);
}

static void scale_inverse_root(const PerpBarrierPoint *it, const double *x, double *y)
{
    const double f[3] = {1 / sqrt(it->factor[0]), 1 / sqrt(it->factor[1]), 1 / sqrt(it->factor[2])};
    scale(it, f, x, y);
}

// y = (scaling + regularisation)^-1 x
static void scale_regularised(const PerpBarrierPoint *it, double regularisation, const double *x,
                              double *y)
{
    double f[3];
    for (int i = 0; i < 3; i++)
        f[i] = 1 / (it->factor[i] + regularisation);
    scale(it, f, x, y);
}

// How far from a along da until the cone ends.
static double distance_to_boundary(const double *a, const double *da)
{
    double A = determinant(da), B = a[0] * da[0] - a[1] * da[1] - a[2] * da[2], C = determinant(a);
    double distance = da[0] < 0 ? -a[0] / da[0] : INFINITY, root = B * B - A * C;
    if (root < 0)
        return distance;
    double q = -(B + copysign(sqrt(root), B)), one = q / A, other = C / q;
    if (one > 0 && isfinite(one))
        distance = fmin(distance, one);
    if (other > 0 && isfinite(other))
        distance = fmin(distance, other);
    return distance;
}

// --- the barrier --------------------------------------------------------------------------------

// r_0 = (x + (x^2 + 4 kappa)^(1/2)) / 2,  s_0 = r_0 - x  with x = r - u, by the eigenvalues
// x_n + |x_T| and x_n - |x_T| of x
static void start(const PerpConstraint *constraint, double kappa, const double *u, double *r,
                  PerpBarrierPoint *it)
{
    (void)constraint;
    const double x[3] = {r[0] - u[0], r[1] - u[1], r[2] - u[2]};
    double t = perp_length(x[1], x[2]), value[2] = {x[0] + t, x[0] - t}, to_r[2], to_s[2];
    for (int i = 0; i < 2; i++) {
        double root = sqrt(value[i] * value[i] + 4 * kappa), large = (root + fabs(value[i])) / 2;
        to_r[i] = value[i] > 0 ? large : kappa / large;
        to_s[i] = value[i] > 0 ? kappa / large : large;
    }
    r[0] = (to_r[0] + to_r[1]) / 2;
    it->s[0] = (to_s[0] + to_s[1]) / 2;
    for (int i = 1; i < 3; i++) {
        r[i] = t > 0 ? (to_r[0] - to_r[1]) / 2 * x[i] / t : 0;
        it->s[i] = t > 0 ? (to_s[0] - to_s[1]) / 2 * x[i] / t : 0;
    }
}

static double complementarity(const PerpConstraint *constraint, const double *r,
                              const PerpBarrierPoint *it, int *count)
{
    (void)constraint;
    *count += 1;
    return dot(r, it->s);
}

static void linearise(const PerpConstraint *constraint, double regularisation, const double *r,
                      const double *u, PerpBarrierPoint *it, double *C)
{
    (void)constraint;
    for (int i = 0; i < 3; i++)
        it->off[i] = u[i] - it->s[i];
    find_scaling(r, it);
    scale_root(it, r, it->lambda);
    for (int j = 0; j < 3; j++) {
        const double x[3] = {j == 0, j == 1, j == 2};
        double y[3];
        scale_regularised(it, regularisation, x, y);
        for (int i = 0; i < 3; i++)
            C[3 * i + j] = y[i];
    }
}

static void aim(const PerpConstraint *constraint, double regularisation, double kappa,
                double correct, const double *r, const double *u, const double *C,
                PerpBarrierPoint *it, double *g)
{
    (void)constraint, (void)r, (void)u, (void)C;
    double rho[3], a[3], b[3], second[3], x[3];
    product(it->lambda, it->lambda, rho);
    for (int i = 0; i < 3; i++)
        rho[i] = (i == 0 ? kappa : 0) - rho[i];
    if (correct > 0) {
        scale_inverse_root(it, it->ds, a);
        scale_root(it, it->dr, b);
        product(a, b, second);
        for (int i = 0; i < 3; i++)
            rho[i] -= correct * second[i];
    }
    quotient(it->lambda, rho, x);
    scale_root(it, x, a);
    for (int i = 0; i < 3; i++)
        x[i] = a[i] - it->off[i];
    scale_regularised(it, regularisation, x, g);
}

// From the velocities: scaling dr would cancel where the scaling is large.
static void change(const PerpConstraint *constraint, double kappa, const double *r, const double *w,
                   PerpBarrierPoint *it)
{
    (void)constraint, (void)kappa, (void)r;
    for (int i = 0; i < 3; i++)
        it->ds[i] = it->off[i] + w[i];
}

static double step(const PerpConstraint *constraint, const double *r, const PerpBarrierPoint *it)
{
    (void)constraint;
    return fmin(distance_to_boundary(r, it->dr), distance_to_boundary(it->s, it->ds));
}

const PerpBarrier perp_barrier_second_order = {.start = start,
                                               .complementarity = complementarity,
                                               .linearise = linearise,
                                               .aim = aim,
                                               .change = change,
                                               .step = step};

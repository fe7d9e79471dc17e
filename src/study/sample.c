// Counter-based random numbers, permutations without tables, and distributions by their inverses.
#include "study/sample.h"

#include <math.h>

// SplitMix64's output function [Steele, Lea, Flood 2014]: position k of a stream is mix(s + k g).
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash(uint64_t seed, uint64_t stream, uint64_t k)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    return mix(mix(mix(seed + golden) + golden * (stream + 1)) + golden * (k + 1));
}

// The middle of one of 2^53 intervals, so that neither end is met.
static double to_unit(uint64_t bits)
{
    double u = ((double)(bits >> 11) + 0.5) * 0x1p-53;
    return u < 1 ? u : 1 - 0x1p-53;
}

double perp_random_point(uint64_t seed, uint64_t stream, uint64_t k)
{
    return to_unit(hash(seed, stream, k));
}

// --- permutations -------------------------------------------------------------------------------

enum { ROUNDS = 6 };

// A Feistel network on 2 x half bits: a permutation whatever its round function is [Luby and
// Rackoff 1988].
static uint64_t feistel(uint64_t seed, uint64_t x, int half)
{
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t left = x >> half, right = x & mask;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t next = left ^ (hash(seed, (uint64_t)round, right) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

// Of a range that is no power of four: on until it is met again [Black and Rogaway 2002, cycle
// walking]; less than four rounds on average.
uint64_t perp_permuted(uint64_t seed, uint64_t k, uint64_t count)
{
    int half = 1;
    while (half < 31 && (UINT64_C(1) << (2 * half)) < count)
        half++;
    do
        k = feistel(seed, k, half);
    while (k >= count);
    return k;
}

// One point in each of `count` strata of every dimension [McKay, Beckman, Conover 1979].
double perp_latin_point(uint64_t seed, uint64_t stream, uint64_t k, uint64_t count)
{
    uint64_t stratum = perp_permuted(hash(seed, stream, UINT64_MAX), k, count);
    double u = ((double)stratum + perp_random_point(seed, stream, k)) / (double)count;
    return u < 1 ? u : 1 - 0x1p-53;
}

// A digital shift by random bits keeps the net and keeps 0 away [Matousek 1998].
double perp_sobol_point(uint64_t seed, uint64_t stream, int dimension, uint32_t k)
{
    uint64_t bits = (uint64_t)perp_sobol_bits(dimension, k) << 32;
    return to_unit(bits ^ hash(seed, stream, UINT64_MAX));
}

// --- distributions ------------------------------------------------------------------------------

double perp_spaced(const PerpSpacing *spacing, long k)
{
    double part = spacing->count > 1 ? (double)k / (double)(spacing->count - 1) : 0;
    switch (spacing->kind) {
    case PERP_SPACING_LIST:
        return spacing->list[k];
    case PERP_SPACING_STEP:
        return spacing->from + (double)k * spacing->to;
    case PERP_SPACING_LINEAR:
        return k + 1 == spacing->count && k > 0
                   ? spacing->to
                   : spacing->from + part * (spacing->to - spacing->from);
    default:
        return k == 0                    ? spacing->from
               : k + 1 == spacing->count ? spacing->to
                                         : spacing->from * pow(spacing->to / spacing->from, part);
    }
}

static double ratio(const double p[8], const double q[8], double x)
{
    double top = p[7], bottom = q[7];
    for (int k = 6; k >= 0; k--) {
        top = top * x + p[k];
        bottom = bottom * x + q[k];
    }
    return top / bottom;
}

// The inverse of the normal distribution, to about 1e-16 [Wichura 1988, AS 241, PPND16].
static double inverse_normal(double u)
{
    static const double a[8] = {3.3871328727963666080,    1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    static const double c[8] = {1.42343711074968357734,    4.63033784615654529590,
                                5.76949722146069140550,    3.64784832476320460504,
                                1.27045825245236838258,    2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187,
                                1.67638483018380384940,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720,    5.46378491116411436990,
                                1.78482653991729133580,    2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    double q = u - 0.5;
    if (fabs(q) <= 0.425)
        return q * ratio(a, b, 0.180625 - q * q);
    double r = sqrt(-log(q < 0 ? u : 1 - u));
    double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
    return q < 0 ? -x : x;
}

static double normal_probability(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

// Cut off at the bounds: u is spread over the probabilities between them. Those above the mean are
// taken from the other side, where they are small numbers and not next to 1.
static double draw_normal(const PerpDistribution *d, double u, double lower, double upper)
{
    if (lower > d->a) {
        PerpDistribution mirrored = {.a = -d->a, .b = d->b};
        return -draw_normal(&mirrored, 1 - u, -upper, -lower);
    }
    double low = normal_probability((lower - d->a) / d->b);
    double high = normal_probability((upper - d->a) / d->b);
    double x = d->a + d->b * inverse_normal(low + u * (high - low));
    return fmin(fmax(x, lower), upper);
}

// Bounds of a normal distribution, or of the logarithm of what is lognormal.
static double log_of(double bound)
{
    return bound > 0 ? log(bound) : -INFINITY;
}

double perp_probability_within(const PerpDistribution *d)
{
    bool is_log = d->kind == PERP_DRAW_LOGNORMAL;
    double lower = is_log ? log_of(d->lower) : d->lower;
    double upper = is_log ? log_of(d->upper) : d->upper;
    if (lower > d->a)
        return normal_probability((d->a - lower) / d->b) -
               normal_probability((d->a - upper) / d->b);
    return normal_probability((upper - d->a) / d->b) - normal_probability((lower - d->a) / d->b);
}

static double draw_triangular(const PerpDistribution *d, double u)
{
    double width = d->c - d->a, left = d->b - d->a;
    return u * width < left ? d->a + sqrt(u * width * left)
                            : d->c - sqrt((1 - u) * width * (d->c - d->b));
}

double perp_drawn(const PerpDistribution *d, double u)
{
    switch (d->kind) {
    case PERP_DRAW_UNIFORM:
        return d->a + u * (d->b - d->a);
    case PERP_DRAW_LOGUNIFORM:
        return d->a * pow(d->b / d->a, u);
    case PERP_DRAW_NORMAL:
        return draw_normal(d, u, d->lower, d->upper);
    case PERP_DRAW_LOGNORMAL:
        return exp(draw_normal(d, u, log_of(d->lower), log_of(d->upper)));
    case PERP_DRAW_TRIANGULAR:
        return draw_triangular(d, u);
    case PERP_DRAW_INTEGER:
        return fmin(d->a + floor(u * (d->b - d->a + 1)), d->b);
    default:
        return d->choice[(long)fmin(u * (double)d->count, (double)d->count - 1)];
    }
}

#include "random.h"

#include <math.h>

PerpRandom perp_random(uint64_t seed)
{
    return (PerpRandom){seed};
}

// state += golden ratio, then two rounds of shift and multiply
uint64_t perp_random_bits(PerpRandom *r)
{
    uint64_t x = r->state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

double perp_random_uniform(PerpRandom *r, double lo, double hi)
{
    double x = (double)(perp_random_bits(r) >> 11) * 0x1p-53;
    return lo + (hi - lo) * x;
}

int perp_random_int(PerpRandom *r, int lo, int hi)
{
    uint64_t choices = (uint64_t)((int64_t)hi - lo) + 1;
    return (int)(lo + (int64_t)(perp_random_bits(r) % choices));
}

bool perp_random_coin(PerpRandom *r)
{
    return perp_random_bits(r) >> 63;
}

// a sum of twelve uniform numbers has variance 1
double perp_random_normal(PerpRandom *r)
{
    double sum = -6.0;
    for (int k = 0; k < 12; k++)
        sum += perp_random_uniform(r, 0.0, 1.0);
    return sum;
}

// log2 made of straight pieces between the powers of two, so that it and its inverse are exact
static double octaves(double x)
{
    int exponent;
    double mantissa = frexp(x, &exponent); // 1/2 <= mantissa < 1
    return exponent + 2.0 * mantissa - 1.0;
}

double perp_random_log_uniform(PerpRandom *r, double lo, double hi)
{
    double x = perp_random_uniform(r, octaves(lo), octaves(hi));
    double whole = floor(x);
    return ldexp(0.5 * (1.0 + x - whole), (int)whole);
}

void perp_random_direction(PerpRandom *r, double direction[3])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; k++) {
            direction[k] = perp_random_uniform(r, -1.0, 1.0);
            square += direction[k] * direction[k];
        }
    } while (square > 1.0 || square < 0x1p-20);
    for (int k = 0; k < 3; k++)
        direction[k] /= sqrt(square);
}

// Taylor series at the eighth of the angle, then three doublings
void perp_circle_point(double turns, double *cosine, double *sine)
{
    double angle = turns * (6.283185307179586 / 8.0), term = 1.0;
    double c = 0.0, s = 0.0;
    for (int k = 0; k < 24; k += 2) {
        c += term;
        term *= angle / (k + 1);
        s += term;
        term *= -angle / (k + 2);
    }
    for (int doubling = 0; doubling < 3; doubling++) {
        double twice = 2.0 * s * c;
        c = c * c - s * s;
        s = twice;
    }
    *cosine = c;
    *sine = s;
}

// Sobol's points by the direction numbers of Joe and Kuo (2008), new-joe-kuo-6.21201, the first 21
// dimensions. Without Gray code, so that point k needs no other point.
#include "study/sample.h"

enum { BITS = 32, DEGREE = 7 };

// Primitive polynomials x^s + a_1 x^(s-1) + ... + 1, a in binary, and the first s numbers m.
static const struct {
    uint8_t s, a, m[DEGREE];
} table[PERP_SOBOL_DIMENSIONS] = {
    {0, 0, {0}}, // m = 1 throughout: van der Corput's sequence
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

// v_i = v_(i-s) ^ (v_(i-s) >> s) ^ sum_k a_k v_(i-k)                  [Joe and Kuo 2003, (2)]
static void make_directions(int dimension, uint32_t v[BITS])
{
    int s = table[dimension].s, a = table[dimension].a;
    for (int i = 0; i < BITS; i++) {
        if (s == 0 || i < s) {
            v[i] = (s == 0 ? UINT32_C(1) : (uint32_t)table[dimension].m[i]) << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - s] ^ (v[i - s] >> s);
        for (int k = 1; k < s; k++)
            if (a >> (s - 1 - k) & 1)
                v[i] ^= v[i - k];
    }
}

uint32_t perp_sobol_bits(int dimension, uint32_t k)
{
    uint32_t v[BITS], bits = 0;
    make_directions(dimension, v);
    for (int i = 0; k >> i; i++) {
        if (k >> i & 1)
            bits ^= v[i];
        if (i == BITS - 1)
            break;
    }
    return bits;
}

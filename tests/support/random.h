// Seeded random numbers, the same bits on every machine: integer arithmetic, additions and
// multiplications only, no functions of libm but sqrt, floor, frexp and ldexp, which are exact.
#ifndef PERP_TEST_RANDOM_H
#define PERP_TEST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

// SplitMix64: one word of state, every seed is good. Set the state to the seed.
typedef struct PerpRandom {
    uint64_t state;
} PerpRandom;

PerpRandom perp_random(uint64_t seed);
uint64_t perp_random_bits(PerpRandom *r);
double perp_random_uniform(PerpRandom *r, double lo, double hi); // lo <= x < hi
int perp_random_int(PerpRandom *r, int lo, int hi);              // lo <= k <= hi
bool perp_random_coin(PerpRandom *r);                            //
double perp_random_normal(PerpRandom *r);                        // mean 0, variance 1, |x| <= 6

// Between lo and hi, every factor of two as likely as any other. 0 < lo <= hi.
double perp_random_log_uniform(PerpRandom *r, double lo, double hi);

// A direction drawn evenly from the unit sphere.
void perp_random_direction(PerpRandom *r, double direction[3]);

// cos and sin of the angle `turns` times a full turn, 0 <= turns < 1.
void perp_circle_point(double turns, double *cosine, double *sine);

#endif

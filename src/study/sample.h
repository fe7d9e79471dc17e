// Values of parameters: evenly spaced, listed, or drawn by a distribution from points of the unit
// cube. Every point is computed from its number alone.
#ifndef PERP_STUDY_SAMPLE_H
#define PERP_STUDY_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { PERP_SOBOL_DIMENSIONS = 21 };

typedef enum PerpSpacingKind {
    PERP_SPACING_LIST,
    PERP_SPACING_LINEAR,
    PERP_SPACING_LOGARITHMIC,
    PERP_SPACING_STEP
} PerpSpacingKind;

typedef struct PerpSpacing {
    PerpSpacingKind kind;
    long count;
    double from, to;    // to: the step of PERP_SPACING_STEP
    const double *list; // borrowed
} PerpSpacing;

double perp_spaced(const PerpSpacing *spacing, long k);

typedef enum PerpDistributionKind {
    PERP_DRAW_UNIFORM,
    PERP_DRAW_LOGUNIFORM,
    PERP_DRAW_NORMAL,
    PERP_DRAW_LOGNORMAL,
    PERP_DRAW_TRIANGULAR,
    PERP_DRAW_INTEGER,
    PERP_DRAW_CHOICE,
    PERP_DRAW_COUNT
} PerpDistributionKind;

typedef struct PerpDistribution {
    PerpDistributionKind kind;
    double a, b, c;       // as the study gives them
    double lower, upper;  // of normal and lognormal: the value is within
    long count;           // of choice
    const double *choice; // borrowed
} PerpDistribution;

double perp_drawn(const PerpDistribution *distribution, double u); // 0 < u < 1
// Of normal and lognormal before they are cut off: that a value is within the bounds.
double perp_probability_within(const PerpDistribution *distribution);

// Coordinates of points of the unit cube, 0 < u < 1. stream tells dimensions and factors apart.
double perp_random_point(uint64_t seed, uint64_t stream, uint64_t k);
double perp_latin_point(uint64_t seed, uint64_t stream, uint64_t k, uint64_t count);
double perp_sobol_point(uint64_t seed, uint64_t stream, int dimension, uint32_t k);

// Bits of coordinate `dimension` of Sobol's point k, the first behind the binary point highest.
uint32_t perp_sobol_bits(int dimension, uint32_t k);

// Position of k in a random order of 0 .. count - 1.
uint64_t perp_permuted(uint64_t seed, uint64_t k, uint64_t count);

#endif

// Vectors of four and of eight doubles, for kernels that the compiler does not vectorise by itself.
// Each operation is rounded once: the same bits whatever instructions the machine has.
#ifndef PERP_BASE_LANES_H
#define PERP_BASE_LANES_H

#include "base/compiler.h"

// Memory of doubles may be read and written through pointers to these types where it is aligned to
// their size. Vectors wider than the machine's are compiled badly: eight are two times four, and
// four are two times two where the compiler does not know that there are vectors of four.
#if defined(PERP_WIDE_VECTORS) || (defined(__GNUC__) && defined(__AVX__))
typedef double PerpLanes4 __attribute__((vector_size(32), may_alias));
#define PERP_EACH_LANE(y, operation, value) *(y)operation(value)
#define PERP_LANE(x) (*(x))
#else
#if defined(__GNUC__)
typedef double PerpLane __attribute__((vector_size(16), may_alias));
#else
typedef double PerpLane;
#endif
enum { PERP_LANES = (int)(4 * sizeof(double) / sizeof(PerpLane)) };
typedef struct PerpLanes4 {
    PerpLane lane[PERP_LANES];
} PerpLanes4;
#define PERP_EACH_LANE(y, operation, value)                                                        \
    for (int i = 0; i < PERP_LANES; i++)                                                           \
    (y)->lane[i] operation(value)
#define PERP_LANE(x) ((x)->lane[i])
#endif

typedef struct PerpLanes8 {
    PerpLanes4 low, high;
} PerpLanes8;

// y += a x
PERP_KERNEL_PART void perp_lanes4_add(PerpLanes4 *y, const PerpLanes4 *a, double x)
{
    PERP_EACH_LANE(y, +=, PERP_LANE(a) * x);
}

// y -= a x
PERP_KERNEL_PART void perp_lanes4_subtract(PerpLanes4 *y, const PerpLanes4 *a, double x)
{
    PERP_EACH_LANE(y, -=, PERP_LANE(a) * x);
}

// y += a x, lane by lane
PERP_KERNEL_PART void perp_lanes4_add_product(PerpLanes4 *y, const PerpLanes4 *a,
                                              const PerpLanes4 *x)
{
    PERP_EACH_LANE(y, +=, PERP_LANE(a) * PERP_LANE(x));
}

// y = y x, lane by lane
PERP_KERNEL_PART void perp_lanes4_multiply(PerpLanes4 *y, const PerpLanes4 *x)
{
    PERP_EACH_LANE(y, *=, PERP_LANE(x));
}

// y = y x
PERP_KERNEL_PART void perp_lanes4_scale(PerpLanes4 *y, double x)
{
    PERP_EACH_LANE(y, *=, x);
}

// The sum of the lanes, always in the same order.
PERP_KERNEL_PART double perp_lanes4_total(const PerpLanes4 *a)
{
    const double *x = (const double *)a;
    return (x[0] + x[1]) + (x[2] + x[3]);
}

PERP_KERNEL_PART void perp_lanes8_add(PerpLanes8 *y, const PerpLanes8 *a, double x)
{
    perp_lanes4_add(&y->low, &a->low, x);
    perp_lanes4_add(&y->high, &a->high, x);
}

PERP_KERNEL_PART void perp_lanes8_subtract(PerpLanes8 *y, const PerpLanes8 *a, double x)
{
    perp_lanes4_subtract(&y->low, &a->low, x);
    perp_lanes4_subtract(&y->high, &a->high, x);
}

PERP_KERNEL_PART void perp_lanes8_add_product(PerpLanes8 *y, const PerpLanes8 *a,
                                              const PerpLanes8 *x)
{
    perp_lanes4_add_product(&y->low, &a->low, &x->low);
    perp_lanes4_add_product(&y->high, &a->high, &x->high);
}

PERP_KERNEL_PART void perp_lanes8_multiply(PerpLanes8 *y, const PerpLanes8 *x)
{
    perp_lanes4_multiply(&y->low, &x->low);
    perp_lanes4_multiply(&y->high, &x->high);
}

PERP_KERNEL_PART void perp_lanes8_scale(PerpLanes8 *y, double x)
{
    perp_lanes4_scale(&y->low, x);
    perp_lanes4_scale(&y->high, x);
}

PERP_KERNEL_PART double perp_lanes8_total(const PerpLanes8 *a)
{
    PerpLanes4 sum = a->low;
    perp_lanes4_add(&sum, &a->high, 1);
    return perp_lanes4_total(&sum);
}

#endif

// Vectors of eight and of four doubles, for kernels that the compiler does not vectorise by itself.
// One operation each, rounded once: the same bits whatever instructions the machine has.
#ifndef PERP_BASE_LANES_H
#define PERP_BASE_LANES_H

#include "base/compiler.h"

// Memory of doubles may be read and written through pointers to these types where it is aligned to
// their size.
#if defined(__GNUC__)
typedef double PerpLanes8 __attribute__((vector_size(64), may_alias));
typedef double PerpLanes4 __attribute__((vector_size(32), may_alias));
#define PERP_LANES_DEFINE(name, Lanes, count)                                                      \
    PERP_KERNEL_PART void name##_add(Lanes *y, const Lanes *a, double x)                           \
    {                                                                                              \
        *y += *a * x;                                                                              \
    }                                                                                              \
    PERP_KERNEL_PART void name##_subtract(Lanes *y, const Lanes *a, double x)                      \
    {                                                                                              \
        *y -= *a * x;                                                                              \
    }                                                                                              \
    PERP_KERNEL_PART void name##_add_product(Lanes *y, const Lanes *a, const Lanes *x)             \
    {                                                                                              \
        *y += *a * *x;                                                                             \
    }                                                                                              \
    PERP_KERNEL_PART void name##_scale(Lanes *y, double x)                                         \
    {                                                                                              \
        *y *= x;                                                                                   \
    }
#else
typedef struct PerpLanes8 {
    double lane[8];
} PerpLanes8;
typedef struct PerpLanes4 {
    double lane[4];
} PerpLanes4;
#define PERP_LANES_DEFINE(name, Lanes, count)                                                      \
    PERP_KERNEL_PART void name##_add(Lanes *y, const Lanes *a, double x)                           \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            y->lane[i] += a->lane[i] * x;                                                          \
    }                                                                                              \
    PERP_KERNEL_PART void name##_subtract(Lanes *y, const Lanes *a, double x)                      \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            y->lane[i] -= a->lane[i] * x;                                                          \
    }                                                                                              \
    PERP_KERNEL_PART void name##_add_product(Lanes *y, const Lanes *a, const Lanes *x)             \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            y->lane[i] += a->lane[i] * x->lane[i];                                                 \
    }                                                                                              \
    PERP_KERNEL_PART void name##_scale(Lanes *y, double x)                                         \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            y->lane[i] *= x;                                                                       \
    }
#endif

// y += a x, y -= a x with a number x; y += a x lane by lane; y = y x
PERP_LANES_DEFINE(perp_lanes8, PerpLanes8, 8)
PERP_LANES_DEFINE(perp_lanes4, PerpLanes4, 4)

#endif

// Eight floats side by side, for kernels that need no more than the first digits. Each operation is
// rounded once: the same bits whatever instructions the machine has.
#ifndef PERP_BASE_FLOATS_H
#define PERP_BASE_FLOATS_H

#include "base/compiler.h"

#include <math.h>

enum { PERP_FLOATS = 8 };
typedef float PerpFloats __attribute__((vector_size(32), may_alias));   // GCC's and Clang's
typedef int PerpFloatsMask __attribute__((vector_size(32), may_alias)); // -1 or 0

#define PERP_FLOATS_SELECT(mask, a, b)                                                             \
    ((PerpFloats)(((PerpFloatsMask)(a) & (mask)) | ((PerpFloatsMask)(b) & ~(mask))))
// Lane by lane; vectors go by address, since how they are passed depends on the instruction set.
#define PERP_FLOATS_LARGER(a, b) PERP_FLOATS_SELECT((a) > (b), a, b)

PERP_KERNEL_PART void perp_floats_root(PerpFloats *x)
{
    float *each = (float *)x;
    for (int k = 0; k < PERP_FLOATS; k++)
        each[k] = sqrtf(each[k]);
}

// The sum of the lanes, always in the same order.
PERP_KERNEL_PART double perp_floats_total(const PerpFloats *x)
{
    const float *each = (const float *)x;
    double sum = 0;
    for (int k = 0; k < PERP_FLOATS; k++)
        sum += each[k];
    return sum;
}

// --- rows ---------------------------------------------------------------------------------------
// A row has six numbers and two that are 0. Rows of eight places become six vectors with a lane a
// place, and back.

enum { PERP_FLOATS_ROW = 8, PERP_FLOATS_COLUMNS = 6 };

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define PERP_FLOATS_SHUFFLE
#endif
#endif

#if defined(PERP_FLOATS_SHUFFLE)

typedef float PerpFloatsHalf __attribute__((vector_size(16), may_alias));

// Two halves of rows side by side, of four pairs of rows, become columns: first across two rows,
#define PERP_FLOATS_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define PERP_FLOATS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
// then across four.
#define PERP_FLOATS_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PERP_FLOATS_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

// Halves of the rows at places k and k + 4
PERP_KERNEL_PART void perp_floats_halves(const float *x, const int *place, PerpFloats row[4])
{
    for (int k = 0; k < 4; k++)
        row[k] = __builtin_shufflevector(*(const PerpFloatsHalf *)(x + place[k]),
                                         *(const PerpFloatsHalf *)(x + place[k + 4]), 0, 1, 2, 3, 4,
                                         5, 6, 7);
}

PERP_KERNEL_PART void perp_floats_columns(const float *x, const int *place,
                                          PerpFloats column[PERP_FLOATS_COLUMNS])
{
    PerpFloats row[4];
    perp_floats_halves(x, place, row);
    PerpFloats a = PERP_FLOATS_LOW(row[0], row[1]), b = PERP_FLOATS_LOW(row[2], row[3]);
    PerpFloats c = PERP_FLOATS_HIGH(row[0], row[1]), d = PERP_FLOATS_HIGH(row[2], row[3]);
    column[0] = PERP_FLOATS_LOW_PAIRS(a, b);
    column[1] = PERP_FLOATS_HIGH_PAIRS(a, b);
    column[2] = PERP_FLOATS_LOW_PAIRS(c, d);
    column[3] = PERP_FLOATS_HIGH_PAIRS(c, d);
    perp_floats_halves(x + 4, place, row);
    a = PERP_FLOATS_LOW(row[0], row[1]);
    b = PERP_FLOATS_LOW(row[2], row[3]);
    column[4] = PERP_FLOATS_LOW_PAIRS(a, b);
    column[5] = PERP_FLOATS_HIGH_PAIRS(a, b);
}

// One place after the other, which may be the same.
PERP_KERNEL_PART void perp_floats_add_halves(const PerpFloats row[4], const int *place, float *x)
{
    for (int k = 0; k < 4; k++)
        *(PerpFloatsHalf *)(x + place[k]) += ((const PerpFloatsHalf *)&row[k])[0];
    for (int k = 0; k < 4; k++)
        *(PerpFloatsHalf *)(x + place[k + 4]) += ((const PerpFloatsHalf *)&row[k])[1];
}

PERP_KERNEL_PART void perp_floats_add_columns(const PerpFloats column[PERP_FLOATS_COLUMNS],
                                              const int *place, float *x)
{
    PerpFloats none = {0}, row[4];
    PerpFloats a = PERP_FLOATS_LOW(column[0], column[1]), b = PERP_FLOATS_LOW(column[2], column[3]);
    PerpFloats c = PERP_FLOATS_HIGH(column[0], column[1]);
    PerpFloats d = PERP_FLOATS_HIGH(column[2], column[3]);
    row[0] = PERP_FLOATS_LOW_PAIRS(a, b);
    row[1] = PERP_FLOATS_HIGH_PAIRS(a, b);
    row[2] = PERP_FLOATS_LOW_PAIRS(c, d);
    row[3] = PERP_FLOATS_HIGH_PAIRS(c, d);
    perp_floats_add_halves(row, place, x);
    a = PERP_FLOATS_LOW(column[4], column[5]);
    c = PERP_FLOATS_HIGH(column[4], column[5]);
    row[0] = PERP_FLOATS_LOW_PAIRS(a, none);
    row[1] = PERP_FLOATS_HIGH_PAIRS(a, none);
    row[2] = PERP_FLOATS_LOW_PAIRS(c, none);
    row[3] = PERP_FLOATS_HIGH_PAIRS(c, none);
    perp_floats_add_halves(row, place, x + 4);
}

#else

PERP_KERNEL_PART void perp_floats_columns(const float *x, const int *place,
                                          PerpFloats column[PERP_FLOATS_COLUMNS])
{
    for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
        for (int k = 0; k < PERP_FLOATS; k++)
            ((float *)&column[i])[k] = x[place[k] + i];
}

PERP_KERNEL_PART void perp_floats_add_columns(const PerpFloats column[PERP_FLOATS_COLUMNS],
                                              const int *place, float *x)
{
    for (int k = 0; k < PERP_FLOATS; k++)
        for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
            x[place[k] + i] += ((const float *)&column[i])[k];
}

#endif
#endif

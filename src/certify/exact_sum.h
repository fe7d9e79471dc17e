// Sums in doubled precision, for certificates: the residual of a solution in doubles is right to
// the last bit also where large terms cancel.
#ifndef PERP_CERTIFY_EXACT_SUM_H
#define PERP_CERTIFY_EXACT_SUM_H

#include "base/compiler.h"

#include <math.h>

// value + error is exact to about 2^-104 of the terms.
typedef struct PerpSum {
    double value, error;
    double terms; // sum of |term|
} PerpSum;

// Adds x + rest, rest tiny: value + x = sum + error exactly (two-sum, no assumption on the sizes)
PERP_KERNEL_PART void perp_sum_add_pair(PerpSum *s, double x, double rest)
{
    double sum = s->value + x;
    double part = sum - s->value;
    s->error += ((s->value - (sum - part)) + (x - part)) + rest;
    s->value = sum;
    s->terms += fabs(x);
}

PERP_KERNEL_PART void perp_sum_add(PerpSum *s, double x)
{
    perp_sum_add_pair(s, x, 0);
}

// a b = product + rest exactly (two-product); C's fma rounds once
PERP_KERNEL_PART void perp_sum_add_product(PerpSum *s, double a, double b)
{
    double product = a * b;
    perp_sum_add_pair(s, product, fma(a, b, -product));
}

PERP_KERNEL_PART double perp_sum_total(const PerpSum *s)
{
    return s->value + s->error;
}

#endif

// The functions of signals, each with its derivatives.
#include "signal/code.h"

#include <math.h>

static double square_root(const double *x, double *by)
{
    double root = sqrt(x[0]);
    by[0] = 0.5 / root;
    return root;
}

static double sine(const double *x, double *by)
{
    by[0] = cos(x[0]);
    return sin(x[0]);
}

static double cosine(const double *x, double *by)
{
    by[0] = -sin(x[0]);
    return cos(x[0]);
}

static double tangent(const double *x, double *by)
{
    double value = tan(x[0]);
    by[0] = 1 + value * value;
    return value;
}

static double arc_sine(const double *x, double *by)
{
    by[0] = 1 / sqrt(1 - x[0] * x[0]);
    return asin(x[0]);
}

static double arc_cosine(const double *x, double *by)
{
    by[0] = -1 / sqrt(1 - x[0] * x[0]);
    return acos(x[0]);
}

static double exponential(const double *x, double *by)
{
    return by[0] = exp(x[0]);
}

static double logarithm(const double *x, double *by)
{
    by[0] = 1 / x[0];
    return log(x[0]);
}

static double hyperbolic_tangent(const double *x, double *by)
{
    double value = tanh(x[0]);
    by[0] = 1 - value * value;
    return value;
}

static double absolute(const double *x, double *by)
{
    by[0] = (x[0] > 0) - (x[0] < 0);
    return fabs(x[0]);
}

static double sign(const double *x, double *by)
{
    by[0] = 0;
    return (x[0] > 0) - (x[0] < 0);
}

static double round_down(const double *x, double *by)
{
    by[0] = 0;
    return floor(x[0]);
}

static double arc_tangent(const double *x, double *by)
{
    double square = x[0] * x[0] + x[1] * x[1];
    by[0] = x[1] / square;
    by[1] = -x[0] / square;
    return atan2(x[0], x[1]);
}

static double least(const double *x, double *by)
{
    by[0] = !(x[1] < x[0]);
    by[1] = x[1] < x[0];
    return x[1] < x[0] ? x[1] : x[0];
}

static double largest(const double *x, double *by)
{
    by[0] = !(x[1] > x[0]);
    by[1] = x[1] > x[0];
    return x[1] > x[0] ? x[1] : x[0];
}

// with the sign of the divisor
static double modulo(const double *x, double *by)
{
    double turns = floor(x[0] / x[1]);
    by[0] = 1;
    by[1] = -turns;
    return x[0] - x[1] * turns;
}

// x[0] between x[1] and x[2]
static double clamp(const double *x, double *by)
{
    bool low = x[0] < x[1], high = !low && x[0] > x[2];
    by[0] = !low && !high;
    by[1] = low;
    by[2] = high;
    return low ? x[1] : high ? x[2] : x[0];
}

// from x[0] to x[1], as x[2] is from 0 to 1
static double between(const double *x, double *by)
{
    by[0] = 1 - x[2];
    by[1] = x[2];
    by[2] = x[1] - x[0];
    return x[0] + (x[1] - x[0]) * x[2];
}

static const PerpFunction functions[] = {
    {"sqrt", 1, square_root, false},  {"sin", 1, sine, false},
    {"cos", 1, cosine, false},        {"tan", 1, tangent, false},
    {"asin", 1, arc_sine, false},     {"acos", 1, arc_cosine, false},
    {"exp", 1, exponential, false},   {"log", 1, logarithm, false},
    {"abs", 1, absolute, false},      {"tanh", 1, hyperbolic_tangent, false},
    {"sign", 1, sign, false},         {"floor", 1, round_down, false},
    {"atan2", 2, arc_tangent, false}, {"min", 2, least, false},
    {"max", 2, largest, false},       {"mod", 2, modulo, false},
    {"clamp", 3, clamp, false},       {"random", 3, between, true},
};

int perp_function_count(void)
{
    return (int)(sizeof functions / sizeof *functions);
}

const PerpFunction *perp_function(int index)
{
    return &functions[index];
}

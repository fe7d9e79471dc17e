// Tables: piecewise linear or cubic in time.
#include "signal/signal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double time_of(const PerpTable *table, int k)
{
    return table->point[2 * k];
}

static double value_of(const PerpTable *table, int k)
{
    return table->point[2 * k + 1];
}

static double secant(const PerpTable *table, int k)
{
    return (value_of(table, k + 1) - value_of(table, k)) /
           (time_of(table, k + 1) - time_of(table, k));
}

// The slope at an inner point: 0 at extrema, else the weighted harmonic mean of the secants beside
// it, so that the curve is monotonic where the points are  [Fritsch and Butland 1984]
static double inner_slope(const PerpTable *table, int k)
{
    double before = time_of(table, k) - time_of(table, k - 1);
    double behind = time_of(table, k + 1) - time_of(table, k);
    double left = secant(table, k - 1), right = secant(table, k);
    if (!(left * right > 0))
        return 0;
    double a = 2 * behind + before, b = behind + 2 * before;
    return (a + b) / (a / left + b / right);
}

// At the ends 0: the value is held outside of the table, and its rate is continuous.
static void set_slopes(PerpTable *table)
{
    for (int k = 1; k + 1 < table->n; k++)
        table->slope[k] = inner_slope(table, k);
}

static PerpStatus fail(PerpExpressionFault *fault, PerpStatus status, const char *text)
{
    fault->offset = 0;
    snprintf(fault->message, sizeof fault->message, "%s", text);
    return status;
}

static PerpStatus check(int n, const double *points, PerpExpressionFault *fault)
{
    if (n < 1)
        return fail(fault, PERP_BAD_SIZE, "a table needs at least one point");
    for (int k = 0; k < n; k++) {
        if (!isfinite(points[2 * k]) || !isfinite(points[2 * k + 1]))
            return fail(fault, PERP_BAD_VALUE, "a number of the table is not finite");
        if (k > 0 && !(points[2 * k] > points[2 * k - 2]))
            return fail(fault, PERP_BAD_VALUE, "the times of a table must ascend");
    }
    return PERP_OK;
}

PerpStatus perp_table_create(const PerpAllocator *allocator, int n, const double *points,
                             bool is_cubic, PerpTable *table, PerpExpressionFault *fault)
{
    *table = (PerpTable){.n = n, .is_cubic = is_cubic};
    PerpStatus status = check(n, points, fault);
    if (status)
        return status;
    table->point = perp_allocate(allocator, 2 * (size_t)n, sizeof(double));
    table->slope = is_cubic ? perp_allocate(allocator, (size_t)n, sizeof(double)) : NULL;
    if (!table->point || (is_cubic && !table->slope)) {
        perp_table_free(allocator, table);
        return fail(fault, PERP_NO_MEMORY, "out of memory");
    }
    memcpy(table->point, points, 2 * (size_t)n * sizeof(double));
    if (is_cubic)
        set_slopes(table);
    return PERP_OK;
}

void perp_table_free(const PerpAllocator *allocator, PerpTable *table)
{
    perp_free(allocator, table->point);
    perp_free(allocator, table->slope);
    *table = (PerpTable){0};
}

// The last point whose time is at most t.
static int find_point(const PerpTable *table, double t)
{
    int low = 0, high = table->n - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (time_of(table, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Hermite's cubic between points k and k + 1, s = 0 .. 1
static PerpDual cubic(const PerpTable *table, int k, double length, double s)
{
    double a = value_of(table, k), b = value_of(table, k + 1);
    double m = length * table->slope[k], n = length * table->slope[k + 1];
    double c = 3 * (b - a) - 2 * m - n, d = 2 * (a - b) + m + n;
    return (PerpDual){a + s * (m + s * (c + s * d)), (m + s * (2 * c + 3 * s * d)) / length};
}

PerpDual perp_table_at(const PerpTable *table, double t)
{
    int k = find_point(table, t);
    if (t < time_of(table, 0) || k == table->n - 1)
        return (PerpDual){value_of(table, k), 0};
    double length = time_of(table, k + 1) - time_of(table, k), s = (t - time_of(table, k)) / length;
    if (table->is_cubic)
        return cubic(table, k, length, s);
    return (PerpDual){value_of(table, k) + s * (value_of(table, k + 1) - value_of(table, k)),
                      secant(table, k)};
}

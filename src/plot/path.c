// Polylines of curves, simplified to what can be seen.
#include "plot/path.h"

#include "base/memory.h"

#include <limits.h>
#include <math.h>

static void append(PerpPath *path, const double at[2], bool start)
{
    if (path->failed)
        return;
    if (path->count == path->capacity) {
        int capacity = path->capacity < INT_MAX / 2 ? 2 * path->capacity + 256 : 0;
        PerpPathPoint *points =
            capacity ? perp_resize(path->allocator, path->points, (size_t)capacity, sizeof *points)
                     : NULL;
        if (!points) {
            path->failed = true;
            return;
        }
        path->points = points;
        path->capacity = capacity;
    }
    path->points[path->count++] = (PerpPathPoint){{at[0], at[1]}, start};
}

void perp_path_free(PerpPath *path)
{
    perp_free(path->allocator, path->points);
    *path = (PerpPath){.allocator = path->allocator};
}

// --- one column ---------------------------------------------------------------------------------

typedef struct Spot {
    long index;
    double at[2];
} Spot;

// Points that follow each other in the same column: the outermost ones.
enum { FIRST, LAST, LOWEST, HIGHEST, LEFTMOST, RIGHTMOST, SPOTS };
typedef struct Column {
    long number;
    bool filled, start;
    Spot spot[SPOTS];
} Column;

static void fill_column(Column *column, const Spot *spot, long number, bool start)
{
    column->number = number;
    column->filled = true;
    column->start = start;
    for (int k = 0; k < SPOTS; k++)
        column->spot[k] = *spot;
}

static void widen_column(Column *column, const Spot *spot)
{
    Spot *extreme = column->spot;
    extreme[LAST] = *spot;
    for (int axis = 0; axis < 2; axis++) {
        int low = axis ? LOWEST : LEFTMOST, high = axis ? HIGHEST : RIGHTMOST;
        if (spot->at[axis] < extreme[low].at[axis])
            extreme[low] = *spot;
        if (spot->at[axis] > extreme[high].at[axis])
            extreme[high] = *spot;
    }
}

// In the order in which they came, each once.
static void flush_column(Column *column, PerpPath *path)
{
    if (!column->filled)
        return;
    append(path, column->spot[FIRST].at, column->start);
    long written = column->spot[FIRST].index;
    for (;;) {
        const Spot *next = NULL;
        for (int k = 0; k < SPOTS; k++) {
            const Spot *spot = &column->spot[k];
            if (spot->index > written && (!next || spot->index < next->index))
                next = spot;
        }
        if (!next)
            break;
        append(path, next->at, false);
        written = next->index;
    }
    column->filled = false;
}

// --- straight parts -----------------------------------------------------------------------------

typedef struct Direction {
    double x, y;
} Direction;

// The directions from an anchor in which all points since lie within the tolerance.
typedef struct Wedge {
    Direction left, right;
    bool open; // everything is still allowed
} Wedge;

static double cross(Direction a, Direction b)
{
    return a.x * b.y - a.y * b.x;
}

static Direction turn(Direction d, double c, double s)
{
    return (Direction){c * d.x - s * d.y, s * d.x + c * d.y};
}

static Direction between(const double from[2], const double to[2])
{
    return (Direction){to[0] - from[0], to[1] - from[1]};
}

// True if the direction lies in the wedge, which then becomes narrower.
static bool narrow(Wedge *wedge, Direction d, double tolerance)
{
    double length = hypot(d.x, d.y);
    if (!wedge->open && (cross(wedge->right, d) < 0 || cross(d, wedge->left) < 0))
        return false;
    if (length <= tolerance)
        return true;
    double s = tolerance / length;
    double c = sqrt(1 - s * s);
    Direction left = turn(d, c, s), right = turn(d, c, -s);
    if (wedge->open || cross(left, wedge->left) > 0)
        wedge->left = left;
    if (wedge->open || cross(wedge->right, right) > 0)
        wedge->right = right;
    wedge->open = false;
    return true;
}

// Keeps a point if the line from the last one kept would miss it, or where the path turns back.
static void straighten(PerpPath *path, double tolerance)
{
    int kept = 0, anchor = 0; // how many after the first; which of the original ones was the last
    Wedge wedge = {.open = true};
    PerpPathPoint *points = path->points;
    for (int k = 1; k < path->count; k++) {
        const double *from = points[kept].at, *last = points[k - 1].at;
        Direction step = between(last, points[k].at), way = between(from, last);
        bool back = step.x * way.x + step.y * way.y < 0;
        if (!points[k].start && !back && narrow(&wedge, between(from, points[k].at), tolerance))
            continue;
        if (anchor < k - 1)
            points[++kept] = points[k - 1];
        anchor = k - 1;
        if (points[k].start) {
            points[++kept] = points[k];
            anchor = k;
        }
        wedge = (Wedge){.open = true};
        narrow(&wedge, between(points[kept].at, points[k].at), tolerance);
    }
    if (anchor < path->count - 1)
        points[++kept] = points[path->count - 1];
    path->count = path->count > 0 ? kept + 1 : 0;
}

// --- the whole ----------------------------------------------------------------------------------

void perp_path_trace(PerpPath *path, const PerpPlot *plot, const PerpCurve *curve, const double *y,
                     double tolerance)
{
    Column column = {0};
    bool gap = true;
    path->count = 0;
    for (int k = 0; k < curve->count; k++) {
        Spot spot = {.index = k};
        if (!perp_plot_place(plot, curve->x[k], y[k], spot.at)) {
            gap = true;
            continue;
        }
        long number = (long)floor(spot.at[0]);
        if (column.filled && !gap && column.number == number) {
            widen_column(&column, &spot);
        } else {
            flush_column(&column, path);
            fill_column(&column, &spot, number, gap);
        }
        gap = false;
    }
    flush_column(&column, path);
    straighten(path, tolerance);
}

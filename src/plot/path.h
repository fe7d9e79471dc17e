// The path of a curve over the paper, without the points that nobody could see.
#ifndef PERP_PLOT_PATH_H
#define PERP_PLOT_PATH_H

#include "plot/plot.h"

typedef struct PerpPathPoint {
    double at[2];
    bool start; // of a piece: no line leads here
} PerpPathPoint;

typedef struct PerpPath {
    const PerpAllocator *allocator; // borrowed
    int count, capacity;
    PerpPathPoint *points; // owned
    bool failed;           // memory ran short
} PerpPath;

// Points that follow each other in a column one px wide are replaced by the first, the last and the
// outermost; then points within `tolerance` px of the line between others go. y: the curve's y or
// lower.
void perp_path_trace(PerpPath *path, const PerpPlot *plot, const PerpCurve *curve, const double *y,
                     double tolerance);
void perp_path_free(PerpPath *path);

#endif

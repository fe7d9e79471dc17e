// A figure made ready for drawing: areas stacked, colours chosen, ranges found. SVG and braille
// start from here.
#ifndef PERP_PLOT_PLOT_H
#define PERP_PLOT_PLOT_H

#include "perp/figure.h"
#include "plot/axis.h"

enum { PERP_PALETTE = 8 };

typedef struct PerpCurve {
    const char *name; // NULL: not in the legend
    int count;
    const double *x;
    const double *y;     // the upper edge of areas
    const double *lower; // of areas, else NULL
    PerpMark mark;
    int colour; // 0 .. PERP_PALETTE - 1
    int dash;   // 0: solid
} PerpCurve;

typedef struct PerpPlot {
    PerpFigure used;          // the figure with all fields that this version has
    PerpSeries *series;       // owned: of a caller who was compiled with a shorter struct
    const PerpFigure *figure; // used
    int n_curves;
    PerpCurve *curves; // owned
    double *stack;     // owned: edges of areas
    bool empty;        // nothing can be drawn
    PerpAxis x, y;     // places are 0 .. 1 until somebody sets them
} PerpPlot;

PerpStatus perp_plot_prepare(const PerpContext *context, const PerpFigure *figure, PerpPlot *plot,
                             PerpError *error);
void perp_plot_free(const PerpContext *context, PerpPlot *plot);

// Stretches the range of one axis until both have the same scale. Needs places.
void perp_plot_equalise(PerpPlot *plot);

// The place of a point; false if it has none.
bool perp_plot_place(const PerpPlot *plot, double x, double y, double place[2]);

// How the legend lists curves: areas first, from the top down, then the others.
int perp_plot_legend_order(const PerpPlot *plot, int *order); // returns how many have names

#endif
